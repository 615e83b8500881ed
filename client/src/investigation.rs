//! Runs an investigation: calls the planner and the synthesizer as the sidecar instructs, until it is finished. An
//! interrupted run is resumed by its id.

mod calls;

use gsar_proto::v1;
use v1::instruction::Due;

use crate::error::ClientError;
use crate::{Client, Item};

/// A builder for a run of an investigation.
#[derive(Clone, Debug)]
#[must_use = "nothing happens before `run`"]
pub struct Investigation {
    client: Client,
    start: v1::StartInvestigationRequest,
}

/// An error that stopped a run.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    /// The synthesizer or the planner failed.
    #[error("the orchestrator failed: {0}")]
    Orchestrator(#[source] E),
    /// A call to the sidecar failed. Run again with the same id to resume.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// A report written by a synthesizer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The text of the report.
    pub report: String,
    /// Evidence in addition to that of the recorded turns.
    pub evidence: Vec<Item>,
}

impl<T: Into<String>> From<T> for Draft {
    fn from(report: T) -> Self {
        Self { report: report.into(), evidence: Vec::new() }
    }
}

/// The outcome of an investigation.
#[derive(Clone, Debug, PartialEq)]
pub struct InvestigationOutcome {
    /// The final state: every judged report, the cost, and findings about the agent.
    pub investigation: v1::Investigation,
    /// The end: whether the result is degraded, why, and the best and the last report.
    pub end: v1::Finished,
}

impl Client {
    /// Starts an investigation, or resumes the one with this id.
    pub fn investigation(&self, id: impl Into<String>) -> Investigation {
        let start = v1::StartInvestigationRequest {
            investigation_id: id.into(),
            ..v1::StartInvestigationRequest::default()
        };
        Investigation { client: self.clone(), start }
    }
}

impl Investigation {
    /// Sets the policy; by default, the server's default policy applies.
    pub fn policy(mut self, name: impl Into<String>) -> Self {
        self.start.policy = name.into();
        self
    }

    /// Limits the cost.
    pub fn budget(mut self, budget: v1::InvestigationBudget) -> Self {
        self.start.budget = Some(budget);
        self
    }

    /// Runs the investigation until it is finished. `planner` is called repeatedly for turns until it returns `None`,
    /// and `synthesizer` writes or rewrites the report. Both receive the current state with its instruction.
    ///
    /// # Errors
    /// Returns a [`RunError`] if one of them fails, or a call to the sidecar fails.
    pub async fn run<E, D: Into<Draft>>(
        self,
        mut synthesizer: impl AsyncFnMut(&v1::Investigation) -> Result<D, E>,
        mut planner: impl AsyncFnMut(&v1::Investigation) -> Result<Option<v1::RecordTurnRequest>, E>,
    ) -> Result<InvestigationOutcome, RunError<E>> {
        let Self { client, start } = self;
        let started = client.start_investigation(start).await?;
        let mut at = started.investigation.unwrap_or_default();
        loop {
            let planning = match due(&at) {
                Some(Due::Regenerate(_)) => false,
                Some(Due::Synthesize(_) | Due::Replan(_) | Due::GatherEvidence(_)) => true,
                // Treat instructions of newer servers as finished.
                Some(Due::Finished(_)) | None => return Ok(outcome(at)),
            };
            while planning
                && !is_over(&at)
                && let Some(turn) = planner(&at).await.map_err(RunError::Orchestrator)?
            {
                let turn = v1::RecordTurnRequest {
                    investigation_id: at.investigation_id.clone(),
                    step: at.step,
                    ..turn
                };
                at = client.record_turn(turn).await?.investigation.unwrap_or_default();
            }
            if is_over(&at) {
                continue;
            }
            let draft: Draft = synthesizer(&at).await.map_err(RunError::Orchestrator)?.into();
            let submitted = client.submit_report(report(&at, draft)).await?;
            at = submitted.investigation.unwrap_or_default();
        }
    }
}

fn report(at: &v1::Investigation, draft: Draft) -> v1::SubmitReportRequest {
    let Draft { report, evidence } = draft;
    v1::SubmitReportRequest {
        investigation_id: at.investigation_id.clone(),
        step: at.step,
        report: Some(v1::Report { synthesis: report, ..v1::Report::default() }),
        evidence: evidence.into_iter().map(Into::into).collect(),
    }
}

fn due(at: &v1::Investigation) -> Option<&Due> {
    at.instruction.as_ref()?.due.as_ref()
}

fn is_over(at: &v1::Investigation) -> bool {
    matches!(due(at), Some(Due::Finished(_)) | None)
}

fn outcome(investigation: v1::Investigation) -> InvestigationOutcome {
    let end = match due(&investigation) {
        Some(Due::Finished(end)) => end.clone(),
        _ => v1::Finished { degraded: true, ..v1::Finished::default() },
    };
    InvestigationOutcome { investigation, end }
}
