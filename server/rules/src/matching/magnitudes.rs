//! Figures and times of a claim against those of one place.
//!
//! A figure is compared under a key, or beside words, that the claim uses for it, and in one dimension only. It
//! is refuted only under a key that the claim names in full; `limits` and `requests` are not each other.

use std::sync::LazyLock;

use gsar_core::text::figures::{Agreement, ClockTime, Comparator, Dimension, Figure};
use gsar_core::text::tokens::words;

use crate::claim::reading::{Reading, Role};
use crate::evidence::observations::NONE;
use crate::evidence::values::{Value, clock, compare, other_time, same_time};
use crate::matching::fit::{LEAST_PROSE, Outcome, Span};
use crate::rules::counts::is_number_of;
use crate::verdict::note;
use crate::verdict::ruling::{Case, Cite};
use crate::vocabulary::phases::{exclude, phase_of_key, phase_of_word};
use crate::vocabulary::words::{Key, exact, key};

/// Which of some terms stand in a field's key and in the headings around it, up to its record.
fn path_bits(case: &Case<'_, '_, '_>, field: u32, wanted: u64) -> u64 {
    let Some(found) = case.corpus.field(field) else { return 0 };
    let mut bits = bits_in(case.reading, case.corpus.key_words(found), wanted);
    for (_, object) in case.corpus.around(found.object) {
        if object.parent == NONE {
            break;
        }
        bits |= bits_in(case.reading, case.corpus.heading_words(object), wanted);
        if object.is_record {
            break;
        }
    }
    bits
}

/// Which of some terms are among some words.
pub(crate) fn bits_in(reading: &Reading<'_>, words: &[Key], wanted: u64) -> u64 {
    let mut bits = 0;
    for (place, term) in reading.terms.iter().enumerate() {
        if wanted >> place & 1 == 1 && term.keys.iter().any(|key| words.contains(key)) {
            bits |= 1 << place;
        }
    }
    bits
}

/// What a place says to a figure of the claim.
pub(crate) fn figure_outcome(case: &Case<'_, '_, '_>, fields: Span, figure: &Figure) -> Outcome {
    let reading = case.reading;
    let noun = reading.noun(&figure.span);
    let is_count = figure.unit.dimension == Dimension::Count;
    let counts_things = is_count && reading.bits(|term| term.role == Role::Kind) & noun != 0;
    let wanted = if is_count && noun != 0 {
        noun | reading.verb(&figure.span)
    } else {
        reading.attribute(&figure.span) | noun
    };
    let mut best: Option<(u32, u32)> = None;
    let mut against: u32 = 0;
    let mut refuted: Option<(u32, u32, String)> = None;
    let mut is_opposed = false;
    for field in fields.each(case.corpus) {
        let stated = case.cache.values(case.corpus, field);
        if stated.is_empty() {
            continue;
        }
        let in_field = case.marks.field(field);
        let keyed = !case.corpus.name(field).is_empty();
        let path = match case.corpus.field(field).filter(|_| keyed) {
            // "3 pods" is stated under a key for pods, not somewhere below a heading of pods.
            Some(found) if counts_things => bits_in(reading, case.corpus.key_words(found), wanted),
            Some(_) => path_bits(case, field, wanted),
            None => 0,
        };
        if keyed && path == 0 && in_field & wanted == 0 && wanted != 0 {
            continue;
        }
        for value in stated.iter().filter(|value| !value.is_statistic) {
            let related =
                relation(case, field, value, Wanted { bits: wanted, path, in_field, is_count });
            let Some(strength) = related else { continue };
            is_opposed |= is_contrary(figure, &value.figure);
            match of_bounds(figure, &value.figure) {
                Agreement::Same => {
                    if best.is_none_or(|(least, _)| strength > least) {
                        best = Some((strength, field));
                    }
                }
                Agreement::Different => {
                    against = against.max(strength);
                    if strength >= 100
                        && refuted.as_ref().is_none_or(|(least, ..)| strength > *least)
                    {
                        let says = note::other_figure(case, figure, field, value);
                        refuted = Some((strength, field, says));
                    }
                }
                Agreement::Incomparable => {}
            }
        }
    }
    if is_opposed {
        return Outcome::Open;
    }
    match (best, refuted) {
        // A figure that agrees under a key that fits in part gives way to one that differs under a better one.
        (Some((strength, _)), Some((full, field, says))) if strength + 50 < full => {
            Outcome::Refuted(Cite::Field(field), says)
        }
        (Some((strength, _)), _) if strength < against => Outcome::Open,
        (Some((_, field)), _) => Outcome::Supported(Cite::Field(field)),
        (None, Some(_)) if is_count && is_number_of(reading, figure) => Outcome::Open,
        (None, Some((_, field, says))) => Outcome::Refuted(Cite::Field(field), says),
        (None, None) => Outcome::Open,
    }
}

/// Compares figures of which both may be bounds: "above 18 %" is not what an alert says that fires "above 88 %", and
/// "below 900 s" is the contrary of "exceeded 900 s".
fn of_bounds(claimed: &Figure, stated: &Figure) -> Agreement {
    let (Some(_), Some(_)) = (claimed.comparator, stated.comparator) else {
        return compare(claimed, stated);
    };
    let plain = |figure: &Figure| Figure { comparator: None, ..figure.clone() };
    match (compare(claimed, stated), compare(&plain(claimed), &plain(stated))) {
        (Agreement::Same, Agreement::Different) => Agreement::Incomparable,
        (found, _) => found,
    }
}

/// Whether the evidence bounds from above what the claim bounds from below, or the other way round, by one figure.
fn is_contrary(claimed: &Figure, stated: &Figure) -> bool {
    let is_lower = |comparator| matches!(comparator, Comparator::Over | Comparator::AtLeast);
    match (claimed.comparator, stated.comparator) {
        (Some(one), Some(other)) => {
            let plain = |figure: &Figure| Figure { comparator: None, ..figure.clone() };
            is_lower(one) != is_lower(other)
                && compare(&plain(claimed), &plain(stated)) == Agreement::Same
        }
        _ => false,
    }
}

struct Wanted {
    bits: u64,
    path: u64,
    in_field: u64,
    is_count: bool,
}

/// How closely a value of the evidence belongs to what the claim's figure is about: `None` for not at all,
/// 100 or more for beyond doubt.
fn relation(case: &Case<'_, '_, '_>, field: u32, value: &Value<'_>, wanted: Wanted) -> Option<u32> {
    let reading = case.reading;
    let number = |bits: u64| bits.count_ones();
    if value.key.is_some_and(|key| !is_limit_meant(reading, key)) {
        return None;
    }
    if let Some(key) = value.key {
        let pair = if key == case.corpus.name(field) {
            wanted.path
        } else {
            match bits_of_name(reading, key, wanted.bits) {
                0 => 0,
                pair => pair | wanted.path,
            }
        };
        if pair != 0 {
            if pair != wanted.bits && !distinguishing_heading_is_meant(case, field) {
                return None;
            }
            // In a line the words beside the pair say what it is of.
            let beside = if key == case.corpus.name(field) { 0 } else { wanted.in_field };
            let full = (pair | beside) & wanted.bits == wanted.bits && is_covered(case, field, key);
            return Some(if full { 100 + number(pair) * 10 } else { 20 + number(pair) * 10 });
        }
    }
    let is_prose = words(case.corpus.value(field)).nth(LEAST_PROSE).is_some();
    if !case.corpus.name(field).is_empty() && !is_prose {
        return None;
    }
    if wanted.bits == 0 {
        return (!wanted.is_count).then_some(5);
    }
    let near = wanted.in_field & wanted.bits;
    if near == 0 {
        return None;
    }
    let all = reading.bits(|term| term.role == Role::Word);
    let whole_line = wanted.in_field & all == all && number(all) >= 3;
    let alone = one_of_its_kind(case, field, value);
    if wanted.is_count {
        // "4 restarts" beside "restarts": the noun has to follow, or the pair to be keyed.
        let follows = noun_follows(case, field, value, wanted.bits);
        return if follows { Some(if whole_line { 110 } else { 60 }) } else { Some(10) };
    }
    Some(if whole_line && alone { 100 } else { 30 + number(near) * 5 })
}

/// Whether the claim uses every word of a key that tells it from other keys.
pub(crate) fn is_covered(case: &Case<'_, '_, '_>, field: u32, name: &str) -> bool {
    const TELLING_NOTHING: [&str; 26] = [
        "count", "total", "current", "value", "number", "bytes", "seconds", "ms", "mib", "percent",
        "pct", "ratio", "num", "avg", "usage", "mb", "gb", "gib", "kib", "s", "cores", "per", "of",
        "the", "in", "mean",
    ];
    let reading = case.reading;
    let known = |word: &str| {
        let wanted = [exact(word), key(word)];
        TELLING_NOTHING.iter().any(|nothing| word.eq_ignore_ascii_case(nothing))
            || reading.terms.iter().any(|term| term.keys.iter().any(|key| wanted.contains(key)))
    };
    let whole = known(name);
    let each_part = || {
        words(name).all(|word| {
            let mut parts = crate::vocabulary::words::parts(word.text).peekable();
            if parts.peek().is_none() {
                known(word.text)
            } else {
                known(word.text) || parts.all(known)
            }
        })
    };
    (whole || each_part()) && distinguishing_heading_is_meant(case, field)
}

static DISTINGUISHING: LazyLock<Vec<Key>> = LazyLock::new(|| {
    [
        "limits",
        "requests",
        "capacity",
        "allocatable",
        "laststate",
        "last",
        "previous",
        "old",
        "new",
        "before",
        "after",
        "desired",
    ]
    .iter()
    .map(|word| key(word))
    .collect()
});

/// `limits`, `requests` and the like tell two values of one key apart: the claim has to say which it means.
fn distinguishing_heading_is_meant(case: &Case<'_, '_, '_>, field: u32) -> bool {
    let Some(found) = case.corpus.field(field) else { return false };
    for (_, object) in case.corpus.around(found.object) {
        if object.parent == NONE {
            break;
        }
        let heading = case.corpus.heading_words(object);
        let distinguishes = heading.iter().any(|word| DISTINGUISHING.contains(word));
        if distinguishes && bits_in(case.reading, heading, u64::MAX) == 0 {
            return false;
        }
        if object.is_record {
            break;
        }
    }
    true
}

/// A key like `memory_limit` states the limit: a claim that speaks of a request does not mean it.
fn is_limit_meant(reading: &Reading<'_>, name: &str) -> bool {
    let has = |word: &str| {
        let (exact, stem) = (exact(word), key(word));
        reading.terms.iter().any(|term| term.keys.contains(&exact) || term.keys.contains(&stem))
    };
    let stated = |wanted: &str| {
        words(name).any(|word| {
            word.is(wanted)
                || crate::vocabulary::words::parts(word.text).any(|part| key(part) == key(wanted))
        })
    };
    let crossed = |stated_as: &str, said: &str| stated(stated_as) && has(said) && !has(stated_as);
    !crossed("limit", "request") && !crossed("request", "limit")
}

fn bits_of_name(reading: &Reading<'_>, name: &str, wanted: u64) -> u64 {
    let mut keys = Vec::with_capacity(4);
    for word in words(name) {
        crate::vocabulary::words::evidence_keys(word.text, |key| keys.push(key));
    }
    bits_in(reading, &keys, wanted)
}

/// Whether no other figure of the field has the same dimension.
fn one_of_its_kind(case: &Case<'_, '_, '_>, field: u32, value: &Value<'_>) -> bool {
    case.cache
        .values(case.corpus, field)
        .iter()
        .filter(|other| other.figure.unit.dimension == value.figure.unit.dimension)
        .count()
        == 1
}

/// Whether the words right after or before a figure of a line are those that the claim counts.
fn noun_follows(case: &Case<'_, '_, '_>, field: u32, value: &Value<'_>, wanted: u64) -> bool {
    const NEAR: usize = 24;
    let text = case.corpus.value(field);
    let span = &value.figure.span;
    let after = text.get(span.end..).unwrap_or("");
    let after = after.get(..NEAR.min(after.len())).unwrap_or(after);
    let first = words(after).take(2);
    let before = text.get(..span.start).unwrap_or("");
    let last = words(before).last();
    first.chain(last).any(|word| bits_of_name(case.reading, word.text, wanted) != 0)
}

/// What a place says to a time of the claim.
pub(crate) fn time_outcome(case: &Case<'_, '_, '_>, fields: Span, time: &ClockTime) -> Outcome {
    let reading = case.reading;
    let verb = verb_of_time(reading, time.span.start);
    let mut supported = None;
    let mut refuted = None;
    for field in fields.each(case.corpus) {
        for stated in case.cache.times(case.corpus, field) {
            let path = path_bits(case, field, verb);
            if same_time(time, stated) {
                if is_of_other_phase(case, field, time.span.start) {
                    continue;
                }
                if supported.is_none_or(|(best, _)| path.count_ones() > best) {
                    supported = Some((path.count_ones(), field));
                }
            } else if path != 0 && path == verb && other_time(time, stated, case.day) {
                refuted = Some(field);
            }
        }
    }
    if let Some((strength, field)) = supported {
        return if strength == 0 && refuted.is_some() {
            Outcome::Open
        } else {
            Outcome::Supported(Cite::Field(field))
        };
    }
    let item = case.corpus.item_of(fields.start);
    let collected = case.corpus.item(item).and_then(|item| item.collected_at);
    let snapshot = collected.is_some_and(|at| same_time(time, &clock(at.as_micros())));
    match (snapshot, refuted) {
        (true, _) => Outcome::Supported(Cite::Item(item)),
        (false, Some(field)) => Outcome::Refuted(Cite::Field(field), note::other_time(case, field)),
        (false, None) => Outcome::Open,
    }
}

/// Whether the key of a field says that its time is of another phase than the claim: `Finished` where it "began".
fn is_of_other_phase(case: &Case<'_, '_, '_>, field: u32, at: usize) -> bool {
    let before = case.reading.text.get(..at).unwrap_or("");
    let claimed = words(before).filter_map(|word| phase_of_word(word.text)).last();
    let stated = phase_of_key(case.corpus.name(field));
    claimed.zip(stated).is_some_and(|(claimed, stated)| exclude(claimed, stated))
}

/// The word that says what happened at a time: the nearest content word before it.
fn verb_of_time(reading: &Reading<'_>, at: usize) -> u64 {
    let before =
        reading.terms.iter().enumerate().rev().find(|(_, term)| {
            !term.span.is_empty() && term.span.end <= at && term.role == Role::Word
        });
    before.map_or(0, |(place, _)| 1 << place)
}
