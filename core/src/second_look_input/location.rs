//! Finds the heading above a claim and the text before it.

use core::ops::Range;

use crate::text::part;

const MAX_BEFORE: usize = 400;
const MAX_HEADING: usize = 200;
/// The maximum distance between a claim and its heading, in bytes.
const MAX_BACK: usize = 16 << 10;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) heading: String,
    /// The preceding text in the section; may be empty. For a table row, it begins with the header of the table.
    pub(super) preceding_text: String,
}

pub(super) fn locate(report: &str, span: &Range<usize>) -> Location {
    let end = report.floor_char_boundary(span.start);
    let start = report.ceil_char_boundary(end.saturating_sub(MAX_BACK));
    let preceding = part(report, start..end.max(start));
    let (section, heading) = match last_heading(preceding) {
        Some((heading, after)) => (part(preceding, after..preceding.len()), heading),
        None => (preceding, ""),
    };
    let excerpt_start = section.ceil_char_boundary(section.len().saturating_sub(MAX_BEFORE));
    let mut preceding_text = part(section, excerpt_start..section.len()).trim().to_owned();
    if let Some(header) = table_header(section).filter(|header| !preceding_text.contains(header)) {
        preceding_text.insert(0, '\n');
        preceding_text.insert_str(0, header);
    }
    Location {
        heading: part(heading, 0..heading.floor_char_boundary(MAX_HEADING)).to_owned(),
        preceding_text,
    }
}

fn last_heading(text: &str) -> Option<(&str, usize)> {
    let mut end = text.len();
    // Skip the claim's own line.
    let mut lines = text.rsplit('\n');
    end -= lines.next().map_or(0, str::len);
    for line in lines {
        if let Some(heading) = heading(line) {
            return Some((heading, end));
        }
        end = end.saturating_sub(line.len() + 1);
    }
    None
}

/// Parses a heading line: `## Cause`, `**Cause**` or `**Cause**:`.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix('#') {
        return Some(rest.trim_matches(['#', ' ']));
    }
    let bold = line.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    let bold = bold.or_else(|| line.strip_prefix("**").and_then(|rest| rest.strip_suffix("**:")));
    bold.filter(|heading| !heading.contains("**"))
}

fn table_header(text: &str) -> Option<&str> {
    let is_row = |line: &&str| line.trim_start().starts_with('|');
    // Skip the start of the claim's own line.
    let rows = text.rsplit('\n').skip(1).take_while(is_row);
    rows.last().map(str::trim).filter(|line| line.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locate_claim(report: &str, claim: &str) -> Location {
        let start = report.find(claim).unwrap();
        locate(report, &(start..start + claim.len()))
    }

    #[test]
    fn finds_the_heading_above_and_the_text_before_a_claim() {
        let report = "# Outage\n\nAll fine.\n\n## Root cause\n\nThe pool of db-1 was full. It had 20 connections.";
        let location = locate_claim(report, "It had 20");
        assert_eq!(location.heading, "Root cause");
        assert_eq!(location.preceding_text, "The pool of db-1 was full.");
        assert_eq!(locate_claim(report, "All fine").heading, "Outage");
        assert_eq!(locate_claim("**Impact**\n- 40 orders lost", "40 orders").heading, "Impact");
        assert_eq!(
            locate_claim("No heading. Second.", "Second"),
            Location { heading: String::new(), preceding_text: "No heading.".to_owned() }
        );
    }

    #[test]
    fn a_table_row_includes_the_header_of_its_table() {
        let mut report = String::from("| pod | restarts |\n|---|---|\n");
        for row in 0..60 {
            report.push_str(&format!("| pod-{row} | {row} |\n"));
        }
        let location = locate_claim(&report, "| pod-59 | 59 |");
        assert!(location.preceding_text.starts_with("| pod | restarts |"), "{location:?}");
        assert!(location.preceding_text.len() < 500);
    }

    #[test]
    fn accepts_any_span() {
        let report = "é\n# ü\n| ß |";
        for start in 0..40 {
            for end in start..40 {
                let _ = locate(report, &(start..end));
            }
        }
    }
}
