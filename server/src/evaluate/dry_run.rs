//! Dry runs, which judge and explain a report but neither decide nor record it.

use gsar_proto::v1;
use gsar_proto::violations::Violations;

use super::warnings::NO_SYNTHESIS;

pub(crate) fn reject(options: &v1::EvaluateOptions, violations: &mut Violations) {
    if options.dry_run {
        let description = "only Evaluate and EvaluateStream have dry runs; leave it out";
        violations.add("options.dry_run", description.to_owned());
    }
}

pub(super) fn check(
    options: &v1::EvaluateOptions,
    idempotency_key: &str,
    violations: &mut Violations,
) {
    if options.dry_run && !idempotency_key.is_empty() {
        let description = "a dry run records nothing; leave out either this key or options.dry_run";
        violations.add("idempotency_key", description.to_owned());
    }
}

/// Removes everything from an answer that could be mistaken for a decision.
pub(super) fn strip_decision(answer: v1::EvaluateResponse) -> v1::EvaluateResponse {
    let sentence = "this was a dry run: nothing was decided or recorded".to_owned();
    v1::EvaluateResponse {
        evaluation_id: String::new(),
        outcome: v1::Outcome::Abstained.into(),
        score: None,
        guarded_score: None,
        decision: Some(v1::Decision {
            tier: v1::Tier::Abstain.into(),
            reasons: vec![v1::Reason {
                code: "DRY_RUN".to_owned(),
                sentence,
                ..v1::Reason::default()
            }],
            ..v1::Decision::default()
        }),
        gate: None,
        chain: None,
        cap: None,
        action: None,
        shadow: None,
        is_grounded: false,
        // A dry run may have only claims.
        warnings: answer
            .warnings
            .into_iter()
            .filter(|warning| warning.code != NO_SYNTHESIS)
            .collect(),
        ..answer
    }
}
