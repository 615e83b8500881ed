//! Whether a member of a list shows something else in the place where another shows what a claim says.
//!
//! The place is a key, or in lines the same word counted from the start.

use gsar_core::text::tokens::words as tokens;

use crate::matching::candidates::Target;
use crate::matching::fit::LEAST_PROSE;
use crate::matching::magnitudes::bits_in;
use crate::matching::members::Member;
use crate::verdict::ruling::Case;
use crate::vocabulary::lexicon::OPPOSITES;
use crate::vocabulary::words::evidence_keys;

/// What a member shows in the place of what a claim says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Other {
    /// The field that shows it.
    pub(crate) field: u32,
    /// Whether both are of one sort beyond doubt: values of one key, `node-1` and `node-4`, up and down.
    pub(crate) is_akin: bool,
}

/// The field in which `other` shows something else than `example` does for one of the terms; `None` where it shows
/// nothing in that place.
pub(crate) fn shows_other(
    case: &Case<'_, '_, '_>,
    example: &Member,
    other: &Member,
    terms: u64,
) -> Option<Other> {
    match (example.target, other.target) {
        (Target::Object(_), Target::Object(_)) => {
            other_value(case, example, other, terms).map(|field| Other { field, is_akin: true })
        }
        (Target::Line(example), Target::Line(other)) => other_word(case, example, other, terms),
        _ => None,
    }
}

/// A field under the key under which the example shows the term.
fn other_value(
    case: &Case<'_, '_, '_>,
    example: &Member,
    other: &Member,
    terms: u64,
) -> Option<u32> {
    let corpus = case.corpus;
    example.fields(corpus).find_map(|field| {
        let found = corpus.field(field)?;
        let shows = bits_in(case.reading, corpus.value_words(found), terms) != 0
            || bits_in(case.reading, corpus.key_words(found), terms) != 0;
        let name = corpus.name(field);
        // A message that lacks a word of another message says nothing else by that.
        let is_prose = tokens(corpus.value(field)).nth(LEAST_PROSE).is_some();
        let is_number = corpus.value(field).bytes().all(|byte| byte.is_ascii_digit());
        if !shows || name.is_empty() || is_prose || is_number {
            return None;
        }
        let heading = |field: u32| {
            let object = corpus.field(field).and_then(|found| corpus.object(found.object));
            object.map(|object| (object.is_record, corpus.heading_words(object).to_vec()))
        };
        other.fields(corpus).find(|candidate| {
            corpus.name(*candidate).eq_ignore_ascii_case(name)
                && heading(*candidate) == heading(field)
                && !corpus.value(*candidate).is_empty()
                && corpus.value(*candidate) != corpus.value(field)
        })
    })
}

/// A line that has another word where the example has the term.
fn other_word(case: &Case<'_, '_, '_>, example: u32, other: u32, terms: u64) -> Option<Other> {
    let words = |field: u32| case.corpus.value(field).split_whitespace();
    let place = words(example).position(|word| bits_of_word(case, word, terms) != 0)?;
    let (here, there) = (words(example).nth(place)?, words(other).nth(place)?);
    let same_shape =
        words(example).take(place).zip(words(other).take(place)).all(|(a, b)| shape(a) == shape(b))
            && shape(here) == shape(there);
    (same_shape && here != there).then(|| Other { field: other, is_akin: are_akin(here, there) })
}

fn bits_of_word(case: &Case<'_, '_, '_>, written: &str, terms: u64) -> u64 {
    let mut keys = Vec::with_capacity(4);
    for word in gsar_core::text::tokens::words(written) {
        evidence_keys(word.text, |key| keys.push(key));
    }
    bits_in(case.reading, &keys, terms)
}

/// Whether two words name things of one sort or opposite states: `node-1` and `node-4`, `user-service` and
/// `mail-service`, up and down.
fn are_akin(a: &str, b: &str) -> bool {
    let bare =
        |word: &str| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_lowercase();
    let (a, b) = (bare(a), bare(b));
    let opposite = OPPOSITES.iter().any(|pair| *pair == (&a, &b) || *pair == (&b, &a));
    let stem = |word: &str| {
        let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
        (stem.len() < word.len()).then(|| stem.to_owned())
    };
    let same_stem = stem(&a).is_some_and(|first| stem(&b) == Some(first));
    let last = |word: &str| word.rsplit_once('-').map(|(_, last)| last.to_owned());
    let same_last = last(&a).is_some_and(|first| {
        first.len() > 2
            && first.bytes().all(|byte| byte.is_ascii_alphabetic())
            && last(&b) == Some(first)
    });
    opposite || same_stem || same_last
}

/// What sort of word: letters, digits, or neither.
fn shape(word: &str) -> u8 {
    let letters = word.bytes().any(|byte| byte.is_ascii_alphabetic());
    let digits = word.bytes().any(|byte| byte.is_ascii_digit());
    match (letters, digits) {
        (false, false) => 0,
        (false, true) => 1,
        (true, _) => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_of_one_sort_are_akin() {
        for (a, b) in [
            ("node-1", "node-4"),
            ("user-service", "mail-service"),
            ("up", "Down"),
            ("host2", "host3"),
        ] {
            assert!(are_akin(a, b), "{a} {b}");
        }
        for (a, b) in [("node-1", "host-1"), ("GET", "POST"), ("cache", "disk"), ("web-1", "web-a")]
        {
            assert!(!are_akin(a, b), "{a} {b}");
        }
    }
}
