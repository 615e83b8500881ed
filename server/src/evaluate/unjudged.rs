//! Answers for reports that were not judged, because there was no evidence or every judge failed or
//! abstained.

use gsar_core::assess::without_partition;
use gsar_core::fixed_point::Millionths;
use gsar_core::open_points::open_without_partition;
use gsar_core::safety::Confidence;
use gsar_core::{Policy, Reason};
use gsar_proto::{parse, render, v1};

use super::answer;
use super::call_chain::Unjudged;

pub(super) fn answer(
    policy: &Policy,
    unjudged: Unjudged,
    gate: Option<&parse::ParsedGate>,
    confidence: Option<Confidence>,
) -> v1::EvaluateResponse {
    let Unjudged { reason, explanation, gaps, score } = unjudged;
    let hypotheses = gate.map(|gate| gate.hypotheses.as_slice()).unwrap_or_default();
    let open_points = open_without_partition(&reason, hypotheses, policy);
    let (outcome, status) = match reason {
        Reason::JudgeFailed { .. } => (v1::Outcome::Failed, v1::JudgeStatus::Failed),
        _ => (v1::Outcome::Abstained, v1::JudgeStatus::Abstained),
    };
    let abstain_reason = reason.sentence();
    let investigation = gate.map(parse::ParsedGate::investigation);
    let (decision, chain, safety_outcome) =
        without_partition(policy, reason, investigation.as_ref(), confidence);
    let safety = answer::safety(policy, &chain, &safety_outcome, gate);
    v1::EvaluateResponse {
        outcome: outcome.into(),
        terms: Some(render::terms(&decision.terms, policy)),
        decision: Some(render::decision(&decision)),
        gate: safety.gate,
        chain: safety.chain,
        cap: safety.cap,
        action: safety.action,
        shadow: safety.shadow,
        verification_needed: !open_points.is_empty(),
        verification_reasons: open_points.iter().map(render::open_point).collect(),
        judge_status: status.into(),
        abstain_reason,
        explanation,
        gaps,
        judge_score: score.map(Millionths::to_f64),
        ..v1::EvaluateResponse::default()
    }
}
