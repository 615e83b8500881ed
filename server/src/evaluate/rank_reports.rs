//! Evaluates several reports against the same evidence, and ranks them.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream;
use gsar_core::fixed_point::Fraction;
use gsar_core::ranking::{ReportOutcome, rank};
use gsar_core::{Class, Tier};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1::ranked_candidate::Result as CandidateResult;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use tonic::Status;

use super::prepare::PreparedRequest;
use super::record::{self, RecordedRequest, RequestKey};
use super::stopwatch::Stopwatch;
use super::{Engine, PolicyChoice, PolicyUse, answer, dry_run};
use crate::call::{Call, Step};
use crate::config::EvidenceRetention;
use crate::ledger::Content;

const MAX_CONCURRENT: usize = 4;

impl Engine {
    /// Evaluates, records and ranks reports.
    ///
    /// # Errors
    /// The errors of the API contract. If no report could be evaluated, returns the first report's error.
    pub async fn select_best(
        &self,
        call: &Call,
        request: v1::SelectBestRequest,
    ) -> Result<v1::SelectBestResponse, Status> {
        let v1::SelectBestRequest {
            candidates,
            evidence,
            policy,
            policy_overrides,
            gate,
            options,
            investigation_id,
            corpus_id,
        } = request;
        let common = v1::EvaluateRequest {
            report: None,
            evidence,
            policy,
            policy_overrides,
            gate,
            options,
            investigation_id,
            idempotency_key: String::new(),
            corpus_id,
        };
        let common_record = RecordedRequest::new(&common, Vec::new());
        let recorded_requests: Vec<RecordedRequest> =
            candidates.iter().map(|report| common_record.with_report(report)).collect();
        let store_contents =
            self.ledger.is_some() && self.evidence_retention == EvidenceRetention::Full;
        let policy = PolicyChoice::Named(PolicyUse::Decide);
        let options = common.options.clone().unwrap_or_default();
        let parse_reports = |violations: &mut Violations| {
            dry_run::reject(&options, violations);
            parse::candidates(candidates, &self.limits, violations)
        };
        let mut watch = Stopwatch::start();
        let (prepared, contents, reports) =
            self.prepare(call, common, store_contents, policy, parse_reports, &mut watch).await?;
        let prepared = PreparedRequest { has_several_reports: reports.len() > 1, ..prepared };
        let candidates = reports.into_iter().zip(recorded_requests);
        let results = candidates.map(|candidate| {
            self.evaluate_candidate(call, prepared.clone(), contents.clone(), candidate, &watch)
        });
        let results: Vec<Result<v1::EvaluateResponse, Status>> =
            stream::iter(results).buffered(MAX_CONCURRENT).collect().await;
        if let Some(Err(error)) = results.first().filter(|_| results.iter().all(Result::is_err)) {
            return Err(error.clone());
        }
        Ok(v1::SelectBestResponse { ranking: rank_candidates(results) })
    }

    async fn evaluate_candidate(
        &self,
        call: &Call,
        prepared: PreparedRequest,
        contents: Vec<Content>,
        (report, recorded): (parse::ParsedReport, RecordedRequest),
        watch: &Stopwatch,
    ) -> Result<v1::EvaluateResponse, Status> {
        let settings = Arc::clone(&prepared.settings);
        let should_redact = settings.options.redact;
        let digest = recorded.report_digest();
        let answer = self.decide_prepared(call, prepared, report, digest, watch.fork()).await?;
        let Some(ledger) = &self.ledger else {
            return self.redact_if(call, answer, should_redact).await;
        };
        call.enter(Step::Record);
        let recording = record::record(
            ledger.as_ref(),
            RequestKey::without_key(),
            recorded,
            contents,
            &settings.policy,
            answer,
            None,
        );
        self.redact_if(call, recording.await?, should_redact).await
    }
}

fn rank_candidates(results: Vec<Result<v1::EvaluateResponse, Status>>) -> Vec<v1::RankedCandidate> {
    let outcomes: Vec<Option<ReportOutcome>> =
        results.iter().map(|result| result.as_ref().ok().and_then(outcome)).collect();
    let to_u32 = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    let mut results: Vec<Option<Result<v1::EvaluateResponse, Status>>> =
        results.into_iter().map(Some).collect();
    rank(&outcomes)
        .into_iter()
        .map(|entry| {
            let result = results.get_mut(entry.index).and_then(Option::take);
            let failure = result.as_ref().and_then(failure);
            let reasons = [Some(entry.reason), failure].into_iter().flatten();
            let reasons: Vec<String> = reasons.filter(|reason| !reason.is_empty()).collect();
            v1::RankedCandidate {
                index: to_u32(entry.index),
                rank: to_u32(entry.rank),
                tied_with: entry.tied_with.into_iter().map(to_u32).collect(),
                reasons: reasons.join(" "),
                result: result.map(|result| match result {
                    Ok(answer) => CandidateResult::Evaluation(Box::new(answer)),
                    Err(status) => CandidateResult::Error(render::call_error(&status)),
                }),
            }
        })
        .collect()
}

fn outcome(evaluation: &v1::EvaluateResponse) -> Option<ReportOutcome> {
    if evaluation.outcome() == v1::Outcome::Failed {
        return None;
    }
    let decision = answer::decision_or_shadow(evaluation)?;
    let score = evaluation.guarded_score.as_ref();
    let is_at_fault = |claim: &&v1::JudgedClaim| {
        let class = Class::from_number(claim.class);
        matches!(class, Some(Class::Ungrounded | Class::Contradicted))
    };
    Some(ReportOutcome {
        tier: Tier::from_number(decision.tier)?,
        score: score
            .and_then(|score| Fraction::new(score.numerator.into(), score.denominator.into())),
        at_fault: evaluation.claims.iter().filter(is_at_fault).count(),
    })
}

fn failure(result: &Result<v1::EvaluateResponse, Status>) -> Option<String> {
    match result {
        Ok(answer) if answer.outcome() == v1::Outcome::Failed => {
            Some(format!("The judge failed: {}", answer.abstain_reason))
        }
        Ok(_) => None,
        Err(status) => Some(format!("The report was not evaluated: {}", status.message())),
    }
}
