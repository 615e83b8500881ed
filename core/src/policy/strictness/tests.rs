//! This module tests which policies count as stricter than others.

use super::super::{DecisionRollout, FindingModes, Preset, RolloutMode, preset};
use super::*;

fn with(base: Preset, change: impl FnOnce(&mut PolicyValues)) -> Policy {
    let mut values = preset(base).values().clone();
    change(&mut values);
    Policy::new(values).unwrap()
}

/// The fields in which a changed `reference` is looser than `reference`.
fn looser(change: impl FnOnce(&mut PolicyValues)) -> Vec<String> {
    let changed = with(Preset::Reference, change);
    let found = changed.at_least_as_strict_as(&preset(Preset::Reference));
    found.err().unwrap_or_default().into_iter().map(|looser| looser.field).collect()
}

const NOTHING: [&str; 0] = [];

#[test]
fn every_policy_is_as_strict_as_itself_and_strict_as_the_default() {
    for base in Preset::ALL {
        assert_eq!(preset(base).at_least_as_strict_as(&preset(base)), Ok(()));
    }
    let strict = preset(Preset::Strict);
    assert_eq!(strict.at_least_as_strict_as(&preset(Preset::Reference)), Ok(()));
    assert!(preset(Preset::Reference).at_least_as_strict_as(&strict).is_err());
}

#[test]
fn paper_is_looser_than_the_default_and_says_in_what() {
    let paper = preset(Preset::Paper);
    let looser = paper.at_least_as_strict_as(&preset(Preset::Reference)).unwrap_err();
    let fields: Vec<&str> = looser.iter().map(|looser| looser.field.as_str()).collect();
    for field in [
        "undefined_score",
        "verification",
        "guards.duplicates_count_once",
        "guards.rho_at_least_one",
        "guards.contradiction_blocks",
        "guards.absence_needs_search",
        "guards.min_grounded",
        "guards.complementary_limit",
        "guards.min_coverage",
        "gate.contested",
        "ladder.joins_decision",
        "findings.figures",
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
fn what_a_caller_may_tighten() {
    assert_eq!(looser(|values| values.rho = Millionths::new(600_000)), NOTHING);
    assert_eq!(looser(|values| values.tau_proceed = Millionths::new(800_001)), NOTHING);
    assert_eq!(looser(|values| values.ungrounded_floor = Millionths::new(1)), NOTHING);
    assert_eq!(looser(|values| values.guards.tool_match_needs_attestation = true), NOTHING);
    assert_eq!(looser(|values| values.gate.synthetic_validates = false), NOTHING);
}

#[test]
fn what_a_caller_may_not_loosen() {
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
fn a_lower_weight_is_stricter_only_with_the_floor_that_makes_up_for_it() {
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
fn what_abstains_for_want_of_weight_goes_on_abstaining() {
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

    let enforced = |search| {
        with(Preset::Reference, |values| {
            values.weights.set(EvidenceType::Domain, Millionths::ZERO);
            values.ungrounded_floor = Millionths::ONE;
            values.guards.absence_needs_search = search;
        })
    };
    let looser = enforced(true).at_least_as_strict_as(&enforced(false)).unwrap_err();
    assert_eq!(looser[0].field, "guards.absence_needs_search");
    assert!(looser[0].allowed.contains("abstain"), "{looser:?}");
}

#[test]
fn note_is_weaker_than_ask_and_correct_which_do_not_compare() {
    use FindingMode::{Ask, Correct, Note};
    let base = |mode, check| {
        with(Preset::Reference, |values| {
            values.findings = FindingModes::all(Note);
            values.findings.set(check, mode);
        })
    };
    for check in Check::ALL {
        let compare = |own, other| base(own, check).at_least_as_strict_as(&base(other, check));
        for (own, other) in [(Note, Ask), (Note, Correct), (Ask, Correct), (Correct, Ask)] {
            let looser = compare(own, other).unwrap_err();
            assert_eq!(looser[0].field, format!("findings.{}", check.name()));
        }
        for (own, other) in [(Ask, Note), (Correct, Note), (Ask, Ask)] {
            assert_eq!(compare(own, other), Ok(()), "{check:?}");
        }
    }
}

#[test]
fn a_check_is_added_only_where_it_hides_no_later_one() {
    let with_modes = |modes: &[(Check, FindingMode)]| {
        with(Preset::Reference, |values| {
            values.findings = FindingModes::all(FindingMode::Note);
            for (check, mode) in modes {
                values.findings.set(*check, *mode);
            }
        })
    };
    let figures = (Check::Figures, FindingMode::Ask);
    let both = with_modes(&[figures, (Check::Names, FindingMode::Correct)]);
    let looser = both.at_least_as_strict_as(&with_modes(&[figures])).unwrap_err();
    assert_eq!(looser[0].field, "findings.names");
    assert!(looser[0].allowed.contains("figures"), "{looser:?}");
    let after = with_modes(&[figures, (Check::Times, FindingMode::Correct)]);
    assert_eq!(after.at_least_as_strict_as(&with_modes(&[figures])), Ok(()));
}
