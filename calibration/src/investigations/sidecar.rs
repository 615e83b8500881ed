//! Decides recorded reports: each separately, and all runs on an incident as one investigation.

use std::time::{Duration, Instant};

use anyhow::Result;
use gsar_client::{ActiveInvestigation, Client, InvestigationOutcome};
use gsar_proto::v1;

use super::measures::is_right;
use super::recorded::Run;

#[derive(Clone, Debug)]
pub(super) struct ReportDecision {
    pub(super) proceeds: bool,
    pub(super) is_right: bool,
    /// The guarded score, or 0 if it is undefined.
    pub(super) score: f64,
    pub(super) took: Duration,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BestReport {
    /// `true` if the investigation's best report is correct.
    pub(super) driven: bool,
    /// `true` if the report with the best standalone score is correct.
    pub(super) alone: bool,
    pub(super) put_back: usize,
    pub(super) took: Duration,
}

pub(super) async fn decide(client: &Client, run: &Run) -> Result<ReportDecision> {
    let start_time = Instant::now();
    let request = v1::EvaluateRequest {
        report: Some(report(run)),
        evidence: run.evidence.clone(),
        ..v1::EvaluateRequest::default()
    };
    let answer = client.evaluate(request).await?;
    let tier = answer.decision.as_ref().map_or(v1::Tier::Unspecified, v1::Decision::tier);
    Ok(ReportDecision {
        proceeds: tier == v1::Tier::Proceed,
        is_right: first_is_right(run),
        score: answer.guarded_score.map_or(0.0, |score| score.value),
        took: start_time.elapsed(),
    })
}

pub(super) async fn drive(
    client: &Client,
    number: usize,
    runs: &[&Run],
    decided: &[&ReportDecision],
) -> Result<BestReport> {
    let start_time = Instant::now();
    let start = v1::StartInvestigationRequest {
        investigation_id: format!("recorded-{number}"),
        ..v1::StartInvestigationRequest::default()
    };
    let mut active = ActiveInvestigation::start(client, start).await?;
    let mut evaluations = Vec::new();
    for run in runs {
        if active.is_finished() {
            break;
        }
        let submitted = v1::SubmitReportRequest {
            report: Some(report(run)),
            evidence: run.evidence.clone(),
            ..v1::SubmitReportRequest::default()
        };
        let evaluation = active.submit_report(submitted).await?;
        evaluations.push(evaluation.unwrap_or_default().evaluation_id);
    }
    if !active.is_finished() {
        active.cancel().await?;
    }
    let InvestigationOutcome { investigation, end } = active.into_outcome();
    let driven = evaluations.iter().zip(runs).find(|(evaluation, _)| **evaluation == end.best);
    let mut alone: Option<&ReportDecision> = None;
    // An investigation can end before all reports are submitted.
    for one in decided.iter().take(evaluations.len()) {
        if alone.is_none_or(|best| one.score > best.score) {
            alone = Some(one);
        }
    }
    Ok(BestReport {
        driven: driven.is_some_and(|(_, run)| first_is_right(run)),
        alone: alone.is_some_and(|best| best.is_right),
        put_back: investigation.trajectory.iter().map(|report| report.put_back.len()).sum(),
        took: start_time.elapsed(),
    })
}

fn report(run: &Run) -> v1::Report {
    v1::Report { synthesis: run.report.clone(), ..v1::Report::default() }
}

fn first_is_right(run: &Run) -> bool {
    run.answers.first().is_some_and(|answer| is_right(answer, &run.truth))
}
