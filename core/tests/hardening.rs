//! Checks that attacks on the published method fail. Attacks with texts, citations or hypotheses are tested next to the
//! code.

use gsar_core::fixed_point::Millionths;
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
    let paper =
        Policy::new(values.clone()).expect("a policy derived from paper only gets a warning");
    assert!(paper.warnings().iter().any(|warning| warning.field == "weights.inference"));
    assert_eq!(decide(&paper, &attack).tier, Tier::Proceed);

    values.base = Preset::Reference;
    let error = Policy::new(values.clone()).expect_err("unsupported claims must not be free");
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
fn h18_a_lower_action_threshold_needs_a_lower_cap() {
    let mut values = preset(Preset::Reference).values().clone();
    assert_eq!(values.ladder.pull_request, Millionths::new(850_000));
    assert_eq!(values.ladder.patch, Millionths::new(650_000));
    values.ladder.patch = Millionths::new(640_000);
    let error = Policy::new(values).expect_err("the cap must be below the threshold");
    assert_eq!(error.problems[0].field, "cap.ungrounded");
}

#[test]
fn h19_errors_for_invalid_numbers_name_the_field() {
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
fn h33_a_partition_without_claims_is_an_abstention() {
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
