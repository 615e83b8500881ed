//! Matches expressions against a view. A single pass finds required words, and an expression is run only
//! if one of its required words occurs.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::dfa::DFA;
use regex::Regex;
use regex_syntax::hir::literal::{Extractor, Seq};
use regex_syntax::hir::{Hir, HirKind};

use super::Detection;
use crate::finding::FindingKind;
use crate::marks::Treatment;

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

/// A bit set of the indices of the expressions that can match a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidates(u64);

impl Candidates {
    pub(super) const NONE: Self = Self(0);

    /// Returns `true` if the expression at `index` can match.
    pub(super) fn contains(self, index: usize) -> bool {
        self.0 & bit(index) != 0
    }
}

/// Returns the bit of an expression, or 0 if the index is 64 or more.
fn bit(index: usize) -> u64 {
    u32::try_from(index).ok().and_then(|index| 1_u64.checked_shl(index)).unwrap_or(0)
}

#[derive(Debug)]
pub(super) struct RequiredWords {
    words: DFA,
    /// The bits of the expressions that require each word.
    bits_by_word: Vec<u64>,
    /// The bits of the expressions without a finite set of required words.
    always: u64,
}

impl RequiredWords {
    pub(super) fn new<'e>(
        expressions: impl Iterator<Item = &'e str>,
    ) -> Result<Self, regex::Error> {
        let syntax_error = |reason: String| regex::Error::Syntax(reason);
        let mut words: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        let mut always = 0;
        for (index, expression) in expressions.enumerate() {
            if bit(index) == 0 {
                return Err(syntax_error("more than 64 expressions".to_owned()));
            }
            let parsed =
                regex_syntax::parse(expression).map_err(|error| syntax_error(error.to_string()))?;
            for alternative in alternatives(&parsed) {
                match required_words(alternative) {
                    Some(required) => {
                        for word in required {
                            *words.entry(word).or_default() |= bit(index);
                        }
                    }
                    None => always |= bit(index),
                }
            }
        }
        let (words, bits_by_word): (Vec<_>, Vec<_>) = words.into_iter().unzip();
        let words = DFA::new(words).map_err(|error| syntax_error(error.to_string()))?;
        Ok(Self { words, bits_by_word, always })
    }

    /// Returns the expressions that can match the view. Visits each byte once;
    /// `AhoCorasick::find_overlapping_iter` takes three times as long.
    pub(super) fn candidates(&self, view: &str) -> Candidates {
        // This cannot fail, since the automaton supports unanchored searches.
        let Ok(mut state) = self.words.start_state(Anchored::No) else { return Candidates(!0) };
        let mut candidates = self.always;
        for byte in view.bytes() {
            state = self.words.next_state(Anchored::No, state, byte);
            if self.words.is_match(state) {
                candidates |= self.bits_in(state);
            }
        }
        Candidates(candidates)
    }

    fn bits_in(&self, state: StateID) -> u64 {
        let words = (0..self.words.match_len(state))
            .map(|index| self.words.match_pattern(state, index).as_usize());
        words.filter_map(|word| self.bits_by_word.get(word)).fold(0, |all, bits| all | bits)
    }
}

fn alternatives(expression: &Hir) -> Vec<&Hir> {
    match expression.kind() {
        HirKind::Alternation(alternatives) => {
            alternatives.iter().flat_map(self::alternatives).collect()
        }
        HirKind::Capture(capture) => alternatives(&capture.sub),
        HirKind::Concat(parts) => {
            match parts.iter().filter(|part| !is_assertion(part)).collect::<Vec<_>>().as_slice() {
                [only] => alternatives(only),
                _ => vec![expression],
            }
        }
        _ => vec![expression],
    }
}

fn is_assertion(part: &Hir) -> bool {
    matches!(part.kind(), HirKind::Look(_))
}

/// Returns words such that every match contains one of them. They are prefixes of the expression or of one of
/// its suffixes. Prefers the words with the greatest minimum length, because they are the rarest.
fn required_words(alternative: &Hir) -> Option<Vec<Vec<u8>>> {
    /// The minimum length in bytes; shorter words occur everywhere.
    const MIN_BYTES: usize = 2;
    let parts = match alternative.kind() {
        HirKind::Concat(parts) => parts.as_slice(),
        _ => std::slice::from_ref(alternative),
    };
    let mut extractor = Extractor::new();
    extractor.limit_literal_len(10).limit_total(1_000);
    (0..parts.len())
        .filter_map(|start| parts.get(start..))
        .map(|parts| extractor.extract(&Hir::concat(parts.to_vec())))
        .filter(|words| words.min_literal_len().is_some_and(|length| length >= MIN_BYTES))
        .max_by_key(|words| (words.min_literal_len(), Reverse(words.len())))
        .and_then(|words| bytes(&words))
}

fn bytes(words: &Seq) -> Option<Vec<Vec<u8>>> {
    Some(words.literals()?.iter().map(|word| word.as_bytes().to_vec()).collect())
}
