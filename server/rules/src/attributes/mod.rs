//! Claims that an attribute of one thing has a value: a quantity with its unit, a state, a label.
//!
//! Subject, attribute and value have to be tied by structure: the value stands under a key path that states the
//! attribute ([`concepts`], or the claim's own words), in a record that bears every name of the claim. Then the
//! other words of the claim have to stand there too, or be light ([`light`]). A value that differs refutes only
//! where no value of that attribute and subject agrees; so does the same number in another unit.

mod concepts;
mod light;
mod quantities;
mod reach;

use gsar_core::text::figures::CodeKind;
use gsar_core::text::polarity::MarkerKind;

use super::lexicon::Sense;
use super::reading::{Reading, Role};
use super::ruling::{Basis, Case, Cite, Ruling};

/// What the evidence says to one value of a claim.
enum Found {
    /// It agrees; what says so.
    Agrees(u32),
    /// It differs; what says so, and the sentence.
    Differs(u32, String),
    /// Nothing.
    Open,
}

/// Decides a claim about a value of one thing.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    if !is_plain(case.reading) {
        return None;
    }
    let slots = quantities::slots(case.reading);
    let mut agreeing = Vec::new();
    let mut is_open = slots.is_empty();
    for slot in &slots {
        match quantities::weigh(case, slot) {
            Found::Differs(field, says) => {
                return Some(Ruling::contradicted(Basis::Stated, vec![Cite::Field(field)], says));
            }
            Found::Agrees(field) => agreeing.push(Cite::Field(field)),
            Found::Open => is_open = true,
        }
    }
    if is_open {
        return None;
    }
    let says = agreeing.first().map_or_else(String::new, |cite| match cite {
        Cite::Field(field) => super::note::says(case, *field),
        Cite::Sample { .. } | Cite::Item(_) => String::new(),
    });
    agreeing.dedup();
    Some(Ruling::grounded(Basis::Stated, agreeing, says))
}

/// Whether a claim states a value and no more: no cause, no guess, no trend, no order, no denial.
fn is_plain(reading: &Reading<'_>) -> bool {
    let dated = reading.figures.codes.iter().any(|code| code.kind == CodeKind::Date);
    let demands = reading.terms.iter().any(|term| {
        let Role::Demand(sense) = term.role else { return false };
        !(light::is_light(term.text) && matches!(sense, Sense::Peak | Sense::Extreme))
    });
    !dated
        && !demands
        && !reading.denies
        && !reading.is_causal()
        && !reading.has_alternatives()
        && !reading.has(MarkerKind::Hedge)
        && !reading.has(MarkerKind::Negation)
}
