//! What overrules a finding because of a denial: the record that bears a claim out denies one of its words, or the
//! claim denies and the place does not.

use gsar_core::text::polarity::{MarkerKind, is_denied};
use gsar_core::text::tokens::words;

use crate::claim::reading::{Reading, Role, Term};
use crate::evidence::observations::{NONE, ValueKind};
use crate::matching::magnitudes::bits_in;
use crate::rules::attributes::is_light;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::polarity::{denies, denies_by_word};
use crate::vocabulary::words::{Key, evidence_keys, exact, key};

/// Whether a finding may have overlooked that the claim says "not" of a number: only the rules for series and
/// absences weigh such a denial.
pub(crate) fn may_be_overlooked(reading: &Reading<'_>, ruling: &Ruling) -> bool {
    let denies_figure = reading.markers.iter().any(|marker| {
        let cue = reading.text.get(marker.span.clone()).unwrap_or("");
        let is_not = ["not", "cannot"].iter().any(|not| cue.eq_ignore_ascii_case(not))
            || cue.ends_with("n't")
            || cue.ends_with("n\u{2019}t");
        marker.kind == MarkerKind::Negation
            && is_not
            && reading.figures.figures.iter().any(|figure| figure.span.start >= marker.span.end)
    });
    denies_figure && !matches!(ruling.basis, Basis::Measured | Basis::Absent)
}

/// Whether a record of which a field is cited says of a word of the claim that it is not so: `RESTARTS 0` where the
/// claim says "restarted", `PodScheduled False` where it says "scheduled".
pub(crate) fn record_denies(case: &Case<'_, '_, '_>, cites: &[Cite]) -> bool {
    const LARGEST: usize = 60;
    let reading = case.reading;
    if reading.denies || reading.has(MarkerKind::Negation) {
        return false;
    }
    let corpus = case.corpus;
    let says_false = words(reading.text).any(|word| word.is("false"));
    cites.iter().any(|cite| {
        let Cite::Field(cited) = cite else { return false };
        let Some(found) = corpus.field(*cited) else { return false };
        if found.kind == ValueKind::False && !says_false && denied_by(case, *cited) != 0 {
            return true;
        }
        let record = corpus.record(found.object);
        let Some(object) = corpus.object(record).filter(|object| object.parent != NONE) else {
            return false;
        };
        let fields = object.fields.0..object.fields.1;
        let denied = fields.clone().take(LARGEST).fold(0, |bits, field| {
            if cites.contains(&Cite::Field(field)) { bits } else { bits | denied_by(case, field) }
        });
        let shown = || {
            fields.clone().take(LARGEST).fold(0, |bits, field| {
                let value = corpus.field(field).map_or(&[][..], |found| corpus.value_words(found));
                bits | bits_in(reading, value, denied)
            })
        };
        denied != 0 && denied & !shown() != 0
    })
}

/// The words of a claim of which a field says that they are not so.
fn denied_by(case: &Case<'_, '_, '_>, field: u32) -> u64 {
    let reading = case.reading;
    let own = case.marks.field(field);
    let Some(found) = case.corpus.field(field).filter(|_| own != 0) else { return 0 };
    let named = bits_in(reading, case.corpus.key_words(found), own);
    if named == 0 {
        return 0;
    }
    match found.kind {
        ValueKind::Number | ValueKind::Text if case.corpus.value(field) == "0" => {
            let is_uncounted =
                reading.figures.figures.iter().all(|figure| figure.value.mantissa > 0);
            if is_uncounted { named & reading.bits(is_event) } else { 0 }
        }
        ValueKind::False if is_named_whole(reading, case.corpus.key_words(found)) => {
            named & reading.bits(|term| term.role == Role::Word)
        }
        _ => 0,
    }
}

/// Whether a term says that something happened: "restarted", but not "restarts", of which there may be none.
fn is_event(term: &Term<'_>) -> bool {
    term.is_mishap && term.text.ends_with("ed")
}

/// Whether a claim has every part of a key, sorts of things aside: "scheduled" for `PodScheduled`.
fn is_named_whole(reading: &Reading<'_>, keys: &[Key]) -> bool {
    let has = |key: &Key| reading.terms.iter().any(|term| term.keys.contains(key));
    match keys {
        [] => false,
        [whole] => has(whole),
        [whole, parts @ ..] => has(whole) || parts.iter().all(|part| has(part) || is_sort(*part)),
    }
}

fn is_sort(part: Key) -> bool {
    ["pod", "container", "node", "is", "has"].iter().any(|sort| key(sort) == part)
}

/// Whether the claim denies with a word and the place that would bear it out states the very figure or name that is
/// denied, or denies nothing in few words.
pub(crate) fn is_undenied_there(case: &Case<'_, '_, '_>, decided: u64, cites: &[Cite]) -> bool {
    let reading = case.reading;
    let Some(cue) = reading.markers.iter().find(|marker| {
        marker.kind == MarkerKind::Negation
            && reading.text.get(marker.span.clone()).is_some_and(is_flat)
    }) else {
        return false;
    };
    let reaches = |start: usize| {
        start >= cue.span.end
            && !reading
                .text
                .get(cue.span.end..start)
                .is_some_and(|gap| gap.contains([',', ';', ':', '(']))
    };
    let by_state = reading.bits(|term| term.negated) & decided != 0;
    let denies_figure = reading.figures.figures.iter().any(|figure| reaches(figure.span.start))
        || reading.figures.codes.iter().any(|code| reaches(code.span.start));
    !cites.iter().any(|cite| {
        let Cite::Field(field) = cite else { return false };
        denies_the_same(case, *field)
    }) && (denies_figure || !by_state)
}

/// Whether a clause of a line denies something, and has a word that the claim denies.
fn denies_the_same(case: &Case<'_, '_, '_>, field: u32) -> bool {
    const LONGEST: usize = 400;
    let reading = case.reading;
    let text = case.corpus.value(field);
    let counts_none = text == "0";
    let stated = case.cache.polarity(case.corpus, field);
    if reading.fails && stated.fails {
        return false;
    }
    if text.len() > LONGEST || !counts_none && !stated.denies {
        return false;
    }
    let content = |term: &Term<'_>| matches!(term.role, Role::Word | Role::Name | Role::Entity);
    let denied = reading.bits(|term| term.negated && content(term) && !is_light(term.text));
    let meant = if denied == 0 { reading.bits(content) } else { denied };
    let keyed = case
        .corpus
        .field(field)
        .map_or(0, |found| bits_in(reading, case.corpus.key_words(found), meant));
    keyed != 0
        || clauses(text).any(|clause| {
            let mut keys = Vec::with_capacity(16);
            for word in words(clause) {
                keys.push(exact(word.text));
                keys.push(key(word.text));
                evidence_keys(word.text, |key| keys.push(key));
            }
            let denies =
                denies_by_word(clause) || is_denied(clause) || !reading.fails && denies(clause);
            denies && bits_in(reading, &keys, meant) != 0
        })
}

/// The clauses of a line; "TTL: not set" is one.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ';', '(', ')']).flat_map(|part| {
        let (head, rest) = part.split_once(": ").unwrap_or(("", part));
        let is_key = words(head).nth(1).is_none();
        let (first, second) = if is_key { (part, "") } else { (head, rest) };
        [first, second]
    })
}

/// Whether a cue denies what follows it.
fn is_flat(cue: &str) -> bool {
    ["no", "not", "never", "none of", "neither", "without", "cannot"]
        .iter()
        .any(|flat| cue.eq_ignore_ascii_case(flat))
        || cue.ends_with("n't")
        || cue.ends_with("n\u{2019}t")
}
