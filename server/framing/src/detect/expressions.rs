//! Runs expressions over a view. A single pass finds the words that they need; an expression runs only if one of its
//! words occurs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;
use regex_syntax::hir::literal::{Extractor, Seq};
use regex_syntax::hir::{Hir, HirKind};

use super::Detection;
use crate::finding::FindingKind;
use crate::marks::Treatment;

/// An expression for a view, with the kind of its findings.
#[derive(Debug)]
pub(super) struct Expression {
    pub(super) regex: Regex,
    pub(super) kind: FindingKind,
    pub(super) treatment: Treatment,
    pub(super) is_reported: bool,
}

impl Expression {
    pub(super) fn find<'v>(&'v self, view: &'v str) -> impl Iterator<Item = Detection> + 'v {
        self.regex.find_iter(view).map(|found| Detection {
            range: found.range(),
            kind: self.kind,
            treatment: self.treatment,
            is_reported: self.is_reported,
        })
    }
}

/// The indexes of the expressions that may match a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidates(u64);

impl Candidates {
    /// Returns `true` if the expression at an index may match. From index 64 on, it always may.
    pub(super) fn has(self, place: usize) -> bool {
        self.0 & bit(place) != 0 || place >= 64
    }
}

fn bit(place: usize) -> u64 {
    u32::try_from(place).ok().and_then(|place| 1_u64.checked_shl(place)).unwrap_or(0)
}

/// The words that expressions need.
#[derive(Debug)]
pub(super) struct Needs {
    words: AhoCorasick,
    /// For each word, the expressions that need it.
    of_words: Vec<u64>,
    /// Expressions without a finite set of needed words.
    always: u64,
}

impl Needs {
    /// Extracts the words from the expressions.
    pub(super) fn new<'e>(
        expressions: impl Iterator<Item = &'e str>,
    ) -> Result<Self, regex::Error> {
        let syntax_error = |reason: String| regex::Error::Syntax(reason);
        let mut words: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        let mut always = 0;
        for (place, expression) in expressions.enumerate() {
            let parsed =
                regex_syntax::parse(expression).map_err(|error| syntax_error(error.to_string()))?;
            for alternative in alternatives(&parsed) {
                match needed(alternative) {
                    Some(needed) => {
                        for word in needed {
                            *words.entry(word).or_default() |= bit(place);
                        }
                    }
                    None => always |= bit(place),
                }
            }
        }
        let (words, of_words): (Vec<_>, Vec<_>) = words.into_iter().unzip();
        let words = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(words)
            .map_err(|error| syntax_error(error.to_string()))?;
        Ok(Self { words, of_words, always })
    }

    pub(super) fn candidates(&self, view: &str) -> Candidates {
        let found = self.words.find_overlapping_iter(view);
        let of_words = found.filter_map(|word| self.of_words.get(word.pattern().as_usize()));
        Candidates(of_words.fold(self.always, |candidates, of_word| candidates | of_word))
    }
}

/// Returns the alternatives of an expression.
fn alternatives(expression: &Hir) -> Vec<&Hir> {
    match expression.kind() {
        HirKind::Alternation(alternatives) => {
            alternatives.iter().flat_map(self::alternatives).collect()
        }
        HirKind::Capture(capture) => alternatives(&capture.sub),
        HirKind::Concat(parts) => {
            match parts.iter().filter(|part| !is_look(part)).collect::<Vec<_>>().as_slice() {
                [only] => alternatives(only),
                _ => vec![expression],
            }
        }
        _ => vec![expression],
    }
}

fn is_look(part: &Hir) -> bool {
    matches!(part.kind(), HirKind::Look(_))
}

/// Returns words of which every match contains one: the prefixes of the expression or of one of its suffixes. Prefers
/// the longest minimum length, because such words are the rarest.
fn needed(alternative: &Hir) -> Option<Vec<Vec<u8>>> {
    /// Shorter words occur everywhere.
    const MIN_BYTES: usize = 2;
    let parts = match alternative.kind() {
        HirKind::Concat(parts) => parts.as_slice(),
        _ => std::slice::from_ref(alternative),
    };
    let mut extractor = Extractor::new();
    extractor.limit_literal_len(10).limit_total(1_000);
    (0..parts.len())
        .filter_map(|from| parts.get(from..))
        .map(|parts| extractor.extract(&Hir::concat(parts.to_vec())))
        .filter(|words| words.min_literal_len().is_some_and(|length| length >= MIN_BYTES))
        .max_by_key(|words| (words.min_literal_len(), Reverse(words.len())))
        .and_then(|words| bytes(&words))
}

fn bytes(words: &Seq) -> Option<Vec<Vec<u8>>> {
    Some(words.literals()?.iter().map(|word| word.as_bytes().to_vec()).collect())
}
