//! This module says where a claim stands in its report: under which heading, and behind which words. It reads no
//! evidence.

use core::ops::Range;

use crate::text::part;

/// The most bytes of the words before a claim.
const MAX_BEFORE: usize = 400;
/// The most bytes of a heading.
const MAX_HEADING: usize = 200;
/// How far back a heading is looked for, in bytes.
const MAX_BACK: usize = 16 << 10;

/// Where a claim stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The nearest heading above it; may be empty.
    pub(super) under: String,
    /// The words before it in its section, with the header of its table; may be empty.
    pub(super) before: String,
}

/// Where the bytes of a claim stand in a report.
pub(super) fn place(report: &str, span: &Range<usize>) -> Place {
    let end = report.floor_char_boundary(span.start);
    let start = report.ceil_char_boundary(end.saturating_sub(MAX_BACK));
    let behind = part(report, start..end.max(start));
    let (section, under) = match last_heading(behind) {
        Some((heading, after)) => (part(behind, after..behind.len()), heading),
        None => (behind, ""),
    };
    let near = section.ceil_char_boundary(section.len().saturating_sub(MAX_BEFORE));
    let mut before = part(section, near..section.len()).trim().to_owned();
    if let Some(header) = header_of_table(section).filter(|header| !before.contains(header)) {
        before.insert(0, '\n');
        before.insert_str(0, header);
    }
    Place { under: part(under, 0..under.floor_char_boundary(MAX_HEADING)).to_owned(), before }
}

/// The last heading of a text and where the text behind it begins.
fn last_heading(text: &str) -> Option<(&str, usize)> {
    let mut end = text.len();
    // What stands on the claim's own line is no heading.
    let mut lines = text.rsplit('\n');
    end -= lines.next().map_or(0, str::len);
    for line in lines {
        let heading = heading(line);
        if let Some(heading) = heading {
            return Some((heading, end));
        }
        end = end.saturating_sub(line.len() + 1);
    }
    None
}

/// The words of a line that is a heading: `## Cause`, `**Cause**`, `Cause:`.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix('#') {
        return Some(rest.trim_matches(['#', ' ']));
    }
    let bold = line.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    let bold = bold.or_else(|| line.strip_prefix("**").and_then(|rest| rest.strip_suffix("**:")));
    bold.filter(|words| !words.contains("**"))
}

/// The header row of the table in whose row a text stops.
fn header_of_table(text: &str) -> Option<&str> {
    let is_row = |line: &&str| line.trim_start().starts_with('|');
    // The first piece is what stands before the claim on its own line.
    let rows = text.rsplit('\n').skip(1).take_while(is_row);
    rows.last().map(str::trim).filter(|line| line.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(report: &str, claim: &str) -> Place {
        let start = report.find(claim).unwrap();
        place(report, &(start..start + claim.len()))
    }

    #[test]
    fn a_claim_stands_under_its_heading_behind_the_words_before_it() {
        let report = "# Outage\n\nAll fine.\n\n## Root cause\n\nThe pool of db-1 was full. It had 20 connections.";
        let place = of(report, "It had 20");
        assert_eq!(place.under, "Root cause");
        assert_eq!(place.before, "The pool of db-1 was full.");
        assert_eq!(of(report, "All fine").under, "Outage");
        assert_eq!(of("**Impact**\n- 40 orders lost", "40 orders").under, "Impact");
        assert_eq!(
            of("No heading. Second.", "Second"),
            Place { under: String::new(), before: "No heading.".to_owned() }
        );
    }

    #[test]
    fn a_row_has_the_header_of_its_table() {
        let mut report = String::from("| pod | restarts |\n|---|---|\n");
        for row in 0..60 {
            report.push_str(&format!("| pod-{row} | {row} |\n"));
        }
        let place = of(&report, "| pod-59 | 59 |");
        assert!(place.before.starts_with("| pod | restarts |"), "{place:?}");
        assert!(place.before.len() < 500);
    }

    #[test]
    fn any_span_has_a_place() {
        let report = "é\n# ü\n| ß |";
        for start in 0..40 {
            for end in start..40 {
                let _ = place(report, &(start..end));
            }
        }
    }
}
