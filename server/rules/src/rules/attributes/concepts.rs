//! The attributes that a claim speaks of: ways of speaking ("may use up to", "kept for") for a quantity of one
//! dimension, with the words of the key paths that state it.

use std::ops::Range;
use std::sync::LazyLock;

use gsar_core::text::figures::Dimension;
use gsar_core::text::tokens::words;

use super::vocabulary::ENTRIES;
use crate::claim::reading::Reading;
use crate::vocabulary::words::{Key, key};

/// An attribute with its words as keys.
pub(crate) struct Concept {
    said: Vec<Vec<Key>>,
    /// Key paths that state it.
    pub(crate) paths: Vec<Vec<Key>>,
    except: Vec<Key>,
    dimension: Dimension,
    /// Whether its value is a bound itself.
    pub(crate) is_bound: bool,
    yields: bool,
}

static CONCEPTS: LazyLock<Vec<Concept>> = LazyLock::new(|| {
    let all = |phrases: &[&str]| -> Vec<Vec<Key>> {
        phrases.iter().map(|phrase| phrase.split(' ').map(key).collect()).collect()
    };
    ENTRIES
        .iter()
        .map(|entry| Concept {
            said: all(entry.said),
            paths: all(entry.keys),
            except: entry.except.iter().map(|word| key(word)).collect(),
            dimension: entry.dimension,
            is_bound: entry.is_bound,
            yields: entry.yields,
        })
        .collect()
});

impl Concept {
    /// Whether a key path states it: the words of the key itself, and those with the headings above it.
    pub(crate) fn is_stated(&self, own: &[Key], path: &[Key]) -> bool {
        let has = |word: &Key| path.contains(word);
        !self.except.iter().any(has)
            && self
                .paths
                .iter()
                .any(|words| words.iter().all(has) && words.iter().any(|word| own.contains(word)))
    }
}

/// An attribute that a claim speaks of, with the terms that say so.
#[derive(Clone, Copy)]
pub(crate) struct Spoken {
    pub(crate) concept: &'static Concept,
    /// The terms of the phrase.
    pub(crate) bits: u64,
}

/// The attributes of one dimension that a claim speaks of.
pub(crate) fn spoken(reading: &Reading<'_>, dimension: Dimension) -> Vec<Spoken> {
    let claim: Vec<(Key, Range<usize>)> =
        words(reading.text).map(|word| (key(word.text), word.span)).collect();
    let mut found = Vec::new();
    for concept in CONCEPTS.iter().filter(|concept| concept.dimension == dimension) {
        let mut bits = 0;
        let mut is_said = false;
        for phrase in &concept.said {
            if let Some(spans) = phrase_in(&claim, phrase) {
                is_said = true;
                bits |= reading.bits(|term| spans.contains(&term.span));
            }
        }
        if is_said {
            found.push(Spoken { concept, bits });
        }
    }
    if found.iter().any(|spoken| !spoken.concept.yields) {
        found.retain(|spoken| !spoken.concept.yields);
    }
    found
}

/// Where the words of a phrase stand in a claim: in order, at most three words between two of them.
fn phrase_in(claim: &[(Key, Range<usize>)], phrase: &[Key]) -> Option<Vec<Range<usize>>> {
    const WIDEST_GAP: usize = 3;
    let (first, rest) = phrase.split_first()?;
    let starts = claim.iter().enumerate().filter(|(_, (word, _))| word == first);
    for (start, (_, span)) in starts {
        let mut spans = vec![span.clone()];
        let mut at = start + 1;
        for wanted in rest {
            let next = claim
                .iter()
                .enumerate()
                .skip(at)
                .take(WIDEST_GAP + 1)
                .find(|(_, (word, _))| word == wanted);
            let Some((place, (_, span))) = next else { break };
            spans.push(span.clone());
            at = place + 1;
        }
        if spans.len() == phrase.len() {
            return Some(spans);
        }
    }
    None
}
