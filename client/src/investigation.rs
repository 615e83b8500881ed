//! Runs an investigation: calls the planner and the synthesizer as the sidecar instructs, until the investigation is
//! finished.

mod calls;
mod explore;

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use gsar_proto::v1;
use v1::instruction::Due;

use crate::error::ClientError;
use crate::{Client, Item};

/// A builder for a run of an investigation.
#[derive(Clone, Debug)]
#[must_use = "an investigation does nothing until `run` is called"]
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
    /// A call to the sidecar failed. To resume, run again with the same id.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// A report written by a synthesizer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The text of the report.
    pub report: String,
    /// Evidence that the recorded turns do not contain.
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
    /// The final state, with every judged report, the cost, and findings about the agent.
    pub investigation: v1::Investigation,
    /// The reason why the investigation ended, the best report and the last report.
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
    /// Sets the policy, which defaults to the server's.
    pub fn policy(mut self, name: impl Into<String>) -> Self {
        self.start.policy = name.into();
        self
    }

    /// Limits the number of chat model calls, the number of tokens, the cost in millionths of a dollar, and the time.
    pub fn budget(mut self, budget: v1::InvestigationBudget) -> Self {
        self.start.budget = Some(budget);
        self
    }

    /// Sets the start of the incident, and how long before it a change may have caused the incident. Without an onset,
    /// no change is ever cited, so a root cause is at most partially grounded.
    pub fn onset(mut self, onset: SystemTime, changes_within: Duration) -> Self {
        self.start.onset = Some(onset.into());
        self.start.onset_window = Some(v1::TimeWindow {
            start: onset.checked_sub(changes_within).map(Into::into),
            end: Some(onset.into()),
        });
        self
    }

    /// Sets everything except the id, such as the graph, the checks, the corpus and the options of evaluations.
    /// Replaces earlier settings.
    pub fn request(mut self, request: v1::StartInvestigationRequest) -> Self {
        let investigation_id = self.start.investigation_id;
        self.start = v1::StartInvestigationRequest { investigation_id, ..request };
        self
    }

    /// Runs the investigation until it is finished. `planner` returns turns, and `None` when it has no more; it
    /// is not called after the gate has closed. `synthesizer` writes or rewrites the report. Both receive the current
    /// state with its instruction.
    ///
    /// # Errors
    /// Returns a [`RunError`] if `planner`, `synthesizer` or a call to the sidecar fails.
    pub async fn run<E, D: Into<Draft>>(
        self,
        mut synthesizer: impl AsyncFnMut(&v1::Investigation) -> Result<D, E>,
        mut planner: impl AsyncFnMut(&v1::Investigation) -> Result<Option<v1::RecordTurnRequest>, E>,
    ) -> Result<InvestigationOutcome, RunError<E>> {
        let mut active = ActiveInvestigation::start(&self.client, self.start).await?;
        while let Some(due) = active.due() {
            if takes_turns(due)
                && let Some(turn) = planner(active.state()).await.map_err(RunError::Orchestrator)?
            {
                active.record_turn(turn).await?;
                continue;
            }
            let draft = synthesizer(active.state()).await.map_err(RunError::Orchestrator)?;
            let Draft { report, evidence } = draft.into();
            let report = v1::SubmitReportRequest {
                report: Some(v1::Report { synthesis: report, ..v1::Report::default() }),
                evidence: evidence.into_iter().map(Into::into).collect(),
                ..v1::SubmitReportRequest::default()
            };
            active.submit_report(report).await?;
        }
        Ok(active.into_outcome())
    }
}

/// A started investigation. Fills in the id and the current step of each request.
#[derive(Clone, Debug)]
pub struct ActiveInvestigation {
    client: Client,
    state: v1::Investigation,
    /// The due entities that were looked at without result since the last turn with tool calls.
    skipped: HashSet<String>,
    /// The cost of looks that no turn has reported yet.
    pending_cost: v1::AgentCost,
}

impl ActiveInvestigation {
    /// Starts an investigation, or resumes the one with this id.
    pub async fn start(
        client: &Client,
        request: v1::StartInvestigationRequest,
    ) -> Result<Self, ClientError> {
        let state = client.start_investigation(request).await?.investigation.unwrap_or_default();
        let pending_cost = v1::AgentCost::default();
        Ok(Self { client: client.clone(), state, skipped: HashSet::new(), pending_cost })
    }

    /// Returns the state after the last call.
    #[must_use]
    pub fn state(&self) -> &v1::Investigation {
        &self.state
    }

    /// Returns the next instruction, or `None` if the investigation is finished or the instruction is unknown to this
    /// version of the client.
    #[must_use]
    pub fn due(&self) -> Option<&Due> {
        due_instruction(&self.state).filter(|due| !matches!(due, Due::Finished(_)))
    }

    /// Returns `true` if the server has finished the investigation.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        matches!(due_instruction(&self.state), Some(Due::Finished(_)))
    }

    /// Records an agent's turn. Adds the cost of looks since the last turn.
    pub async fn record_turn(&mut self, turn: v1::RecordTurnRequest) -> Result<(), ClientError> {
        let cost = add(turn.agent_cost.unwrap_or_default(), self.pending_cost);
        let turn = v1::RecordTurnRequest {
            investigation_id: self.state.investigation_id.clone(),
            step: self.state.step,
            agent_cost: (cost != v1::AgentCost::default()).then_some(cost),
            ..turn
        };
        if !turn.tool_calls.is_empty() {
            self.skipped.clear();
        }
        self.state = self.client.record_turn(turn).await?.investigation.unwrap_or_default();
        self.pending_cost = v1::AgentCost::default();
        Ok(())
    }

    /// Submits a report and returns its evaluation.
    pub async fn submit_report(
        &mut self,
        report: v1::SubmitReportRequest,
    ) -> Result<Option<v1::EvaluateResponse>, ClientError> {
        let report = v1::SubmitReportRequest {
            investigation_id: self.state.investigation_id.clone(),
            step: self.state.step,
            ..report
        };
        let submitted = self.client.submit_report(report).await?;
        self.state = submitted.investigation.unwrap_or_default();
        Ok(submitted.evaluation)
    }

    /// Cancels the investigation.
    pub async fn cancel(&mut self) -> Result<(), ClientError> {
        let investigation_id = self.state.investigation_id.clone();
        let request = v1::CancelInvestigationRequest { investigation_id };
        let cancelled = self.client.cancel_investigation(request).await?;
        self.state = cancelled.investigation.unwrap_or_default();
        Ok(())
    }

    /// Returns the outcome.
    #[must_use]
    pub fn into_outcome(self) -> InvestigationOutcome {
        let end = match due_instruction(&self.state) {
            Some(Due::Finished(end)) => end.clone(),
            _ => v1::Finished { degraded: true, ..v1::Finished::default() },
        };
        InvestigationOutcome { investigation: self.state, end }
    }
}

fn add(cost: v1::AgentCost, other: v1::AgentCost) -> v1::AgentCost {
    v1::AgentCost {
        tokens: cost.tokens.saturating_add(other.tokens),
        cost_micros: cost.cost_micros.saturating_add(other.cost_micros),
    }
}

/// Returns `true` if the agent may take turns. It may not if a rewrite is due, or after the gate has closed.
fn takes_turns(due: &Due) -> bool {
    match due {
        // The agent may continue after an attempt to finish without evidence.
        Due::Synthesize(due) => {
            due.reasons.iter().all(|reason| reason.code == "FINISHED_WITHOUT_EVIDENCE")
        }
        Due::Replan(_) | Due::GatherEvidence(_) => true,
        Due::Regenerate(_) | Due::Finished(_) => false,
    }
}

fn due_instruction(state: &v1::Investigation) -> Option<&Due> {
    state.instruction.as_ref()?.due.as_ref()
}
