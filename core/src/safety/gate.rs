//! Decides whether an investigation has ended, and with what result.

use core::cmp::Reverse;

use super::hypothesis::{
    Hypothesis, HypothesisAssessment, HypothesisId, HypothesisState, assess_hypothesis,
};
use crate::belief::Entity;
use crate::evidence::Lane;
use crate::names;
use crate::policy::Gate;
use crate::time::Timestamp;

/// The state of the investigation that the gate evaluates.
#[derive(Clone, Copy, Debug, Default)]
pub struct GateInput<'a> {
    /// All hypotheses in the investigation.
    pub hypotheses: &'a [Hypothesis],
    /// `true` if the agent wants to finish.
    pub wants_to_finish: bool,
    /// The number of turns taken.
    pub turns_used: u32,
    /// The elapsed time, in microseconds.
    pub elapsed_micros: u64,
    /// The length of the longest run of identical tool calls.
    pub identical_calls: u32,
    /// The number of turns since the last new evidence.
    pub turns_without_evidence: u32,
    /// The entities that can be the root cause; empty if any entity can be.
    pub suspects: &'a [Entity],
}

/// The state of an investigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GateState {
    /// At least one hypothesis is validated.
    EvidenceSufficient,
    /// The turn or time budget is exhausted.
    BudgetExhausted,
    /// The investigation ended without a validated hypothesis.
    NoConfidentRootCause,
    /// The investigation continues.
    Investigating,
}

names!(GateState {
    EvidenceSufficient => "evidence_sufficient",
    BudgetExhausted => "budget_exhausted",
    NoConfidentRootCause => "no_confident_root_cause",
    Investigating => "investigating",
});

/// The kind of exit from an investigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GateExit {
    /// The investigation ended with a root cause that hard evidence supports.
    Confident,
    /// The investigation ended explicitly without a root cause.
    NoConfidentRootCause,
    /// The investigation continues.
    None,
}

names!(GateExit {
    Confident => "confident",
    NoConfidentRootCause => "no_confident_root_cause",
    None => "none",
});

/// A finding of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateReason {
    /// Some hypotheses are validated.
    Validated {
        /// The number of validated hypotheses.
        count: u32,
    },
    /// The turn budget is exhausted.
    TurnsSpent {
        /// The turns taken.
        used: u32,
        /// The turn limit.
        allowed: u32,
    },
    /// The time budget is exhausted.
    TimeSpent {
        /// The elapsed time, in microseconds.
        elapsed_micros: u64,
        /// The time limit, in seconds.
        allowed_seconds: u32,
    },
    /// The agent wants to finish, but no hypothesis that could be the root cause is validated.
    FinishedUnvalidated,
    /// The agent wants to finish before any hypothesis has hard evidence.
    FinishedWithoutEvidence,
    /// The same tool call was repeated.
    RepeatedCalls {
        /// The number of identical calls.
        calls: u32,
        /// The limit.
        allowed: u32,
    },
    /// No evidence was added for several turns.
    NoNewEvidence {
        /// The number of turns.
        turns: u32,
        /// The limit.
        allowed: u32,
    },
    /// Hypotheses are validated, but none is about a suspect.
    OutsideSuspects {
        /// The number of validated hypotheses.
        count: u32,
    },
    /// No condition ends the investigation.
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
            Self::OutsideSuspects { .. } => "ROOT_CAUSE_OUTSIDE_SUSPECTS",
            Self::Investigating => "INVESTIGATING",
        }
    }

    /// The reason as a sentence.
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
                format!("{used} turns have been used; the policy allows {allowed}")
            }
            Self::TimeSpent { elapsed_micros, allowed_seconds } => format!(
                "{} seconds have passed; the policy allows {allowed_seconds}",
                elapsed_micros / MICROS_PER_SECOND
            ),
            Self::FinishedUnvalidated => {
                "the agent wants to finish, but no hypothesis that could be the root cause is validated".to_string()
            }
            Self::FinishedWithoutEvidence => {
                "the agent wants to finish before any hypothesis has hard evidence; call a tool that can support or refute one".to_string()
            }
            Self::RepeatedCalls { calls, allowed } => format!(
                "the same tool call was made {calls} times, and the policy ends the investigation at {allowed}; change the arguments or the tool"
            ),
            Self::NoNewEvidence { turns, allowed } => format!(
                "{turns} turns brought no new evidence, and the policy ends the investigation at {allowed}"
            ),
            Self::OutsideSuspects { count: 1 } => {
                "1 hypothesis is validated, but its target is not a suspect".to_string()
            }
            Self::OutsideSuspects { count } => {
                format!("{count} hypotheses are validated, but none of their targets is a suspect")
            }
            Self::Investigating => "no hypothesis is validated yet, and budget is left".to_string(),
        }
    }
}

/// The hypothesis selected as the root cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootCause {
    /// The hypothesis's id.
    pub id: HypothesisId,
    /// The hypothesis's index in the input.
    pub index: usize,
    /// The strongest supporting lane.
    pub strongest_lane: Lane,
    /// The number of distinct tools whose hard evidence supports the hypothesis.
    pub independent_supports: u32,
    /// The number of hard records that support the hypothesis.
    pub hard_supports: u32,
    /// The number of hard records that refute the hypothesis. Each of them is overridden if the policy's `contested`
    /// switch is on.
    pub hard_refutations: u32,
}

/// The result of the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateOutcome {
    /// The state of the investigation.
    pub state: GateState,
    /// The exit of the investigation.
    pub exit: GateExit,
    /// All findings. The deciding one comes first.
    pub reasons: Vec<GateReason>,
    /// The number of validated hypotheses.
    pub validated_count: u32,
    /// The number of contested hypotheses.
    pub contested_count: u32,
    /// The number of records inferred by a language model, which have no effect.
    pub refused_inferred_count: u32,
    /// The root cause, if a hypothesis is validated.
    pub root_cause: Option<RootCause>,
    /// The other hypotheses that are as strong as the root cause. The first one in input order is selected.
    pub ties: Vec<HypothesisId>,
}

impl GateOutcome {
    /// The deciding finding.
    #[must_use]
    pub fn reason(&self) -> GateReason {
        self.reasons.first().copied().unwrap_or(GateReason::Investigating)
    }

    /// Returns `true` if another turn is allowed. A root cause does not extend the limits. After an attempt to finish
    /// without evidence, the agent may continue.
    #[must_use]
    pub fn allows_another_turn(&self) -> bool {
        !self.reasons.iter().any(|reason| match reason {
            GateReason::TurnsSpent { .. }
            | GateReason::TimeSpent { .. }
            | GateReason::FinishedUnvalidated
            | GateReason::RepeatedCalls { .. }
            | GateReason::NoNewEvidence { .. } => true,
            GateReason::Validated { .. }
            | GateReason::FinishedWithoutEvidence
            | GateReason::OutsideSuspects { .. }
            | GateReason::Investigating => false,
        })
    }
}

const MICROS_PER_SECOND: u64 = 1_000_000;

/// Evaluates the gate.
#[must_use]
pub fn evaluate(policy: &Gate, input: &GateInput<'_>) -> GateOutcome {
    let assessed: Vec<HypothesisAssessment> =
        input.hypotheses.iter().map(|hypothesis| assess_hypothesis(hypothesis, policy)).collect();
    let in_state = |state| {
        let count = assessed.iter().filter(|assessment| assessment.state == state).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let validated_count = in_state(HypothesisState::Validated);
    let (candidates, root_cause, ties) = root_cause(input, &assessed);
    let reasons = reasons(policy, input, &assessed, candidates, validated_count);
    let (state, exit) = outcome(reasons.first());
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

fn reasons(
    policy: &Gate,
    input: &GateInput<'_>,
    assessed: &[HypothesisAssessment],
    candidates: u32,
    validated: u32,
) -> Vec<GateReason> {
    let mut reasons = Vec::new();
    if candidates > 0 {
        reasons.push(GateReason::Validated { count: candidates });
    }
    if input.turns_used >= policy.max_turns {
        let (used, allowed) = (input.turns_used, policy.max_turns);
        reasons.push(GateReason::TurnsSpent { used, allowed });
    }
    if input.elapsed_micros >= u64::from(policy.wall_clock_seconds) * MICROS_PER_SECOND {
        let (elapsed_micros, allowed_seconds) = (input.elapsed_micros, policy.wall_clock_seconds);
        reasons.push(GateReason::TimeSpent { elapsed_micros, allowed_seconds });
    }
    let has_evidence = assessed
        .iter()
        .any(|assessment| assessment.hard_supports + assessment.hard_refutations > 0);
    if input.wants_to_finish && candidates == 0 {
        reasons.push(if has_evidence {
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
    if candidates == 0 && validated > 0 {
        reasons.push(GateReason::OutsideSuspects { count: validated });
    }
    if reasons.is_empty() {
        reasons.push(GateReason::Investigating);
    }
    reasons
}

fn outcome(deciding_reason: Option<&GateReason>) -> (GateState, GateExit) {
    match deciding_reason {
        Some(GateReason::Validated { .. }) => (GateState::EvidenceSufficient, GateExit::Confident),
        Some(GateReason::TurnsSpent { .. } | GateReason::TimeSpent { .. }) => {
            (GateState::BudgetExhausted, GateExit::NoConfidentRootCause)
        }
        Some(GateReason::Investigating | GateReason::OutsideSuspects { .. }) | None => {
            (GateState::Investigating, GateExit::None)
        }
        Some(_) => (GateState::NoConfidentRootCause, GateExit::NoConfidentRootCause),
    }
}

/// The rank of a validated hypothesis. The hypothesis with the greatest rank is the root cause.
type Rank = (u8, u32, Reverse<(bool, Option<Timestamp>)>);

/// Returns the number of validated hypotheses about suspects, the strongest of these, and the hypotheses tied with it.
fn root_cause(
    input: &GateInput<'_>,
    assessed: &[HypothesisAssessment],
) -> (u32, Option<RootCause>, Vec<HypothesisId>) {
    let mut candidates: u32 = 0;
    let mut best: Option<(Rank, RootCause)> = None;
    let mut ties = Vec::new();
    for (index, (hypothesis, assessment)) in input.hypotheses.iter().zip(assessed).enumerate() {
        if assessment.state != HypothesisState::Validated || !is_suspect(hypothesis, input) {
            continue;
        }
        candidates = candidates.saturating_add(1);
        let Some((rank, candidate)) = rank(index, hypothesis, assessment) else { continue };
        match &best {
            Some((leading, _)) if *leading > rank => {}
            Some((leading, _)) if *leading == rank => ties.push(candidate.id),
            _ => {
                best = Some((rank, candidate));
                ties.clear();
            }
        }
    }
    (candidates, best.map(|(_, root_cause)| root_cause), ties)
}

fn is_suspect(hypothesis: &Hypothesis, input: &GateInput<'_>) -> bool {
    let target = || Entity::parse(hypothesis.target.as_deref()?.trim()).ok();
    input.suspects.is_empty() || target().is_some_and(|target| input.suspects.contains(&target))
}

fn rank(
    index: usize,
    hypothesis: &Hypothesis,
    assessment: &HypothesisAssessment,
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
mod tests;
