//! This module explains a decision: the margin to the next tiers, in score and in claims, and the effect of each
//! claim on the score.

use crate::claim::{Class, EvidenceType};
use crate::decision::{Decision, Hypothetical, Origin, TextFindings, Tier, decide_with};
use crate::fixed::{Fraction, Millionths};
use crate::policy::{Policy, PolicyValues};
use crate::score::{heaviest, heaviest_type};
use crate::tally::{Group, Tally};

/// What to do with a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Find evidence, so that it becomes grounded.
    Ground,
    /// Take it out of the report.
    Drop,
    /// A grounded claim turns out to be ungrounded.
    Lose,
}

impl Remedy {
    /// The word used in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ground => "ground",
            Self::Drop => "drop",
            Self::Lose => "lose",
        }
    }
}

/// The same remedy for several claims that weigh the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// What to do.
    pub remedy: Remedy,
    /// With which claims.
    pub group: Group,
    /// How many claims of the group.
    pub count: u32,
}

/// The way to a neighbouring tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Margin {
    /// The tier that would be reached.
    pub tier: Tier,
    /// The distance of the deciding score from the threshold in between, without its sign; `None` where a block
    /// decides.
    pub score: Option<Fraction>,
    /// The fewest claims to change.
    pub claims: u64,
    /// Which, by class and type.
    pub changes: Vec<Change>,
}

/// The ways to the neighbouring tiers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Margins {
    /// To the next less cautious tier that grounding or dropping claims can reach.
    pub better: Option<Margin>,
    /// To the next more cautious tier that losing grounded claims leads to.
    pub worse: Option<Margin>,
}

/// The margins of a decision. The text findings are held fixed: coverage does not change with the claims.
#[must_use]
pub fn margins(
    policy: &Policy,
    tally: &Tally,
    decision: &Decision,
    findings: Option<&TextFindings>,
) -> Margins {
    let tier_of = |tally: &Tally| decide_with(policy, tally, Origin::Judge, findings).tier;
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
            let below = decision.guarded_score?.compare(threshold).is_lt();
            let orders = orders_of_repair(policy, goal);
            let plans = orders.iter().filter_map(|order| {
                fewest(
                    tally,
                    order,
                    |tally| tier_of(tally) <= goal,
                    |tally, change| repair(policy, tally, change),
                )
            });
            let (claims, changes, reached) = plans.min_by_key(|(claims, ..)| *claims)?;
            let score = below.then(|| gap(threshold)).flatten();
            Some(Margin { tier: tier_of(&reached), score, claims, changes })
        }),
        worse: worse.and_then(|threshold| {
            let order = order_of_loss(policy);
            let (claims, changes, reached) =
                fewest(tally, &order, |tally| tier_of(tally) > decision.tier, lose)?;
            Some(Margin { tier: tier_of(&reached), score: gap(threshold), claims, changes })
        }),
    }
}

/// What a claim of a group does to the outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Impact {
    /// What it adds to the denominator of the published score: its weight, at least the floor where it is ungrounded
    /// or contradicted, and times rho where it is contradicted; times max(rho, 1) where its citation failed or the
    /// judge dropped it.
    pub contribution: Millionths,
    /// The outcome without it.
    pub without_claim: Hypothetical,
    /// The outcome were it grounded; `None` for one that is.
    pub if_grounded: Option<Hypothetical>,
}

/// What one claim of a group does.
#[must_use]
pub fn impact(
    policy: &Policy,
    tally: &Tally,
    group: Group,
    findings: Option<&TextFindings>,
) -> Impact {
    let outcome = |tally: &Tally| {
        let decision = decide_with(policy, tally, Origin::Judge, findings);
        Hypothetical::of(&decision)
    };
    let mut without = *tally;
    without.remove(group, 1);
    let if_grounded = match group {
        Group::Class(Class::Grounded, _) => None,
        group => {
            let mut grounded = *tally;
            repair(policy, &mut grounded, Change { remedy: Remedy::Ground, group, count: 1 });
            Some(outcome(&grounded))
        }
    };
    Impact {
        contribution: contribution(policy, group),
        without_claim: outcome(&without),
        if_grounded,
    }
}

fn contribution(policy: &PolicyValues, group: Group) -> Millionths {
    let weight = |evidence_type| policy.weights.of(evidence_type);
    let floored = |evidence_type| weight(evidence_type).max(policy.ungrounded_floor);
    let times = |weight: Millionths, factor: Millionths| {
        let product =
            u64::from(weight.get()) * u64::from(factor.get()) / u64::from(Millionths::ONE.get());
        Millionths::new(u32::try_from(product).unwrap_or(u32::MAX))
    };
    match group {
        Group::Class(Class::Grounded | Class::Complementary, evidence_type) => {
            weight(evidence_type)
        }
        Group::Class(Class::Ungrounded, evidence_type) => floored(evidence_type),
        Group::Class(Class::Contradicted, evidence_type) => {
            times(floored(evidence_type), policy.rho)
        }
        Group::UnverifiedContradiction(evidence_type) => {
            times(floored(evidence_type), policy.rho.max(Millionths::ONE))
        }
        Group::Dropped => times(heaviest(policy), policy.rho.max(Millionths::ONE)),
    }
}

/// Groups in the orders in which to repair them. With blocks on, contradictions come first on the way to
/// proceed, since every one of them has to go; else the heaviest effect comes first. Grounding always
/// helps at least as much as dropping, so it is what is counted.
fn orders_of_repair(policy: &PolicyValues, goal: Tier) -> Vec<Vec<Change>> {
    let ground = |group| Change { remedy: Remedy::Ground, group, count: 0 };
    let mut open: Vec<Change> = Vec::new();
    for evidence_type in EvidenceType::ALL {
        open.push(ground(Group::UnverifiedContradiction(evidence_type)));
        open.push(ground(Group::Class(Class::Contradicted, evidence_type)));
        open.push(ground(Group::Class(Class::Ungrounded, evidence_type)));
    }
    open.push(ground(Group::Dropped));
    let must_go = |change: &Change| match change.group {
        Group::Class(Class::Contradicted, _) => policy.guards.contradiction_blocks,
        Group::UnverifiedContradiction(_) | Group::Dropped => true,
        Group::Class(..) => false,
    };
    let threshold = if goal == Tier::Proceed { policy.tau_proceed } else { policy.tau_regenerate };
    // With complementary claims at their limit, one grounded claim brings 1 + m times its weight.
    let limited = policy.guards.complementary_limit.unwrap_or_default();
    let mut orders = Vec::new();
    for leverage in [Millionths::ONE.wide(), Millionths::ONE.wide() + limited.wide()] {
        let mut order = open.clone();
        order.sort_by_key(|change| {
            let first = goal == Tier::Proceed && must_go(change);
            (
                core::cmp::Reverse(first),
                core::cmp::Reverse(gain(policy, change.group, threshold, leverage)),
            )
        });
        orders.push(order);
    }
    orders
}

/// How much grounding one claim of a group moves numerator − threshold × denominator, in millionths of millionths.
fn gain(policy: &PolicyValues, group: Group, threshold: Millionths, leverage: u128) -> u128 {
    let one = Millionths::ONE;
    let rho = if policy.guards.rho_at_least_one { policy.rho.max(one) } else { policy.rho };
    let (weight, removed) = match group {
        Group::Class(class, evidence_type) => {
            let weight = policy.weights.of(evidence_type);
            let floored = weight.max(policy.ungrounded_floor).wide();
            let factor = if class == Class::Contradicted { rho } else { one };
            (weight, floored * factor.wide())
        }
        Group::UnverifiedContradiction(evidence_type) => {
            let weight = policy.weights.of(evidence_type);
            (weight, weight.max(policy.ungrounded_floor).wide() * policy.rho.max(one).wide())
        }
        Group::Dropped => {
            let heaviest_weight = policy.weights.of(heaviest_type(policy));
            (heaviest_weight, heaviest(policy).wide() * policy.rho.max(one).wide())
        }
    };
    let kept = one.wide().saturating_sub(threshold.wide());
    kept * weight.wide() * leverage + threshold.wide() * removed
}

fn order_of_loss(policy: &PolicyValues) -> Vec<Change> {
    let mut order: Vec<Change> = EvidenceType::ALL
        .into_iter()
        .map(|evidence_type| Group::Class(Class::Grounded, evidence_type))
        .map(|group| Change { remedy: Remedy::Lose, group, count: 0 })
        .collect();
    order.sort_by_key(|change| core::cmp::Reverse(contribution(policy, change.group)));
    order
}

/// The fewest changes, in the given order, after which the goal holds; `None` when it never does.
fn fewest(
    tally: &Tally,
    order: &[Change],
    holds: impl Fn(&Tally) -> bool,
    apply: impl Fn(&mut Tally, Change),
) -> Option<(u64, Vec<Change>, Tally)> {
    let mut changed = *tally;
    let mut changes = Vec::new();
    let mut claims = 0_u64;
    for step in order {
        let available = tally.in_group(step.group);
        if available == 0 {
            continue;
        }
        let after = |count: u32| {
            let mut tally = changed;
            apply(&mut tally, Change { count, ..*step });
            tally
        };
        if !holds(&after(available)) {
            changed = after(available);
            claims += u64::from(available);
            changes.push(Change { count: available, ..*step });
            continue;
        }
        let (mut enough, mut too_few) = (available, 0);
        while enough - too_few > 1 {
            let middle = too_few + (enough - too_few) / 2;
            if holds(&after(middle)) { enough = middle } else { too_few = middle }
        }
        changes.push(Change { count: enough, ..*step });
        return Some((claims + u64::from(enough), changes, after(enough)));
    }
    None
}

fn repair(policy: &PolicyValues, tally: &mut Tally, change: Change) {
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

fn lose(tally: &mut Tally, change: Change) {
    tally.remove(change.group, change.count);
    if let Group::Class(_, evidence_type) = change.group {
        tally.add(Class::Ungrounded, evidence_type, change.count);
    }
}
