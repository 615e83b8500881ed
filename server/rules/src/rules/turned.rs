//! Claims that deny: what the other rules find for the claim without its denial, turned round.
//!
//! Where a place bears out what is denied, the claim is contradicted there. Where one excludes what is denied of one
//! thing, the claim is grounded.

use gsar_core::Class;
use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_core::text::figures::Dimension;
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::affirmed::{Denial, affirmed};
use crate::claim::reading::{Reading, Role, Term};
use crate::evidence::observations::NONE;
use crate::matching::candidates::{Target, is_line};
use crate::rules::attributes::is_light;
use crate::verdict::decide;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};

/// Which denials are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Governs {
    /// "Was not", "cannot": rules that read the claim as it stands may overlook the denial, so this comes first.
    OneThing,
    /// "No", "never", "none of": rules for lists and series know these.
    SomeThings,
}

/// Decides a claim that denies one statement and nothing else.
pub(crate) fn decide(case: &Case<'_, '_, '_>, governs: Governs) -> Option<Ruling> {
    let denying = case.reading;
    if !denying.has(MarkerKind::Negation) {
        return None;
    }
    if denying.has(MarkerKind::Hedge) || denying.is_causal() || denying.text.contains(" '") {
        return None;
    }
    let affirmed = affirmed(denying)?;
    if (affirmed.denial == Denial::Not) != (governs == Governs::OneThing) {
        return None;
    }
    // A place that tells of an attempt does not show that it succeeded: "cannot be pulled" against "pulling image".
    let is_ability = words(denying.text).any(|word| {
        ["cannot", "can't", "can\u{2019}t", "couldn't", "couldn\u{2019}t", "can", "could", "unable"]
            .iter()
            .any(|able| word.is(able))
    });
    if is_ability {
        return None;
    }
    // "None of the two": of those spoken of before, whichever they are.
    let is_named = denying.bits(Term::is_strict) != 0;
    if affirmed.denial == Denial::OfThese && !is_named {
        return None;
    }
    let mut reading = Reading::of(&affirmed.text, case.corpus);
    if reading.denies || reading.has_alternatives() {
        return None;
    }
    let carried = denying.terms.iter().filter(|term| term.span.is_empty());
    reading.terms.extend(carried.cloned());
    reading.before = denying.before;
    let found = decide::reread(case, &reading, |positive| {
        decide::ruling(positive).filter(|found| {
            found.class != Class::Grounded || is_told_there(positive, found, denying)
        })
    });
    // What excludes one place or value says nothing of any: "onto any node", unless the thing is named.
    let is_of_one = is_named || !denying.text.contains(" any ");
    turned(found?, affirmed.denial).filter(|found| found.class != Class::Grounded || is_of_one)
}

/// Whether what is cited is an answer, not the request that a tool repeats, and has what the claim denies.
fn is_told_there(case: &Case<'_, '_, '_>, found: &Ruling, denying: &Reading<'_>) -> bool {
    let denied = case.reading.bits(|term| {
        matches!(term.role, Role::Word | Role::Name | Role::Entity | Role::Common)
            && !is_light(term.text)
            && denying.terms.iter().any(|other| other.negated && other.text == term.text)
    });
    let mut told = 0;
    for cite in &found.cites {
        let Cite::Field(field) = *cite else { continue };
        let line = case.corpus.line(field);
        let item = case.corpus.item(case.corpus.item_of(field));
        let is_question = item
            .is_none_or(|item| item.kind == EvidenceKind::Signal && item.lane == Lane::Synthetic);
        let says_non = line
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| word.eq_ignore_ascii_case("non") || word.eq_ignore_ascii_case("not"));
        let is_nothing = affirmed_of_nothing(case, field, denying);
        if is_question
            || says_non
            || is_nothing
            || line.starts_with("Params ")
            || line.starts_with("$ ")
        {
            return false;
        }
        let record =
            case.corpus.field(field).map_or(NONE, |found| case.corpus.record(found.object));
        let place =
            if is_line(case.corpus, field) { Target::Line(field) } else { Target::Object(record) };
        told |= case.marks.field(field) | case.marks.candidate(case.corpus, place).terms;
    }
    found.basis == Basis::Measured || denied == 0 || denied & told != 0
}

/// Whether a field says of what is denied that there is nothing of it: a zero in its record, or a bare time.
fn affirmed_of_nothing(case: &Case<'_, '_, '_>, field: u32, denying: &Reading<'_>) -> bool {
    const MOST: usize = 60;
    let corpus = case.corpus;
    if !words(denying.text).any(|word| word.is("no")) {
        return false;
    }
    let value = corpus.value(field).trim();
    let is_bare_time = case
        .cache
        .times(corpus, field)
        .iter()
        .any(|time| time.span.start == 0 && time.span.end >= value.len());
    let has_zero = |field: u32| {
        case.cache.values(corpus, field).iter().any(|value| {
            value.figure.value.mantissa == 0 && value.figure.unit.dimension != Dimension::Percent
        })
    };
    let record = corpus.field(field).and_then(|found| corpus.object(corpus.record(found.object)));
    let fields = record.map_or((field, field + 1), |record| record.fields);
    is_bare_time || (fields.0..fields.1).take(MOST).any(has_zero)
}

fn turned(found: Ruling, denial: Denial) -> Option<Ruling> {
    match found.class {
        Class::Grounded if found.basis != Basis::Absent => {
            Some(Ruling { class: Class::Contradicted, ..found })
        }
        Class::Contradicted if denial == Denial::Not && found.basis == Basis::Stated => {
            Some(Ruling { class: Class::Grounded, ..found })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{Contradicted, Grounded, Ungrounded};

    use crate::tests::{expect, text};

    const PODS: &str = "\
NAME                        READY   STATUS             RESTARTS      AGE
cart-5d8f7c9b64-aa2bb       1/1     Running            0             5d
ledger-66f4b9d7c8-4tqzw     0/1     CrashLoopBackOff   7 (32s ago)   8m17s
";

    const LOG: &str = "\
2026-03-12T14:02:17Z INFO order ORD-771 was refunded to the customer
2026-03-12T14:02:19Z ERROR payment of order ORD-772 failed: card declined
2026-03-12T14:02:21Z INFO invoice mail for ORD-773 sent on retry
";

    #[test]
    fn what_a_place_bears_out_is_not_to_be_denied() {
        let evidence =
            [text("pods", "kubectl get pods -n shop", PODS), text("log", "kubectl logs pay", LOG)];
        expect(
            &evidence,
            &[
                ("Order ORD-771 was not refunded to the customer", Contradicted),
                ("Payment of order ORD-772 did not fail", Contradicted),
                ("No invoice mail was sent on retry", Contradicted),
                ("ledger has not been restarted seven times", Contradicted),
                ("ledger has not been restarted nine times", Grounded),
                ("ledger is not in CrashLoopBackOff", Contradicted),
                ("cart is not in CrashLoopBackOff", Grounded),
                ("Order ORD-774 was not refunded to the customer", Ungrounded),
                ("Payment of order ORD-771 did not fail", Ungrounded),
            ],
        );
    }

    #[test]
    fn a_record_that_denies_bears_nothing_out() {
        let conditions = "\
Name:   web-1
Conditions:
  Type           Status
  PodScheduled   False
";
        let evidence = [
            text("pods", "kubectl get pods -n shop", PODS),
            text("web", "kubectl describe pod web-1", conditions),
            text(
                "alert",
                "fetch_alert",
                "Pod api-1 has been in a non-ready state for more than 15 minutes.\n",
            ),
        ];
        expect(
            &evidence,
            &[
                ("cart restarted within its five days", Ungrounded),
                ("web-1 is scheduled", Ungrounded),
                ("api-1 has been ready for more than 15 minutes", Ungrounded),
            ],
        );
    }
}
