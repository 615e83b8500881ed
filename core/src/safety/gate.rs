//! This module is the gate at each boundary of an investigation: whether it is over, and with what result.
//!
//! The precedence is fixed and lies outside the model: validated evidence beats an exhausted budget,
//! which beats the wish to finish, which beats the signs of an agent that gets nowhere. Elapsed time is
//! an argument.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::hypothesis::{Assessment, Hypothesis, HypothesisId, HypothesisState, assess};
use crate::evidence::Lane;
use crate::policy::Gate;
use crate::time::Timestamp;

/// What the gate looks at.
#[derive(Clone, Copy, Debug)]
pub struct GateInput<'a> {
    /// Every hypothesis of the investigation; empty where there is no tree.
    pub hypotheses: &'a [Hypothesis],
    /// Whether the agent says that it is done.
    pub wants_to_finish: bool,
    /// Turns taken so far.
    pub turns_used: u32,
    /// Microseconds since the investigation started.
    pub elapsed_micros: u64,
    /// The length of the longest run of tool calls with the same tool and arguments.
    pub identical_calls: u32,
    /// Turns since evidence was last added.
    pub turns_without_evidence: u32,
}

/// Where an investigation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GateState {
    /// At least one hypothesis is validated.
    EvidenceSufficient,
    /// Turns or time are spent.
    BudgetExhausted,
    /// It ended without a validated hypothesis.
    NoConfidentRootCause,
    /// It goes on.
    Investigating,
}

impl GateState {
    /// The word used in files and output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::EvidenceSufficient => "evidence_sufficient",
            Self::BudgetExhausted => "budget_exhausted",
            Self::NoConfidentRootCause => "no_confident_root_cause",
            Self::Investigating => "investigating",
        }
    }
}

/// How an investigation leaves the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GateExit {
    /// With a root cause that hard evidence supports.
    Confident,
    /// Deliberately without one; not the same as low confidence.
    NoConfidentRootCause,
    /// Not yet.
    None,
}

impl GateExit {
    /// The word used in output and as a metric label.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Confident => "confident",
            Self::NoConfidentRootCause => "no_confident_root_cause",
            Self::None => "none",
        }
    }
}

/// What the gate saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateReason {
    /// Hypotheses are validated.
    Validated {
        /// Validated hypotheses.
        count: u32,
    },
    /// The turns are spent.
    TurnsSpent {
        /// Turns taken.
        used: u32,
        /// Turns allowed.
        allowed: u32,
    },
    /// The time is spent.
    TimeSpent {
        /// Microseconds elapsed.
        elapsed_micros: u64,
        /// Seconds allowed.
        allowed_seconds: u32,
    },
    /// The agent wants to finish while no hypothesis is validated.
    FinishedUnvalidated,
    /// The agent wants to finish before any hypothesis has hard evidence, for or against.
    FinishedWithoutEvidence,
    /// The same tool call was made again and again.
    RepeatedCalls {
        /// The length of the run.
        calls: u32,
        /// The length of a run that ends the investigation.
        allowed: u32,
    },
    /// Turns pass and no evidence comes.
    NoNewEvidence {
        /// Turns without new evidence.
        turns: u32,
        /// The number of turns without new evidence that ends the investigation.
        allowed: u32,
    },
    /// Nothing ends the investigation.
    Investigating,
}

impl GateReason {
    /// The stable code on the wire.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Validated { .. } => "HYPOTHESIS_VALIDATED",
            Self::TurnsSpent { .. } => "TURNS_SPENT",
            Self::TimeSpent { .. } => "TIME_SPENT",
            Self::FinishedUnvalidated => "FINISHED_UNVALIDATED",
            Self::FinishedWithoutEvidence => "FINISHED_WITHOUT_EVIDENCE",
            Self::RepeatedCalls { .. } => "REPEATED_IDENTICAL_CALLS",
            Self::NoNewEvidence { .. } => "NO_NEW_EVIDENCE",
            Self::Investigating => "INVESTIGATING",
        }
    }

    /// The reason as a sentence for a person.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Validated { count: 1 } => {
                "1 hypothesis is validated by hard evidence".to_string()
            }
            Self::Validated { count } => {
                format!("{count} hypotheses are validated by hard evidence")
            }
            Self::TurnsSpent { used, allowed } => {
                format!("{used} turns are used; the policy allows {allowed}")
            }
            Self::TimeSpent { elapsed_micros, allowed_seconds } => format!(
                "{} seconds have passed; the policy allows {allowed_seconds}",
                elapsed_micros / MICROS_PER_SECOND
            ),
            Self::FinishedUnvalidated => {
                "the agent wants to finish and no hypothesis is validated".to_string()
            }
            Self::FinishedWithoutEvidence => {
                "the agent wants to finish before any hypothesis has hard evidence; call a tool that can support or refute one".to_string()
            }
            Self::RepeatedCalls { calls, allowed } => format!(
                "the same tool call was made {calls} times; the policy ends at {allowed}: change its arguments or its tool"
            ),
            Self::NoNewEvidence { turns, allowed } => format!(
                "{turns} turns brought no new evidence; the policy ends at {allowed}"
            ),
            Self::Investigating => "no hypothesis is validated and the budget lasts".to_string(),
        }
    }
}

/// The hypothesis that is taken for the root cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootCause {
    /// Its name.
    pub id: HypothesisId,
    /// Its place in the input, from 0.
    pub index: usize,
    /// The strongest lane that supports it.
    pub strongest_lane: Lane,
    /// How many different tools support it with hard evidence.
    pub independent_supports: u32,
    /// Records of hard evidence for it.
    pub hard_supports: u32,
    /// Records of hard evidence against it, each answered or, by policy, outranked.
    pub hard_refutations: u32,
}

/// What the gate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateOutcome {
    /// Where the investigation stands.
    pub state: GateState,
    /// How it leaves the gate.
    pub exit: GateExit,
    /// Everything that was seen, what decided first.
    pub reasons: Vec<GateReason>,
    /// How many hypotheses are validated.
    pub validated_count: u32,
    /// How many have hard evidence on both sides.
    pub contested_count: u32,
    /// How many records a language model inferred; they moved nothing.
    pub refused_inferred_count: u32,
    /// The root cause, where one is validated.
    pub root_cause: Option<RootCause>,
    /// Validated hypotheses that nothing but their place in the input ranks below the root cause.
    pub ties: Vec<HypothesisId>,
}

impl GateOutcome {
    /// What decided.
    #[must_use]
    pub fn reason(&self) -> GateReason {
        self.reasons.first().copied().unwrap_or(GateReason::Investigating)
    }
}

const MICROS_PER_SECOND: u64 = 1_000_000;

/// Evaluates the gate. No hypotheses count as none validated; that is no error and blocks nothing.
#[must_use]
pub fn evaluate(policy: &Gate, input: &GateInput<'_>) -> GateOutcome {
    let assessed: Vec<Assessment> =
        input.hypotheses.iter().map(|hypothesis| assess(hypothesis, policy)).collect();
    let in_state = |state| {
        let count = assessed.iter().filter(|assessment| assessment.state == state).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let validated_count = in_state(HypothesisState::Validated);
    let reasons = reasons(policy, input, &assessed, validated_count);
    let (state, exit) = outcome(reasons.first());
    let (root_cause, ties) = root_cause(input.hypotheses, &assessed);
    GateOutcome {
        state,
        exit,
        reasons,
        validated_count,
        contested_count: in_state(HypothesisState::Contested),
        refused_inferred_count: assessed
            .iter()
            .fold(0, |sum: u32, assessment| sum.saturating_add(assessment.inferred)),
        root_cause,
        ties,
    }
}

/// Everything that holds, in the order of precedence.
fn reasons(
    policy: &Gate,
    input: &GateInput<'_>,
    assessed: &[Assessment],
    validated: u32,
) -> Vec<GateReason> {
    let mut reasons = Vec::new();
    if validated > 0 {
        reasons.push(GateReason::Validated { count: validated });
    }
    if input.turns_used >= policy.max_turns {
        let (used, allowed) = (input.turns_used, policy.max_turns);
        reasons.push(GateReason::TurnsSpent { used, allowed });
    }
    if input.elapsed_micros >= u64::from(policy.wall_clock_seconds) * MICROS_PER_SECOND {
        let (elapsed_micros, allowed_seconds) = (input.elapsed_micros, policy.wall_clock_seconds);
        reasons.push(GateReason::TimeSpent { elapsed_micros, allowed_seconds });
    }
    let any_evidence = assessed
        .iter()
        .any(|assessment| assessment.hard_supports + assessment.hard_refutations > 0);
    if input.wants_to_finish && validated == 0 {
        reasons.push(if any_evidence {
            GateReason::FinishedUnvalidated
        } else {
            GateReason::FinishedWithoutEvidence
        });
    }
    let reached = |count: u32, allowed: u32| allowed > 0 && count >= allowed;
    if reached(input.identical_calls, policy.max_identical_calls) {
        let (calls, allowed) = (input.identical_calls, policy.max_identical_calls);
        reasons.push(GateReason::RepeatedCalls { calls, allowed });
    }
    if reached(input.turns_without_evidence, policy.max_turns_without_evidence) {
        let (turns, allowed) = (input.turns_without_evidence, policy.max_turns_without_evidence);
        reasons.push(GateReason::NoNewEvidence { turns, allowed });
    }
    if reasons.is_empty() {
        reasons.push(GateReason::Investigating);
    }
    reasons
}

fn outcome(deciding: Option<&GateReason>) -> (GateState, GateExit) {
    match deciding {
        Some(GateReason::Validated { .. }) => (GateState::EvidenceSufficient, GateExit::Confident),
        Some(GateReason::TurnsSpent { .. } | GateReason::TimeSpent { .. }) => {
            (GateState::BudgetExhausted, GateExit::NoConfidentRootCause)
        }
        Some(GateReason::Investigating) | None => (GateState::Investigating, GateExit::None),
        Some(_) => (GateState::NoConfidentRootCause, GateExit::NoConfidentRootCause),
    }
}

/// What ranks a validated hypothesis: the greatest is the root cause.
type Rank = (u8, u32, Reverse<(bool, Option<Timestamp>)>);

/// The root cause: strongest lane, then most independent supports, then earliest support; and the
/// validated hypotheses that tie with it.
fn root_cause(
    hypotheses: &[Hypothesis],
    assessed: &[Assessment],
) -> (Option<RootCause>, Vec<HypothesisId>) {
    let mut best: Option<(Rank, RootCause)> = None;
    let mut ties = Vec::new();
    for (index, (hypothesis, assessment)) in hypotheses.iter().zip(assessed).enumerate() {
        if assessment.state != HypothesisState::Validated {
            continue;
        }
        let Some((rank, candidate)) = ranked(index, hypothesis, assessment) else { continue };
        match &best {
            Some((leading, _)) if *leading > rank => {}
            Some((leading, _)) if *leading == rank => ties.push(candidate.id),
            _ => {
                best = Some((rank, candidate));
                ties.clear();
            }
        }
    }
    (best.map(|(_, root_cause)| root_cause), ties)
}

fn ranked(
    index: usize,
    hypothesis: &Hypothesis,
    assessment: &Assessment,
) -> Option<(Rank, RootCause)> {
    let supports = || hypothesis.records.iter().filter(|record| record.is_hard_support());
    let strongest_lane = supports().map(|record| record.lane).max_by_key(|lane| lane.strength())?;
    let mut tools: Vec<&str> = supports().map(|record| record.tool.trim()).collect();
    tools.sort_unstable();
    tools.dedup();
    let independent_supports = u32::try_from(tools.len()).unwrap_or(u32::MAX);
    let earliest = supports().filter_map(|record| record.evaluated_at).min();
    let rank =
        (strongest_lane.strength(), independent_supports, Reverse((earliest.is_none(), earliest)));
    let root_cause = RootCause {
        id: hypothesis.id.clone(),
        index,
        strongest_lane,
        independent_supports,
        hard_supports: assessment.hard_supports,
        hard_refutations: assessment.hard_refutations,
    };
    Some((rank, root_cause))
}

#[cfg(test)]
mod tests {
    use super::super::hypothesis::tests::{any_record, hypothesis, record};
    use super::super::verdict::Verdict::{Refutes, Supports};
    use super::*;
    use crate::policy::{Preset, preset};
    use alloc::vec;
    use proptest::prelude::*;

    fn reference() -> Gate {
        preset(Preset::Reference).gate
    }

    fn input(hypotheses: &[Hypothesis]) -> GateInput<'_> {
        GateInput {
            hypotheses,
            wants_to_finish: false,
            turns_used: 1,
            elapsed_micros: 1,
            identical_calls: 0,
            turns_without_evidence: 0,
        }
    }

    fn supported(id: &str) -> Hypothesis {
        hypothesis(id, vec![record("promql", Lane::Metrics, Supports, Some(1))])
    }

    #[test]
    fn validated_evidence_beats_an_exhausted_budget() {
        let tree = [supported("pool")];
        let spent = GateInput { turns_used: 99, elapsed_micros: u64::MAX, ..input(&tree) };
        let outcome = evaluate(&reference(), &spent);
        assert_eq!(outcome.state, GateState::EvidenceSufficient);
        assert_eq!(outcome.exit, GateExit::Confident);
        let codes: Vec<_> = outcome.reasons.iter().map(GateReason::code).collect();
        assert_eq!(codes, ["HYPOTHESIS_VALIDATED", "TURNS_SPENT", "TIME_SPENT"]);
    }

    #[test]
    fn the_budget_ends_at_its_bound_and_not_before() {
        let policy = reference();
        for (turns_used, elapsed_micros, state) in [
            (9, 239_999_999, GateState::Investigating),
            (10, 0, GateState::BudgetExhausted),
            (0, 240_000_000, GateState::BudgetExhausted),
        ] {
            let outcome =
                evaluate(&policy, &GateInput { turns_used, elapsed_micros, ..input(&[]) });
            assert_eq!(outcome.state, state, "{turns_used} turns, {elapsed_micros} microseconds");
        }
    }

    #[test]
    fn wants_to_finish_with_nothing_validated_is_not_confident() {
        let refuted = [hypothesis("h", vec![record("logs", Lane::Logs, Refutes, None)])];
        let outcome =
            evaluate(&reference(), &GateInput { wants_to_finish: true, ..input(&refuted) });
        assert_eq!(outcome.state, GateState::NoConfidentRootCause);
        assert_eq!(outcome.exit, GateExit::NoConfidentRootCause);
        assert_eq!(outcome.reason().code(), "FINISHED_UNVALIDATED");
        assert_eq!(outcome.root_cause, None);
    }

    #[test]
    fn null_tree_is_no_confident_root_cause_and_no_error() {
        for base in [Preset::Paper, Preset::Reference, Preset::Strict] {
            let done = GateInput { wants_to_finish: true, ..input(&[]) };
            let outcome = evaluate(&preset(base).gate, &done);
            assert_eq!(outcome.exit, GateExit::NoConfidentRootCause);
            assert_eq!(outcome.validated_count, 0);
            assert_eq!(outcome.reason(), GateReason::FinishedWithoutEvidence);
        }
        assert_eq!(evaluate(&reference(), &input(&[])).state, GateState::Investigating);
    }

    #[test]
    fn the_budget_precedes_the_wish_to_finish() {
        let both = GateInput { wants_to_finish: true, turns_used: 10, ..input(&[]) };
        assert_eq!(evaluate(&reference(), &both).state, GateState::BudgetExhausted);
    }

    #[test]
    fn an_agent_that_gets_nowhere_is_stopped_by_name() {
        let tree = [hypothesis("h", vec![])];
        let repeating = GateInput { identical_calls: 3, ..input(&tree) };
        let idle = GateInput { turns_without_evidence: 4, ..input(&tree) };
        for (stuck, code) in [(repeating, "REPEATED_IDENTICAL_CALLS"), (idle, "NO_NEW_EVIDENCE")] {
            let outcome = evaluate(&reference(), &stuck);
            assert_eq!(outcome.reason().code(), code);
            assert_eq!(outcome.exit, GateExit::NoConfidentRootCause);
            let paper = evaluate(&preset(Preset::Paper).gate, &stuck);
            assert_eq!(paper.state, GateState::Investigating, "0 stands for never");
        }
        let below = GateInput { identical_calls: 2, turns_without_evidence: 3, ..input(&tree) };
        assert_eq!(evaluate(&reference(), &below).state, GateState::Investigating);
    }

    #[test]
    fn h16_a_contested_hypothesis_is_counted_and_is_no_root_cause() {
        let contested = hypothesis(
            "h",
            vec![
                record("logs", Lane::Logs, Supports, Some(1)),
                record("traces", Lane::Traces, Refutes, Some(2)),
            ],
        );
        let outcome = evaluate(&reference(), &input(core::slice::from_ref(&contested)));
        assert_eq!((outcome.validated_count, outcome.contested_count), (0, 1));
        assert_eq!(outcome.root_cause, None);
        let paper = evaluate(&preset(Preset::Paper).gate, &input(&[contested]));
        assert_eq!(paper.exit, GateExit::Confident);
    }

    #[test]
    fn h17_inferred_records_are_counted_and_move_nothing() {
        let tree = [hypothesis("h", vec![record("model", Lane::LlmInferred, Supports, None); 5])];
        let outcome = evaluate(&reference(), &input(&tree));
        assert_eq!((outcome.validated_count, outcome.refused_inferred_count), (0, 5));
        assert_eq!(outcome.exit, GateExit::None);
    }

    fn root_of(tree: &[Hypothesis]) -> (String, Vec<String>) {
        let outcome = evaluate(&reference(), &input(tree));
        let ties = outcome.ties.iter().map(ToString::to_string).collect();
        (outcome.root_cause.unwrap().id.to_string(), ties)
    }

    #[test]
    fn the_root_cause_has_the_strongest_lane_then_most_tools_then_comes_first() {
        let many_logs = hypothesis(
            "many",
            vec![
                record("a", Lane::Logs, Supports, Some(1)),
                record("b", Lane::Logs, Supports, Some(1)),
                record("c", Lane::Metrics, Supports, Some(1)),
            ],
        );
        let trace = hypothesis("trace", vec![record("a", Lane::Traces, Supports, Some(9))]);
        assert_eq!(root_of(&[many_logs.clone(), trace]).0, "trace");

        let same_tool = hypothesis("same", vec![record("a", Lane::Logs, Supports, Some(0)); 7]);
        assert_eq!(root_of(&[same_tool.clone(), many_logs]).0, "many", "one tool counts once");

        let later = hypothesis("later", vec![record("x", Lane::Logs, Supports, Some(5))]);
        let untimed = hypothesis("untimed", vec![record("x", Lane::Logs, Supports, None)]);
        assert_eq!(root_of(&[untimed, later, same_tool]).0, "same", "earliest");
    }

    #[test]
    fn ties_are_reported() {
        let (root, ties) = root_of(&[supported("a"), supported("b"), supported("c")]);
        assert_eq!(root, "a");
        assert_eq!(ties, ["b", "c"]);
        let stronger = hypothesis("d", vec![record("spans", Lane::Traces, Supports, None)]);
        let (root, ties) = root_of(&[supported("a"), supported("b"), stronger]);
        assert_eq!((root.as_str(), ties.len()), ("d", 0));
    }

    proptest! {
        #[test]
        fn confident_means_validated_and_nothing_else(
            trees in proptest::collection::vec(proptest::collection::vec(any_record(), 0..6), 0..4),
            wants_to_finish: bool, turns_used in 0u32..12, elapsed_micros in 0u64..300_000_000,
            identical_calls in 0u32..5, turns_without_evidence in 0u32..6,
        ) {
            let hypotheses: Vec<_> = trees
                .into_iter()
                .enumerate()
                .map(|(index, records)| hypothesis(&index.to_string(), records))
                .collect();
            let input = GateInput {
                hypotheses: &hypotheses, wants_to_finish, turns_used, elapsed_micros,
                identical_calls, turns_without_evidence,
            };
            for base in [Preset::Paper, Preset::Reference, Preset::Strict] {
                let outcome = evaluate(&preset(base).gate, &input);
                let confident = outcome.exit == GateExit::Confident;
                prop_assert_eq!(confident, outcome.validated_count > 0);
                prop_assert_eq!(confident, outcome.root_cause.is_some());
                prop_assert_eq!(outcome.exit == GateExit::None, outcome.state == GateState::Investigating);
            }
        }
    }
}
