//! Inserts a sentence into a report without changing what its other sentences refer to.

use super::rng::Rng;

const REFERRING_WORDS: [&str; 18] = [
    "it", "its", "this", "that", "these", "those", "they", "their", "he", "she", "both", "such",
    "then", "there", "which", "however", "therefore", "so",
];

/// Inserts the sentence at a random position. An empty report stays empty.
pub(super) fn insert_sentence(report: &str, sentence: &str, rng: &mut Rng) -> String {
    if report.trim().is_empty() {
        return report.to_owned();
    }
    let points = insertion_points(report);
    let Some(point) = rng.choose(&points) else {
        return format!("{}\n\n{}\n", report.trim_end(), with_full_stop(sentence));
    };
    let (before, after) = report.split_at_checked(point.end).unwrap_or((report, ""));
    match &point.marker {
        Some(marker) if point.is_sentence => {
            format!("{before}\n{marker}{}{after}", with_full_stop(sentence))
        }
        Some(marker) => format!("{before}\n{marker}{}{after}", sentence.trim_end_matches('.')),
        None => format!("{before} {}{after}", with_full_stop(sentence)),
    }
}

struct InsertionPoint {
    end: usize,
    /// The indentation and the bullet, if the line is a list item.
    marker: Option<String>,
    is_sentence: bool,
}

fn insertion_points(report: &str) -> Vec<InsertionPoint> {
    let mut points = Vec::new();
    let (mut start, mut is_in_code) = (0, false);
    let mut lines = report.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let end = start + line.trim_end().len();
        start += line.len();
        let text = line.trim();
        if text.starts_with("```") || text.starts_with("~~~") {
            is_in_code = !is_in_code;
            continue;
        }
        let next_line = lines.peek().copied().unwrap_or_default();
        let next_text = report.get(start..).unwrap_or_default().trim_start();
        if is_in_code
            || !is_prose(line)
            || !ends_block(line, next_line)
            || begins_with_reference(next_text)
        {
            continue;
        }
        let marker = list_marker(line);
        let is_sentence = text.ends_with(['.', '!', '?']);
        if marker.is_some() || is_sentence {
            points.push(InsertionPoint { end, marker, is_sentence });
        }
    }
    points
}

fn is_prose(line: &str) -> bool {
    let text = line.trim();
    let is_indented = line.starts_with("    ") || line.starts_with('\t');
    let is_markup = text.starts_with(['#', '|', '>', '<', '[', '!', '=', '-', '*', '+', '_', '`']);
    let is_markup = is_markup && list_marker(line).is_none();
    !text.is_empty()
        && !text.ends_with(':')
        && !is_markup
        && (!is_indented || list_marker(line).is_some())
}

/// Returns `true` if `line` is the last line of a paragraph, or of a list item with its sub-items.
fn ends_block(line: &str, next_line: &str) -> bool {
    let next_text = next_line.trim();
    if next_text.is_empty() || next_text.starts_with('#') {
        return true;
    }
    let is_item = list_marker(next_line).is_some()
        || next_text.starts_with(|first: char| first.is_ascii_digit());
    is_item && indent(next_line) <= indent(line)
}

fn begins_with_reference(text: &str) -> bool {
    let text = text.trim_start_matches(|first: char| !first.is_alphanumeric());
    let word: String = text.chars().take_while(|letter| letter.is_alphabetic()).collect();
    REFERRING_WORDS.contains(&word.to_lowercase().as_str())
}

/// Returns the indentation and the bullet of an unnumbered list item.
fn list_marker(line: &str) -> Option<String> {
    let (marker, rest) = line.split_at_checked(indent(line))?;
    let bullet = ["- ", "* ", "+ "].into_iter().find(|bullet| rest.starts_with(bullet))?;
    Some(format!("{marker}{bullet}"))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn with_full_stop(sentence: &str) -> String {
    let sentence = sentence.trim_end();
    if sentence.ends_with(['.', '!', '?']) { sentence.to_owned() } else { format!("{sentence}.") }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn all_insertions(report: &str) -> HashSet<String> {
        (0_u32..200)
            .map(|seed| insert_sentence(report, "The disk is full.", &mut Rng::from_seed(seed)))
            .collect()
    }

    fn reports(expected: &[&str]) -> HashSet<String> {
        expected.iter().map(|report| (*report).to_owned()).collect()
    }

    #[test]
    fn inserts_after_a_paragraph_or_list_item() {
        assert_eq!(all_insertions(""), reports(&[""]));
        assert_eq!(
            all_insertions("The pool is 20."),
            reports(&["The pool is 20. The disk is full."])
        );
        assert_eq!(
            all_insertions("## Cause\nA pod\nfailed.\n\nNo alert fired.\n"),
            reports(&[
                "## Cause\nA pod\nfailed. The disk is full.\n\nNo alert fired.\n",
                "## Cause\nA pod\nfailed.\n\nNo alert fired. The disk is full.\n",
            ])
        );
        assert_eq!(
            all_insertions("Found:\n- one pod\n- two nodes"),
            reports(&[
                "Found:\n- one pod\n- The disk is full\n- two nodes",
                "Found:\n- one pod\n- two nodes\n- The disk is full",
            ])
        );
    }

    #[test]
    fn keeps_connected_text_together() {
        // The second paragraph refers to the first.
        assert_eq!(
            all_insertions("A pod failed.\n\nIt was restarted.\n"),
            reports(&["A pod failed.\n\nIt was restarted. The disk is full.\n"])
        );
        for report in ["```\npool is 20.\n```\n", "| a | b |\n|---|---|\n| 1 | 2. |\n", "# Title\n"]
        {
            let expected = format!("{}\n\nThe disk is full.\n", report.trim_end());
            assert_eq!(all_insertions(report), reports(&[&expected]));
        }
        let nested = "- pods\n  - one\n  - two\n";
        assert!(
            all_insertions(nested).iter().all(|report| report.starts_with("- pods\n  - one\n")),
            "{:?}",
            all_insertions(nested)
        );
    }

    #[test]
    fn the_rest_of_the_report_is_unchanged() {
        let report =
            "# Incident\n\nÜber 20 pods failed.\n\n1. One. \n2. Two.\n\n* a\n* b\n\n    code.\n";
        for changed in all_insertions(report) {
            let (before, _) = changed.split_once("The disk is full").unwrap();
            let before = before.trim_end_matches(['\n', ' ', '*']);
            assert!(report.starts_with(before), "{changed}");
        }
        assert_eq!(all_insertions(report).len(), 5);
    }
}
