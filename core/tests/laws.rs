//! Checks the paper's laws P1 to P6 (arXiv:2604.23366) and the guards on random partitions.
//!
//! P1 to P6 apply to the published score S. They also apply to the deciding score S' if there is no complementary
//! limit.

use gsar_core::score::Ratio;
use gsar_core::{Class, Decision, EvidenceType, Origin, Policy, Preset, Tally, Tier, preset};
use proptest::prelude::*;
use proptest::sample::select;

type Kind = (Class, EvidenceType);

fn class() -> impl Strategy<Value = Class> {
    select(Class::ALL.to_vec())
}

fn evidence_type() -> impl Strategy<Value = EvidenceType> {
    select(EvidenceType::ALL.to_vec())
}

fn partition() -> impl Strategy<Value = Vec<Kind>> {
    prop::collection::vec((class(), evidence_type()), 0..24)
}

fn any_preset() -> impl Strategy<Value = Policy> {
    select(Preset::ALL.to_vec()).prop_map(preset)
}

fn guarded_preset() -> impl Strategy<Value = Policy> {
    select(vec![Preset::Reference, Preset::Strict]).prop_map(preset)
}

fn decide(policy: &Policy, tally: &Tally) -> Decision {
    gsar_core::decide(policy, tally, Origin::Caller, None)
}

/// Returns the scores to which the laws apply: S, and S' if there is no complementary limit.
fn scores(policy: &Policy, claims: &[Kind]) -> (Option<Ratio>, Option<Ratio>) {
    let decision = decide(policy, &Tally::from_claims(claims.iter().copied()));
    let guarded = policy.guards.complementary_limit.is_none().then_some(decision.guarded_score);
    (decision.score, guarded.flatten())
}

fn tier(policy: &Policy, claims: &[Kind]) -> Tier {
    decide(policy, &Tally::from_claims(claims.iter().copied())).tier
}

fn with_claim(claims: &[Kind], claim: Kind) -> Vec<Kind> {
    let mut claims = claims.to_vec();
    claims.push(claim);
    claims
}

/// Returns `true` if there are claims. The laws do not apply to the paper's score for an empty partition.
fn has_claims(claims: &[Kind]) -> bool {
    !claims.is_empty()
}

proptest! {

    #[test]
    fn p1_scores_are_at_most_one(policy in any_preset(), claims in partition()) {
        let decision = decide(&policy, &Tally::from_claims(claims));
        for score in [decision.score, decision.guarded_score].into_iter().flatten() {
            let score = score.fraction();
            prop_assert!(score.numerator() <= score.denominator());
        }
    }

    #[test]
    fn p2_grounding_an_ungrounded_claim_never_lowers_a_score(
        policy in any_preset(), claims in partition(), evidence_type in evidence_type()
    ) {
        let before = scores(&policy, &with_claim(&claims, (Class::Ungrounded, evidence_type)));
        let after = scores(&policy, &with_claim(&claims, (Class::Grounded, evidence_type)));
        prop_assert!(before.0 <= after.0 && before.1 <= after.1);
        // S was strictly lower before, since an ungrounded claim with weight kept it below 1.
        prop_assert!(before.0 < after.0);
    }

    #[test]
    fn p3_adding_a_contradicted_claim_never_raises_a_score(
        policy in any_preset(), claims in partition().prop_filter("scored", |c| has_claims(c)),
        evidence_type in evidence_type()
    ) {
        let before = scores(&policy, &claims);
        let after = scores(&policy, &with_claim(&claims, (Class::Contradicted, evidence_type)));
        prop_assert!(after.0 <= before.0 && after.1 <= before.1);
    }

    #[test]
    fn p4_adding_a_complementary_claim_never_lowers_a_score_nor_raises_it_more_than_a_grounded_claim(
        policy in any_preset(), claims in partition().prop_filter("scored", |c| has_claims(c)),
        evidence_type in evidence_type()
    ) {
        let before = scores(&policy, &claims);
        let complementary = scores(&policy, &with_claim(&claims, (Class::Complementary, evidence_type)));
        let grounded = scores(&policy, &with_claim(&claims, (Class::Grounded, evidence_type)));
        prop_assert!(before.0 <= complementary.0 && complementary.0 <= grounded.0);
        prop_assert!(before.1 <= complementary.1 && complementary.1 <= grounded.1);
    }

    #[test]
    fn p5_dropping_the_contradicted_claims_never_lowers_a_score(policy in any_preset(), claims in partition()) {
        let without_contradicted: Vec<Kind> =
            claims.iter().copied().filter(|claim| claim.0 != Class::Contradicted).collect();
        prop_assume!(has_claims(&without_contradicted));
        let (before, after) = (scores(&policy, &claims), scores(&policy, &without_contradicted));
        prop_assert!(before.0 <= after.0 && before.1 <= after.1);
        let has_supported = without_contradicted.iter().any(|claim| claim.0 != Class::Ungrounded);
        if has_supported && without_contradicted.len() < claims.len() {
            prop_assert!(before.0 < after.0);
        }
    }

    #[test]
    fn p6_changing_a_grounded_tool_match_to_inference_never_raises_a_score(
        policy in any_preset(), claims in partition()
    ) {
        let tool_match = scores(&policy, &with_claim(&claims, (Class::Grounded, EvidenceType::ToolMatch)));
        let inference = scores(&policy, &with_claim(&claims, (Class::Grounded, EvidenceType::Inference)));
        prop_assert!(inference.0 <= tool_match.0 && inference.1 <= tool_match.1);
        let has_unsupported =
            claims.iter().any(|claim| matches!(claim.0, Class::Ungrounded | Class::Contradicted));
        prop_assert_eq!(inference.0 < tool_match.0, has_unsupported);
    }

    #[test]
    fn the_deciding_score_never_exceeds_the_published_score(
        policy in any_preset(), claims in partition()
    ) {
        let decision = decide(&policy, &Tally::from_claims(claims));
        prop_assert!(decision.guarded_score <= decision.score);
        prop_assert_eq!(decision.guarded_score.is_some(), decision.score.is_some());
    }

    #[test]
    fn contradicting_a_claim_never_improves_the_tier(
        policy in guarded_preset(), claims in partition(), evidence_type in evidence_type()
    ) {
        let ungrounded = tier(&policy, &with_claim(&claims, (Class::Ungrounded, evidence_type)));
        let contradicted = tier(&policy, &with_claim(&claims, (Class::Contradicted, evidence_type)));
        prop_assert!(contradicted >= ungrounded);
    }

    #[test]
    fn complementary_claims_alone_never_proceed(
        policy in guarded_preset(), types in prop::collection::vec(evidence_type(), 1..24)
    ) {
        let claims: Vec<Kind> = types.into_iter().map(|t| (Class::Complementary, t)).collect();
        prop_assert!(tier(&policy, &claims) > Tier::Proceed);
    }

    #[test]
    fn the_order_of_claims_does_not_matter(
        policy in any_preset(),
        claims in partition(),
        seed in any::<u64>(),
    ) {
        let tally = Tally::from_claims(claims.iter().copied());
        let expected = decide(&policy, &tally);
        let mut shuffled = claims;
        let mut state = seed | 1;
        for _ in 0..20 {
            for last in (1..shuffled.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                shuffled.swap(last, (state >> 33) as usize % (last + 1));
            }
            let shuffled_tally = Tally::from_claims(shuffled.iter().copied());
            prop_assert_eq!(&shuffled_tally, &tally);
            prop_assert_eq!(&decide(&policy, &shuffled_tally), &expected);
        }
    }
}

#[test]
fn tiers_at_the_thresholds_are_exact() {
    // 4 × 0.7 / (5 × 0.7) is below 0.8 in binary floating point.
    let paper = preset(Preset::Paper);
    for evidence_type in EvidenceType::ALL {
        for (grounded, ungrounded, expected) in [
            (4, 1, Tier::Proceed),
            (8, 2, Tier::Proceed),
            (12, 3, Tier::Proceed),
            (13, 7, Tier::Regenerate),
        ] {
            let mut tally = Tally::default();
            tally.add(Class::Grounded, evidence_type, grounded);
            tally.add(Class::Ungrounded, evidence_type, ungrounded);
            assert_eq!(
                decide(&paper, &tally).tier,
                expected,
                "{grounded}+{ungrounded} {evidence_type:?}"
            );
        }
    }
}

#[test]
fn the_worked_example_of_the_paper_is_reproduced() {
    let claims = [
        (Class::Grounded, EvidenceType::ToolMatch),
        (Class::Grounded, EvidenceType::SpecificData),
        (Class::Ungrounded, EvidenceType::Inference),
        (Class::Complementary, EvidenceType::ComplementaryFinding),
        (Class::Contradicted, EvidenceType::Inference),
    ];
    let decision = decide(&preset(Preset::Paper), &Tally::from_claims(claims));
    assert_eq!(decision.score.unwrap().fraction().to_string(), "28/37");
    assert_eq!(decision.tier, Tier::Regenerate);
    let mut values = preset(Preset::Paper).values().clone();
    values.rho = gsar_core::fixed_point::Millionths::ZERO;
    let decision = decide(&Policy::new(values).unwrap(), &Tally::from_claims(claims));
    assert_eq!(decision.score.unwrap().fraction().to_string(), "14/17");
    assert_eq!(decision.tier, Tier::Proceed);
}
