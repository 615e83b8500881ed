//! Claims that an attribute of one thing has a value: a quantity with its unit, a state, a label.
//!
//! Subject, attribute and value have to be tied by structure: the value stands under a key path that states the
//! attribute ([`concepts`], or the claim's own words), in a record that bears every name of the claim. Then the
//! other words of the claim have to stand there too, or be light ([`light`]). A value that differs refutes only
//! where no value of that attribute and subject agrees; so does the same number in another unit.

mod concepts;
mod existence;
mod hold;
mod kinds;
mod labels;
mod lacking;
mod light;
mod mixups;
mod quantities;
mod reach;
mod relations;
mod replicas;
mod slots;
mod vocabulary;

#[cfg(test)]
mod tests;

use gsar_core::text::figures::{CodeKind, Figure};
use gsar_core::text::polarity::MarkerKind;

use gsar_core::text::tokens::words;

use concepts::spoken;
pub(crate) use kinds::is_state;
pub(crate) use light::is_light;

use crate::claim::reading::{Reading, Role, Term};
use crate::rules::counts;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::lexicon::Sense;

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
    if let Some(ruling) = replicas::decide(case) {
        return Some(ruling);
    }
    if counts::count_of_things(case.reading).is_some_and(|(_, figure)| {
        !is_of_replicas(case.reading, figure) && !slots::is_article(case.reading, figure)
    }) {
        return None;
    }
    existence::decide(case)
        .or_else(|| relations::decide(case))
        .or_else(|| is_plain(case.reading).then(|| plain(case)).flatten())
        .or_else(|| denied(case))
        .or_else(|| lacking::decide(case))
        .or_else(|| is_bare_of_doubt(case.reading).then(|| mixups::decide(case)).flatten())
}

/// "Its last exit code was not 137": a claim that denies one quantity, and nothing else.
fn denied(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let mut denials = reading.markers.iter().filter(|marker| marker.kind == MarkerKind::Negation);
    let (denial, None) = (denials.next()?, denials.next()) else { return None };
    let cue = reading.text.get(denial.span.clone()).unwrap_or("");
    let mut slots = slots::slots(reading).into_iter();
    let (slot, None) = (slots.next()?, slots.next()) else { return None };
    let between = reading.text.get(denial.span.end..slot.figure.span.start)?;
    let is_flat = words(cue).any(|word| word.is("not")) && words(between).count() <= 1;
    let is_alone = kinds::slots(case).is_empty() && labels::slots(case).is_empty();
    if !is_flat || !is_alone || slot.figure.comparator.is_some() || !is_plain_but_denied(reading) {
        return None;
    }
    match quantities::weigh(case, &slot) {
        Found::Agrees(field) => Some(Ruling::contradicted(
            Basis::Stated,
            vec![Cite::Field(field)],
            crate::verdict::note::says(case, field),
        )),
        Found::Differs(..) | Found::Open => None,
    }
}

/// Replicas are counted by the tools themselves: "3 desired, 1 available".
fn is_of_replicas(reading: &Reading<'_>, figure: &Figure) -> bool {
    let after = reading.text.get(figure.span.end..).unwrap_or("");
    words(after).take(3).any(|word| word.is("replica") || word.is("replicas"))
}

fn plain(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let quantities = slots::slots(case.reading);
    let states = kinds::slots(case);
    // That something is there is more than that another names it.
    let exists = existence::is_claimed(case.reading);
    let labels = if exists { Vec::new() } else { labels::slots(case) };
    let mut agreeing = Vec::new();
    let mut is_open = quantities.is_empty() && states.is_empty() && labels.is_empty();
    let naming = slots::naming(&quantities);
    let found = quantities
        .iter()
        .map(|slot| quantities::weigh(case, slot))
        .chain(labels.iter().map(|slot| labels::weigh(case, slot, naming)))
        .chain(states.iter().map(|slot| kinds::weigh(case, slot, naming)));
    for found in found {
        match found {
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
        Cite::Field(field) => crate::verdict::note::says(case, *field),
        Cite::Sample { .. } | Cite::Item(_) => String::new(),
    });
    agreeing.dedup();
    Some(Ruling::grounded(Basis::Stated, agreeing, says))
}

/// Whether a claim states a value and no more: no cause, no guess, no trend, no order, no denial.
fn is_plain(reading: &Reading<'_>) -> bool {
    is_undenied(reading) && is_plain_but_denied(reading)
}

/// Whether a claim denies nothing but restarts.
fn is_undenied(reading: &Reading<'_>) -> bool {
    slots::denial_of_restarts(reading).is_some()
        || !reading.denies && !reading.has(MarkerKind::Negation)
}

/// The same as [`is_plain`], of a claim that may deny what it says.
fn is_plain_but_denied(reading: &Reading<'_>) -> bool {
    let demands = reading.terms.iter().any(|term| {
        let Role::Demand(sense) = term.role else { return false };
        if is_bound_word(reading, term) {
            return false;
        }
        let is_light = light::is_light(term.text) && matches!(sense, Sense::Peak | Sense::Extreme);
        let is_state = kinds::is_state(term.text);
        !is_light && !is_state
    });
    is_certain(reading) && !demands && !moves(reading) && reading.figures.times.is_empty()
}

/// Whether a word belongs to a bound: "at least", "its maximum of 256".
fn is_bound_word(reading: &Reading<'_>, term: &Term<'_>) -> bool {
    let before = reading.text.get(..term.span.start).unwrap_or("");
    let at = words(before).last().is_some_and(|word| word.is("at"));
    at && ["least", "most"].iter().any(|word| term.text.eq_ignore_ascii_case(word))
        || reach::is_limit_word(term)
}

/// Whether a claim neither guesses nor denies, and names no day.
fn is_bare_of_doubt(reading: &Reading<'_>) -> bool {
    is_undenied(reading) && is_certain(reading)
}

/// Whether a claim neither guesses nor explains, and names no day, order or sum.
fn is_certain(reading: &Reading<'_>) -> bool {
    let dated = reading.figures.codes.iter().any(|code| code.kind == CodeKind::Date);
    let ordered = reading.has_open_order();
    !dated
        && !ordered
        && !reading.is_causal()
        && !reading.has_alternatives()
        && !adds_up(reading)
        && !reading.has(MarkerKind::Hedge)
}

/// Whether a claim speaks of two moments: "from 6.9 to 0.1", "when it started".
fn moves(reading: &Reading<'_>) -> bool {
    let says = |wanted: &str| words(reading.text).any(|word| word.is(wanted));
    let from_to = reading.figures.figures.windows(2).any(|pair| {
        let [first, second] = pair else { return false };
        let before = reading.text.get(..first.span.start).unwrap_or("");
        let between = reading.text.get(first.span.end..second.span.start).unwrap_or("");
        words(before).any(|word| word.is("from")) && words(between).any(|word| word.is("to"))
    });
    from_to || ["when", "while", "until", "once"].iter().any(|cue| says(cue))
}

/// Whether a claim speaks of a sum or a difference of several values.
fn adds_up(reading: &Reading<'_>) -> bool {
    const WORDS: [&str; 10] = [
        "add",
        "adds",
        "altogether",
        "combined",
        "difference",
        "sum",
        "sums",
        "together",
        "twice",
        "jointly",
    ];
    let text = reading.text;
    ["between them", "in total", "times as", "each other"]
        .iter()
        .any(|phrase| text.contains(phrase))
        || words(reading.text).any(|word| WORDS.iter().any(|sum| word.is(sum)))
}
