//! Drives investigations: evaluates reports, runs the gate after each turn, and records every step before
//! answering it.
//!
//! A request names the step that it answers, so a repeated request changes nothing.

mod arguments;
mod beliefs;
mod budget;
mod earlier_investigations;
mod entity_look;
mod findings;
mod graph;
mod hypotheses;
mod investigation_view;
mod report;
mod state;
mod turn;
mod turns;

use std::sync::Arc;

use gsar_core::outer_loop::StopCause;
use gsar_core::time::Timestamp;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use moka::sync::Cache;
use prost::Message as _;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tonic::Status;

use crate::call::Call;
use crate::errors;
use crate::evaluate::{ChosenPolicy, Engine, PolicyUse, dry_run, now};
use crate::evidence::CorpusName;
use crate::identity::Principal;
use crate::ledger::{InvestigationStart, Ledger, NewEvent, StoredInvestigation};
use crate::telemetry;
use state::State;

/// The maximum number of cached locks. Evicting a lock can at worst waste an evaluation, since the ledger
/// stores each step once.
const MAX_LOCKS: u64 = 4096;

/// The investigations of one principal.
#[derive(Clone, Debug)]
pub struct Investigations {
    engine: Arc<Engine>,
    /// Serializes the calls of an investigation. Of two concurrent calls, one could not be recorded.
    locks: Cache<String, Arc<Mutex<()>>>,
}

impl Investigations {
    /// Creates investigations that use this engine.
    #[must_use]
    pub fn new(engine: Arc<Engine>) -> Self {
        Self { engine, locks: Cache::new(MAX_LOCKS) }
    }

    /// Returns the same investigations for another principal.
    #[must_use]
    pub fn for_principal(&self, principal: &Arc<Principal>) -> Self {
        Self { engine: self.engine.for_principal(principal), locks: self.locks.clone() }
    }

    /// Starts an investigation. If it already exists, returns its state.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if a different request started an investigation with this ID, among other errors.
    pub async fn start(
        &self,
        request: v1::StartInvestigationRequest,
    ) -> Result<v1::Investigation, Status> {
        let ledger = self.ledger()?;
        let policy = self.check_start(&request)?;
        let start = InvestigationStart {
            investigation_id: request.investigation_id.clone(),
            started_at_micros: now().as_micros(),
            start: request.encode_to_vec(),
            policy_toml: policy.toml().to_string(),
        };
        let started_at = Timestamp::from_micros(start.started_at_micros);
        let state = match ledger.start_investigation(start).await? {
            None => State::new(request, started_at, policy),
            Some(stored) => {
                let state = State::replay(&stored).map_err(unreadable)?;
                if state.start != request {
                    return Err(errors::not_due(&format!(
                        "investigation_id `{}` was started by a different request; choose another id, or resume by repeating that request",
                        request.investigation_id
                    )));
                }
                state
            }
        };
        let earlier = earlier_investigations::find(ledger, &state).await;
        Ok(v1::Investigation { earlier, ..self.view(&state) })
    }

    /// Returns an investigation, with its recorded events if requested.
    ///
    /// # Errors
    /// NOT_FOUND, and the ledger's errors.
    pub async fn get(
        &self,
        request: v1::GetInvestigationRequest,
    ) -> Result<v1::GetInvestigationResponse, Status> {
        let (state, stored) = self.read(&request.investigation_id).await?;
        let events = match request.with_events {
            false => Vec::new(),
            true => stored
                .events
                .iter()
                .map(|(_, event)| v1::InvestigationEvent::decode(event.as_slice()))
                .collect::<Result<_, _>>()
                .map_err(|error| unreadable(error.to_string()))?,
        };
        Ok(v1::GetInvestigationResponse { investigation: Some(self.view(&state)), events })
    }

    /// Records a turn of the agent.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if another step is due, among other errors.
    pub async fn record_turn(
        &self,
        call: &Call,
        request: v1::RecordTurnRequest,
    ) -> Result<v1::Investigation, Status> {
        let (mut state, _lock) = self.open(&request.investigation_id).await?;
        let digest = digest(&request);
        if self.is_repetition(&state, request.step, &digest)? {
            return Ok(self.view(&state));
        }
        if let Some(cause) = self.stop_before_turn(&state) {
            self.stop(&mut state, cause, digest).await?;
            return Ok(self.view(&state));
        }
        let call = &call.with_checks(&state.checks);
        let turn = turn::record(&self.engine, call, &state, request).await?;
        self.append(&mut state, digest, v1::investigation_event::Event::Turn(turn)).await?;
        if let Some(gate) = investigation_view::gate(&state, self.engine.limits(), state.last_at) {
            telemetry::safety::record_gate(&gate.verdict, !gate.is_binding);
        }
        Ok(self.view(&state))
    }

    /// Evaluates a report and returns the next instruction.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if another step is due, among other errors.
    pub async fn submit_report(
        &self,
        call: &Call,
        request: v1::SubmitReportRequest,
    ) -> Result<v1::DriveResponse, Status> {
        let (mut state, _lock) = self.open(&request.investigation_id).await?;
        let digest = digest(&request);
        if self.is_repetition(&state, request.step, &digest)? {
            let evaluation = self.last_evaluation(&state).await?;
            return Ok(self.answer(&state, evaluation));
        }
        if let Some(cause) = exhausted_budget(&state, now()) {
            self.stop(&mut state, cause, digest).await?;
            return Ok(self.answer(&state, None));
        }
        let call = &call.with_checks(&state.checks);
        let subject = report::subject_digest(&self.engine, call, &state, &request).await?;
        let evaluation = if state.has_judged(subject) {
            let subject = blake3::Hash::from(subject.0).to_hex().to_string();
            let repetition = v1::RecordedRepetition { subject };
            let event = v1::investigation_event::Event::Unchanged(repetition);
            self.append(&mut state, digest, event).await?;
            None
        } else {
            let report =
                report::judge(&self.engine, call, &state, request, subject, digest).await?;
            state.apply(digest, report.event).map_err(unreadable)?;
            Some(report.evaluation)
        };
        if let Some(cause) =
            exhausted_budget(&state, now()).filter(|_| !state.outer_loop.is_finished())
        {
            self.stop(&mut state, cause, [0; 32]).await?;
        }
        Ok(self.answer(&state, evaluation))
    }

    /// Returns the stored evidence about a due entity and, if requested, a model's belief about the entity.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if the entity is not due, or if the model is requested after the budget is
    /// exhausted, among other errors.
    pub async fn look(
        &self,
        call: &Call,
        request: v1::LookAtEntityRequest,
    ) -> Result<v1::LookAtEntityResponse, Status> {
        let (state, _) = self.read(&request.investigation_id).await?;
        if let Some(cause) = exhausted_budget(&state, now()).filter(|_| request.ask_model) {
            return Err(errors::not_due(&format!(
                "the investigation's budget is exhausted ({}); leave ask_model out",
                cause.name()
            )));
        }
        entity_look::look(&self.engine, call, &state, request).await
    }

    /// Cancels an investigation. An investigation that is already finished stays unchanged.
    ///
    /// # Errors
    /// NOT_FOUND, and the ledger's errors.
    pub async fn cancel(
        &self,
        request: v1::CancelInvestigationRequest,
    ) -> Result<v1::Investigation, Status> {
        let (mut state, _lock) = self.open(&request.investigation_id).await?;
        if !state.outer_loop.is_finished() {
            self.stop(&mut state, StopCause::Cancelled, digest(&request)).await?;
        }
        Ok(self.view(&state))
    }

    fn check_start(&self, request: &v1::StartInvestigationRequest) -> Result<ChosenPolicy, Status> {
        let mut violations = Violations::default();
        let overrides = request.policy_overrides.clone();
        let policy_use = PolicyUse::Decide;
        let policy =
            self.engine.choose_policy(&request.policy, overrides, policy_use, &mut violations)?;
        if request.investigation_id.is_empty() {
            violations.add("investigation_id", "is empty; expected 1 to 256 bytes");
        }
        parse::name("investigation_id", request.investigation_id.clone(), &mut violations);
        if !request.corpus_id.is_empty() {
            violations.note("corpus_id", CorpusName::new(&request.corpus_id));
        }
        let budget = request.budget.as_ref().and_then(|budget| budget.wall_clock.as_ref());
        if budget.is_some_and(|bound| bound.seconds < 0 || bound.nanos < 0) {
            violations
                .add("budget.wall_clock", "is negative; expected more than 0, or leave it out");
        }
        // These inputs are parsed exactly as the gate parses them later, so that no later step fails because of them.
        let inputs = v1::GateInputs {
            onset: request.onset,
            onset_window: request.onset_window,
            ..v1::GateInputs::default()
        };
        parse::gate_inputs(inputs, self.engine.limits(), &mut violations);
        if let Some(graph) = request.graph.clone() {
            parse::graph(graph, &mut violations);
        }
        parse::checks(request.checks.clone(), &mut violations);
        if let Some(options) = &request.options {
            dry_run::reject(options, &mut violations);
            if options.redact {
                let description = "an investigation needs its texts unredacted; leave it out";
                violations.add("options.redact", description);
            }
        }
        violations.finish(policy)
    }

    async fn open(&self, id: &str) -> Result<(State, OwnedMutexGuard<()>), Status> {
        self.ledger()?;
        // A principal's name contains no `@`, so keys are unique.
        let key = format!("{}@{id}", self.engine.principal().name());
        let lock = self.locks.get_with(key, Arc::default);
        let lock = lock.lock_owned().await;
        let (state, _) = self.read(id).await?;
        Ok((state, lock))
    }

    async fn read(&self, id: &str) -> Result<(State, StoredInvestigation), Status> {
        let stored = self.ledger()?.investigation(id).await?;
        let stored = stored
            .ok_or_else(|| errors::unknown("investigation", id, "StartInvestigation starts one"))?;
        Ok((State::replay(&stored).map_err(unreadable)?, stored))
    }

    /// Returns `true` if the same request was already recorded at this step.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if another step is due or the investigation is finished.
    fn is_repetition(&self, state: &State, step: u32, digest: &[u8; 32]) -> Result<bool, Status> {
        let due_step = state.step();
        if state.has_answered(step, digest) {
            return Ok(true);
        }
        if state.outer_loop.is_finished() {
            return Err(errors::not_due(
                "the investigation is finished; GetInvestigation returns its outcome, and a new investigation needs a new id",
            ));
        }
        if step == due_step {
            return Ok(false);
        }
        let status =
            if step < due_step { "was answered by a different request" } else { "is not due yet" };
        Err(errors::not_due(&format!(
            "step {step} {status}: step {due_step} is due; GetInvestigation returns the instruction"
        )))
    }

    fn stop_before_turn(&self, state: &State) -> Option<StopCause> {
        let gate = investigation_view::gate(state, self.engine.limits(), state.last_at)?;
        let is_closed = gate.is_binding && !gate.outcome.allows_another_turn();
        let cause = is_closed.then_some(StopCause::QueryingWithoutCommitting);
        exhausted_budget(state, now()).or(cause)
    }

    async fn stop(
        &self,
        state: &mut State,
        cause: StopCause,
        digest: [u8; 32],
    ) -> Result<(), Status> {
        let stop = v1::RecordedStop { cause: cause.name().to_owned() };
        self.append(state, digest, v1::investigation_event::Event::Stopped(stop)).await
    }

    async fn append(
        &self,
        state: &mut State,
        digest: [u8; 32],
        event: v1::investigation_event::Event,
    ) -> Result<(), Status> {
        let event = next_event(state, event);
        let record = new_event(state, digest, &event);
        self.ledger()?.append_event(record).await?;
        state.apply(digest, event).map_err(unreadable)
    }

    async fn last_evaluation(&self, state: &State) -> Result<Option<v1::EvaluateResponse>, Status> {
        let Some(report) = state.reports.last() else { return Ok(None) };
        let id = report.evaluation_id.as_str();
        let stored = self.ledger()?.read(id).await?;
        let decode = |stored: crate::ledger::StoredEvaluation| {
            v1::EvaluateResponse::decode(stored.response.as_slice())
        };
        stored.map(decode).transpose().map_err(|error| unreadable(error.to_string()))
    }

    fn answer(&self, state: &State, evaluation: Option<v1::EvaluateResponse>) -> v1::DriveResponse {
        v1::DriveResponse { investigation: Some(self.view(state)), evaluation }
    }

    fn view(&self, state: &State) -> v1::Investigation {
        investigation_view::investigation(state, self.engine.limits())
    }

    fn ledger(&self) -> Result<&dyn Ledger, Status> {
        self.engine.ledger().map(AsRef::as_ref).ok_or_else(|| {
            errors::not_allowed(
                "this server records nothing, but investigations need a ledger",
                "set ledger.enabled to true in its configuration",
            )
        })
    }
}

fn exhausted_budget(state: &State, now: Timestamp) -> Option<StopCause> {
    let budget = state.start.budget.as_ref()?;
    let elapsed = investigation_view::micros_between(state.started_at, now);
    budget::exhausted_budget(budget, &state.spent, elapsed)
}

fn next_event(state: &State, event: v1::investigation_event::Event) -> v1::InvestigationEvent {
    v1::InvestigationEvent {
        step: state.step().saturating_add(1),
        at: Some(render::timestamp(now())),
        event: Some(event),
    }
}

fn new_event(state: &State, digest: [u8; 32], event: &v1::InvestigationEvent) -> NewEvent {
    NewEvent {
        investigation_id: state.start.investigation_id.clone(),
        step: event.step,
        request_digest: digest,
        event: event.encode_to_vec(),
    }
}

fn digest(request: &impl prost::Message) -> [u8; 32] {
    *blake3::hash(&request.encode_to_vec()).as_bytes()
}

fn unreadable(reason: String) -> Status {
    errors::ledger_unavailable(&format!("failed to read the investigation's record: {reason}"))
}
