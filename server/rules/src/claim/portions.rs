//! How much of a list a claim speaks of: three of five, all, none, only one.
//!
//! The quantifier parts the claim's words into those that say which things are meant and those that say what is
//! so of them. Words that only say that something is listed are neither.

use gsar_core::text::figures::Figure;
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::phrases::{
    LISTING, TELLING, counts, demands_nothing_else, end_of_things, noun, terms_in,
};
use crate::claim::quantifiers::{all, no, only, range, share};
use crate::claim::reading::{Reading, Role};
use crate::rules::counts::as_figure;
use crate::vocabulary::lexicon::Sense;

/// How many things a claim speaks of.
#[derive(Clone, Debug)]
pub(crate) enum Quantifier {
    /// So many, and of how many if it says so.
    Number {
        /// How many are so.
        part: Figure,
        /// How many there are.
        whole: Option<Figure>,
    },
    /// Each one, and how many these are if it says so.
    All(Option<Figure>),
    /// Not one, and of how many if it says so.
    No(Option<Figure>),
    /// A share of them, and how many there are if it says so.
    Share {
        /// How large a share.
        share: Share,
        /// Of how many.
        whole: Option<Figure>,
    },
}

/// A share of several things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// More than half.
    Most,
    /// So many of so many: two of three for "two thirds".
    Parts(usize, usize),
}

/// What a claim says of a part of a list.
#[derive(Clone, Debug)]
pub(crate) struct Portion {
    pub(crate) quantifier: Quantifier,
    /// The terms that say which things are meant.
    pub(crate) subject: u64,
    /// The terms that say what is so of them.
    pub(crate) predicate: u64,
    /// The term that the number counts.
    pub(crate) noun: u64,
    /// Figures that bound a value of each thing, by their numbers.
    pub(crate) bounds: Vec<usize>,
    /// Whether the predicate is the one thing of which the subject is so: "only node-4".
    pub(crate) is_only: bool,
    /// The terms of what is left out: "apart from crashpod".
    pub(crate) excepted: u64,
    /// The terms of the predicate that the claim says are not so: "two pods are not ready".
    pub(crate) negated: u64,
    /// The value that the claim says each has: "all conditions are True".
    pub(crate) truth: Option<bool>,
    /// Whether one of the predicate's terms is enough: "either Running or Completed".
    pub(crate) is_either: bool,
    /// Whether the number is one of events: "logged four times".
    pub(crate) is_of_events: bool,
    /// Whether the claim speaks of what an item shows, and not of all there is.
    pub(crate) is_of_listing: bool,
}

/// "Pods whose names begin with web-": nothing here looks at the beginnings of names.
fn names_a_prefix(text: &str) -> bool {
    words(text).zip(words(text).skip(1)).any(|(verb, with)| {
        let verbs = [
            "begin",
            "begins",
            "beginning",
            "start",
            "starts",
            "starting",
            "end",
            "ends",
            "ending",
            "prefixed",
        ];
        with.is("with") && verbs.iter().any(|known| verb.is(known))
    })
}

/// Whether a claim speaks of several things, or says of one that it is the only one.
pub(crate) fn speaks_of_several(reading: &Reading<'_>) -> bool {
    let says_both = words(reading.text).any(|word| word.is("both") || word.is("neither"));
    says_both || share(reading).is_some() || only(reading).is_some()
}

/// Reads the portion that a claim speaks of; `None` where it speaks of none, or in a way that is not understood.
pub(crate) fn read(reading: &Reading<'_>) -> Option<Portion> {
    if names_a_prefix(reading.text) {
        return None;
    }
    only(reading)
        .or_else(|| all(reading))
        .or_else(|| no(reading))
        .or_else(|| share(reading))
        .or_else(|| number(reading))
        .or_else(|| range(reading))
}

/// The terms that have to be found: names, codes, content words, directions.
pub(crate) fn content(reading: &Reading<'_>) -> u64 {
    reading.bits(|term| match term.role {
        Role::Entity | Role::Name | Role::Code(_) => true,
        Role::Word | Role::Demand(Sense::Raise | Sense::Lower) => !TELLING.has(term.text),
        // "two monitors are in Alert": a state, not the sort of a thing.
        Role::Kind => {
            term.span.start > 0
                && term.text.starts_with(|first: char| first.is_ascii_uppercase())
                && reading.text.get(..term.span.start).is_some_and(|before| {
                    words(before)
                        .last()
                        .is_some_and(|word| word.is("in") || word.is("is") || word.is("are"))
                })
        }
        Role::Common | Role::Demand(_) => false,
    })
}

pub(crate) fn portion(reading: &Reading<'_>, quantifier: Quantifier, subject: u64) -> Portion {
    let excepted = excepted(reading);
    let truths = reading.bits(|term| is_truth(term.text).is_some());
    let truth = reading.terms.iter().find_map(|term| is_truth(term.text));
    let commons = reading.bits(|term| term.role == Role::Common && !TELLING.has(term.text));
    let content = content(reading) & !excepted & !truths;
    let is_of_listing = words(reading.text).any(|word| LISTING.has(word.text));
    Portion {
        quantifier,
        // An ordinary word may say which things are meant: "database calls".
        subject: (content | commons) & subject,
        predicate: content & !subject & !commons,
        noun: 0,
        bounds: Vec::new(),
        is_only: false,
        excepted,
        negated: negated(reading),
        truth,
        is_either: words(reading.text).any(|word| word.is("or")),
        is_of_events: false,
        is_of_listing,
    }
}

/// The words right after "not": "are not ready", "has not been restarted".
fn negated(reading: &Reading<'_>) -> u64 {
    let mut bits = 0;
    for marker in &reading.markers {
        let is_not = reading.text.get(marker.span.clone()).is_some_and(|cue| {
            ["not", "isn't", "aren't", "wasn't", "weren't", "haven't", "hasn't", "n't"]
                .iter()
                .any(|not| cue.eq_ignore_ascii_case(not))
        });
        if marker.kind == MarkerKind::Negation && is_not {
            let next = reading
                .terms
                .iter()
                .enumerate()
                .find(|(_, term)| term.span.start >= marker.span.end);
            bits |= next.map_or(0, |(place, _)| 1 << place);
        }
    }
    bits
}

/// `True` or `False` as tools write them.
fn is_truth(word: &str) -> Option<bool> {
    match word {
        "True" | "true" => Some(true),
        "False" | "false" => Some(false),
        _ => None,
    }
}

/// The names after "apart from", "except", "besides", "other than".
fn excepted(reading: &Reading<'_>) -> u64 {
    const EXCEPTING: [&str; 5] =
        ["apart from ", "except for ", "except ", "besides ", "other than "];
    let lower = reading.text.to_ascii_lowercase();
    let Some(at) = EXCEPTING.iter().find_map(|cue| lower.find(cue).map(|at| at + cue.len())) else {
        return 0;
    };
    let mut names = reading.terms.iter().enumerate().filter(|(_, term)| {
        matches!(term.role, Role::Entity | Role::Name) && term.span.start >= at
    });
    names.next().map_or(0, |(place, _)| 1 << place)
}

/// "Three pods are Pending", "two of the five nodes are not ready", "of the 22 requests, 21 succeeded".
fn number(reading: &Reading<'_>) -> Option<Portion> {
    let taken = reading.bits(|term| term.text.eq_ignore_ascii_case("only"));
    if !demands_nothing_else(reading, taken) {
        return None;
    }
    let text = reading.text;
    let counting: Vec<&Figure> =
        reading.figures.figures.iter().filter(|figure| counts(figure)).collect();
    if counting.len() != reading.figures.figures.len() {
        return None;
    }
    // "Two are in Alert, both on one side" says two things.
    if words(text).any(|word| word.is("both")) {
        return None;
    }
    let one_of =
        words(text).zip(words(text).skip(1)).find(|(one, of)| one.is("one") && of.is("of"));
    let starts_with_of = words(text).next().is_some_and(|word| word.is("of"));
    let (part, whole) = match (counting.as_slice(), one_of) {
        ([whole], Some((one, _))) if one.span.end <= whole.span.start => {
            (Figure { span: one.span, ..as_figure(1) }, Some((*whole).clone()))
        }
        ([], Some((one, _))) => (Figure { span: one.span, ..as_figure(1) }, None),
        ([part], None) => ((*part).clone(), None),
        ([whole, part], None) if starts_with_of => ((*part).clone(), Some((*whole).clone())),
        ([part, whole], None) if is_of(text, part, whole) => {
            ((*part).clone(), Some((*whole).clone()))
        }
        _ => return None,
    };
    let counted_from = whole.as_ref().map_or(part.span.end, |whole| whole.span.end);
    let (end, _) = end_of_things(reading, counted_from);
    if whole.is_none() && is_repeated(reading, &part) {
        let mut portion = portion(reading, Quantifier::Number { part, whole }, 0);
        portion.is_of_events = true;
        portion.is_of_listing = true;
        return Some(portion);
    }
    let counts_lines = words(text.get(counted_from..)?).take(2).any(|word| {
        ["lines", "entries", "rows", "records", "line", "entry"].iter().any(|noun| word.is(noun))
    });
    if whole.is_none() && counts_lines {
        let mut portion = portion(reading, Quantifier::Number { part, whole }, 0);
        portion.is_of_events = true;
        portion.is_of_listing = true;
        return Some(portion);
    }
    let noun = noun(reading, counted_from)?;
    let mut portion =
        portion(reading, Quantifier::Number { part, whole }, terms_in(reading, counted_from..end));
    portion.noun = noun;
    Some(portion)
}

/// "The failure is logged four times": a verb of telling before a number of times.
fn is_repeated(reading: &Reading<'_>, part: &Figure) -> bool {
    const REPEATED: [&str; 20] = [
        "logged",
        "appears",
        "appear",
        "appeared",
        "occurs",
        "occur",
        "occurred",
        "printed",
        "recorded",
        "repeated",
        "repeats",
        "reported",
        "seen",
        "shown",
        "shows",
        "mentioned",
        "written",
        "emitted",
        "observed",
        "found",
    ];
    let (before, after) =
        (reading.text.get(..part.span.start), reading.text.get(part.span.start..));
    let told = before
        .is_some_and(|before| words(before).any(|word| REPEATED.iter().any(|verb| word.is(verb))));
    let times = after.is_some_and(|after| {
        words(after).take(2).any(|word| word.is("times") || word.is("twice") || word.is("once"))
    });
    told && times
}

/// Whether "of the" joins a part and a whole.
fn is_of(text: &str, part: &Figure, whole: &Figure) -> bool {
    let between = text.get(part.span.end..whole.span.start).unwrap_or("");
    words(between).next().is_some_and(|word| word.is("of")) && words(between).count() <= 4
}
