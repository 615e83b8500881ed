//! Searches the evidence near a word, to detect mutations that happen to be true.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

const MAX_RECORD_BYTES: usize = 400;

/// The minimum number of words in a record. A line with fewer words counts as part of a document.
const MIN_WORDS: usize = 3;

/// The number of bytes of context on each side of a word that is not in a record.
const NEAR: usize = 250;

/// A case's evidence in lowercase, and the names in it.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    items: Vec<String>,
    /// Every word as written, with the lowercased words that precede its occurrences, such as `node` or
    /// `alertname`.
    names: BTreeMap<String, BTreeSet<String>>,
}

impl Surroundings {
    /// Creates surroundings from evidence items.
    pub fn new<'a>(items: impl IntoIterator<Item = &'a str>) -> Self {
        let mut surroundings = Self::default();
        for item in items {
            surroundings.items.push(item.to_lowercase());
            let mut before = String::new();
            for word in item.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')))
            {
                let word = word.trim_matches(['-', '.']);
                if word.is_empty() {
                    continue;
                }
                let keys = surroundings.names.entry(word.to_owned()).or_default();
                keys.insert(std::mem::replace(&mut before, word.to_lowercase()));
            }
        }
        surroundings
    }

    pub(super) fn names(&self) -> &BTreeMap<String, BTreeSet<String>> {
        &self.names
    }

    pub(super) fn contains(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.items.iter().any(|item| item.contains(&text))
    }

    /// Returns `true` if the evidence contains the number other than as part of a longer one.
    pub(super) fn contains_number(&self, number: &str) -> bool {
        let whole = |item: &str, span: Range<usize>| {
            let part_of_number = |c: char| c.is_ascii_digit() || c == '.';
            let before = item.get(..span.start).and_then(|before| before.chars().next_back());
            let after = item.get(span.end..).unwrap_or_default();
            !before.is_some_and(part_of_number)
                && !after.starts_with(|c: char| c.is_ascii_digit())
                && !after
                    .strip_prefix('.')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        self.items.iter().any(|item| spans(item, number).any(|span| whole(item, span)))
    }

    /// Returns the maximum number of terms near any occurrence of a word, or `None` if it does not occur.
    pub(super) fn max_terms_near(&self, word: &str, terms: &[String]) -> Option<usize> {
        let word = word.to_lowercase();
        let mut max = None;
        for item in &self.items {
            for span in spans(item, &word).filter(|span| is_whole(item, span)) {
                let near = near(item, span);
                let is_near = |term: &&String| spans(near, term).any(|span| is_whole(near, &span));
                max = max.max(Some(terms.iter().filter(is_near).count()));
            }
        }
        max
    }
}

fn is_whole(text: &str, span: &Range<usize>) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let before = text.get(..span.start).and_then(|before| before.chars().next_back());
    let after = text.get(span.end..).and_then(|after| after.chars().next());
    !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
}

fn spans<'a>(item: &'a str, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    item.match_indices(text).map(move |(start, _)| start..start + text.len())
}

fn near(item: &str, span: Range<usize>) -> &str {
    let start = item.get(..span.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let rest = item.get(span.end..).unwrap_or_default();
    let end = span.end + rest.find('\n').unwrap_or(rest.len());
    let line = item.get(start..end).unwrap_or_default();
    let is_object = line.starts_with('{') && line.ends_with('}');
    let is_part = !is_object && line.trim_start().starts_with(['{', '[', '"', '}', ']']);
    if !is_part && line.len() <= MAX_RECORD_BYTES && line.split_whitespace().count() >= MIN_WORDS {
        return line;
    }
    let start = item.floor_char_boundary(span.start.saturating_sub(NEAR));
    let end = item.floor_char_boundary(span.end + NEAR);
    item.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_whole_numbers() {
        let evidence = Surroundings::new(["limit 512Mi, version 5.18.2, 0.25"]);
        assert!(evidence.contains_number("512") && evidence.contains_number("0.25"));
        for absent in ["51", "12", "18", "5", "25"] {
            assert!(!evidence.contains_number(absent), "{absent}");
        }
    }

    #[test]
    fn searches_within_one_table_row() {
        let evidence = Surroundings::new([
            "pod-a   Running   4 restarts   on node-01\npod-b   Pending   0 restarts   on node-02",
        ]);
        let terms = ["running", "4", "node-01"].map(str::to_owned);
        assert_eq!(evidence.max_terms_near("pod-a", &terms), Some(3));
        assert_eq!(evidence.max_terms_near("pod-b", &terms), Some(0));
        assert_eq!(evidence.max_terms_near("pod", &terms), None, "part of a name");
        assert!(evidence.names()["node-01"].contains("on"));
    }
}
