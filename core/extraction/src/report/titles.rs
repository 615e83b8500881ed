//! This module says whether the content words of a title stand together in one claim or one evidence record. It knows
//! nothing of where a title stands.

use super::labels::is_title_word;
use crate::text::part;
use crate::text::tokens::words;

/// What a title says, as alternatives for each of its content words, in lower case.
pub(super) struct Title(Vec<Vec<String>>);

impl Title {
    /// Reads a title. Words of the closed list are left out; a date may be written in figures.
    pub(super) fn read(text: &str) -> Self {
        let all: Vec<String> = words(text).map(|word| word.text.to_lowercase()).collect();
        let keep: Vec<bool> = words(text).map(|word| !is_title_word(&word)).collect();
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(word) = all.get(at) {
            if let Some((date, length)) = date(all.get(at..).unwrap_or_default()) {
                found.push(vec![date]);
                at += length;
                continue;
            }
            if keep.get(at) == Some(&true) {
                let mut forms = vec![word.clone()];
                forms.extend(
                    word.strip_suffix('s').filter(|stem| stem.len() > 3).map(str::to_owned),
                );
                found.push(forms);
            }
            at += 1;
        }
        Self(found)
    }

    /// Whether it says nothing beyond the closed list.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all its words stand in a text of lower case.
    pub(super) fn stands_in(&self, record: &str) -> bool {
        self.0.iter().all(|forms| forms.iter().any(|form| has_word(record, form)))
    }
}

fn has_word(record: &str, word: &str) -> bool {
    record.match_indices(word).any(|(at, _)| {
        let after = part(record, at + word.len()..record.len());
        let after = after.strip_prefix('s').unwrap_or(after);
        let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !letter(part(record, 0..at).chars().next_back()) && !letter(after.chars().next())
    })
}

/// A date in words at the start, as it is written in figures, and how many words it takes.
fn date(words: &[String]) -> Option<(String, usize)> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let number = |word: &String, most: u32| {
        let digits = word.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']);
        digits.parse::<u32>().ok().filter(|value| (1..=most).contains(value))
    };
    let month = |word: &String| {
        let start = word.get(..3)?;
        MONTHS.iter().position(|month| *month == start).map(|at| at + 1)
    };
    let [first, second, year, ..] = words else { return None };
    let year = number(year, 2999).filter(|year| *year >= 1970)?;
    let (day, month) = match (number(first, 31), number(second, 31)) {
        (Some(day), None) => (day, month(second)?),
        (None, Some(day)) => (day, month(first)?),
        _ => return None,
    };
    Some((format!("{year}-{month:02}-{day:02}"), 3))
}
