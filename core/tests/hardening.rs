//! Attacks on the published method that must fail. Attacks with texts, citations or hypotheses are tested
//! next to the code.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use gsar_core::fixed_point::Millionths;
use gsar_core::policy::PolicyValues;
use gsar_core::{Class, Decision, EvidenceType, Origin, Policy, Preset, Tally, Tier, preset};

use Class::{Complementary, Contradicted, Grounded, Ungrounded};
use EvidenceType::{Inference, ToolMatch};

fn tally(claims: &[(Class, EvidenceType, u32)]) -> Tally {
    let mut tally = Tally::default();
    for (class, evidence_type, count) in claims {
        tally.add(*class, *evidence_type, *count);
    }
    tally
}

fn decide(policy: &Policy, tally: &Tally) -> Decision {
    gsar_core::decide(policy, tally, Origin::Caller, None)
}

fn tier(base: Preset, claims: &[(Class, EvidenceType, u32)]) -> Tier {
    decide(&preset(base), &tally(claims)).tier
}

#[test]
fn h01_a_contradicted_claim_never_costs_less_than_an_ungrounded_one() {
    let attack = [(Grounded, ToolMatch, 4), (Contradicted, ToolMatch, 1)];
    assert_eq!(tier(Preset::Paper, &attack), Tier::Proceed);
    assert_eq!(tier(Preset::Reference, &attack), Tier::Regenerate);
    let policy = preset(Preset::Paper);
    assert!(policy.warnings().iter().any(|warning| warning.field == "rho"));
}

#[test]
fn h02_weights_of_zero_do_not_make_unsupported_claims_free() {
    let mut values = preset(Preset::Paper).values().clone();
    values.weights.set(Inference, Millionths::ZERO);
    let attack = tally(&[(Grounded, ToolMatch, 1), (Ungrounded, Inference, 10)]);
    let paper = Policy::new(values.clone()).expect("derived from paper: a warning only");
    assert!(paper.warnings().iter().any(|warning| warning.field == "weights.inference"));
    assert_eq!(decide(&paper, &attack).tier, Tier::Proceed);

    values.base = Preset::Reference;
    let error = Policy::new(values.clone()).expect_err("free unsupported claims");
    assert_eq!(error.problems[0].field, "weights.inference");

    values.ungrounded_floor = Millionths::new(600_000);
    assert_eq!(decide(&Policy::new(values).unwrap(), &attack).tier, Tier::Replan);
}

#[test]
fn h03_padding_does_not_dilute_a_contradiction() {
    let attack = [(Grounded, ToolMatch, 200), (Contradicted, ToolMatch, 1)];
    assert_eq!(tier(Preset::Reference, &attack), Tier::Regenerate);
    assert_eq!(tier(Preset::Strict, &attack), Tier::Regenerate);
}

#[test]
fn h04_complementary_claims_alone_do_not_proceed() {
    let attack = [(Complementary, ToolMatch, 10)];
    assert_eq!(tier(Preset::Paper, &attack), Tier::Proceed);
    assert_eq!(tier(Preset::Reference, &attack), Tier::Replan);
    assert_eq!(tier(Preset::Strict, &attack), Tier::Replan);
    let diluted_claims =
        [(Grounded, Inference, 1), (Complementary, ToolMatch, 40), (Ungrounded, ToolMatch, 2)];
    assert_eq!(tier(Preset::Paper, &diluted_claims), Tier::Proceed);
    assert_eq!(tier(Preset::Reference, &diluted_claims), Tier::Replan);
}

#[test]
fn h05_scores_exactly_at_a_threshold_reach_it() {
    // 4 × 0.7 / (5 × 0.7) is below 0.8 in binary floating point.
    for evidence_type in EvidenceType::ALL {
        let on_proceed = [(Grounded, evidence_type, 4), (Ungrounded, evidence_type, 1)];
        assert_eq!(tier(Preset::Paper, &on_proceed), Tier::Proceed);
        let on_regenerate = [(Grounded, evidence_type, 13), (Ungrounded, evidence_type, 7)];
        assert_eq!(tier(Preset::Paper, &on_regenerate), Tier::Regenerate);
    }
}

#[test]
fn h18_caps_stay_below_the_tier_they_guard() {
    let rejected_field = |change: fn(&mut PolicyValues)| {
        let mut values = preset(Preset::Reference).values().clone();
        change(&mut values);
        Policy::new(values).expect_err("a cap that guards nothing").problems[0].field.clone()
    };
    let threshold = Millionths::new(850_000);
    assert_eq!(
        rejected_field(|values| values.cap.partially_grounded = Millionths::new(850_000)),
        "cap.partially_grounded"
    );
    assert_eq!(
        rejected_field(|values| values.cap.ungrounded = Millionths::new(650_000)),
        "cap.ungrounded"
    );
    assert_eq!(
        rejected_field(|values| values.ladder.patch = Millionths::new(640_000)),
        "cap.ungrounded"
    );
    assert_eq!(preset(Preset::Reference).ladder.pull_request, threshold);
}

#[test]
fn h19_invalid_numbers_are_rejected_by_field() {
    for (text, field) in [
        ("rho = nan", "rho"),
        ("rho = inf", "rho"),
        ("tau_proceed = -0.0", "tau_proceed"),
        ("tau_proceed = 1.000001", "tau_proceed"),
        ("ungrounded_floor = 1.0000001", "ungrounded_floor"),
        ("[weights]\ntool_match = -1", "weights.tool_match"),
        ("[weights]\ntool_match = 1e-3", "weights.tool_match"),
        ("[cap]\nungrounded = nan", "cap.ungrounded"),
    ] {
        let error = Policy::from_toml(text).expect_err(text).to_string();
        assert!(error.contains(field), "{error}");
    }
}

#[test]
fn h31_order_does_not_matter() {
    let claims = [
        (Grounded, ToolMatch),
        (Ungrounded, EvidenceType::NegEvidence),
        (Grounded, EvidenceType::NegEvidence),
        (Contradicted, Inference),
    ];
    let reversed = claims.iter().rev().copied();
    assert_eq!(Tally::from_claims(claims), Tally::from_claims(reversed));
}

#[test]
fn h33_nothing_to_score_is_an_abstention() {
    let empty_tally = Tally::default();
    for base in [Preset::Reference, Preset::Strict] {
        let decision = decide(&preset(base), &empty_tally);
        assert_eq!(decision.tier, Tier::Abstain);
        assert_eq!((decision.score, decision.guarded_score), (None, None));
        assert_eq!(decision.reasons[0].code(), "NOTHING_TO_SCORE");
    }
    let paper = decide(&preset(Preset::Paper), &empty_tally);
    assert_eq!(paper.score.unwrap().fraction().to_string(), "1/2");
    assert_eq!(paper.tier, Tier::Replan);
}
