//! This module is the action ladder: the most an agent may do with a root cause.
//!
//! The ladder ends at a pull request that a person merges. Nothing here remediates, and there is no
//! switch that would.

use super::cap::Confidence;
use super::gate::{GateExit, GateOutcome};
use crate::Tier;
use crate::policy::Ladder;

/// What an agent may do. Ordered: the greater, the bolder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Tell people.
    Notify,
    /// Open an issue.
    Issue,
    /// Propose a patch.
    Patch,
    /// Open a pull request; a person merges it.
    PullRequest,
}

impl Action {
    /// Every action, the most cautious first.
    pub const ALL: [Self; 4] = [Self::Notify, Self::Issue, Self::Patch, Self::PullRequest];

    /// The word used in files and output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Notify => "notify",
            Self::Issue => "issue",
            Self::Patch => "patch",
            Self::PullRequest => "pull_request",
        }
    }

    /// The boldest action that a confidence reaches by itself.
    #[must_use]
    pub fn reached(policy: &Ladder, confidence: Confidence) -> Self {
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

/// Whether the report claims a fix that no passing verification shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnverifiedFix {
    /// It claims none, or verification evidence shows it.
    Absent,
    /// It says fixed, rolled back or resolved without passing verification evidence.
    Claimed,
}

/// What the ladder looks at.
#[derive(Clone, Copy, Debug)]
pub struct LadderInput<'a> {
    /// The confidence after its cap; `None` where the report rates none.
    pub confidence: Option<Confidence>,
    /// What the gate says; `None` where there are no hypotheses.
    pub gate: Option<&'a GateOutcome>,
    /// What the grounding decision says; `None` where it is in shadow.
    pub tier: Option<Tier>,
    /// Whether the report claims a fix without showing it.
    pub unverified_fix: UnverifiedFix,
}

/// What holds an action down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hold {
    /// The report rates no confidence.
    NoConfidence,
    /// There are no hypotheses, so there is no gate.
    NoGate,
    /// The investigation goes on.
    Investigating,
    /// The investigation ended without a confident root cause.
    NoConfidentRootCause,
    /// The grounding decision is in shadow.
    NoDecision,
    /// The grounding decision is replan or abstain.
    Replan {
        /// Which of the two.
        tier: Tier,
    },
    /// The grounding decision is regenerate.
    Regenerate,
    /// A fix is claimed that no passing verification shows.
    UnverifiedFix,
}

impl Hold {
    /// The boldest action it leaves.
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

    /// The reason as a sentence for a person.
    #[must_use]
    pub fn sentence(self) -> String {
        match self {
            Self::NoConfidence => "the report rates no confidence of its own".to_string(),
            Self::NoGate => "no hypotheses were given, so no root cause is validated".to_string(),
            Self::Investigating => "the investigation goes on".to_string(),
            Self::NoConfidentRootCause => {
                "the investigation ended without a confident root cause".to_string()
            }
            Self::NoDecision => {
                "the grounding decision is in shadow and vouches for nothing: at most notify"
                    .to_string()
            }
            Self::Replan { tier } => {
                format!("the grounding decision is {}: at most notify", tier.name())
            }
            Self::Regenerate => {
                "the grounding decision is regenerate: at most an issue".to_string()
            }
            Self::UnverifiedFix => {
                "a fix is claimed that no passing verification shows: at most an issue".to_string()
            }
        }
    }
}

/// The most an agent may do, and why not more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionVerdict {
    /// The most it may do.
    pub action: Action,
    /// What the confidence alone reaches; `None` where the report rates none.
    pub by_confidence: Option<Action>,
    /// Everything that leaves less than the confidence reaches; empty when it is the confidence that decides.
    pub held_by: Vec<Hold>,
}

/// Settles the action.
#[must_use]
pub fn action(policy: &Ladder, input: &LadderInput<'_>) -> ActionVerdict {
    let by_confidence = input.confidence.map(|confidence| Action::reached(policy, confidence));
    // Without a confidence, everything that would hold the boldest action is named.
    let reached = by_confidence.unwrap_or(Action::PullRequest);
    let joined = policy.joins_decision;
    let holds = [
        by_confidence.is_none().then_some(Hold::NoConfidence),
        // As the source has it, whether or not the rest joins.
        gate_hold(input.gate).filter(|hold| joined || *hold == Hold::NoConfidentRootCause),
        tier_hold(input.tier).filter(|_| joined),
        (joined && input.unverified_fix == UnverifiedFix::Claimed).then_some(Hold::UnverifiedFix),
    ];
    let held_by: Vec<Hold> =
        holds.into_iter().flatten().filter(|hold| hold.ceiling() < reached).collect();
    let action = held_by.iter().fold(reached, |action, hold| action.min(hold.ceiling()));
    ActionVerdict { action, by_confidence, held_by }
}

fn gate_hold(gate: Option<&GateOutcome>) -> Option<Hold> {
    match gate.map(|outcome| outcome.exit) {
        None => Some(Hold::NoGate),
        Some(GateExit::None) => Some(Hold::Investigating),
        Some(GateExit::NoConfidentRootCause) => Some(Hold::NoConfidentRootCause),
        Some(GateExit::Confident) => None,
    }
}

const fn tier_hold(tier: Option<Tier>) -> Option<Hold> {
    match tier {
        None => Some(Hold::NoDecision),
        Some(Tier::Proceed) => None,
        Some(Tier::Regenerate) => Some(Hold::Regenerate),
        Some(tier @ (Tier::Replan | Tier::Abstain)) => Some(Hold::Replan { tier }),
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
        let tree = [hypothesis("h", vec![record("logs", Lane::Logs, Supports, None)])];
        let hypotheses = if exit == GateExit::Confident { &tree[..] } else { &[] };
        let outcome = evaluate(
            &preset(Preset::Reference).gate,
            &GateInput {
                hypotheses,
                wants_to_finish: exit == GateExit::NoConfidentRootCause,
                turns_used: 0,
                elapsed_micros: 0,
                identical_calls: 0,
                turns_without_evidence: 0,
                suspects: &[],
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
            gate: outcome.as_ref(),
            tier: Some(tier),
            unverified_fix,
        };
        action(&preset(base).ladder, &input)
    }

    const CONFIDENT: Option<GateExit> = Some(GateExit::Confident);

    #[test]
    fn each_rung_begins_at_its_confidence() {
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
            let settled = verdict(
                Preset::Reference,
                Some(millionths),
                CONFIDENT,
                Tier::Proceed,
                UnverifiedFix::Absent,
            );
            assert_eq!((settled.action, settled.held_by.len()), (expected, 0), "{millionths}");
        }
    }

    #[test]
    fn no_confident_root_cause_notifies_whatever_the_number() {
        let exit = Some(GateExit::NoConfidentRootCause);
        let settled =
            verdict(Preset::Strict, Some(1_000_000), exit, Tier::Proceed, UnverifiedFix::Absent);
        assert_eq!(settled.action, Action::Notify);
        assert_eq!(settled.by_confidence, Some(Action::PullRequest));
        assert_eq!(settled.held_by, [Hold::NoConfidentRootCause]);
    }

    #[test]
    fn absent_inputs_and_an_open_gate_notify() {
        for (millionths, exit, hold) in [
            (None, CONFIDENT, Hold::NoConfidence),
            (Some(900_000), None, Hold::NoGate),
            (Some(900_000), Some(GateExit::None), Hold::Investigating),
        ] {
            let settled =
                verdict(Preset::Reference, millionths, exit, Tier::Proceed, UnverifiedFix::Absent);
            assert_eq!((settled.action, settled.held_by), (Action::Notify, vec![hold]));
        }
    }

    #[test]
    fn the_grounding_decision_joins_the_ladder() {
        for (tier, expected, code) in [
            (Tier::Regenerate, Action::Issue, "HELD_BY_REGENERATE"),
            (Tier::Replan, Action::Notify, "HELD_BY_REPLAN"),
            (Tier::Abstain, Action::Notify, "HELD_BY_ABSTAIN"),
        ] {
            let settled =
                verdict(Preset::Reference, Some(950_000), CONFIDENT, tier, UnverifiedFix::Absent);
            assert_eq!(settled.action, expected);
            assert_eq!(settled.held_by.iter().map(|hold| hold.code()).collect::<Vec<_>>(), [code]);
        }
    }

    #[test]
    fn h15_a_fix_claimed_without_verification_is_at_most_an_issue() {
        let settled = verdict(
            Preset::Reference,
            Some(1_000_000),
            CONFIDENT,
            Tier::Proceed,
            UnverifiedFix::Claimed,
        );
        assert_eq!((settled.action, settled.held_by), (Action::Issue, vec![Hold::UnverifiedFix]));
    }

    #[test]
    fn what_does_not_lower_is_not_named() {
        let settled = verdict(
            Preset::Reference,
            Some(500_000),
            CONFIDENT,
            Tier::Regenerate,
            UnverifiedFix::Claimed,
        );
        assert_eq!((settled.action, settled.held_by), (Action::Issue, vec![]));
    }

    #[test]
    fn under_paper_confidence_and_root_cause_alone_decide() {
        let settled = |exit| {
            verdict(Preset::Paper, Some(900_000), exit, Tier::Abstain, UnverifiedFix::Claimed)
        };
        for exit in [None, Some(GateExit::None), CONFIDENT] {
            assert_eq!(
                (settled(exit).action, settled(exit).held_by),
                (Action::PullRequest, vec![])
            );
        }
        let without = settled(Some(GateExit::NoConfidentRootCause));
        assert_eq!(without.action, Action::Notify);
        assert_eq!(without.held_by, [Hold::NoConfidentRootCause]);
    }

    proptest! {
        #[test]
        fn caution_in_any_input_never_makes_the_action_bolder(
            higher in any_confidence(), lower in any_confidence(), tier in 0usize..4, stricter in 0usize..4, exit in 0usize..4,
        ) {
            let (lower, higher) = (lower.min(higher), lower.max(higher));
            let (tier, stricter) = (Tier::ALL[tier.min(stricter)], Tier::ALL[tier.max(stricter)]);
            let exits = [None, Some(GateExit::None), Some(GateExit::NoConfidentRootCause), CONFIDENT];
            let given = |confidence: Confidence, exit, tier, fix| {
                verdict(Preset::Reference, Some(confidence.value().get()), exit, tier, fix).action
            };
            let bold = given(higher, exits[exit], tier, UnverifiedFix::Absent);
            prop_assert!(given(lower, exits[exit], tier, UnverifiedFix::Absent) <= bold);
            prop_assert!(given(higher, exits[exit], stricter, UnverifiedFix::Absent) <= bold);
            prop_assert!(given(higher, exits[exit], tier, UnverifiedFix::Claimed) <= bold);
            prop_assert!(bold <= given(higher, CONFIDENT, tier, UnverifiedFix::Absent));
        }

        #[test]
        fn a_held_action_is_lower_than_what_the_confidence_reaches(
            rated in any_confidence(), tier in 0usize..4, claimed: bool,
        ) {
            let fix = if claimed { UnverifiedFix::Claimed } else { UnverifiedFix::Absent };
            let settled = verdict(Preset::Strict, Some(rated.value().get()), CONFIDENT, Tier::ALL[tier], fix);
            let reached = settled.by_confidence.unwrap();
            prop_assert_eq!(settled.held_by.is_empty(), settled.action == reached);
        }
    }
}
