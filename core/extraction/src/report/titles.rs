//! Checks whether the content words in a title occur together in a claim or evidence record.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher as _};

use super::labels::is_title_word;
use crate::budget::Budget;
use crate::text::part;
use crate::text::tokens::words;

/// A title's content words in lower case, each with alternative forms.
pub(super) struct Title(Vec<Vec<String>>);

impl Title {
    /// Parses a title. Skips words that need no evidence, and converts dates to figures.
    pub(super) fn parse(text: &str) -> Self {
        let lower_words: Vec<String> = words(text).map(|word| word.text.to_lowercase()).collect();
        let is_kept: Vec<bool> = words(text).map(|word| !is_title_word(&word)).collect();
        let mut found = Vec::new();
        let mut index = 0;
        while let Some(word) = lower_words.get(index) {
            if let Some((date, length)) = date(lower_words.get(index..).unwrap_or_default()) {
                found.push(vec![date]);
                index += length;
                continue;
            }
            if is_kept.get(index) == Some(&true) {
                let mut forms = vec![word.clone()];
                forms.extend(
                    word.strip_suffix('s').filter(|stem| stem.len() > 3).map(str::to_owned),
                );
                found.push(forms);
            }
            index += 1;
        }
        Self(found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn is_in(&self, record: &str) -> bool {
        self.0.iter().all(|forms| forms.iter().any(|form| has_word(record, form)))
    }

    /// Returns keys that every text containing the title also has.
    fn keys(&self) -> impl Iterator<Item = u64> {
        self.0.iter().filter_map(|forms| forms.first()).flat_map(|word| keys(word))
    }
}

/// The maximum length of a record in bytes. Longer items are split into lines, which are truncated to this length.
const MAX_RECORD: usize = 4 << 10;
/// The maximum number of bytes to compare with titles. Titles beyond this limit become claims.
const MAX_COMPARED: usize = 64 << 20;

pub(super) struct StatedRecords<'a> {
    records: Vec<Cow<'a, str>>,
    indices_by_key: BTreeMap<u64, Vec<usize>>,
    title_keys: BTreeSet<u64>,
    compared_bytes: usize,
}

impl<'a> StatedRecords<'a> {
    /// Indexes evidence and statements if there are titles.
    pub(super) fn collect(
        titles: &[Title],
        evidence: &[&'a str],
        statements: impl Iterator<Item = String>,
        budget: &Budget,
    ) -> Self {
        let title_keys = titles.iter().flat_map(Title::keys).collect();
        let (records, indices_by_key) = (Vec::new(), BTreeMap::new());
        let mut stated = Self { records, indices_by_key, title_keys, compared_bytes: 0 };
        if !titles.is_empty() {
            evidence.iter().for_each(|item| stated.add_item(item, budget));
            statements.for_each(|statement| stated.add_statement(statement));
        }
        stated
    }

    pub(super) fn add_statement(&mut self, statement: String) {
        self.add(Cow::Owned(statement));
    }

    fn add_item(&mut self, item: &'a str, budget: &Budget) {
        if item.len() <= MAX_RECORD {
            self.add(Cow::Borrowed(item));
            return;
        }
        for line in item.lines().take_while(|line| budget.spend(line.len())) {
            let end = line.floor_char_boundary(MAX_RECORD);
            self.add(Cow::Borrowed(part(line, 0..end)));
        }
    }

    fn add(&mut self, record: Cow<'a, str>) {
        let index = self.records.len();
        let mut has_title_key = false;
        for key in keys(&record).filter(|key| self.title_keys.contains(key)) {
            has_title_key = true;
            let indices = self.indices_by_key.entry(key).or_default();
            if indices.last() != Some(&index) {
                indices.push(index);
            }
        }
        if has_title_key {
            self.records.push(record);
        }
    }

    pub(super) fn contains(&mut self, title: &Title, budget: &Budget) -> bool {
        let indices_of = |key| self.indices_by_key.get(&key).map_or(&[][..], Vec::as_slice);
        let Some(rarest) = title.keys().map(indices_of).min_by_key(|indices| indices.len()) else {
            return false;
        };
        for record in rarest.iter().filter_map(|index| self.records.get(*index)) {
            if self.compared_bytes >= MAX_COMPARED || !budget.spend(record.len()) {
                return false;
            }
            self.compared_bytes += record.len();
            if title.is_in(&record.to_lowercase()) {
                return true;
            }
        }
        false
    }
}

fn keys(text: &str) -> impl Iterator<Item = u64> {
    let runs = text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty());
    runs.map(|run| {
        let run = run.strip_suffix(['s', 'S']).unwrap_or(run);
        let mut hasher = DefaultHasher::new();
        for character in run.chars().flat_map(char::to_lowercase) {
            hasher.write_u32(character.into());
        }
        hasher.finish()
    })
}

fn has_word(record: &str, word: &str) -> bool {
    record.match_indices(word).any(|(position, _)| {
        let following = part(record, position + word.len()..record.len());
        let following = following.strip_prefix('s').unwrap_or(following);
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !is_letter(part(record, 0..position).chars().next_back())
            && !is_letter(following.chars().next())
    })
}

fn date(words: &[String]) -> Option<(String, usize)> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let parse_number = |word: &String, max: u32| {
        let digits = word.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']);
        digits.parse::<u32>().ok().filter(|value| (1..=max).contains(value))
    };
    let month = |word: &String| {
        let start = word.get(..3)?;
        MONTHS.iter().position(|month| *month == start).map(|index| index + 1)
    };
    let [first, second, year, ..] = words else { return None };
    let year = parse_number(year, 2999).filter(|year| *year >= 1970)?;
    let (day, month) = match (parse_number(first, 31), parse_number(second, 31)) {
        (Some(day), None) => (day, month(second)?),
        (None, Some(day)) => (day, month(first)?),
        _ => return None,
    };
    Some((format!("{year}-{month:02}-{day:02}"), 3))
}
