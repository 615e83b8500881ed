//! Determines the boldest action that an agent may take. It is at most a pull request, which a person must merge.

use super::cap::Confidence;
use super::gate::{GateExit, GateOutcome};
use crate::names;
use crate::policy::Ladder;
use crate::tier::Tier;

/// An agent's action, ordered from most cautious to boldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Notify people.
    Notify,
    /// Open an issue.
    Issue,
    /// Propose a patch.
    Patch,
    /// Open a pull request for a person to merge.
    PullRequest,
}

names!(Action {
    Notify => "notify",
    Issue => "issue",
    Patch => "patch",
    PullRequest => "pull_request",
});

impl Action {
    /// Returns the boldest action for a confidence.
    #[must_use]
    pub fn for_confidence(policy: &Ladder, confidence: Confidence) -> Self {
        let value = confidence.value();
        if value >= policy.pull_request {
            Self::PullRequest
        } else if value >= policy.patch {
            Self::Patch
        } else if value >= policy.issue {
            Self::Issue
        } else {
            Self::Notify
        }
    }
}

/// The state of a fix claimed in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnverifiedFix {
    /// No fix is claimed, or a passed check is cited for it.
    Absent,
    /// A fix, rollback or resolution is claimed without citing a passed check.
    Claimed,
}

/// The gate, as an input of the ladder.
#[derive(Clone, Copy, Debug)]
pub struct LadderGate<'a> {
    /// `true` if the policy uses the gate.
    pub is_on: bool,
    /// The gate's result; `None` without an investigation.
    pub outcome: Option<&'a GateOutcome>,
}

/// The input of the action ladder.
#[derive(Clone, Copy, Debug)]
pub struct LadderInput<'a> {
    /// The capped confidence, if any.
    pub confidence: Option<Confidence>,
    /// The gate.
    pub gate: LadderGate<'a>,
    /// The tier of the grounding decision; `None` in shadow mode.
    pub tier: Option<Tier>,
    /// The state of a claimed fix.
    pub unverified_fix: UnverifiedFix,
}

/// A condition that limits the action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionLimit {
    /// The report has no self-rated confidence.
    NoConfidence,
    /// The report has no investigation.
    NoGate,
    /// The investigation continues.
    Investigating,
    /// The investigation ended without a confident root cause.
    NoConfidentRootCause,
    /// The grounding decision is in shadow mode.
    NoDecision,
    /// The grounding decision is replan or abstain.
    Replan {
        /// The tier.
        tier: Tier,
    },
    /// The grounding decision is regenerate.
    Regenerate,
    /// A fix is claimed without citing a passed check.
    UnverifiedFix,
}

impl ActionLimit {
    /// The boldest action under this condition.
    #[must_use]
    pub const fn ceiling(self) -> Action {
        match self {
            Self::NoConfidence
            | Self::NoGate
            | Self::Investigating
            | Self::NoConfidentRootCause
            | Self::NoDecision
            | Self::Replan { .. } => Action::Notify,
            Self::Regenerate | Self::UnverifiedFix => Action::Issue,
        }
    }

    /// The stable code on the wire.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NoConfidence => "NO_CONFIDENCE",
            Self::NoGate => "NO_GATE",
            Self::Investigating => "INVESTIGATING",
            Self::NoConfidentRootCause => "NO_CONFIDENT_ROOT_CAUSE",
            Self::NoDecision => "NO_DECISION",
            Self::Replan { tier: Tier::Abstain } => "HELD_BY_ABSTAIN",
            Self::Replan { .. } => "HELD_BY_REPLAN",
            Self::Regenerate => "HELD_BY_REGENERATE",
            Self::UnverifiedFix => "UNVERIFIED_FIX",
        }
    }

    /// The condition as a sentence.
    #[must_use]
    pub fn sentence(self) -> String {
        match self {
            Self::NoConfidence => "the report has no self-rated confidence".to_string(),
            Self::NoGate => "no hypotheses were given, so no root cause is validated".to_string(),
            Self::Investigating => "the investigation continues".to_string(),
            Self::NoConfidentRootCause => {
                "the investigation ended without a confident root cause".to_string()
            }
            Self::NoDecision => {
                "the grounding decision is in shadow mode and supports no action: at most notify"
                    .to_string()
            }
            Self::Replan { tier } => {
                format!("the grounding decision is {}: at most notify", tier.name())
            }
            Self::Regenerate => {
                "the grounding decision is regenerate: at most an issue".to_string()
            }
            Self::UnverifiedFix => {
                "no passed check is cited for a claimed fix: at most an issue".to_string()
            }
        }
    }
}

/// The boldest allowed action and the conditions that limit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionVerdict {
    /// The boldest action.
    pub action: Action,
    /// The boldest action that the confidence alone allows; `None` if there is no confidence.
    pub by_confidence: Option<Action>,
    /// The conditions that limit the action further.
    pub limited_by: Vec<ActionLimit>,
}

/// Determines the boldest allowed action.
#[must_use]
pub fn action(policy: &Ladder, input: &LadderInput<'_>) -> ActionVerdict {
    let by_confidence =
        input.confidence.map(|confidence| Action::for_confidence(policy, confidence));
    // If there is no confidence, all conditions that limit the boldest action are listed.
    let allowed = by_confidence.unwrap_or(Action::PullRequest);
    let joins_decision = policy.joins_decision;
    let limits = [
        by_confidence.is_none().then_some(ActionLimit::NoConfidence),
        // If there is no confident root cause, the gate always limits the action, as in the reasoning-safety paper.
        gate_limit(input.gate.outcome).filter(|_| joins_decision || input.gate.is_on),
        tier_limit(input.tier).filter(|_| joins_decision),
        (joins_decision && input.unverified_fix == UnverifiedFix::Claimed)
            .then_some(ActionLimit::UnverifiedFix),
    ];
    let limited_by: Vec<ActionLimit> =
        limits.into_iter().flatten().filter(|limit| limit.ceiling() < allowed).collect();
    let action = limited_by.iter().fold(allowed, |action, limit| action.min(limit.ceiling()));
    ActionVerdict { action, by_confidence, limited_by }
}

fn gate_limit(gate: Option<&GateOutcome>) -> Option<ActionLimit> {
    match gate.map(|outcome| outcome.exit) {
        None => Some(ActionLimit::NoGate),
        Some(GateExit::None) => Some(ActionLimit::Investigating),
        Some(GateExit::NoConfidentRootCause) => Some(ActionLimit::NoConfidentRootCause),
        Some(GateExit::Confident) => None,
    }
}

const fn tier_limit(tier: Option<Tier>) -> Option<ActionLimit> {
    match tier {
        None => Some(ActionLimit::NoDecision),
        Some(Tier::Proceed) => None,
        Some(Tier::Regenerate) => Some(ActionLimit::Regenerate),
        Some(tier @ (Tier::Replan | Tier::Abstain)) => Some(ActionLimit::Replan { tier }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::cap::tests::{any_confidence, confidence};
    use super::super::gate::{GateInput, evaluate};
    use super::super::hypothesis::tests::{hypothesis, record};
    use super::super::verdict::Verdict::Supports;
    use super::*;
    use crate::evidence::Lane;
    use crate::policy::{Preset, preset};
    use proptest::prelude::*;

    fn gate(exit: GateExit) -> GateOutcome {
        let validated = [hypothesis("h", vec![record("logs", Lane::Logs, Supports, None)])];
        let hypotheses = if exit == GateExit::Confident { &validated[..] } else { &[] };
        let outcome = evaluate(
            &preset(Preset::Reference).gate,
            &GateInput {
                hypotheses,
                wants_to_finish: exit == GateExit::NoConfidentRootCause,
                ..GateInput::default()
            },
        );
        assert_eq!(outcome.exit, exit);
        outcome
    }

    fn verdict(
        base: Preset,
        millionths: Option<u32>,
        exit: Option<GateExit>,
        tier: Tier,
        unverified_fix: UnverifiedFix,
    ) -> ActionVerdict {
        let outcome = exit.map(gate);
        let input = LadderInput {
            confidence: millionths.map(confidence),
            gate: LadderGate { is_on: true, outcome: outcome.as_ref() },
            tier: Some(tier),
            unverified_fix,
        };
        action(&preset(base).ladder, &input)
    }

    const CONFIDENT: Option<GateExit> = Some(GateExit::Confident);

    #[test]
    fn each_action_starts_at_its_threshold() {
        for (millionths, expected) in [
            (0, Action::Notify),
            (399_999, Action::Notify),
            (400_000, Action::Issue),
            (649_999, Action::Issue),
            (650_000, Action::Patch),
            (849_999, Action::Patch),
            (850_000, Action::PullRequest),
            (1_000_000, Action::PullRequest),
        ] {
            let outcome = verdict(
                Preset::Reference,
                Some(millionths),
                CONFIDENT,
                Tier::Proceed,
                UnverifiedFix::Absent,
            );
            assert_eq!((outcome.action, outcome.limited_by.len()), (expected, 0), "{millionths}");
        }
    }

    #[test]
    fn without_a_confident_root_cause_the_action_is_notify_at_any_confidence() {
        let exit = Some(GateExit::NoConfidentRootCause);
        let outcome =
            verdict(Preset::Strict, Some(1_000_000), exit, Tier::Proceed, UnverifiedFix::Absent);
        assert_eq!(outcome.action, Action::Notify);
        assert_eq!(outcome.by_confidence, Some(Action::PullRequest));
        assert_eq!(outcome.limited_by, [ActionLimit::NoConfidentRootCause]);
    }

    #[test]
    fn the_action_is_notify_if_inputs_are_missing_or_the_gate_is_open() {
        for (millionths, exit, limit) in [
            (None, CONFIDENT, ActionLimit::NoConfidence),
            (Some(900_000), None, ActionLimit::NoGate),
            (Some(900_000), Some(GateExit::None), ActionLimit::Investigating),
        ] {
            let outcome =
                verdict(Preset::Reference, millionths, exit, Tier::Proceed, UnverifiedFix::Absent);
            assert_eq!((outcome.action, outcome.limited_by), (Action::Notify, vec![limit]));
        }
    }

    #[test]
    fn the_grounding_decision_limits_the_action() {
        for (tier, expected, code) in [
            (Tier::Regenerate, Action::Issue, "HELD_BY_REGENERATE"),
            (Tier::Replan, Action::Notify, "HELD_BY_REPLAN"),
            (Tier::Abstain, Action::Notify, "HELD_BY_ABSTAIN"),
        ] {
            let outcome =
                verdict(Preset::Reference, Some(950_000), CONFIDENT, tier, UnverifiedFix::Absent);
            assert_eq!(outcome.action, expected);
            assert_eq!(
                outcome.limited_by.iter().map(|limit| limit.code()).collect::<Vec<_>>(),
                [code]
            );
        }
    }

    #[test]
    fn h15_an_unverified_fix_allows_at_most_an_issue() {
        let outcome = verdict(
            Preset::Reference,
            Some(1_000_000),
            CONFIDENT,
            Tier::Proceed,
            UnverifiedFix::Claimed,
        );
        assert_eq!(
            (outcome.action, outcome.limited_by),
            (Action::Issue, vec![ActionLimit::UnverifiedFix])
        );
    }

    #[test]
    fn conditions_that_do_not_limit_are_not_listed() {
        let outcome = verdict(
            Preset::Reference,
            Some(500_000),
            CONFIDENT,
            Tier::Regenerate,
            UnverifiedFix::Claimed,
        );
        assert_eq!((outcome.action, outcome.limited_by), (Action::Issue, vec![]));
    }

    #[test]
    fn the_paper_preset_uses_only_the_confidence_and_the_root_cause() {
        let outcome = |exit| {
            verdict(Preset::Paper, Some(900_000), exit, Tier::Abstain, UnverifiedFix::Claimed)
        };
        for (exit, action, limits) in [
            (CONFIDENT, Action::PullRequest, vec![]),
            (Some(GateExit::None), Action::Notify, vec![ActionLimit::Investigating]),
            (
                Some(GateExit::NoConfidentRootCause),
                Action::Notify,
                vec![ActionLimit::NoConfidentRootCause],
            ),
            (None, Action::Notify, vec![ActionLimit::NoGate]),
        ] {
            assert_eq!((outcome(exit).action, outcome(exit).limited_by), (action, limits));
        }
    }

    proptest! {
        #[test]
        fn more_caution_never_allows_a_bolder_action(
            higher in any_confidence(), lower in any_confidence(), tier in 0usize..4, stricter in 0usize..4, exit in 0usize..4,
        ) {
            let (lower, higher) = (lower.min(higher), lower.max(higher));
            let (tier, stricter) = (Tier::ALL[tier.min(stricter)], Tier::ALL[tier.max(stricter)]);
            let exits = [None, Some(GateExit::None), Some(GateExit::NoConfidentRootCause), CONFIDENT];
            let action_for = |confidence: Confidence, exit, tier, fix| {
                verdict(Preset::Reference, Some(confidence.value().get()), exit, tier, fix).action
            };
            let boldest = action_for(higher, exits[exit], tier, UnverifiedFix::Absent);
            prop_assert!(action_for(lower, exits[exit], tier, UnverifiedFix::Absent) <= boldest);
            prop_assert!(action_for(higher, exits[exit], stricter, UnverifiedFix::Absent) <= boldest);
            prop_assert!(action_for(higher, exits[exit], tier, UnverifiedFix::Claimed) <= boldest);
            prop_assert!(boldest <= action_for(higher, CONFIDENT, tier, UnverifiedFix::Absent));
        }

        #[test]
        fn limits_are_listed_only_if_they_lower_the_action(
            rated in any_confidence(), tier in 0usize..4, is_fix_claimed: bool,
        ) {
            let fix = if is_fix_claimed { UnverifiedFix::Claimed } else { UnverifiedFix::Absent };
            let outcome = verdict(Preset::Strict, Some(rated.value().get()), CONFIDENT, Tier::ALL[tier], fix);
            let action_by_confidence = outcome.by_confidence.unwrap();
            prop_assert_eq!(outcome.limited_by.is_empty(), outcome.action == action_by_confidence);
        }
    }
}
