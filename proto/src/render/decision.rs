//! Decisions and their reasons.

use gsar_core::{Decision, Guard, Reason};

use crate::enums::Enumeration;
use crate::v1;

/// The decision on a report; without margins.
#[must_use]
pub fn decision(decision: &Decision) -> v1::Decision {
    v1::Decision {
        tier: decision.tier.number(),
        reasons: decision.reasons.iter().map(reason).collect(),
        not_applicable: decision.not_applicable.iter().map(guard).collect(),
        margins: None,
    }
}

/// A reason: its stable code and a sentence for a person.
#[must_use]
pub fn reason(reason: &Reason) -> v1::Reason {
    v1::Reason { code: reason.code().to_owned(), sentence: reason.sentence() }
}

fn guard(guard: &Guard) -> String {
    guard.name().to_owned()
}
