//! Compares the decisions on all small partitions with those of an independent implementation of the paper.

use std::collections::BTreeMap;

use gsar_core::fixed_point::Millionths;
use gsar_core::policy::PolicyValues;
use gsar_core::undecided::decide_counts;
use gsar_core::{Class, EvidenceType, Origin, Policy, Preset, Tally, Tier, decide, preset};

/// The class and the evidence type of a claim, as indices.
type Kind = (usize, usize);

const GROUNDED: usize = 0;
const UNGROUNDED: usize = 1;
const CONTRADICTED: usize = 2;
const COMPLEMENTARY: usize = 3;

/// A policy whose values are plain integers in millionths.
struct Plain {
    weights: [i128; 8],
    floor: i128,
    rho: i128,
    tau_proceed: i128,
    tau_regenerate: i128,
    guards: bool,
    complementary_limit: i128,
    half: bool,
}

const ONE: i128 = 1_000_000;

impl Plain {
    fn paper() -> Self {
        Self {
            weights: [1_000_000, 950_000, 900_000, 850_000, 800_000, 700_000, 600_000, 600_000],
            floor: 0,
            rho: 500_000,
            tau_proceed: 800_000,
            tau_regenerate: 650_000,
            guards: false,
            complementary_limit: 0,
            half: true,
        }
    }

    fn reference() -> Self {
        Self { guards: true, complementary_limit: ONE, half: false, ..Self::paper() }
    }

    fn strict() -> Self {
        Self {
            weights: [1_000_000, 950_000, 900_000, 850_000, 800_000, 700_000, 200_000, 200_000],
            floor: 600_000,
            rho: 2_000_000,
            complementary_limit: ONE / 2,
            ..Self::reference()
        }
    }
}

/// Returns the score as (numerator, denominator), and the tier.
fn reference_decision(policy: &Plain, claims: &[Kind]) -> (Option<(i128, i128)>, Tier) {
    let sum = |class: usize, floor: i128| -> i128 {
        let members = claims.iter().filter(|claim| claim.0 == class);
        members.map(|claim| policy.weights[claim.1].max(floor)).sum()
    };
    let grounded_weight = sum(GROUNDED, 0);
    let complementary_weight = sum(COMPLEMENTARY, 0);
    let ungrounded_weight = sum(UNGROUNDED, policy.floor);
    let contradicted_weight = sum(CONTRADICTED, policy.floor);

    let numerator = (grounded_weight + complementary_weight) * ONE;
    let denominator = (grounded_weight + ungrounded_weight + complementary_weight) * ONE
        + policy.rho * contradicted_weight;
    if denominator == 0 {
        let tier = if policy.half { band(policy, 1, 2) } else { Tier::Abstain };
        return (policy.half.then_some((1, 2)), tier);
    }
    let score = (numerator, denominator);
    if !policy.guards {
        return (Some(score), band(policy, numerator, denominator));
    }
    let limited_complementary =
        (complementary_weight * ONE).min(policy.complementary_limit * grounded_weight);
    let guarded_numerator = grounded_weight * ONE + limited_complementary;
    let guarded_denominator =
        guarded_numerator + ungrounded_weight * ONE + policy.rho.max(ONE) * contradicted_weight;
    let mut tier = if guarded_denominator == 0 {
        Tier::Replan
    } else {
        band(policy, guarded_numerator, guarded_denominator)
    };
    let has_contradicted = claims.iter().any(|claim| claim.0 == CONTRADICTED);
    let has_grounded = claims.iter().any(|claim| claim.0 == GROUNDED);
    if tier == Tier::Proceed && (has_contradicted || !has_grounded) {
        tier = Tier::Regenerate;
    }
    (Some(score), tier)
}

fn band(policy: &Plain, numerator: i128, denominator: i128) -> Tier {
    if numerator * ONE >= policy.tau_proceed * denominator {
        Tier::Proceed
    } else if numerator * ONE >= policy.tau_regenerate * denominator {
        Tier::Regenerate
    } else {
        Tier::Replan
    }
}

fn check(policy: &Policy, plain: &Plain, claims: &[Kind]) {
    let tally = Tally::from_claims(
        claims.iter().map(|claim| (Class::ALL[claim.0], EvidenceType::ALL[claim.1])),
    );
    let decision = decide(policy, &tally, Origin::Caller, None);
    let (score, tier) = reference_decision(plain, claims);
    assert_eq!(decision.tier, tier, "{} {claims:?}", policy.name);
    match (score, decision.score) {
        (None, None) => {}
        (Some((numerator, denominator)), Some(actual)) => {
            let actual = actual.fraction();
            let (n, d) = (actual.numerator() as i128, actual.denominator() as i128);
            assert_eq!(numerator * d, n * denominator, "{} {claims:?}", policy.name);
            assert_eq!(greatest_common_divisor(n, d), 1, "{} {claims:?}", policy.name);
        }
        scores => panic!("{} {claims:?}: {scores:?}", policy.name),
    }
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Calls `visit` with every multiset of up to `max` claims of the 32 kinds.
fn visit_multisets(max: usize, visit: &mut impl FnMut(&[Kind])) {
    fn extend(
        first_kind: usize,
        remaining: usize,
        claims: &mut Vec<Kind>,
        visit: &mut impl FnMut(&[Kind]),
    ) {
        visit(claims);
        if remaining == 0 {
            return;
        }
        for kind in first_kind..32 {
            claims.push((kind / 8, kind % 8));
            extend(kind, remaining - 1, claims, visit);
            claims.pop();
        }
    }
    extend(0, max, &mut Vec::new(), visit);
}

fn policies() -> [(Policy, Plain); 3] {
    [
        (preset(Preset::Paper), Plain::paper()),
        (preset(Preset::Reference), Plain::reference()),
        (preset(Preset::Strict), Plain::strict()),
    ]
}

#[test]
fn decides_small_partitions_like_the_reference_implementation() {
    let policies = policies();
    let mut visited = 0_u32;
    visit_multisets(5, &mut |claims| {
        visited += 1;
        for (policy, plain) in &policies {
            check(policy, plain, claims);
        }
    });
    // The sum of C(32 + n - 1, n) for n from 0 to 5.
    assert_eq!(visited, 435_897);
}

#[test]
fn decides_scores_on_and_around_both_thresholds_like_the_reference_implementation() {
    for (base, plain) in [
        (Preset::Paper, Plain::paper as fn() -> Plain),
        (Preset::Reference, Plain::reference),
        (Preset::Strict, Plain::strict),
    ] {
        // Contains one multiset of up to four claims for each deciding score.
        let mut values: BTreeMap<(u128, u128), Vec<Kind>> = BTreeMap::new();
        let policy = preset(base);
        visit_multisets(4, &mut |claims| {
            let kinds =
                claims.iter().map(|claim| (Class::ALL[claim.0], EvidenceType::ALL[claim.1]));
            let tally = Tally::from_claims(kinds);
            if let Some(score) = decide(&policy, &tally, Origin::Caller, None).guarded_score {
                let score = score.fraction();
                values
                    .entry((score.numerator(), score.denominator()))
                    .or_insert_with(|| claims.to_vec());
            }
        });
        assert!(values.len() > 500, "{} values", values.len());
        for ((numerator, denominator), claims) in &values {
            let below = i128::try_from(numerator * 1_000_000 / denominator).unwrap();
            for threshold in [below - 1, below, below + 1] {
                if !(2..=999_998).contains(&threshold) {
                    continue;
                }
                for (tau_regenerate, tau_proceed) in
                    [(threshold - 1, threshold), (threshold, threshold + 1)]
                {
                    let values = PolicyValues {
                        tau_proceed: Millionths::new(u32::try_from(tau_proceed).unwrap()),
                        tau_regenerate: Millionths::new(u32::try_from(tau_regenerate).unwrap()),
                        ..policy.values().clone()
                    };
                    let adjusted = Policy::new(values).unwrap();
                    check(&adjusted, &Plain { tau_proceed, tau_regenerate, ..plain() }, claims);
                }
            }
        }
    }
}

/// Returns the tier of a partition with undecided claims. The class of an undecided claim is the class towards which
/// the judge leans.
fn reference_undecided(policy: &Plain, decided_claims: &[Kind], undecided_claims: &[Kind]) -> Tier {
    let tier_as = |class_of: &dyn Fn(usize) -> usize| {
        let assumed_claims =
            undecided_claims.iter().map(|(leans_to, kind)| (class_of(*leans_to), *kind));
        let claims: Vec<Kind> = decided_claims.iter().copied().chain(assumed_claims).collect();
        reference_decision(policy, &claims).1
    };
    let worst_class = |leans_to| if leans_to == CONTRADICTED { CONTRADICTED } else { UNGROUNDED };
    if !policy.guards {
        return tier_as(&|_| UNGROUNDED);
    }
    let (worst, best) = (tier_as(&worst_class), tier_as(&|_| GROUNDED));
    if worst == best { worst } else { Tier::Abstain }
}

fn tally(claims: &[Kind]) -> Tally {
    Tally::from_claims(claims.iter().map(|claim| (Class::ALL[claim.0], EvidenceType::ALL[claim.1])))
}

/// Calls `visit` with every possible outcome for the undecided claims, except for contradictions that the judge does
/// not lean towards.
fn visit_outcomes(policy: &Plain, undecided_claims: &[Kind], visit: &mut impl FnMut(&[Kind])) {
    fn extend(
        policy: &Plain,
        remaining: &[Kind],
        claims: &mut Vec<Kind>,
        visit: &mut impl FnMut(&[Kind]),
    ) {
        let Some(((leans_to, heaviest), remaining)) = remaining.split_first() else {
            return visit(claims);
        };
        for class in [GROUNDED, UNGROUNDED, CONTRADICTED, COMPLEMENTARY] {
            if class == CONTRADICTED && *leans_to != CONTRADICTED {
                continue;
            }
            for kind in 0..8 {
                if policy.weights[kind] <= policy.weights[*heaviest] {
                    claims.push((class, kind));
                    extend(policy, remaining, claims, visit);
                    claims.pop();
                }
            }
        }
    }
    extend(policy, undecided_claims, &mut Vec::new(), visit);
}

#[test]
fn every_outcome_for_undecided_claims_lies_within_the_bounds() {
    let policies = policies();
    let (mut equal_count, mut open_count) = (0_u32, 0_u32);
    visit_multisets(2, &mut |decided_claims| {
        visit_multisets(2, &mut |undecided_claims| {
            // Three types suffice: the heaviest, the lightest and one in between.
            if undecided_claims.iter().any(|(_, kind)| ![0, 3, 6].contains(kind)) {
                return;
            }
            for (policy, plain) in &policies {
                let decision =
                    decide_counts(policy, &tally(decided_claims), &tally(undecided_claims));
                let expected = reference_undecided(plain, decided_claims, undecided_claims);
                assert_eq!(decision.tier, expected, "{decided_claims:?} {undecided_claims:?}");
                let Some(bounds) = decision.bounds else {
                    assert!(undecided_claims.is_empty() || !plain.guards);
                    continue;
                };
                let is_open = bounds.worst.tier != bounds.best.tier;
                *(if is_open { &mut open_count } else { &mut equal_count }) += 1;
                let has_reason =
                    decision.reasons.iter().any(|reason| reason.code() == "JUDGE_UNDECIDED");
                assert_eq!((is_open, decision.score.is_none()), (has_reason, is_open));
                visit_outcomes(plain, undecided_claims, &mut |outcome| {
                    let claims: Vec<Kind> = decided_claims.iter().chain(outcome).copied().collect();
                    let truth = decide(policy, &tally(&claims), Origin::Caller, None);
                    assert!(
                        (bounds.best.tier..=bounds.worst.tier).contains(&truth.tier),
                        "{decided_claims:?} {undecided_claims:?} {outcome:?}: {:?}",
                        truth.tier
                    );
                    let is_between = bounds.worst.score <= truth.guarded_score
                        && truth.guarded_score <= bounds.best.score;
                    assert!(is_between, "{decided_claims:?} {undecided_claims:?} {outcome:?}");
                });
            }
        });
    });
    assert!(equal_count > 10_000 && open_count > 10_000, "{equal_count} {open_count}");
}
