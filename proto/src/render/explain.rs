//! Renders the margins to the neighbouring tiers and the effects of single claims.

use gsar_core::explain::{Impact, Margin, Margins, RemedyStep};
use gsar_core::tally::Group;
use gsar_core::tier_decision::Hypothetical;
use gsar_core::{Class, EvidenceType};

use super::score::{fraction, score};
use crate::enums::Enumeration;
use crate::v1;

/// Renders the margins without claim ids, which the caller fills in.
#[must_use]
pub fn margins(margins: &Margins) -> v1::Margins {
    v1::Margins {
        better: margins.better.as_ref().map(margin),
        worse: margins.worse.as_ref().map(margin),
    }
}

fn margin(margin: &Margin) -> v1::Margin {
    v1::Margin {
        tier: margin.tier.number(),
        score: margin.score.map(fraction),
        claims: margin.claims,
        changes: margin.changes.iter().map(change).collect(),
        claim_ids: Vec::new(),
    }
}

fn change(change: &RemedyStep) -> v1::ClaimChange {
    let (class, evidence_type) = class_and_type(change.group);
    v1::ClaimChange {
        action: change.remedy.name().to_owned(),
        class: class.map_or(0, Class::number),
        r#type: evidence_type.map_or(0, EvidenceType::number),
        count: u64::from(change.count),
    }
}

fn class_and_type(group: Group) -> (Option<Class>, Option<EvidenceType>) {
    match group {
        Group::Class(class, evidence_type) => (Some(class), Some(evidence_type)),
        Group::UnverifiedContradiction(evidence_type) => {
            (Some(Class::Contradicted), Some(evidence_type))
        }
        Group::Dropped => (None, None),
    }
}

/// Renders the effect of a claim on the score.
#[must_use]
pub fn impact(impact: &Impact) -> v1::ClaimImpact {
    v1::ClaimImpact {
        contribution: impact.contribution.to_f64(),
        without_claim: Some(hypothetical(&impact.without_claim)),
        if_grounded: impact.if_grounded.as_ref().map(hypothetical),
    }
}

pub(super) fn hypothetical(outcome: &Hypothetical) -> v1::HypotheticalOutcome {
    v1::HypotheticalOutcome { score: outcome.score.map(score), tier: outcome.tier.number() }
}
