//! Decides the tier of a judged partition and renders the response.

use std::sync::Arc;

use gsar_core::assess::{Assessment, Subject, assess};
use gsar_core::fixed_point::Millionths;
use gsar_core::safety::Confidence;
use gsar_core::{Origin, Policy};
use gsar_proto::{parse, render, v1};
use tonic::Status;

use super::answer;
use super::run_second_look::{Review, ReviewOutcome};
use crate::call::Call;
use crate::compute_pool::compute;
use crate::judge::{Judge, Judgement, Notice, Question};

pub(super) struct Case {
    pub(super) policy: Arc<Policy>,
    pub(super) question: Arc<Question>,
    pub(super) reader: Option<Arc<dyn Judge>>,
    pub(super) gate: Option<parse::ParsedGate>,
    pub(super) confidence: Option<Confidence>,
    pub(super) explain: bool,
    /// `true` if metrics count the claims.
    pub(super) is_counted: bool,
}

/// Decides the tier of a judged report. Returns the answer and its notices, and adds the calls to the judge
/// and to the reader to the provenance.
///
/// # Errors
/// DEADLINE_EXCEEDED.
pub(super) async fn decide(
    call: &Call,
    case: Case,
    judge: &Arc<dyn Judge>,
    judgement: Judgement,
    provenance: &mut v1::Provenance,
) -> Result<(v1::EvaluateResponse, Vec<Notice>), Status> {
    let case = Arc::new(case);
    let Judgement {
        judged,
        votes,
        considered,
        score,
        explanation,
        gaps,
        contradictions,
        mut notices,
        ..
    } = judgement;
    let judge = judge.can_reconsider().then_some(judge);
    let review =
        Review { call, case: &case, judge, votes: &votes, notices: &mut notices, provenance };
    let review_outcome = review.run(judged).await?;
    let second_looks = review_outcome.sheets.second_looks.clone();
    let assessment = assess_reviewed(call, &case, review_outcome).await?;
    if case.is_counted {
        answer::count_claims(&assessment);
    }
    let mut answer = response(&case, assessment);
    answer::attach_considered(&mut answer.claims, &case.question.claims, considered);
    answer::attach_votes(&mut answer.claims, &votes);
    answer::attach_second_looks(&mut answer.claims, &second_looks);
    let judge_score = score.map(Millionths::to_f64);
    Ok((v1::EvaluateResponse { judge_score, explanation, gaps, contradictions, ..answer }, notices))
}

async fn assess_reviewed(
    call: &Call,
    case: &Arc<Case>,
    review_outcome: ReviewOutcome,
) -> Result<Assessment, Status> {
    let case = Arc::clone(case);
    compute(call, move |budget| {
        let Case { policy, question, reader: _, gate, confidence, .. } = case.as_ref();
        let investigation = gate.as_ref().map(parse::ParsedGate::investigation);
        let subject = Subject {
            synthesis: &question.synthesis,
            claims: &question.claims,
            judged: review_outcome.verdicts,
            before_follow_up: review_outcome.before_follow_up,
            evidence: &question.evidence,
            second_looks: &review_outcome.sheets.second_looks,
            second_look_error: review_outcome.sheets.second_look_error,
            origin: Origin::Judge,
            investigation: investigation.as_ref(),
            confidence: *confidence,
        };
        assess(policy, subject, budget)
    })
    .await
}

fn response(case: &Case, assessment: Assessment) -> v1::EvaluateResponse {
    let policy = &case.policy;
    let safety = answer::safety(policy, &assessment.chain, &assessment.safety, case.gate.as_ref());
    let decision = assessment.decision.clone();
    let open_points = answer::open_points(policy, &assessment, case.gate.as_ref());
    let rendered_decision = answer::decision(policy, &assessment, case.explain);
    let is_grounded = answer::is_grounded(&assessment);
    let corrections = assessment.corrections.iter().map(render::correction).collect();
    let coverage = assessment.findings.coverage.as_ref().map(render::coverage);
    let claims = answer::claims(policy, assessment, case.explain);
    let outcome =
        if decision.score.is_some() { v1::Outcome::Scored } else { v1::Outcome::Abstained };
    v1::EvaluateResponse {
        is_grounded,
        verification_needed: !open_points.is_empty(),
        verification_reasons: open_points,
        judge_status: v1::JudgeStatus::Resolved.into(),
        outcome: outcome.into(),
        claims,
        score: decision.score.map(render::score),
        guarded_score: decision.guarded_score.map(render::score),
        terms: Some(render::terms(&decision.terms, policy)),
        decision: Some(rendered_decision),
        gate: safety.gate,
        chain: safety.chain,
        cap: safety.cap,
        action: safety.action,
        shadow: safety.shadow,
        corrections,
        coverage,
        ..v1::EvaluateResponse::default()
    }
}
