//! Tests for comparing policies.

use super::super::{DecisionRollout, Preset, RolloutMode, preset};
use super::*;

fn policy_with(base: Preset, change: impl FnOnce(&mut PolicyValues)) -> Policy {
    let mut values = preset(base).values().clone();
    change(&mut values);
    Policy::new(values).unwrap()
}

fn looser_fields(change: impl FnOnce(&mut PolicyValues)) -> Vec<String> {
    let policy = policy_with(Preset::Reference, change);
    let result = policy.at_least_as_strict_as(&preset(Preset::Reference));
    result.err().unwrap_or_default().into_iter().map(|looser| looser.field).collect()
}

const NO_FIELDS: [&str; 0] = [];

#[test]
fn the_strict_preset_is_at_least_as_strict_as_the_default() {
    for base in Preset::ALL {
        assert_eq!(preset(base).at_least_as_strict_as(&preset(base)), Ok(()));
    }
    let strict = preset(Preset::Strict);
    assert_eq!(strict.at_least_as_strict_as(&preset(Preset::Reference)), Ok(()));
    assert!(preset(Preset::Reference).at_least_as_strict_as(&strict).is_err());
}

#[test]
fn the_paper_preset_is_looser_than_the_default() {
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
        "verification is observe, compared with enforce; allowed: enforce"
    );
}

#[test]
fn accepts_stricter_values() {
    assert_eq!(looser_fields(|values| values.rho = Millionths::new(600_000)), NO_FIELDS);
    assert_eq!(looser_fields(|values| values.tau_proceed = Millionths::new(800_001)), NO_FIELDS);
    assert_eq!(looser_fields(|values| values.ungrounded_floor = Millionths::new(1)), NO_FIELDS);
    assert_eq!(
        looser_fields(|values| values.guards.tool_match_needs_attestation = true),
        NO_FIELDS
    );
    assert_eq!(looser_fields(|values| values.gate.synthetic_validates = false), NO_FIELDS);
    assert_eq!(looser_fields(|values| values.gate.max_turns = 9), NO_FIELDS);
    assert_eq!(looser_fields(|values| values.gate.max_identical_calls = 1), NO_FIELDS);
}

#[test]
fn reports_looser_values() {
    assert_eq!(looser_fields(|values| values.rho = Millionths::new(400_000)), ["rho"]);
    assert_eq!(
        looser_fields(|values| values.tau_proceed = Millionths::new(799_999)),
        ["tau_proceed"]
    );
    assert_eq!(looser_fields(|values| values.gate.max_turns = 11), ["gate.max_turns"]);
    assert_eq!(
        looser_fields(|values| values.gate.max_identical_calls = 0),
        ["gate.max_identical_calls"]
    );
    assert_eq!(looser_fields(|values| values.rollout.gate = RolloutMode::Shadow), ["rollout.gate"]);
    let fields = looser_fields(|values| values.rollout.decision = DecisionRollout::Shadow);
    assert_eq!(fields, ["rollout.decision"]);
    assert_eq!(looser_fields(|values| values.guards.min_coverage = None), ["guards.min_coverage"]);
    let limit = Some(Millionths::new(1_000_001));
    let fields = looser_fields(|values| values.guards.complementary_limit = limit);
    assert_eq!(fields, ["guards.complementary_limit"]);
}

#[test]
fn a_lower_weight_needs_a_floor_to_be_stricter() {
    let lower_weight = |values: &mut PolicyValues| {
        values.weights.set(EvidenceType::Domain, Millionths::new(200_000));
    };
    assert_eq!(looser_fields(lower_weight), ["weights.domain"]);
    let with_floor = |values: &mut PolicyValues| {
        lower_weight(values);
        values.ungrounded_floor = Millionths::new(600_000);
    };
    assert_eq!(looser_fields(with_floor), NO_FIELDS);
    let raise_weight = |values: &mut PolicyValues| {
        values.weights.set(EvidenceType::Domain, Millionths::new(700_000));
    };
    assert_eq!(looser_fields(raise_weight), ["weights.domain", "weights"]);
}

#[test]
fn a_partition_without_weight_must_still_abstain() {
    let without_rho = policy_with(Preset::Reference, |values| values.rho = Millionths::ZERO);
    let looser = preset(Preset::Reference).at_least_as_strict_as(&without_rho).unwrap_err();
    assert_eq!(looser[0].field, "rho");

    let without_weight = |floor| {
        policy_with(Preset::Paper, |values| {
            values.weights.set(EvidenceType::Domain, Millionths::ZERO);
            values.ungrounded_floor = floor;
        })
    };
    let policy = without_weight(Millionths::ONE);
    let looser = policy.at_least_as_strict_as(&without_weight(Millionths::ZERO)).unwrap_err();
    assert!(looser.iter().any(|looser| looser.field == "weights.domain"), "{looser:?}");
}

#[test]
fn a_second_look_at_more_claims_is_stricter() {
    let policy_with_look =
        |look| policy_with(Preset::Reference, |values| values.second_look = look);
    for look in SecondLook::ALL {
        for other_look in SecondLook::ALL {
            let result =
                policy_with_look(look).at_least_as_strict_as(&policy_with_look(other_look));
            assert_eq!(result.is_ok(), look >= other_look, "{look:?} {other_look:?}");
        }
    }
    let fields = looser_fields(|values| values.second_look_failure = SecondLookFailure::Note);
    assert_eq!(fields, ["second_look_failure"]);
    let fields = looser_fields(|values| values.undecided = Undecided::Ungrounded);
    assert_eq!(fields, ["undecided"]);
    let fields = looser_fields(|values| values.guards.headline_must_be_grounded = false);
    assert_eq!(fields, ["guards.headline_must_be_grounded"]);
}
