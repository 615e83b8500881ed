//! This module applies the rollout of gate, cap, ladder and decision: what governs, and what is only shown
//! (docs/POLICY.md, "Rollout").
//!
//! A mechanism in shadow is computed and shown, and the answer is otherwise the one without it.

use super::cap::{Capped, Confidence, cap};
use super::chain::Strength;
use super::gate::{GateInput, GateOutcome, evaluate};
use super::ladder::{ActionVerdict, LadderInput, UnverifiedFix, action};
use crate::Tier;
use crate::policy::{DecisionRollout, PolicyValues, RolloutMode};

/// What a mechanism computed, split by whether it governs. At most one of the two is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rolled<T> {
    /// What governs.
    pub governs: Option<T>,
    /// What is only shown.
    pub shadow: Option<T>,
}

impl<T> Rolled<T> {
    /// What was computed, whether or not it governs.
    pub fn computed(&self) -> Option<&T> {
        self.governs.as_ref().or(self.shadow.as_ref())
    }
}

/// Runs a mechanism as its mode says. When off, it is not run.
pub fn roll<T>(mode: RolloutMode, compute: impl FnOnce() -> T) -> Rolled<T> {
    match mode {
        RolloutMode::Off => Rolled { governs: None, shadow: None },
        RolloutMode::Shadow => Rolled { governs: None, shadow: Some(compute()) },
        RolloutMode::Active => Rolled { governs: Some(compute()), shadow: None },
    }
}

/// What gate, cap and ladder look at.
#[derive(Clone, Copy, Debug)]
pub struct SettleInput<'a> {
    /// What the gate looks at; without hypotheses there is no gate in the answer.
    pub gate: GateInput<'a>,
    /// How well the root cause is grounded.
    pub strength: Strength,
    /// The confidence as the report rates it; `None` where it rates none.
    pub confidence: Option<Confidence>,
    /// What the grounding decision says, whether or not it governs.
    pub tier: Tier,
    /// Whether the report claims a fix without showing it.
    pub unverified_fix: UnverifiedFix,
}

/// What gate, cap and ladder say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The gate, where it governs and there are hypotheses.
    pub gate: Option<GateOutcome>,
    /// The cap, where it governs and the report rates a confidence.
    pub cap: Option<Capped>,
    /// The action, where the ladder governs.
    pub action: Option<ActionVerdict>,
    /// What the mechanisms in shadow say.
    pub shadow: Shadow,
}

/// What the mechanisms in shadow say; without effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shadow {
    /// The gate.
    pub gate: Option<GateOutcome>,
    /// The cap.
    pub cap: Option<Capped>,
    /// The action, with what gate and cap computed, whether or not they govern.
    pub action: Option<ActionVerdict>,
}

/// Runs gate, cap and ladder under a policy's rollout.
///
/// A ladder that governs sees only what governs: with the gate off or in shadow it holds the action at
/// notify (unless the policy leaves the gate out of the ladder), and with the cap off or in shadow it
/// sees the confidence as rated. With the decision in shadow it holds the action at notify as well.
#[must_use]
pub fn settle(policy: &PolicyValues, input: &SettleInput<'_>) -> Settled {
    let rollout = &policy.rollout;
    let gate = if input.gate.hypotheses.is_empty() {
        Rolled { governs: None, shadow: None }
    } else {
        roll(rollout.gate, || evaluate(&policy.gate, &input.gate))
    };
    let cap = match input.confidence {
        Some(confidence) => roll(rollout.cap, || cap(&policy.cap, input.strength, confidence)),
        None => Rolled { governs: None, shadow: None },
    };
    let governing = (rollout.decision == DecisionRollout::Active).then_some(input.tier);
    let ladder = |gate: Option<&GateOutcome>, cap: Option<&Capped>, tier: Option<Tier>| {
        let confidence = cap.map(|capped| capped.after).or(input.confidence);
        let unverified_fix = input.unverified_fix;
        action(&policy.ladder, &LadderInput { confidence, gate, tier, unverified_fix })
    };
    let action = match rollout.ladder {
        RolloutMode::Shadow => {
            roll(rollout.ladder, || ladder(gate.computed(), cap.computed(), Some(input.tier)))
        }
        mode => roll(mode, || ladder(gate.governs.as_ref(), cap.governs.as_ref(), governing)),
    };
    Settled {
        gate: gate.governs,
        cap: cap.governs,
        action: action.governs,
        shadow: Shadow { gate: gate.shadow, cap: cap.shadow, action: action.shadow },
    }
}

#[cfg(test)]
mod tests {
    use super::super::cap::tests::{any_confidence, confidence};
    use super::super::hypothesis::tests::{any_record, hypothesis, record};
    use super::super::ladder::{Action, Hold};
    use super::super::verdict::Verdict::Supports;
    use super::*;
    use crate::evidence::Lane;
    use crate::policy::{Preset, Rollout, preset};
    use proptest::prelude::*;

    const MODES: [RolloutMode; 3] = [RolloutMode::Off, RolloutMode::Shadow, RolloutMode::Active];

    fn with_rollout(base: Preset, rollout: Rollout) -> PolicyValues {
        PolicyValues { rollout, ..preset(base).values().clone() }
    }

    #[test]
    fn off_computes_nothing() {
        let rolled: Rolled<()> = roll(RolloutMode::Off, || panic!("must not run"));
        assert_eq!(rolled.computed(), None);
    }

    #[test]
    fn active_mechanisms_govern_and_leave_no_shadow() {
        let tree = [hypothesis("h", vec![record("logs", Lane::Logs, Supports, None)])];
        let settled = settle(&preset(Preset::Reference), &sample(&tree, Some(confidence(990_000))));
        assert_eq!(settled.cap.unwrap().after, confidence(840_000));
        assert_eq!(settled.action.unwrap().action, Action::Patch);
        assert_eq!(settled.shadow, Shadow::default());
    }

    #[test]
    fn a_ladder_in_shadow_shows_what_the_whole_would_say() {
        let tree = [hypothesis("h", vec![record("logs", Lane::Logs, Supports, None)])];
        let shadow = RolloutMode::Shadow;
        let policy = with_rollout(
            Preset::Reference,
            Rollout {
                gate: shadow,
                cap: shadow,
                ladder: shadow,
                decision: DecisionRollout::Active,
            },
        );
        let settled = settle(&policy, &sample(&tree, Some(confidence(990_000))));
        assert_eq!((settled.gate, settled.cap, settled.action), (None, None, None));
        assert_eq!(settled.shadow.action.unwrap().action, Action::Patch);
    }

    #[test]
    fn a_decision_in_shadow_vouches_for_no_action() {
        let tree = [hypothesis("h", vec![record("logs", Lane::Logs, Supports, None)])];
        let input = sample(&tree, Some(confidence(990_000)));
        let reference = preset(Preset::Reference);
        let rollout = Rollout { decision: DecisionRollout::Shadow, ..reference.rollout };
        let settled = settle(&with_rollout(Preset::Reference, rollout), &input);
        let action = settled.action.unwrap();
        assert_eq!((action.action, action.held_by), (Action::Notify, vec![Hold::NoDecision]));

        // A ladder that is only shown shows what the whole would say.
        let rollout = Rollout { ladder: RolloutMode::Shadow, ..rollout };
        let settled = settle(&with_rollout(Preset::Reference, rollout), &input);
        assert_eq!(settled.shadow.action.unwrap().action, Action::Patch);
    }

    #[test]
    fn without_hypotheses_or_confidence_neither_gate_nor_cap_is_in_the_answer() {
        let settled = settle(&preset(Preset::Reference), &sample(&[], None));
        assert_eq!((settled.gate, settled.cap), (None, None));
        assert_eq!(settled.action.unwrap().action, Action::Notify);
    }

    fn sample(
        hypotheses: &[super::super::Hypothesis],
        confidence: Option<Confidence>,
    ) -> SettleInput<'_> {
        SettleInput {
            gate: GateInput {
                hypotheses,
                wants_to_finish: false,
                turns_used: 1,
                elapsed_micros: 0,
                identical_calls: 0,
                turns_without_evidence: 0,
                suspects: &[],
            },
            strength: Strength::PartiallyGrounded,
            confidence,
            tier: Tier::Proceed,
            unverified_fix: UnverifiedFix::Absent,
        }
    }

    proptest! {
        #[test]
        fn shadow_equals_off_apart_from_the_shadow_field(
            trees in proptest::collection::vec(proptest::collection::vec(any_record(), 0..5), 0..3),
            rated in proptest::option::of(any_confidence()),
            modes in (0usize..3, 0usize..3, 0usize..3), tier in 0usize..4, strength in 0usize..3, paper: bool,
        ) {
            let hypotheses: Vec<_> = trees
                .into_iter()
                .enumerate()
                .map(|(index, records)| hypothesis(&index.to_string(), records))
                .collect();
            let input = SettleInput {
                tier: Tier::ALL[tier],
                strength: Strength::ALL[strength],
                ..sample(&hypotheses, rated)
            };
            let base = if paper { Preset::Paper } else { Preset::Strict };
            let rollout = Rollout { gate: MODES[modes.0], cap: MODES[modes.1], ladder: MODES[modes.2], decision: DecisionRollout::Active };
            let unless_shadow = |mode| if mode == RolloutMode::Shadow { RolloutMode::Off } else { mode };
            let without = Rollout {
                gate: unless_shadow(rollout.gate),
                cap: unless_shadow(rollout.cap),
                ladder: unless_shadow(rollout.ladder),
                decision: rollout.decision,
            };
            let shadowed = settle(&with_rollout(base, rollout), &input);
            let off = settle(&with_rollout(base, without), &input);
            prop_assert_eq!(Settled { shadow: Shadow::default(), ..shadowed }, off);
        }
    }
}
