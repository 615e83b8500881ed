//! This module is the lexicon that claims are read with: `lexicon.toml`, compiled in. It knows no rule.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use std::sync::LazyLock;

use crate::text::tokens::{Word, words};

/// What a word of a claim does, beside naming.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// A value grew.
    Up,
    /// A value shrank.
    Down,
    /// The greatest of several.
    Most,
    /// The smallest of several.
    Least,
    /// Greater than another.
    More,
    /// Smaller than another.
    Less,
    /// Earlier than another.
    Before,
    /// Later than another.
    After,
    /// The first of several.
    First,
    /// The last of several.
    Last,
    /// This and nothing else.
    Only,
    /// Two of a kind.
    Both,
    /// All of a kind, or all the time.
    All,
    /// A part of a kind.
    Some,
    /// A denial.
    None,
    /// A comparison for sameness.
    Same,
    /// A cause with its effect.
    Cause,
    /// Two statements held against each other.
    Contrast,
    /// How often.
    Times,
    /// No statement of fact.
    Question,
}

/// The lexicon, read.
pub(crate) struct Lexicon {
    plain: Vec<u64>,
    kinds: Vec<u64>,
    asked: Vec<u64>,
    lines: Vec<u64>,
    rows: Vec<u64>,
    samples: Vec<u64>,
    series: Vec<u64>,
    answers: Vec<u64>,
    failures: Vec<u64>,
    signs: BTreeMap<u64, Sign>,
    pairs: BTreeMap<(u64, u64), Sign>,
    /// For each word the keys of all words of its attributes.
    attributes: BTreeMap<u64, Vec<u64>>,
    exclusive: BTreeMap<u64, Vec<u64>>,
    /// What a value or key of evidence says as a sign.
    said: BTreeMap<u64, Sign>,
}

/// The lexicon of this version.
pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let table: toml::Table = include_str!("lexicon.toml").parse().unwrap_or_default();
    Lexicon::read(&table)
});

impl Lexicon {
    /// Whether a word says nothing of its own.
    pub(crate) fn is_plain(&self, word: &Word<'_>) -> bool {
        self.plain.binary_search(&word.key()).is_ok()
    }

    /// Whether a word names a kind of thing.
    pub(crate) fn is_kind(&self, word: &Word<'_>) -> bool {
        self.kinds.binary_search(&word.key()).is_ok()
    }

    /// Whether a word names a line of a log.
    pub(crate) fn is_line(&self, word: &Word<'_>) -> bool {
        self.lines.binary_search(&word.key()).is_ok()
    }

    /// Whether a word names a row of a table, whatever it holds.
    pub(crate) fn is_row(&self, word: &Word<'_>) -> bool {
        self.rows.binary_search(&word.key()).is_ok()
    }

    /// Whether a word names a sample of a series.
    pub(crate) fn is_sample(&self, word: &Word<'_>) -> bool {
        self.samples.binary_search(&word.key()).is_ok()
    }

    /// Whether a word speaks of a series as such: its samples, its window, its end.
    pub(crate) fn is_of_series(&self, word: &Word<'_>) -> bool {
        self.series.binary_search(&word.key()).is_ok()
    }

    /// Whether a word says no more than a status beside it: "returned 200", and "failed" where it is an error.
    pub(crate) fn is_outcome(&self, word: &Word<'_>, is_error: bool) -> bool {
        let has = |list: &[u64]| list.binary_search(&word.key()).is_ok();
        has(&self.answers) || is_error && has(&self.failures)
    }

    /// Whether an attribute's value says what was asked.
    pub(crate) fn is_asked(&self, key: u64) -> bool {
        self.asked.binary_search(&key).is_ok()
    }

    /// What a word, or a word with the next, is a sign of; and whether the next belongs to it.
    pub(crate) fn sign(&self, word: &Word<'_>, next: Option<&Word<'_>>) -> Option<(Sign, bool)> {
        let pair = next.and_then(|next| self.pairs.get(&(word.key(), next.key())));
        pair.map(|sign| (*sign, true)).or_else(|| Some((*self.signs.get(&word.key())?, false)))
    }

    /// Whether a word of evidence says what a sign of a claim says.
    pub(crate) fn says(&self, sign: Sign, key: u64) -> bool {
        self.said(key) == Some(sign)
    }

    /// What sign a word of evidence says.
    pub(crate) fn said(&self, key: u64) -> Option<Sign> {
        self.said.get(&key).copied()
    }

    /// The other words for the attributes that a word stands for.
    pub(crate) fn synonyms(&self, key: u64) -> &[u64] {
        self.attributes.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The words that cannot hold where this one does.
    pub(crate) fn excluded_by(&self, key: u64) -> &[u64] {
        self.exclusive.get(&key).map_or(&[], Vec::as_slice)
    }

    fn read(table: &toml::Table) -> Self {
        let sorted = |name: &str| {
            let list = entries(table.get(name).and_then(|section| section.get("words")));
            let mut keys: Vec<u64> = list.iter().map(|entry| key(entry)).collect();
            keys.sort_unstable();
            keys
        };
        let (mut signs, mut pairs) = (BTreeMap::new(), BTreeMap::new());
        for (name, sign) in SIGNS {
            for entry in entries(table.get("signs").and_then(|signs| signs.get(name))) {
                match entry.split_once(' ') {
                    Some((first, second)) => {
                        pairs.insert((key(first), key(second)), sign);
                    }
                    None => {
                        signs.insert(key(&entry), sign);
                    }
                }
            }
        }
        let mut said = BTreeMap::new();
        for (name, sign) in SIGNS {
            let list = entries(table.get("said").and_then(|said| said.get(name)));
            said.extend(list.iter().map(|entry| (key(entry), sign)));
        }
        Self {
            plain: sorted("plain"),
            kinds: sorted("kinds"),
            asked: sorted("asked"),
            lines: sorted("lines"),
            rows: sorted("rows"),
            samples: sorted("samples"),
            series: sorted("series"),
            answers: sorted("answers"),
            failures: sorted("failures"),
            signs,
            pairs,
            attributes: rows(table, "attribute", true),
            exclusive: rows(table, "exclusive", false),
            said,
        }
    }
}

/// The sign of each list.
const SIGNS: [(&str, Sign); 20] = [
    ("up", Sign::Up),
    ("down", Sign::Down),
    ("most", Sign::Most),
    ("least", Sign::Least),
    ("more", Sign::More),
    ("less", Sign::Less),
    ("before", Sign::Before),
    ("after", Sign::After),
    ("first", Sign::First),
    ("last", Sign::Last),
    ("only", Sign::Only),
    ("both", Sign::Both),
    ("all", Sign::All),
    ("some", Sign::Some),
    ("none", Sign::None),
    ("same", Sign::Same),
    ("cause", Sign::Cause),
    ("contrast", Sign::Contrast),
    ("times", Sign::Times),
    ("question", Sign::Question),
];

fn key(entry: &str) -> u64 {
    words(entry).next().map_or(0, |word| word.key())
}

fn entries(list: Option<&toml::Value>) -> Vec<String> {
    let list = list.and_then(toml::Value::as_array);
    list.into_iter().flatten().filter_map(|entry| Some(entry.as_str()?.to_owned())).collect()
}

/// For each first word of the rows of a table, the first words of its rows; with itself where wanted.
fn rows(table: &toml::Table, name: &str, with_itself: bool) -> BTreeMap<u64, Vec<u64>> {
    let mut found: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let rows = table.get(name).and_then(toml::Value::as_array);
    for row in rows.into_iter().flatten() {
        let keys: Vec<u64> = entries(row.get("words")).iter().map(|entry| key(entry)).collect();
        for own in &keys {
            let others = keys.iter().filter(|other| with_itself || *other != own);
            found.entry(*own).or_default().extend(others);
        }
    }
    found
}
