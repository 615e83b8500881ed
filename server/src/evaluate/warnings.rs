//! Collects an answer's warnings. Warnings never affect the decision.

use gsar_proto::{parse, render, v1};

use super::ChosenPolicy;
use crate::judge::Notice;

pub(super) const FALLBACK_JUDGE: &str = "FALLBACK_JUDGE";
pub(super) const NO_SYNTHESIS: &str = "NO_SYNTHESIS";

pub(super) fn collect(
    policy: &ChosenPolicy,
    report: &parse::ParsedReport,
    judges: &[v1::JudgeLink],
    notices: Vec<Notice>,
) -> Vec<v1::Reason> {
    let writer = report.generator_model.as_str();
    let has_synthesis = !report.synthesis.trim().is_empty();
    let mut warnings = Vec::new();
    warnings.extend(same_model_warning(writer, judges));
    warnings.extend(fallback_warning(judges));
    let policy_warnings = policy.policy.warnings();
    warnings.extend(
        policy_warnings.iter().map(|warning| render::reason("UNWISE_POLICY", warning.to_string())),
    );
    warnings.extend(missing_synthesis_warning(policy, has_synthesis));
    warnings.extend(notices.into_iter().map(|notice| render::reason(notice.code, notice.sentence)));
    warnings
}

fn same_model_warning(writer: &str, judges: &[v1::JudgeLink]) -> Option<v1::Reason> {
    let is_writer = |link: &v1::JudgeLink| {
        link.judge == writer || link.calls.iter().any(|call| call.judge == writer)
    };
    let has_judged = judges.iter().any(|link| link.result == "judged" && is_writer(link));
    (!writer.is_empty() && has_judged).then(|| {
        let sentence =
            format!("{writer} both wrote and judged the report; use another model as the judge");
        render::reason("SAME_MODEL", sentence)
    })
}

fn fallback_warning(judges: &[v1::JudgeLink]) -> Option<v1::Reason> {
    let has_failed = judges.first().is_some_and(|link| link.result == "failed");
    let sentence =
        "the first judge in the chain failed; provenance.judges lists the judges that were called";
    has_failed.then(|| render::reason(FALLBACK_JUDGE, sentence))
}

/// Warns if only claims were given, since other statements in the report cannot be judged.
fn missing_synthesis_warning(policy: &ChosenPolicy, has_synthesis: bool) -> Option<v1::Reason> {
    let guards = &policy.policy.guards;
    let should_warn = guards.min_coverage.is_some() && !guards.synthesis_required && !has_synthesis;
    let sentence = "only the given claims were judged; set report.synthesis so that the rest of the report is judged too";
    should_warn.then(|| render::reason(NO_SYNTHESIS, sentence))
}
