//! States that a claim names against those of one place: readiness, conditions, phases, mishaps.
//!
//! A state is refuted only by what excludes it under the same key: `ready: false`, `0/1`, another phase, a
//! count of zero.

use crate::claim::reading::{Reading, Term};
use crate::evidence::observations::{Corpus, ValueKind};
use crate::matching::fit::{Outcome, Span};
use crate::matching::magnitudes::bits_in;
use crate::verdict::note;
use crate::verdict::ruling::{Case, Cite};
use crate::vocabulary::lexicon::{OPPOSITES, PRESENT_STATES};
use crate::vocabulary::words::{Key, parts};

/// What a place says to a state that the claim names: readiness, a condition, a present state of a workload.
pub(crate) fn state_outcome(
    case: &Case<'_, '_, '_>,
    fields: Span,
    place: usize,
    term: &Term<'_>,
) -> Option<(Outcome, u64)> {
    let bit = 1_u64 << place;
    let word = term.text.to_ascii_lowercase();
    let is_present_state = PRESENT_STATES.binary_search(&word.as_str()).is_ok();
    let is_mishap = term.is_mishap && is_uncounted(case.reading, term);
    let opposite = OPPOSITES.iter().find_map(|(a, b)| {
        if *a == word {
            Some(*b)
        } else if *b == word {
            Some(*a)
        } else {
            None
        }
    });
    let mut refuted = None;
    for field in fields.each(case.corpus) {
        let names_term = case.marks.field(field) & bit != 0;
        if !names_term && !is_present_state && opposite.is_none() {
            continue;
        }
        let Some(found) = case.corpus.field(field) else { continue };
        let value = case.corpus.value(field);
        match found.kind {
            ValueKind::True | ValueKind::False => {
                let keys = case.corpus.key_words(found);
                let bits = bits_in(case.reading, keys, u64::MAX);
                if bits & bit == 0 || !covers_key(case, field) || !is_adjective(case, field, term) {
                    continue;
                }
                let holds = (found.kind == ValueKind::True) != negated(case.reading, bits);
                return Some(if holds {
                    (Outcome::Supported(Cite::Field(field)), bits)
                } else {
                    (Outcome::Refuted(Cite::Field(field), note::says(case, field)), bits)
                });
            }
            ValueKind::Text | ValueKind::Number => {}
            ValueKind::Nothing => continue,
        }
        if is_mishap
            && let Some(number) = leading_number(value)
            && bits_in(case.reading, case.corpus.key_words(found), bit) != 0
        {
            let holds = (number > 0) != term.negated;
            return Some(if holds {
                (Outcome::Supported(Cite::Field(field)), bit)
            } else {
                (Outcome::Refuted(Cite::Field(field), note::says(case, field)), bit)
            });
        }
        if found.kind == ValueKind::Number {
            continue;
        }
        if let Some(is_ready) = readiness(case.corpus, field)
            .filter(|_| matches!(word.as_str(), "ready" | "unready" | "notready"))
        {
            let claimed = (word == "ready") != term.negated;
            return Some(if claimed == is_ready {
                (Outcome::Supported(Cite::Field(field)), bit)
            } else {
                (Outcome::Refuted(Cite::Field(field), note::says(case, field)), bit)
            });
        }
        if !(is_present_state || opposite.is_some())
            || case.corpus.name(field).is_empty()
            || !is_state_key(case.corpus.name(field))
        {
            continue;
        }
        let same = value.eq_ignore_ascii_case(&word);
        let excluded = !same
            && (opposite.is_some_and(|opposite| value.eq_ignore_ascii_case(opposite))
                || is_present_state
                    && PRESENT_STATES.binary_search(&value.to_ascii_lowercase().as_str()).is_ok());
        if same && !term.negated || excluded && term.negated && opposite.is_some() {
            return Some((Outcome::Supported(Cite::Field(field)), bit));
        }
        let is_present = !case.corpus.name(field).eq_ignore_ascii_case("reason");
        if is_present && (same && term.negated || excluded && !term.negated) {
            refuted = Some(field);
        }
    }
    refuted.map(|field| (Outcome::Refuted(Cite::Field(field), note::says(case, field)), bit))
}

/// Whether a claim says that something happened, or not, without saying how often.
fn is_uncounted(reading: &Reading<'_>, term: &Term<'_>) -> bool {
    let counted = reading.figures.figures.iter().any(|figure| {
        let noun = reading.noun(&figure.span);
        reading.bits(|other| std::ptr::eq(other, term)) & noun != 0
            || reading.text.contains("times")
    });
    !counted
}

/// The whole number that a value begins with: `1 (11m ago)`.
fn leading_number(value: &str) -> Option<u64> {
    let first = value.split(' ').next()?;
    first.parse().ok()
}

/// Whether the claim uses a boolean's key as it is, not another form of the word: "ready" for `ready`, but not
/// "the start" for `started`.
fn is_adjective(case: &Case<'_, '_, '_>, field: u32, term: &Term<'_>) -> bool {
    let name = case.corpus.name(field);
    let is_one_word = parts(name).next().is_none();
    !is_one_word || name.eq_ignore_ascii_case(term.text) || name.eq_ignore_ascii_case("status")
}

fn negated(reading: &Reading<'_>, bits: u64) -> bool {
    reading.terms.iter().enumerate().any(|(place, term)| bits >> place & 1 == 1 && term.negated)
}

/// Whether the claim has every part of a boolean's key: "memory pressure" for `MemoryPressure`.
fn covers_key(case: &Case<'_, '_, '_>, field: u32) -> bool {
    let Some(found) = case.corpus.field(field) else { return false };
    let keys = case.corpus.key_words(found);
    let have = |key: &Key| case.reading.terms.iter().any(|term| term.keys.contains(key));
    match keys {
        [] => false,
        [whole, parts @ ..] => have(whole) || !parts.is_empty() && parts.iter().all(have),
    }
}

/// Whether the cell of a READY column says that all are: `1/1`; nothing wanted is neither.
fn readiness(corpus: &Corpus<'_>, field: u32) -> Option<bool> {
    if !corpus.name(field).eq_ignore_ascii_case("ready") {
        return None;
    }
    let (ready, wanted) = corpus.value(field).split_once('/')?;
    let (ready, wanted) = (ready.trim().parse::<u32>().ok()?, wanted.trim().parse::<u32>().ok()?);
    (wanted > 0).then_some(ready >= wanted)
}

fn is_state_key(name: &str) -> bool {
    ["status", "phase", "state", "reason", "health", "conclusion", "result", "role", "sync"]
        .iter()
        .any(|key| name.eq_ignore_ascii_case(key))
}
