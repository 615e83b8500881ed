//! Renders an investigation for the API.

use std::time::Duration;

use gsar_core::belief::Exploration;
use gsar_core::outer_loop::{Action, DegradedCause, Ending, ReplanCause, Stage, StopCause};
use gsar_core::safety::gate::{self, GateExit, GateOutcome};
use gsar_core::time::Timestamp;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};

use super::state::State;
use super::{findings, graph, turn};

pub(super) fn investigation(state: &State, limits: &parse::Limits) -> v1::Investigation {
    let gate = gate(state, limits, state.last_at);
    let is_binding = gate.as_ref().is_some_and(|gate| gate.is_binding);
    let reasons = match &gate {
        Some(gate) if is_binding && gate.outcome.exit != GateExit::None => {
            gate.verdict.reasons.clone()
        }
        _ => Vec::new(),
    };
    let failed_stage = findings::failed_stage(state, gate.as_ref());
    let elapsed = micros_between(state.started_at, state.last_at);
    v1::Investigation {
        investigation_id: state.start.investigation_id.clone(),
        step: state.step(),
        instruction: Some(v1::Instruction { due: Some(due_step(state, reasons, failed_stage)) }),
        plan: state.outer_loop.replans(),
        max_replans: state.policy.policy.investigation.limits.max_replans,
        trajectory: state.reports.clone(),
        findings: findings::collect(state, gate.as_ref()),
        gate: gate.map(|gate| gate.verdict),
        spent: Some(v1::Spent {
            elapsed: duration(elapsed),
            turns: state.turns.total,
            identical_calls: state.turns.identical_calls(),
            turns_without_evidence: state.turns.without_evidence,
            ..state.spent
        }),
        policy: Some(state.policy.applied()),
        corpus_id: turn::corpus(state).map(|name| name.to_string()).unwrap_or_default(),
        started_at: Some(render::timestamp(state.started_at)),
        graph: state
            .exploration
            .as_ref()
            .map(|exploration| graph::view(exploration, &state.belief_reasons)),
        earlier: Vec::new(),
    }
}

pub(super) struct GateAtTurn {
    pub(super) outcome: GateOutcome,
    pub(super) verdict: v1::GateVerdict,
    /// `true` if the policy makes the gate binding.
    pub(super) is_binding: bool,
}

/// Evaluates the gate. Returns `None` before the first turn or if the policy turns the gate off.
pub(super) fn gate(state: &State, limits: &parse::Limits, now: Timestamp) -> Option<GateAtTurn> {
    use gsar_core::policy::RolloutMode;
    let policy = &state.policy.policy;
    if state.turns.total == 0 || policy.rollout.gate == RolloutMode::Off {
        return None;
    }
    let inputs = inputs(state, limits, now);
    let mut parsed = parse::gate_inputs(inputs, limits, &mut Violations::default())?;
    if policy.guards.tool_match_needs_attestation {
        parsed.refuse_unattested();
    }
    let outcome = gate::evaluate(&policy.gate, &parsed.input());
    let verdict = render::gate_verdict(&outcome, &parsed.hypotheses, &policy.gate);
    Some(GateAtTurn { outcome, verdict, is_binding: policy.rollout.gate == RolloutMode::Active })
}

pub(super) fn inputs(state: &State, limits: &parse::Limits, now: Timestamp) -> v1::GateInputs {
    let turns = &state.turns;
    let (mut hypotheses, mut changes) = (turns.hypotheses.clone(), turns.changes.clone());
    for target in hypotheses.iter_mut().map(|hypothesis| &mut hypothesis.target) {
        use_name_in_graph(state, target);
    }
    for target in changes.iter_mut().map(|change| &mut change.target) {
        use_name_in_graph(state, target);
    }
    v1::GateInputs {
        hypotheses,
        wants_to_finish: turns.wants_to_finish,
        turns_used: turns.in_plan,
        elapsed: duration(micros_between(state.plan_started_at, now)),
        identical_calls: turns.identical_calls(),
        turns_without_evidence: turns.without_evidence,
        onset: state.start.onset,
        onset_window: state.start.onset_window,
        changes,
        path: path(state, limits),
        suspects: suspects(state),
    }
}

/// Replaces an alias with the name of its node, so that targets, changes and paths can be compared.
fn use_name_in_graph(state: &State, target: &mut String) {
    let Some(topology) = state.exploration.as_ref().map(Exploration::topology) else { return };
    if let Some(node) = topology.resolve(target.trim()) {
        topology.name(node).clone_into(target);
    }
}

/// Returns the names of the entities in the frontier.
fn suspects(state: &State) -> Vec<String> {
    let Some(exploration) = &state.exploration else { return Vec::new() };
    graph::names(exploration, &exploration.outcome().frontier)
}

fn path(state: &State, limits: &parse::Limits) -> Vec<String> {
    if !state.turns.path.is_empty() {
        return state.turns.path.clone();
    }
    let path = state.exploration.as_ref().and_then(graph::path_to_frontier);
    path.filter(|path| path.len() <= limits.max_path_steps).unwrap_or_default()
}

fn due_step(
    state: &State,
    gate_reasons: Vec<v1::Reason>,
    failed_stage: Option<Stage>,
) -> v1::instruction::Due {
    use v1::instruction::Due;
    let last = state.last_judgement.clone().unwrap_or_default();
    match &state.action {
        Action::Synthesize | Action::Evaluate => {
            Due::Synthesize(v1::Synthesize { reasons: gate_reasons })
        }
        Action::Rewrite { .. } => Due::Regenerate(v1::Regenerate {
            explanation: last.explanation.clone(),
            faults: faults(state, &last),
            reasons: last.reasons,
            gaps: last.gaps,
        }),
        Action::Replan { cause: ReplanCause::GatherEvidence, .. } => {
            Due::GatherEvidence(v1::GatherEvidence {
                reason: last.abstain_reason,
                reasons: last.reasons,
                gaps: last.gaps,
            })
        }
        Action::Replan { cause, .. } => Due::Replan(v1::Replan {
            cause: cause.name().to_owned(),
            explanation: last.explanation.clone(),
            faults: faults(state, &last),
            gaps: last.gaps,
            reasons: last.reasons,
            affected_specialists: last.affected_specialists,
        }),
        Action::Finish(ending) => Due::Finished(v1::Finished {
            failed_stage: failed_stage.map(Stage::name).unwrap_or_default().to_owned(),
            ..render_ending(state, ending, last.action)
        }),
    }
}

/// Returns the claims at fault, including those that were contradicted in an earlier report and that the last report
/// states again.
fn faults(state: &State, last: &v1::RecordedJudgement) -> Vec<v1::ClaimFault> {
    let put_back = state.reports.last().map(|report| report.put_back.as_slice());
    let put_back = put_back.unwrap_or_default().iter().map(|text| v1::ClaimFault {
        claim: Some(v1::JudgedClaim {
            text: text.clone(),
            class: v1::ClaimClass::Contradicted.into(),
            ..v1::JudgedClaim::default()
        }),
        shows: vec![
            "it was contradicted in an earlier report, and this one still states it".to_owned(),
        ],
        put_back: true,
    });
    last.faults.iter().cloned().chain(put_back).collect()
}

/// Returns how an investigation ended, without the failed stage and the action. Returns `None` if it has not ended.
pub(super) fn ending(state: &State) -> Option<v1::Finished> {
    match &state.action {
        Action::Finish(ending) => Some(render_ending(state, ending, None)),
        _ => None,
    }
}

fn render_ending(
    state: &State,
    ending: &Ending,
    action: Option<v1::ActionVerdict>,
) -> v1::Finished {
    let evaluation_id = |index: Option<usize>| {
        let report = index.and_then(|index| state.reports.get(index));
        report.map(|report| report.evaluation_id.clone()).unwrap_or_default()
    };
    match ending {
        Ending::Proceed { index } => v1::Finished {
            degraded: false,
            cause: "PROCEED".to_owned(),
            sentence: "the report may be sent".to_owned(),
            best: evaluation_id(Some(*index)),
            last: evaluation_id(Some(*index)),
            action,
            ..v1::Finished::default()
        },
        Ending::Degraded { cause, best, last } => v1::Finished {
            degraded: true,
            cause: cause.code().to_owned(),
            sentence: ending_sentence(cause, best.is_some()),
            best: evaluation_id(*best),
            last: evaluation_id(*last),
            action: action.filter(|_| best == last),
            ..v1::Finished::default()
        },
    }
}

fn ending_sentence(cause: &DegradedCause, has_report: bool) -> String {
    let explanation = match cause {
        DegradedCause::ReplansSpent => "no replan is left".to_owned(),
        DegradedCause::JudgeFailed { reason } => format!("every judge failed: {reason}"),
        DegradedCause::Stopped(cause) => stop_sentence(*cause).to_owned(),
    };
    match has_report {
        true => {
            format!("{explanation}; the best report may be sent only with a banner that says so")
        }
        false => format!("{explanation}; no report was judged"),
    }
}

fn stop_sentence(cause: StopCause) -> &'static str {
    match cause {
        StopCause::JudgeCallsSpent => "the judge call budget is exhausted",
        StopCause::TokensSpent => "the token budget is exhausted",
        StopCause::MoneySpent => "the cost budget is exhausted",
        StopCause::TimeSpent => "the time budget is exhausted",
        StopCause::QueryingWithoutCommitting => {
            "the agent continued to query after the gate requested its report"
        }
        StopCause::Cancelled => "the caller cancelled the investigation",
    }
}

pub(super) fn micros_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_micros().saturating_sub(from.as_micros())).unwrap_or(0)
}

fn duration(micros: u64) -> Option<prost_types::Duration> {
    prost_types::Duration::try_from(Duration::from_micros(micros)).ok()
}
