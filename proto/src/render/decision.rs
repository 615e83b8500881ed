//! Renders decisions and their reasons.

use gsar_core::assess::Assessment;
use gsar_core::open_points::OpenPoint;
use gsar_core::tier_decision::Bounds;
use gsar_core::{ClaimId, Decision, Guard, Reason};

use super::explain::hypothetical;
use crate::enums::Enumeration;
use crate::v1;

/// Renders the decision on a partition given as counts, without margins.
#[must_use]
pub fn decision(decision: &Decision) -> v1::Decision {
    decision_message(
        decision,
        decision.reasons.iter().map(|reason| reason_message(reason, &[])).collect(),
    )
}

/// Renders the decision on a report, with the claims of each reason and without margins.
#[must_use]
pub fn assessed_decision(assessment: &Assessment) -> v1::Decision {
    let (claims, corrections) = (&assessment.claims, &assessment.corrections);
    let reasons = assessment.decision.reasons.iter();
    let reasons = reasons.map(|reason| reason_message(reason, &reason.claims(claims, corrections)));
    v1::Decision {
        affected_specialists: assessment.affected_specialists.clone(),
        ..decision_message(&assessment.decision, reasons.collect())
    }
}

fn decision_message(decision: &Decision, reasons: Vec<v1::Reason>) -> v1::Decision {
    v1::Decision {
        tier: decision.tier.number(),
        reasons,
        not_applicable: decision.not_applicable.iter().map(guard).collect(),
        bounds: decision.bounds.as_ref().map(bounds),
        ..v1::Decision::default()
    }
}

fn bounds(bounds: &Bounds) -> v1::DecisionBounds {
    v1::DecisionBounds {
        worst: Some(hypothetical(&bounds.worst)),
        best: Some(hypothetical(&bounds.best)),
    }
}

fn reason_message(reason: &Reason, claims: &[ClaimId]) -> v1::Reason {
    v1::Reason {
        code: reason.code().to_owned(),
        sentence: reason.sentence_with_claims(claims),
        claim_ids: ids(claims),
    }
}

/// Renders an open point: its code, claims and sentence.
#[must_use]
pub fn open_point(point: &OpenPoint) -> v1::Reason {
    v1::Reason {
        code: point.code().to_owned(),
        sentence: point.sentence(),
        claim_ids: ids(point.claims()),
    }
}

fn ids(claims: &[ClaimId]) -> Vec<String> {
    claims.iter().map(ToString::to_string).collect()
}

fn guard(guard: &Guard) -> String {
    guard.name().to_owned()
}
