//! Dry runs, which judge and explain a report but neither decide nor record it.

use gsar_proto::violations::Violations;
use gsar_proto::{render, v1};

use super::warnings::NO_SYNTHESIS;

pub(crate) fn reject(options: &v1::EvaluateOptions, violations: &mut Violations) {
    if options.dry_run {
        let description = "is supported only by Evaluate and EvaluateStream; leave it out";
        violations.add("options.dry_run", description.to_owned());
    }
}

pub(super) fn check(
    options: &v1::EvaluateOptions,
    idempotency_key: &str,
    violations: &mut Violations,
) {
    if options.dry_run && !idempotency_key.is_empty() {
        let description = "has no effect on a dry run, which records nothing; leave out either this key or options.dry_run";
        violations.add("idempotency_key", description.to_owned());
    }
}

/// Removes everything from an answer that could be mistaken for a decision.
pub(super) fn strip_decision(answer: v1::EvaluateResponse) -> v1::EvaluateResponse {
    let sentence = "this was a dry run: nothing was decided or recorded";
    v1::EvaluateResponse {
        evaluation_id: String::new(),
        outcome: v1::Outcome::Abstained.into(),
        score: None,
        guarded_score: None,
        decision: Some(v1::Decision {
            tier: v1::Tier::Abstain.into(),
            reasons: vec![render::reason("DRY_RUN", sentence)],
            ..v1::Decision::default()
        }),
        gate: None,
        chain: None,
        cap: None,
        action: None,
        shadow: None,
        is_grounded: false,
        // A dry run may be given only claims, without a synthesis.
        warnings: answer
            .warnings
            .into_iter()
            .filter(|warning| warning.code != NO_SYNTHESIS)
            .collect(),
        ..answer
    }
}
