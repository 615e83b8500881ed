//! This module runs an investigation in the bounded loop of the sidecar: what is due is done by the caller's synthesizer
//! and planner, and answered. A run that was cut off goes on where it stood under the same id.

mod calls;

use gsar_proto::v1;
use v1::instruction::Due;

use crate::error::ClientError;
use crate::{Client, Item};

/// An investigation to be run.
#[derive(Clone, Debug)]
#[must_use = "nothing happens before `run`"]
pub struct Investigation {
    client: Client,
    start: v1::StartInvestigationRequest,
}

/// Why a run stopped without an end.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    /// The synthesizer or the planner failed.
    #[error("the orchestrator failed: {0}")]
    Orchestrator(#[source] E),
    /// The sidecar gave no answer. The same id goes on where it stands.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// A report, as a synthesizer writes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The text that is to go out.
    pub report: String,
    /// Evidence beside that of the investigation's turns.
    pub evidence: Vec<Item>,
}

impl<T: Into<String>> From<T> for Draft {
    fn from(report: T) -> Self {
        Self { report: report.into(), evidence: Vec::new() }
    }
}

/// How an investigation ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// Where it stands: every judged report, what it has cost, what turns show about the agent.
    pub investigation: v1::Investigation,
    /// Whether the report may go out only under a banner, why, and which reports are the best and the last.
    pub end: v1::Finished,
}

impl Client {
    /// Begins an investigation, or goes on with the one of that id.
    pub fn investigation(&self, id: impl Into<String>) -> Investigation {
        let start = v1::StartInvestigationRequest {
            investigation_id: id.into(),
            ..v1::StartInvestigationRequest::default()
        };
        Investigation { client: self.clone(), start }
    }
}

impl Investigation {
    /// Names the policy; without it the server's default applies.
    pub fn policy(mut self, name: impl Into<String>) -> Self {
        self.start.policy = name.into();
        self
    }

    /// Bounds what it may cost.
    pub fn budget(mut self, budget: v1::InvestigationBudget) -> Self {
        self.start.budget = Some(budget);
        self
    }

    /// Runs it to its end. `planner` investigates when that is due: it is asked for one turn after the other, each taken by the
    /// sidecar, until it gives `None`; `synthesizer` writes the report, also when only a rewrite is due.
    /// Both are given where the investigation stands, with the instruction.
    ///
    /// # Errors
    /// [`RunError`]: what one of them failed with, or that the sidecar gave no answer.
    pub async fn run<E, D: Into<Draft>>(
        self,
        mut synthesizer: impl AsyncFnMut(&v1::Investigation) -> Result<D, E>,
        mut planner: impl AsyncFnMut(&v1::Investigation) -> Result<Option<v1::RecordTurnRequest>, E>,
    ) -> Result<Ended, RunError<E>> {
        let Self { client, start } = self;
        let started = client.start_investigation(start).await?;
        let mut at = started.investigation.unwrap_or_default();
        loop {
            let planning = match due(&at) {
                Some(Due::Regenerate(_)) => false,
                Some(Due::Synthesize(_) | Due::Replan(_) | Due::GatherEvidence(_)) => true,
                // Kinds of later servers are to be taken as finished.
                Some(Due::Finished(_)) | None => return Ok(ended(at)),
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

fn ended(investigation: v1::Investigation) -> Ended {
    let end = match due(&investigation) {
        Some(Due::Finished(end)) => end.clone(),
        _ => v1::Finished { degraded: true, ..v1::Finished::default() },
    };
    Ended { investigation, end }
}
