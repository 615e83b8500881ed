//! Evaluates an investigation's report and retries failed judges. The investigation's event is stored together
//! with the evaluation.

use std::collections::HashSet;
use std::time::Duration;

use gsar_core::budget::Budget;
use gsar_core::duplicates::key;
use gsar_core::outer_loop::SubjectDigest;
use gsar_core::report::Document;
use gsar_proto::parse;
use gsar_proto::v1::{self, investigation_event};
use prost::Message as _;
use tonic::Status;

use super::state::State;
use super::{budget, investigation_view, new_event, next_event, turn};
use crate::blocking_work::offload;
use crate::call::Call;
use crate::compute_pool::compute;
use crate::evaluate::{Engine, PolicyChoice, answer, now};
use crate::evidence::StoreError;

/// The pause before the first retry. Each later pause is twice as long as the previous one, up to 32 times this value.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

pub(super) struct EvaluatedReport {
    pub(super) evaluation: v1::EvaluateResponse,
    pub(super) event: v1::InvestigationEvent,
}

pub(super) async fn subject_digest(
    engine: &Engine,
    call: &Call,
    state: &State,
    request: &v1::SubmitReportRequest,
) -> Result<SubjectDigest, Status> {
    let mut hasher = blake3::Hasher::new();
    let report =
        request.report.as_ref().map(|report| v1::Report { id: String::new(), ..report.clone() });
    let digest_input = v1::SubmitReportRequest {
        report,
        evidence: request.evidence.clone(),
        ..v1::SubmitReportRequest::default()
    };
    hasher.update(&digest_input.encode_to_vec());
    if let Some(store) = engine.evidence().cloned() {
        let name = turn::corpus(state)?;
        let summary = offload(call, move || store.summary(&name)).await;
        match summary {
            Ok(summary) => {
                hasher.update(&summary.items.to_le_bytes()).update(&summary.size.to_le_bytes());
            }
            Err(StoreError::UnknownCorpus { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(SubjectDigest(*hasher.finalize().as_bytes()))
}

/// Evaluates a report. Returns the last answer if every retry fails.
pub(super) async fn judge(
    engine: &Engine,
    call: &Call,
    state: &State,
    request: v1::SubmitReportRequest,
    subject: SubjectDigest,
    digest: [u8; 32],
) -> Result<EvaluatedReport, Status> {
    let synthesis = request.report.as_ref().map(|report| report.synthesis.clone());
    let statements =
        compute(call, move |budget| statements(&synthesis.unwrap_or_default(), budget)).await?;
    let request = evaluate_request(state, engine.limits(), request)?;
    let subject = blake3::Hash::from(subject.0).to_hex().to_string();
    let max_retries = state.policy.policy.investigation.limits.max_judge_retries;
    let earlier_failures = state.outer_loop.judge_failures();
    let mut spent = v1::Spent::default();
    let mut failures = 0_u32;
    loop {
        let mut event = None;
        let is_last_try = earlier_failures.saturating_add(failures) >= max_retries;
        let spent_before = spent;
        let policy = PolicyChoice::Pinned(state.policy.clone());
        let evaluation = engine.evaluate_with(call, request.clone(), policy, |answer| {
            let mut cost = spent_before;
            budget::add_cost(&mut cost, answer);
            let is_failed = answer.outcome() == v1::Outcome::Failed;
            let kind = match is_failed {
                true if !is_last_try => return None,
                true => investigation_event::Event::JudgeFailed(v1::RecordedFailure {
                    subject: subject.clone(),
                    evaluation_id: answer.evaluation_id.clone(),
                    reason: answer.abstain_reason.clone(),
                    spent: Some(cost),
                    judge_failures: failures.saturating_add(1),
                }),
                false => investigation_event::Event::Judged(Box::new(v1::RecordedJudgement {
                    subject: subject.clone(),
                    spent: Some(cost),
                    judge_failures: failures,
                    standing: other_statements(&statements, answer),
                    ..judgement(answer)
                })),
            };
            let next_event = next_event(state, kind);
            let record = new_event(state, digest, &next_event);
            event = Some(next_event);
            Some(record)
        });
        let evaluation = evaluation.await?;
        if let Some(event) = event {
            return Ok(EvaluatedReport { evaluation, event });
        }
        budget::add_cost(&mut spent, &evaluation);
        failures = failures.saturating_add(1);
        let pause = FIRST_PAUSE.saturating_mul(1 << failures.min(6) >> 1);
        tokio::time::sleep(pause).await;
    }
}

fn evaluate_request(
    state: &State,
    limits: &parse::Limits,
    request: v1::SubmitReportRequest,
) -> Result<v1::EvaluateRequest, Status> {
    let has_corpus = state.turns.has_evidence() || !state.start.corpus_id.is_empty();
    let corpus_id = match has_corpus {
        true => turn::corpus(state)?.to_string(),
        false => String::new(),
    };
    let gate = (state.turns.total > 0).then(|| v1::GateInputs {
        wants_to_finish: true,
        ..investigation_view::inputs(state, limits, now())
    });
    Ok(v1::EvaluateRequest {
        report: request.report,
        evidence: request.evidence,
        gate,
        options: state.start.options.clone(),
        investigation_id: state.start.investigation_id.clone(),
        corpus_id,
        ..v1::EvaluateRequest::default()
    })
}

fn statements(synthesis: &str, budget: &Budget) -> Vec<String> {
    let document = Document::parse(synthesis, &[], budget);
    document.assertions.iter().map(|assertion| assertion.text.text().to_owned()).collect()
}

fn other_statements(statements: &[String], answer: &v1::EvaluateResponse) -> Vec<String> {
    let claims: HashSet<String> = answer.claims.iter().map(|claim| key(&claim.text)).collect();
    statements.iter().filter(|text| !claims.contains(&key(text))).cloned().collect()
}

fn judgement(answer: &v1::EvaluateResponse) -> v1::RecordedJudgement {
    let decision = answer::decision_or_shadow(answer).cloned().unwrap_or_default();
    let claims = answer
        .claims
        .iter()
        .map(|claim| v1::StatedClaim { text: claim.text.clone(), class: claim.class });
    v1::RecordedJudgement {
        evaluation_id: answer.evaluation_id.clone(),
        tier: decision.tier,
        score: answer.guarded_score.or(answer.score),
        claims: claims.collect(),
        explanation: answer.explanation.clone(),
        gaps: answer.gaps.clone(),
        reasons: decision.reasons,
        faults: faults(answer),
        affected_specialists: decision.affected_specialists,
        action: answer.action.as_deref().cloned(),
        abstain_reason: answer.abstain_reason.clone(),
        ..v1::RecordedJudgement::default()
    }
}

/// Returns the decided claims that are ungrounded or contradicted, with their corrections.
fn faults(answer: &v1::EvaluateResponse) -> Vec<v1::ClaimFault> {
    let claims_at_fault = answer.claims.iter().filter(|claim| {
        let class = claim.class();
        claim.undecided.is_none()
            && matches!(class, v1::ClaimClass::Ungrounded | v1::ClaimClass::Contradicted)
    });
    let fault = |claim: &v1::JudgedClaim| {
        let corrections =
            answer.corrections.iter().filter(|correction| correction.claim_id == claim.id);
        let corrections = corrections.map(|correction| correction.sentence.clone());
        let note = Some(claim.note.clone()).filter(|note| !note.is_empty());
        v1::ClaimFault {
            shows: note.into_iter().chain(corrections).collect(),
            claim: Some(v1::JudgedClaim {
                impact: None,
                considered: Vec::new(),
                votes: Vec::new(),
                ..claim.clone()
            }),
            put_back: false,
        }
    };
    claims_at_fault.map(fault).collect()
}
