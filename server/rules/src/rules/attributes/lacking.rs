//! Things said to be without something: "runs without a memory limit", "uses no node selector".
//!
//! The key of what it lacks, in a record about the thing, decides: with a value it refutes, as `<none>` it bears out.

use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use super::light::is_light;
use super::reach::{headings, is_about_kind, keys_of, needed, said_in, tie};
use crate::claim::reading::Role;
use crate::evidence::observations::ValueKind;
use crate::matching::magnitudes::is_covered;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};

/// Decides a claim that something has no value for an attribute.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    if reading.has(MarkerKind::Hedge) || reading.is_causal() || !reading.figures.is_empty() {
        return None;
    }
    let lacks = reading.markers.iter().any(|marker| {
        let cue = reading.text.get(marker.span.clone()).unwrap_or("");
        let after = reading.text.get(marker.span.end..).unwrap_or("");
        let next = words(after).next();
        let takes = next.is_some_and(|verb| {
            ["use", "have", "define", "specify", "declare", "carry", "set"]
                .iter()
                .any(|has| verb.is(has))
        });
        marker.kind == MarkerKind::Negation
            && (cue.eq_ignore_ascii_case("without") || cue.eq_ignore_ascii_case("no") || takes)
    });
    let lacked = reading.bits(|term| {
        term.negated && term.role == Role::Word && !is_light(term.text) && !is_having(term.text)
    });
    let is_mishap = reading.terms.iter().any(|term| term.negated && term.is_mishap);
    if !lacks || lacked == 0 || is_mishap {
        return None;
    }
    let having = reading.bits(|term| is_having(term.text));
    let mut shown: Option<u32> = None;
    let mut absent: Option<u32> = None;
    for field in case.marks.marked_fields().iter().copied() {
        let Some(found) = case.corpus.field(field) else { continue };
        let name = case.corpus.name(field);
        if name.is_empty() {
            continue;
        }
        let own = said_in(case, &keys_of(name));
        if own & lacked == 0 {
            continue;
        }
        let mut path = keys_of(name);
        path.extend(headings(case.corpus, found));
        let Some(tie) = tie(case, field) else { continue };
        let is_meant = lacked & !said_in(case, &path) == 0 && is_covered(case, field, name);
        if !is_meant || needed(case, lacked | having) & !tie.all != 0 || !is_about_kind(case, &tie)
        {
            continue;
        }
        let side = match found.kind {
            ValueKind::Nothing | ValueKind::False => &mut absent,
            ValueKind::Text | ValueKind::Number | ValueKind::True => &mut shown,
        };
        if side.is_none_or(|before| field < before) {
            *side = Some(field);
        }
    }
    match (shown, absent) {
        (Some(field), None) => Some(Ruling::contradicted(
            Basis::Stated,
            vec![Cite::Field(field)],
            note::says(case, field),
        )),
        (None, Some(field)) => {
            Some(Ruling::grounded(Basis::Stated, vec![Cite::Field(field)], note::says(case, field)))
        }
        _ => None,
    }
}

fn is_having(word: &str) -> bool {
    [
        "use", "uses", "have", "has", "define", "defines", "specify", "declare", "carry", "set",
        "runs", "run",
    ]
    .iter()
    .any(|has| word.eq_ignore_ascii_case(has))
}
