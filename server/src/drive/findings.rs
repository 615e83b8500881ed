//! Findings about the agent's behavior. They do not affect decisions.

use gsar_core::belief::Node;
use gsar_core::evidence::VerificationResult;
use gsar_core::outer_loop::{Action, Ending, Stage, StageProgress};
use gsar_core::policy::UndefinedScore;
use gsar_core::safety::gate::GateExit;
use gsar_proto::render::reason;
use gsar_proto::v1;

use super::graph;
use super::investigation_view::GateAtTurn;
use super::state::State;

pub(super) fn collect(state: &State, gate: Option<&GateAtTurn>) -> Vec<v1::Reason> {
    let mut findings: Vec<v1::Reason> = Vec::new();
    if let Some(gate) = gate {
        let codes = [
            "TURNS_SPENT",
            "TIME_SPENT",
            "REPEATED_IDENTICAL_CALLS",
            "NO_NEW_EVIDENCE",
            "ROOT_CAUSE_OUTSIDE_SUSPECTS",
        ];
        let reasons = gate.verdict.reasons.iter();
        findings.extend(reasons.filter(|reason| codes.contains(&reason.code.as_str())).cloned());
    }
    let trivial_tools: Vec<&str> = state.turns.trivial_tools().collect();
    if !trivial_tools.is_empty() {
        let sentence = format!(
            "these tools were called without a search term and returned nothing new: {}; add a query",
            trivial_tools.join(", ")
        );
        findings.push(reason("TRIVIAL_INPUT", sentence));
    }
    let failed_checks: Vec<&str> = state.turns.failed_checks().collect();
    if !failed_checks.is_empty() {
        let sentence =
            format!("these checks failed in their last run: {}", failed_checks.join(", "));
        findings.push(reason("CHANGE_FAILED_ITS_CHECK", sentence));
    }
    if has_empty_change_set(state, gate) {
        let sentence =
            "there is a diagnosis, but no change was recorded and no check was run".to_owned();
        findings.push(reason("EMPTY_CHANGE_SET", sentence));
    }
    if state.outer_loop.is_finished()
        && let Some(exploration) = &state.exploration
    {
        let outcome = exploration.outcome();
        let unexplained = outcome.alerts.iter().filter(|alert| alert.origins.is_empty());
        let unexplained: Vec<Node> = unexplained.map(|alert| alert.alert).collect();
        for (code, nodes, problem) in [
            ("ALERT_UNEXPLAINED", unexplained, "no origin explains"),
            ("ENTITY_PENDING", outcome.pending, "the investigation ended without looking at"),
        ] {
            if !nodes.is_empty() {
                let names = graph::names(exploration, &nodes).join(", ");
                findings.push(reason(code, format!("{problem} {names}")));
            }
        }
    }
    for item in &state.turns.caller_verdicts {
        let sentence = format!("the caller supplied the verdict on {item}, or its threshold");
        findings.push(reason("CALLER_VERDICT", sentence));
    }
    for item in &state.turns.unrelated_results {
        let sentence = format!(
            "the test {item} has no effect: neither its item nor the arguments of the item's tool call name the hypothesis's target"
        );
        findings.push(reason("UNRELATED_RESULT", sentence));
    }
    findings
}

fn has_empty_change_set(state: &State, gate: Option<&GateAtTurn>) -> bool {
    let has_diagnosis = gate.is_some_and(|gate| gate.outcome.exit == GateExit::Confident);
    state.outer_loop.is_finished() && has_diagnosis && !state.turns.has_changed_anything()
}

pub(super) fn failed_stage(state: &State, gate: Option<&GateAtTurn>) -> Option<Stage> {
    let has_hypotheses = !state.turns.hypotheses.is_empty();
    let is_diagnosed = gate.map(|gate| gate.outcome.exit == GateExit::Confident);
    let is_diagnosed = is_diagnosed.filter(|_| has_hypotheses);
    let is_localized = state.exploration.as_ref().map(|exploration| {
        is_diagnosed == Some(true) || !exploration.outcome().frontier.is_empty()
    });
    let checks = state.turns.checks(&state.start.checks);
    // Without evidence, a report is judged only if the policy defines a score for such reports.
    let needs_evidence = state.policy.policy.undefined_score != UndefinedScore::Half;
    let was_judged = state.reports.iter().any(|report| report.tier() != v1::Tier::Abstain);
    StageProgress {
        has_evidence: state.turns.has_evidence() || (needs_evidence && was_judged),
        is_localized,
        is_diagnosed,
        proceeds: matches!(state.action, Action::Finish(Ending::Proceed { .. })),
        has_empty_change_set: has_empty_change_set(state, gate),
        checks: checks.len(),
        run: checks.iter().filter(|result| result.is_some()).count(),
        passed: checks.iter().filter(|result| **result == Some(VerificationResult::Passed)).count(),
    }
    .failed_stage()
}
