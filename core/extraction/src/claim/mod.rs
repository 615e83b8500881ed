//! This module reads a claim into typed terms: what it names, which values and times it gives, and the signs that a
//! rule must take account of. It knows no evidence.
//!
//! A claim is understood by a rule when the rule takes account of every term: it finds it in the facts, or it is the
//! rule whose subject it is. A term that is left over makes the claim not understood, and then nothing is said of it.

use alloc::vec::Vec;
use core::ops::Range;

use crate::lexicon::LEXICON;
pub use crate::lexicon::Sign;
use crate::text::figures::{ClockTime, Code, Figure, Unit, figures};
use crate::text::polarity;
use crate::text::tokens::{KeySet, Shape, Word, is_stop_word, words};

/// A claim as rules see it.
#[derive(Clone, Debug)]
pub struct TypedClaim<'c> {
    /// The claim as written.
    pub text: &'c str,
    /// Its terms, in order. Words that say nothing of their own are left out.
    pub terms: Vec<Term<'c>>,
    /// Whether it takes certainty back: "probably", "seems to".
    pub is_hedged: bool,
}

/// A part of a claim that means something.
#[derive(Clone, Debug)]
pub struct Term<'c> {
    /// As written.
    pub text: &'c str,
    /// Its bytes in the claim.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
    /// Its words, with what they are compared by.
    pub(crate) words: Vec<TermWord<'c>>,
}

/// A word of a term.
#[derive(Clone, Debug)]
pub(crate) struct TermWord<'c> {
    pub(crate) word: Word<'c>,
    /// [`Word::key`] of the word.
    pub(crate) key: u64,
    /// [`Word::verb_key`] of the word.
    pub(crate) verb: Option<u64>,
    /// The keys of the other words for the attributes that it stands for.
    pub(crate) synonyms: &'static [u64],
    /// All that it is compared by; a record without any of it does not have the word.
    pub(crate) keys: KeySet,
}

impl<'c> Term<'c> {
    fn new(text: &'c str, span: Range<usize>, kind: Kind) -> Self {
        let read = |word: Word<'c>| {
            let (key, verb) = (word.key(), word.verb_key());
            let synonyms = LEXICON.synonyms(key);
            let keys = synonyms.iter().copied().chain([key]).chain(verb).collect();
            TermWord { word, key, verb, synonyms, keys }
        };
        Self { text, span, kind, words: words(text).map(read).collect() }
    }

    /// Whether it is a noun for a kind of things.
    pub(crate) fn is_kind(&self) -> bool {
        matches!(self.kind, Kind::Word)
            && self.words.first().is_some_and(|first| LEXICON.is_kind(&first.word))
    }
}

/// What a term is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A name or code: `cart-1`, `OOMKilled`, `v2.4.1`, `503`.
    Name,
    /// Another word with a meaning of its own.
    Word,
    /// A quantity.
    Figure(Figure),
    /// A time of day.
    Time(ClockTime),
    /// What a rule must take account of.
    Sign(Sign),
}

impl<'c> TypedClaim<'c> {
    /// Reads a claim.
    #[must_use]
    pub fn read(text: &'c str) -> Self {
        let read = figures(text);
        let mut terms: Vec<Term<'c>> = Vec::new();
        let of = |span: &Range<usize>, kind| {
            Some(Term::new(text.get(span.clone())?, span.clone(), kind))
        };
        terms.extend(read.figures.into_iter().filter_map(|figure| {
            let span = figure.span.clone();
            let is_status = is_status(text, &figure);
            of(&span, if is_status { Kind::Name } else { Kind::Figure(figure) })
        }));
        terms.extend(
            read.times.into_iter().filter_map(|time| of(&time.span.clone(), Kind::Time(time))),
        );
        terms.extend(read.codes.iter().filter_map(|Code { span, .. }| of(span, Kind::Name)));
        terms.sort_by_key(|term| term.span.start);
        let hedge = polarity::hedge(text);
        let is_taken = |word: &Word<'_>, terms: &[Term<'_>]| {
            let within =
                |span: &Range<usize>| span.start < word.span.end && word.span.start < span.end;
            terms.iter().any(|term| within(&term.span)) || hedge.as_ref().is_some_and(within)
        };
        let mut others = Vec::new();
        let mut rest = words(text).peekable();
        while let Some(word) = rest.next() {
            if is_taken(&word, &terms) {
                continue;
            }
            let kind = match LEXICON.sign(&word, rest.peek()) {
                Some((sign, takes_next)) => {
                    if takes_next {
                        rest.next();
                    }
                    Kind::Sign(sign)
                }
                None if word.shape() == Shape::Identifier || word.shape() == Shape::Compound => {
                    Kind::Name
                }
                None if is_stop_word(word.text) || LEXICON.is_plain(&word) => continue,
                None => Kind::Word,
            };
            others.push(Term::new(word.text, word.span, kind));
        }
        terms.extend(others);
        terms.sort_by_key(|term| term.span.start);
        drop_kinds(text, &mut terms);
        drop_comparators(&mut terms);
        drop_times(text, &mut terms);
        drop_outcomes(&mut terms);
        Self { text, terms, is_hedged: hedge.is_some() }
    }

    /// The signs of the claim.
    pub fn signs(&self) -> impl Iterator<Item = Sign> {
        self.terms.iter().filter_map(|term| match term.kind {
            Kind::Sign(sign) => Some(sign),
            _ => None,
        })
    }

    /// The names of the claim.
    pub fn names(&self) -> impl Iterator<Item = &Term<'c>> {
        self.terms.iter().filter(|term| matches!(term.kind, Kind::Name))
    }
}

/// Takes out the nouns for kinds that stand right before a name: "pod" of "pod cart-1".
fn drop_kinds(text: &str, terms: &mut Vec<Term<'_>>) {
    let mut name: Option<usize> = None;
    for at in (0..terms.len()).rev() {
        let Some(term) = terms.get(at) else { continue };
        let start = term.span.start;
        let is_beside = name.is_some_and(|name| {
            text.get(term.span.end..name).is_some_and(|gap| words(gap).next().is_none())
        });
        let is_name = matches!(term.kind, Kind::Name);
        if is_beside && term.is_kind() {
            terms.remove(at);
        }
        name = is_name.then_some(start);
    }
}

/// Takes out the words of a bound that its figure holds already: "above" of "above 88 %".
fn drop_comparators(terms: &mut Vec<Term<'_>>) {
    let bounds: Vec<usize> = terms
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| match pair {
            [
                Term { kind: Kind::Sign(Sign::More | Sign::Less), .. },
                Term { kind: Kind::Figure(figure), .. },
            ] => figure.comparator.is_some(),
            _ => false,
        })
        .map(|(at, _)| at)
        .collect();
    for at in bounds.into_iter().rev() {
        terms.remove(at);
    }
}

/// Takes out "times" behind a count of how often something happened: "restarted 8 times", not "8 times as many".
fn drop_times(text: &str, terms: &mut Vec<Term<'_>>) {
    const COMPARING: [&str; 8] = ["as", "more", "the", "their", "its", "that", "larger", "higher"];
    let often = terms.windows(2).position(|pair| match pair {
        [
            Term { kind: Kind::Figure(figure), span, .. },
            Term { kind: Kind::Sign(Sign::Times), span: times, text: word, .. },
        ] => {
            let next = text.get(times.end..).and_then(|rest| words(rest).next());
            let is_comparing =
                next.is_some_and(|next| COMPARING.iter().any(|known| next.is(known)));
            figure.unit == Unit::COUNT
                && word.eq_ignore_ascii_case("times")
                && span.end + 1 == times.start
                && !is_comparing
        }
        _ => false,
    });
    if let Some(at) = often {
        terms.remove(at + 1);
    }
}

/// Takes out the words for an outcome beside the status that says it: "failed" of "failed with a 503".
fn drop_outcomes(terms: &mut Vec<Term<'_>>) {
    const NEAR: usize = 2;
    let is_status =
        |term: &Term<'_>| matches!(term.kind, Kind::Name) && is_status_number(term.text);
    let statuses: Vec<(usize, bool)> = terms
        .iter()
        .enumerate()
        .filter(|(_, term)| is_status(term))
        .map(|(at, term)| (at, term.text.starts_with(['4', '5'])))
        .collect();
    let mut at = 0;
    terms.retain(|term| {
        let own = at;
        at += 1;
        let near = statuses.iter().find(|(status, _)| status.abs_diff(own) <= NEAR);
        !near.is_some_and(|(_, is_error)| {
            matches!(term.kind, Kind::Word)
                && words(term.text).next().is_some_and(|word| LEXICON.is_outcome(&word, *is_error))
        })
    });
}

/// Whether a number is spoken of as a thing, as the status of an answer is: "failed with a 500".
fn is_status(text: &str, figure: &Figure) -> bool {
    let before = text.get(..figure.span.start).and_then(|before| words(before).last());
    figure.unit == Unit::COUNT
        && text.get(figure.span.clone()).is_some_and(is_status_number)
        && before.is_some_and(|word| ["a", "status", "code", "http"].iter().any(|w| word.is(w)))
}

fn is_status_number(text: &str) -> bool {
    matches!(text.as_bytes(), [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9'])
}
