//! Explains a decision by its margins to the neighbouring tiers and by each claim's effect on the score.

use crate::claim::{Class, EvidenceType};
use crate::fixed_point::{Fraction, Millionths};
use crate::names;
use crate::policy::{Policy, PolicyValues};
use crate::score::{heaviest_type, max_weight};
use crate::tally::{Group, Tally};
use crate::tier::Tier;
use crate::tier_decision::{Decision, Hypothetical, Origin, TextFindings, decide};

/// A change to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Find evidence that grounds the claim.
    Ground,
    /// Remove the claim.
    Drop,
    /// Assume that a grounded claim loses its evidence.
    Lose,
}

names!(Remedy { Ground => "ground", Drop => "drop", Lose => "lose" });

/// The same change to several claims in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemedyStep {
    /// The remedy.
    pub remedy: Remedy,
    /// The claims to change.
    pub group: Group,
    /// The number of claims to change.
    pub count: u32,
}

/// The distance to a neighbouring tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Margin {
    /// The tier that the changes reach.
    pub tier: Tier,
    /// The absolute distance between the deciding score and the threshold; `None` if a blocking guard determined the
    /// tier.
    pub score: Option<Fraction>,
    /// The minimum number of claims that must change.
    pub claims: u64,
    /// The claims to change, by class and type.
    pub changes: Vec<RemedyStep>,
}

/// The margins to the neighbouring tiers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Margins {
    /// The margin to the next less cautious tier that can be reached by grounding or dropping claims.
    pub better: Option<Margin>,
    /// The margin to the next more cautious tier that would be reached if grounded claims lost their evidence.
    pub worse: Option<Margin>,
}

/// Computes the margins of a decision. Findings from the text, such as coverage, are assumed to stay the same.
#[must_use]
pub fn margins(
    policy: &Policy,
    tally: &Tally,
    decision: &Decision,
    findings: Option<&TextFindings>,
) -> Margins {
    let tier_for = |tally: &Tally| decide(policy, tally, Origin::Judge, findings).tier;
    let better = match decision.tier {
        Tier::Regenerate => Some((Tier::Proceed, policy.tau_proceed)),
        Tier::Replan => Some((Tier::Regenerate, policy.tau_regenerate)),
        Tier::Proceed | Tier::Abstain => None,
    };
    let worse = match decision.tier {
        Tier::Proceed => Some(policy.tau_proceed),
        Tier::Regenerate => Some(policy.tau_regenerate),
        Tier::Replan | Tier::Abstain => None,
    };
    let gap = |threshold: Millionths| decision.guarded_score.map(|score| score.distance(threshold));
    Margins {
        better: better.and_then(|(goal, threshold)| {
            let is_below = decision.guarded_score?.compare(threshold).is_lt();
            let orders = repair_orders(policy, goal);
            let plans = orders.iter().filter_map(|order| {
                min_changes(
                    tally,
                    order,
                    |tally| tier_for(tally) <= goal,
                    |tally, change| repair(policy, tally, change),
                )
            });
            let (claims, changes, reached) = plans.min_by_key(|(claims, ..)| *claims)?;
            let score = is_below.then(|| gap(threshold)).flatten();
            Some(Margin { tier: tier_for(&reached), score, claims, changes })
        }),
        worse: worse.and_then(|threshold| {
            let order = loss_order(policy);
            let (claims, changes, reached) =
                min_changes(tally, &order, |tally| tier_for(tally) > decision.tier, lose_grounded)?;
            Some(Margin { tier: tier_for(&reached), score: gap(threshold), claims, changes })
        }),
    }
}

/// A claim's effect on the outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impact {
    /// The weight that the claim adds to the denominator of the published score.
    pub contribution: Millionths,
    /// The outcome without the claim.
    pub without_claim: Hypothetical,
    /// The outcome if the claim were grounded; `None` if it is already grounded.
    pub if_grounded: Option<Hypothetical>,
}

/// Computes the effect of one claim that belongs to a group.
#[must_use]
pub fn impact(
    policy: &Policy,
    tally: &Tally,
    group: Group,
    findings: Option<&TextFindings>,
) -> Impact {
    let outcome = |tally: &Tally| {
        let decision = decide(policy, tally, Origin::Judge, findings);
        Hypothetical::new(&decision)
    };
    let mut tally_without = *tally;
    tally_without.remove(group, 1);
    let if_grounded = match group {
        Group::Class(Class::Grounded, _) => None,
        group => {
            let mut grounded = *tally;
            repair(policy, &mut grounded, RemedyStep { remedy: Remedy::Ground, group, count: 1 });
            Some(outcome(&grounded))
        }
    };
    Impact {
        contribution: contribution(policy, group),
        without_claim: outcome(&tally_without),
        if_grounded,
    }
}

fn contribution(policy: &PolicyValues, group: Group) -> Millionths {
    let weight = |evidence_type| policy.weights.get(evidence_type);
    let weight_with_floor = |evidence_type| weight(evidence_type).max(policy.ungrounded_floor);
    let multiply = |weight: Millionths, factor: Millionths| {
        let product =
            u64::from(weight.get()) * u64::from(factor.get()) / u64::from(Millionths::ONE.get());
        Millionths::new(u32::try_from(product).unwrap_or(u32::MAX))
    };
    match group {
        Group::Class(Class::Grounded | Class::Complementary, evidence_type) => {
            weight(evidence_type)
        }
        Group::Class(Class::Ungrounded, evidence_type) => weight_with_floor(evidence_type),
        Group::Class(Class::Contradicted, evidence_type) => {
            multiply(weight_with_floor(evidence_type), policy.rho)
        }
        Group::UnverifiedContradiction(evidence_type) => {
            multiply(weight_with_floor(evidence_type), policy.rho.max(Millionths::ONE))
        }
        Group::Dropped => multiply(max_weight(policy), policy.rho.max(Millionths::ONE)),
    }
}

/// Returns two orders in which claims can be grounded. If the goal is proceed, blocking claims come first.
fn repair_orders(policy: &PolicyValues, goal: Tier) -> Vec<Vec<RemedyStep>> {
    let ground = |group| RemedyStep { remedy: Remedy::Ground, group, count: 0 };
    let mut steps: Vec<RemedyStep> = Vec::new();
    for evidence_type in EvidenceType::ALL {
        steps.push(ground(Group::UnverifiedContradiction(evidence_type)));
        steps.push(ground(Group::Class(Class::Contradicted, evidence_type)));
        steps.push(ground(Group::Class(Class::Ungrounded, evidence_type)));
    }
    steps.push(ground(Group::Dropped));
    let is_blocking = |change: &RemedyStep| match change.group {
        Group::Class(Class::Contradicted, _) => policy.guards.contradiction_blocks,
        Group::UnverifiedContradiction(_) | Group::Dropped => true,
        Group::Class(..) => false,
    };
    let threshold = if goal == Tier::Proceed { policy.tau_proceed } else { policy.tau_regenerate };
    // If complementary claims are at their limit, a grounded claim adds its weight times (1 + limit).
    let limit = policy.guards.complementary_limit.unwrap_or_default();
    let mut orders = Vec::new();
    for leverage in [Millionths::ONE.wide(), Millionths::ONE.wide() + limit.wide()] {
        let mut order = steps.clone();
        order.sort_by_key(|change| {
            let is_first = goal == Tier::Proceed && is_blocking(change);
            (
                core::cmp::Reverse(is_first),
                core::cmp::Reverse(gain(policy, change.group, threshold, leverage)),
            )
        });
        orders.push(order);
    }
    orders
}

/// Returns by how much grounding a claim increases `numerator - threshold * denominator`.
fn gain(policy: &PolicyValues, group: Group, threshold: Millionths, leverage: u128) -> u128 {
    let one = Millionths::ONE;
    let rho = if policy.guards.rho_at_least_one { policy.rho.max(one) } else { policy.rho };
    let (weight, removed) = match group {
        Group::Class(class, evidence_type) => {
            let weight = policy.weights.get(evidence_type);
            let weight_with_floor = weight.max(policy.ungrounded_floor).wide();
            let factor = if class == Class::Contradicted { rho } else { one };
            (weight, weight_with_floor * factor.wide())
        }
        Group::UnverifiedContradiction(evidence_type) => {
            let weight = policy.weights.get(evidence_type);
            (weight, weight.max(policy.ungrounded_floor).wide() * policy.rho.max(one).wide())
        }
        Group::Dropped => {
            let heaviest_weight = policy.weights.get(heaviest_type(policy));
            (heaviest_weight, max_weight(policy).wide() * policy.rho.max(one).wide())
        }
    };
    let remainder = one.wide().saturating_sub(threshold.wide());
    remainder * weight.wide() * leverage + threshold.wide() * removed
}

fn loss_order(policy: &PolicyValues) -> Vec<RemedyStep> {
    let mut order: Vec<RemedyStep> = EvidenceType::ALL
        .into_iter()
        .map(|evidence_type| Group::Class(Class::Grounded, evidence_type))
        .map(|group| RemedyStep { remedy: Remedy::Lose, group, count: 0 })
        .collect();
    order.sort_by_key(|change| core::cmp::Reverse(contribution(policy, change.group)));
    order
}

/// Returns the smallest number of changes, applied in the given order, that reach the goal.
fn min_changes(
    tally: &Tally,
    order: &[RemedyStep],
    reaches_goal: impl Fn(&Tally) -> bool,
    apply: impl Fn(&mut Tally, RemedyStep),
) -> Option<(u64, Vec<RemedyStep>, Tally)> {
    let mut changed = *tally;
    let mut changes = Vec::new();
    let mut claims = 0_u64;
    for step in order {
        let available = tally.count_in_group(step.group);
        if available == 0 {
            continue;
        }
        let tally_after = |count: u32| {
            let mut tally = changed;
            apply(&mut tally, RemedyStep { count, ..*step });
            tally
        };
        if !reaches_goal(&tally_after(available)) {
            changed = tally_after(available);
            claims += u64::from(available);
            changes.push(RemedyStep { count: available, ..*step });
            continue;
        }
        let (mut sufficient, mut insufficient) = (available, 0);
        while sufficient - insufficient > 1 {
            let middle = insufficient + (sufficient - insufficient) / 2;
            if reaches_goal(&tally_after(middle)) {
                sufficient = middle
            } else {
                insufficient = middle
            }
        }
        changes.push(RemedyStep { count: sufficient, ..*step });
        return Some((claims + u64::from(sufficient), changes, tally_after(sufficient)));
    }
    None
}

fn repair(policy: &PolicyValues, tally: &mut Tally, change: RemedyStep) {
    tally.remove(change.group, change.count);
    let evidence_type = match change.group {
        Group::Class(_, evidence_type) | Group::UnverifiedContradiction(evidence_type) => {
            evidence_type
        }
        Group::Dropped => heaviest_type(policy),
    };
    if change.remedy == Remedy::Ground {
        tally.add(Class::Grounded, evidence_type, change.count);
    }
}

fn lose_grounded(tally: &mut Tally, change: RemedyStep) {
    tally.remove(change.group, change.count);
    if let Group::Class(_, evidence_type) = change.group {
        tally.add(Class::Ungrounded, evidence_type, change.count);
    }
}
