//! This module is for evaluations that judge and explain, and decide nothing: what they may be asked for, and what
//! their answers leave out.

use gsar_proto::v1;
use gsar_proto::violations::Violations;

use super::warnings::NO_SYNTHESIS;

/// Refuses options of dry runs where a report is to be decided on.
pub(crate) fn refuse(options: &v1::EvaluateOptions, violations: &mut Violations) {
    if options.dry_run {
        let description = "only Evaluate and EvaluateStream have dry runs; leave it out";
        violations.add("options.dry_run", description.to_owned());
    }
}

/// Refuses a key under which nothing would be kept.
pub(super) fn check(
    options: &v1::EvaluateOptions,
    idempotency_key: &str,
    violations: &mut Violations,
) {
    if options.dry_run && !idempotency_key.is_empty() {
        let description = "a dry run keeps nothing under a key; leave out one of the two";
        violations.add("idempotency_key", description.to_owned());
    }
}

/// The answer without all that could be taken for a verdict.
pub(super) fn undecided(answer: v1::EvaluateResponse) -> v1::EvaluateResponse {
    let sentence = "this was a dry run: nothing was decided, and nothing is recorded".to_owned();
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
        // Nothing else was to be judged.
        warnings: answer.warnings.into_iter().filter(|of| of.code != NO_SYNTHESIS).collect(),
        ..answer
    }
}
