//! Whether something exists, is set, or could be done: lines that deny it by its name.
//!
//! "The namespace shop exists" against `namespaces "shop" not found`; "TOKEN is set" against `TOKEN is undefined`;
//! "secrets could be listed" against `secrets is forbidden`. A claim that denies the same is borne out.

use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use super::reach::{is_resource_kind, tie};
use crate::claim::reading::{Reading, Role, Term};
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::polarity;
use crate::vocabulary::words::exact;

/// A way of saying that something is there, and how lines deny it.
struct Way {
    /// Words of a claim.
    said: &'static [&'static str],
    /// Phrases of a line.
    denied: &'static [&'static str],
}

const WAYS: [Way; 3] = [
    Way {
        said: &[
            "exists",
            "exist",
            "existed",
            "present",
            "found",
            "described",
            "available",
            "deployed",
            "installed",
            "registered",
            "known",
        ],
        denied: &[
            "not found",
            "notfound",
            "does not exist",
            "doesn't exist",
            "no such",
            "doesn't have a",
            "does not have a",
            "could not find",
            "couldn't find",
            "cannot find",
            "no resources found",
            "unknown",
        ],
    },
    Way {
        said: &["set", "defined", "configured", "provided", "specified"],
        denied: &[
            "undefined",
            "not set",
            "unset",
            "not defined",
            "is missing",
            "not provided",
            "is empty",
        ],
    },
    Way {
        said: &[
            "listed",
            "list",
            "read",
            "accessed",
            "access",
            "fetched",
            "retrieved",
            "queried",
            "opened",
            "reached",
            "loaded",
            "executed",
            "pulled",
            "created",
            "deleted",
            "updated",
        ],
        denied: &[
            "forbidden",
            "denied",
            "cannot",
            "can't",
            "could not",
            "couldn't",
            "error while",
            "failed to",
            "refused",
            "rejected",
            "unauthorized",
            "not permitted",
            "unable to",
        ],
    },
];

/// Decides a claim that something is there or could be done, or that it is not.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    if reading.has(MarkerKind::Hedge)
        || reading.is_causal()
        || reading.has_alternatives()
        || polarity::denies_denial(reading.text)
    {
        return None;
    }
    if !reading.figures.is_empty() || reading.means(crate::vocabulary::lexicon::Sense::Superlative)
    {
        return None;
    }
    let way = way(reading)?;
    let verb = reading.bits(|term| is_said(way, term.text));
    let helping =
        reading.bits(|term| HELPING.iter().any(|word| term.text.eq_ignore_ascii_case(word)));
    let content = reading
        .bits(|term| matches!(term.role, Role::Word | Role::Name | Role::Entity | Role::Code(_)));
    let sorts = reading.bits(|term| is_resource_kind(term.text));
    let all = content & !verb & !helping;
    let wanted = if all & !sorts == 0 { all } else { all & !sorts };
    if wanted == 0 {
        return None;
    }
    let strict =
        reading.bits(|term| matches!(term.role, Role::Name | Role::Entity | Role::Code(_)));
    let mut denial: Option<u32> = None;
    for field in case.marks.marked_fields().iter().copied() {
        let own = case.marks.field(field) & wanted;
        if own == 0 || own & strict == 0 && strict & !helping & wanted != 0 && own.count_ones() < 2
        {
            continue;
        }
        if wanted & !tie(case, field)?.all == 0
            && denies(case.corpus.value(field), case, own, way)
            && denial.is_none_or(|before| field < before)
        {
            denial = Some(field);
        }
    }
    let field = denial?;
    let says = note::says(case, field);
    if is_denied(reading) {
        return Some(Ruling::grounded(Basis::Stated, vec![Cite::Field(field)], says));
    }
    let shows = is_shown(case, wanted);
    (!shows && !reading.denies)
        .then(|| Ruling::contradicted(Basis::Stated, vec![Cite::Field(field)], says))
}

/// Words that only help a verb.
const HELPING: [&str; 8] =
    ["could", "can", "still", "able", "successfully", "may", "turned", "already"];

/// Whether a claim says that something is there.
pub(crate) fn is_claimed(reading: &Reading<'_>) -> bool {
    const EXISTS: [&str; 4] = ["exists", "exist", "existed", "present"];
    words(reading.text).any(|word| EXISTS.iter().any(|exists| word.is(exists)))
}

fn way(reading: &Reading<'_>) -> Option<&'static Way> {
    let is_able = words(reading.text).any(|word| {
        ["could", "can", "may", "cannot", "couldn't", "able", "succeeded"]
            .iter()
            .any(|able| word.is(able))
    });
    let [exists, set, able] = &WAYS;
    let has = |way: &Way| words(reading.text).any(|word| is_said(way, word.text));
    if has(exists) {
        Some(exists)
    } else if is_able && has(able) {
        Some(able)
    } else if has(set) && reading.bits(is_setting) != 0 {
        Some(set)
    } else {
        None
    }
}

/// Whether a term is the name of a setting: `TOKEN_TTL`, `REGION`.
fn is_setting(term: &Term<'_>) -> bool {
    let is_shouted = term.text.len() > 2
        && term
            .text
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9'));
    matches!(term.role, Role::Name | Role::Entity) || is_shouted
}

fn is_said(way: &Way, word: &str) -> bool {
    way.said.iter().any(|said| word.eq_ignore_ascii_case(said))
}

/// Whether the claim denies it: "does not exist", "cannot be listed".
fn is_denied(reading: &Reading<'_>) -> bool {
    reading.has(MarkerKind::Negation) || reading.denies
}

/// Whether a line denies something near a term that it has.
fn denies(line: &str, case: &Case<'_, '_, '_>, own: u64, way: &Way) -> bool {
    const NEAR: usize = 80;
    let lower = line.to_ascii_lowercase();
    let places: Vec<usize> = case
        .reading
        .terms
        .iter()
        .enumerate()
        .filter(|(place, _)| own >> place & 1 == 1)
        .filter_map(|(_, term)| {
            let word = term.text.to_ascii_lowercase();
            lower.find(word.trim_end_matches('s'))
        })
        .collect();
    way.denied.iter().any(|phrase| {
        lower
            .match_indices(phrase)
            .any(|(at, _)| places.iter().any(|place| place.abs_diff(at) <= NEAR))
    })
}

/// Whether a record bears the name: then the denial speaks of another place or time.
fn is_shown(case: &Case<'_, '_, '_>, wanted: u64) -> bool {
    case.reading.terms.iter().enumerate().any(|(place, term)| {
        wanted >> place & 1 == 1
            && case
                .corpus
                .by_name
                .of(exact(term.text))
                .take(200)
                .filter_map(|name| case.corpus.names.get(name as usize))
                .any(|name| case.corpus.name(name.field).eq_ignore_ascii_case("name"))
    })
}
