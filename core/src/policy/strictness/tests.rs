//! Tests for comparing policies.

use super::super::{DecisionRollout, Preset, RolloutMode, preset};
use super::*;

fn with(base: Preset, change: impl FnOnce(&mut PolicyValues)) -> Policy {
    let mut values = preset(base).values().clone();
    change(&mut values);
    Policy::new(values).unwrap()
}

fn looser(change: impl FnOnce(&mut PolicyValues)) -> Vec<String> {
    let changed = with(Preset::Reference, change);
    let found = changed.at_least_as_strict_as(&preset(Preset::Reference));
    found.err().unwrap_or_default().into_iter().map(|looser| looser.field).collect()
}

const NOTHING: [&str; 0] = [];

#[test]
fn strict_is_at_least_as_strict_as_the_default() {
    for base in Preset::ALL {
        assert_eq!(preset(base).at_least_as_strict_as(&preset(base)), Ok(()));
    }
    let strict = preset(Preset::Strict);
    assert_eq!(strict.at_least_as_strict_as(&preset(Preset::Reference)), Ok(()));
    assert!(preset(Preset::Reference).at_least_as_strict_as(&strict).is_err());
}

#[test]
fn paper_is_looser_than_the_default() {
    let paper = preset(Preset::Paper);
    let looser = paper.at_least_as_strict_as(&preset(Preset::Reference)).unwrap_err();
    let fields: Vec<&str> = looser.iter().map(|looser| looser.field.as_str()).collect();
    for field in [
        "undefined_score",
        "verification",
        "guards.duplicates_count_once",
        "guards.rho_at_least_one",
        "guards.contradiction_blocks",
        "guards.headline_must_be_grounded",
        "guards.min_grounded",
        "guards.complementary_limit",
        "guards.min_coverage",
        "gate.contested",
        "ladder.joins_decision",
        "second_look",
        "second_look_failure",
        "undecided",
    ] {
        assert!(fields.contains(&field), "{field}: {fields:?}");
    }
    let verification = looser.iter().find(|looser| looser.field == "verification").unwrap();
    assert_eq!(
        verification.to_string(),
        "verification is observe against enforce; allowed is enforce"
    );
}

#[test]
fn a_caller_may_tighten() {
    assert_eq!(looser(|values| values.rho = Millionths::new(600_000)), NOTHING);
    assert_eq!(looser(|values| values.tau_proceed = Millionths::new(800_001)), NOTHING);
    assert_eq!(looser(|values| values.ungrounded_floor = Millionths::new(1)), NOTHING);
    assert_eq!(looser(|values| values.guards.tool_match_needs_attestation = true), NOTHING);
    assert_eq!(looser(|values| values.gate.synthetic_validates = false), NOTHING);
}

#[test]
fn a_caller_may_not_loosen() {
    assert_eq!(looser(|values| values.rho = Millionths::new(400_000)), ["rho"]);
    assert_eq!(looser(|values| values.tau_proceed = Millionths::new(799_999)), ["tau_proceed"]);
    assert_eq!(looser(|values| values.gate.max_turns = 9), ["gate.max_turns"]);
    assert_eq!(looser(|values| values.rollout.gate = RolloutMode::Shadow), ["rollout.gate"]);
    let in_shadow = looser(|values| values.rollout.decision = DecisionRollout::Shadow);
    assert_eq!(in_shadow, ["rollout.decision"]);
    assert_eq!(looser(|values| values.guards.min_coverage = None), ["guards.min_coverage"]);
    let limit = Some(Millionths::new(1_000_001));
    let found = looser(|values| values.guards.complementary_limit = limit);
    assert_eq!(found, ["guards.complementary_limit"]);
}

#[test]
fn a_lower_weight_needs_a_floor_to_be_stricter() {
    let lighter = |values: &mut PolicyValues| {
        values.weights.set(EvidenceType::Domain, Millionths::new(200_000));
    };
    assert_eq!(looser(lighter), ["weights.domain"]);
    let with_floor = |values: &mut PolicyValues| {
        lighter(values);
        values.ungrounded_floor = Millionths::new(600_000);
    };
    assert_eq!(looser(with_floor), NOTHING);
    let heavier = |values: &mut PolicyValues| {
        values.weights.set(EvidenceType::Domain, Millionths::new(700_000));
    };
    assert_eq!(looser(heavier), ["weights.domain", "weights"]);
}

#[test]
fn nothing_to_score_still_abstains() {
    let without_rho = with(Preset::Reference, |values| values.rho = Millionths::ZERO);
    let looser = preset(Preset::Reference).at_least_as_strict_as(&without_rho).unwrap_err();
    assert_eq!(looser[0].field, "rho");

    let weightless = |floor| {
        with(Preset::Paper, |values| {
            values.weights.set(EvidenceType::Domain, Millionths::ZERO);
            values.ungrounded_floor = floor;
        })
    };
    let floored = weightless(Millionths::ONE);
    let looser = floored.at_least_as_strict_as(&weightless(Millionths::ZERO)).unwrap_err();
    assert!(looser.iter().any(|looser| looser.field == "weights.domain"), "{looser:?}");
}

#[test]
fn a_second_look_of_more_claims_is_stricter() {
    let at = |look| with(Preset::Reference, |values| values.second_look = look);
    for own in SecondLook::ALL {
        for other in SecondLook::ALL {
            let found = at(own).at_least_as_strict_as(&at(other));
            assert_eq!(found.is_ok(), own >= other, "{own:?} {other:?}");
        }
    }
    let found = looser(|values| values.second_look_failure = SecondLookFailure::Note);
    assert_eq!(found, ["second_look_failure"]);
    let found = looser(|values| values.undecided = Undecided::Ungrounded);
    assert_eq!(found, ["undecided"]);
    let found = looser(|values| values.guards.headline_must_be_grounded = false);
    assert_eq!(found, ["guards.headline_must_be_grounded"]);
}
