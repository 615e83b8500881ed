//! Compares margins with those found by brute force, and checks impacts.

use gsar_core::explain::{Remedy, impact, margins};
use gsar_core::tally::Group;
use gsar_core::{Class, EvidenceType, Origin, Policy, Preset, Tally, Tier, decide, preset};

type Kind = (Class, EvidenceType);

/// Returns the minimum number of claims that must change to reach a tier, by trying every choice of changes.
fn brute_force(policy: &Policy, claims: &[Kind], goal: Tier) -> Option<u64> {
    let unsupported: Vec<usize> = (0..claims.len())
        .filter(|index| matches!(claims[*index].0, Class::Ungrounded | Class::Contradicted))
        .collect();
    let mut min_changes: Option<u64> = None;
    for choice in 0..3_u32.pow(u32::try_from(unsupported.len()).unwrap()) {
        let mut digits = choice;
        let mut change_count = 0;
        let mut tally = Tally::default();
        for (index, (class, evidence_type)) in claims.iter().enumerate() {
            let mut class = Some(*class);
            if unsupported.contains(&index) {
                match digits % 3 {
                    1 => class = Some(Class::Grounded),
                    2 => class = None,
                    _ => {}
                }
                change_count += u64::from(digits % 3 != 0);
                digits /= 3;
            }
            if let Some(class) = class {
                tally.add(class, *evidence_type, 1);
            }
        }
        if decide(policy, &tally, Origin::Caller, None).tier <= goal
            && min_changes.is_none_or(|min| change_count < min)
        {
            min_changes = Some(change_count);
        }
    }
    min_changes
}

#[test]
fn the_margin_to_the_better_tier_is_the_smallest_possible() {
    // Three evidence types with distinct weights suffice.
    let types = [EvidenceType::ToolMatch, EvidenceType::NegEvidence, EvidenceType::Inference];
    for base in Preset::ALL {
        let policy = preset(base);
        let mut stack = vec![(Vec::<Kind>::new(), 0_usize)];
        while let Some((claims, first_kind)) = stack.pop() {
            let tally = Tally::from_claims(claims.iter().copied());
            let decision = decide(&policy, &tally, Origin::Caller, None);
            let goal = match decision.tier {
                Tier::Regenerate => Some(Tier::Proceed),
                Tier::Replan => Some(Tier::Regenerate),
                _ => None,
            };
            if let Some(goal) = goal {
                let margin = margins(&policy, &tally, &decision, None).better;
                let margin = margin.map(|margin| margin.claims);
                assert_eq!(margin, brute_force(&policy, &claims, goal), "{base:?} {claims:?}");
            }
            if claims.len() < 5 {
                for kind in first_kind..12 {
                    let mut extended = claims.clone();
                    extended.push((Class::ALL[kind / 3], types[kind % 3]));
                    stack.push((extended, kind));
                }
            }
        }
    }
}

#[test]
fn the_margin_to_the_worse_tier_counts_lost_grounded_claims() {
    let policy = preset(Preset::Paper);
    let mut tally = Tally::default();
    tally.add(Class::Grounded, EvidenceType::ToolMatch, 9);
    tally.add(Class::Ungrounded, EvidenceType::ToolMatch, 1);
    let decision = decide(&policy, &tally, Origin::Caller, None);
    let margin = margins(&policy, &tally, &decision, None).worse.unwrap();
    assert_eq!((margin.tier, margin.claims), (Tier::Regenerate, 2));
    assert_eq!(margin.changes[0].remedy, Remedy::Lose);
    assert_eq!(margin.score.unwrap().to_string(), "1/10");
}

#[test]
fn computes_the_margins_of_a_million_claims() {
    let policy = preset(Preset::Reference);
    let mut tally = Tally::default();
    tally.add(Class::Grounded, EvidenceType::ToolMatch, 500_000);
    tally.add(Class::Ungrounded, EvidenceType::ToolMatch, 500_000);
    let decision = decide(&policy, &tally, Origin::Caller, None);
    let margin = margins(&policy, &tally, &decision, None).better.unwrap();
    assert_eq!((margin.tier, margin.claims), (Tier::Regenerate, 150_000));
}

#[test]
fn an_impact_is_the_effect_of_one_claim() {
    let policy = preset(Preset::Paper);
    let mut tally = Tally::default();
    tally.add(Class::Grounded, EvidenceType::ToolMatch, 3);
    tally.add(Class::Contradicted, EvidenceType::ToolMatch, 2);
    let group = Group::Class(Class::Contradicted, EvidenceType::ToolMatch);
    let impact = impact(&policy, &tally, group, None);
    assert_eq!(impact.contribution.to_string(), "0.5");
    assert_eq!(impact.without_claim.score.unwrap().fraction().to_string(), "6/7");
    let grounded = impact.if_grounded.unwrap();
    assert_eq!(grounded.score.unwrap().fraction().to_string(), "8/9");
    assert_eq!(grounded.tier, Tier::Proceed);
}
