//! Runs the gate, the cap and the ladder in their rollout modes (docs/POLICY.md, "Rollout").

use super::action_ladder::{ActionVerdict, LadderGate, LadderInput, UnverifiedFix, action};
use super::cap::{CappedConfidence, Confidence, cap};
use super::evidence_chain::Strength;
use super::gate::{GateInput, GateOutcome, evaluate};
use crate::policy::{DecisionRollout, PolicyValues, RolloutMode};
use crate::tier::Tier;

/// The result of a mechanism in its mode. At most one field is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ByMode<T> {
    active: Option<T>,
    shadow: Option<T>,
}

impl<T> ByMode<T> {
    const OFF: Self = Self { active: None, shadow: None };

    fn compute(mode: RolloutMode, compute: impl FnOnce() -> T) -> Self {
        match mode {
            RolloutMode::Off => Self::OFF,
            RolloutMode::Shadow => Self { active: None, shadow: Some(compute()) },
            RolloutMode::Active => Self { active: Some(compute()), shadow: None },
        }
    }

    fn active_or_shadow(&self) -> Option<&T> {
        self.active.as_ref().or(self.shadow.as_ref())
    }
}

/// The input of the gate, the cap and the ladder.
#[derive(Clone, Copy, Debug)]
pub struct SafetyInput<'a> {
    /// The gate's input; `None` if there is no investigation. An investigation without hypotheses ends without a
    /// root cause.
    pub gate: Option<GateInput<'a>>,
    /// The strength of the evidence chain.
    pub strength: Strength,
    /// The self-rated confidence, if any.
    pub confidence: Option<Confidence>,
    /// The tier of the grounding decision.
    pub tier: Tier,
    /// `Claimed` if the report claims a fix without a passed check.
    pub unverified_fix: UnverifiedFix,
}

/// The results of the gate, the cap and the ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafetyOutcome {
    /// The gate's result, if it is active and there is an investigation.
    pub gate: Option<GateOutcome>,
    /// The capped confidence, if the cap is active and there is a confidence.
    pub cap: Option<CappedConfidence>,
    /// The boldest allowed action, if the ladder is active.
    pub action: Option<ActionVerdict>,
    /// The results in shadow mode.
    pub shadow: Shadow,
}

/// The results of mechanisms in shadow mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shadow {
    /// The gate's result.
    pub gate: Option<GateOutcome>,
    /// The capped confidence.
    pub cap: Option<CappedConfidence>,
    /// The action, which is based on the gate and the cap, whether they are active or in shadow mode.
    pub action: Option<ActionVerdict>,
}

/// Runs the gate, the cap and the ladder. An active ladder ignores mechanisms that are not active.
#[must_use]
pub fn evaluate_safety(policy: &PolicyValues, input: &SafetyInput<'_>) -> SafetyOutcome {
    let rollout = &policy.rollout;
    let gate = match &input.gate {
        Some(gate) => ByMode::compute(rollout.gate, || evaluate(&policy.gate, gate)),
        None => ByMode::OFF,
    };
    let cap = match input.confidence {
        Some(confidence) => {
            ByMode::compute(rollout.cap, || cap(&policy.cap, input.strength, confidence))
        }
        None => ByMode::OFF,
    };
    let active_tier = (rollout.decision == DecisionRollout::Active).then_some(input.tier);
    let ladder = |gate: LadderGate<'_>, cap: Option<&CappedConfidence>, tier: Option<Tier>| {
        let confidence = cap.map(|capped| capped.after).or(input.confidence);
        let unverified_fix = input.unverified_fix;
        action(&policy.ladder, &LadderInput { confidence, gate, tier, unverified_fix })
    };
    let action = match rollout.ladder {
        RolloutMode::Shadow => ByMode::compute(rollout.ladder, || {
            let is_on = rollout.gate != RolloutMode::Off;
            let gate = LadderGate { is_on, outcome: gate.active_or_shadow() };
            ladder(gate, cap.active_or_shadow(), Some(input.tier))
        }),
        mode => ByMode::compute(mode, || {
            let is_on = rollout.gate == RolloutMode::Active;
            let gate = LadderGate { is_on, outcome: gate.active.as_ref() };
            ladder(gate, cap.active.as_ref(), active_tier)
        }),
    };
    SafetyOutcome {
        gate: gate.active,
        cap: cap.active,
        action: action.active,
        shadow: Shadow { gate: gate.shadow, cap: cap.shadow, action: action.shadow },
    }
}

#[cfg(test)]
mod tests {
    use super::super::action_ladder::{Action, ActionLimit};
    use super::super::cap::tests::{any_confidence, confidence};
    use super::super::hypothesis::tests::{any_record, hypothesis, record};
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
    fn nothing_is_computed_in_mode_off() {
        let not_computed: ByMode<()> = ByMode::compute(RolloutMode::Off, || panic!("must not run"));
        assert_eq!(not_computed.active_or_shadow(), None);
    }

    #[test]
    fn active_mechanisms_take_effect_and_have_no_shadow_result() {
        let tree = [hypothesis("h", vec![record("logs", Lane::Logs, Supports, None)])];
        let outcome =
            evaluate_safety(&preset(Preset::Reference), &sample(&tree, Some(confidence(990_000))));
        assert_eq!(outcome.cap.unwrap().after, confidence(840_000));
        assert_eq!(outcome.action.unwrap().action, Action::Patch);
        assert_eq!(outcome.shadow, Shadow::default());
    }

    #[test]
    fn a_ladder_in_shadow_mode_uses_mechanisms_in_shadow_mode() {
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
        let outcome = evaluate_safety(&policy, &sample(&tree, Some(confidence(990_000))));
        assert_eq!((outcome.gate, outcome.cap, outcome.action), (None, None, None));
        assert_eq!(outcome.shadow.action.unwrap().action, Action::Patch);
    }

    #[test]
    fn a_decision_in_shadow_mode_supports_no_action() {
        let tree = [hypothesis("h", vec![record("logs", Lane::Logs, Supports, None)])];
        let input = sample(&tree, Some(confidence(990_000)));
        let reference = preset(Preset::Reference);
        let rollout = Rollout { decision: DecisionRollout::Shadow, ..reference.rollout };
        let outcome = evaluate_safety(&with_rollout(Preset::Reference, rollout), &input);
        let action = outcome.action.unwrap();
        assert_eq!(
            (action.action, action.limited_by),
            (Action::Notify, vec![ActionLimit::NoDecision])
        );

        // A ladder in shadow mode uses a decision in shadow mode.
        let rollout = Rollout { ladder: RolloutMode::Shadow, ..rollout };
        let outcome = evaluate_safety(&with_rollout(Preset::Reference, rollout), &input);
        assert_eq!(outcome.shadow.action.unwrap().action, Action::Patch);
    }

    #[test]
    fn without_an_investigation_the_action_is_notify() {
        for base in [Preset::Paper, Preset::Reference, Preset::Strict] {
            let sample = sample(&[], Some(confidence(990_000)));
            let outcome = evaluate_safety(&preset(base), &SafetyInput { gate: None, ..sample });
            assert_eq!(outcome.gate, None);
            assert_eq!(outcome.action.unwrap().action, Action::Notify, "{base:?}");
        }
    }

    #[test]
    fn a_gate_that_is_not_active_does_not_limit_the_action_under_the_paper_preset() {
        for mode in [RolloutMode::Off, RolloutMode::Shadow] {
            let rollout = Rollout { gate: mode, ..preset(Preset::Paper).rollout };
            let input = SafetyInput { gate: None, ..sample(&[], Some(confidence(990_000))) };
            let outcome = evaluate_safety(&with_rollout(Preset::Paper, rollout), &input);
            assert_ne!(outcome.action.unwrap().action, Action::Notify, "{mode:?}");
        }
    }

    fn sample(
        hypotheses: &[super::super::Hypothesis],
        confidence: Option<Confidence>,
    ) -> SafetyInput<'_> {
        SafetyInput {
            gate: Some(GateInput { hypotheses, turns_used: 1, ..GateInput::default() }),
            strength: Strength::PartiallyGrounded,
            confidence,
            tier: Tier::Proceed,
            unverified_fix: UnverifiedFix::Absent,
        }
    }

    proptest! {
        #[test]
        fn shadow_mode_changes_only_the_shadow_field(
            trees in proptest::collection::vec(proptest::collection::vec(any_record(), 0..5), 0..3),
            rated in proptest::option::of(any_confidence()),
            modes in (0usize..3, 0usize..3, 0usize..3), tier in 0usize..4, strength in 0usize..3, paper: bool,
        ) {
            let hypotheses: Vec<_> = trees
                .into_iter()
                .enumerate()
                .map(|(index, records)| hypothesis(&index.to_string(), records))
                .collect();
            let input = SafetyInput {
                tier: Tier::ALL[tier],
                strength: Strength::ALL[strength],
                ..sample(&hypotheses, rated)
            };
            let base = if paper { Preset::Paper } else { Preset::Strict };
            let rollout = Rollout { gate: MODES[modes.0], cap: MODES[modes.1], ladder: MODES[modes.2], decision: DecisionRollout::Active };
            let unless_shadow = |mode| if mode == RolloutMode::Shadow { RolloutMode::Off } else { mode };
            let without_shadow = Rollout {
                gate: unless_shadow(rollout.gate),
                cap: unless_shadow(rollout.cap),
                ladder: unless_shadow(rollout.ladder),
                decision: rollout.decision,
            };
            let shadowed = evaluate_safety(&with_rollout(base, rollout), &input);
            let expected = evaluate_safety(&with_rollout(base, without_shadow), &input);
            prop_assert_eq!(SafetyOutcome { shadow: Shadow::default(), ..shadowed }, expected);
        }
    }
}
