//! Decides stored partitions under variants of the method: four ablations and two baselines
//! (arXiv:2604.23366).

use anyhow::{Context as _, Result};
use gsar_core::fixed_point::Millionths;
use gsar_core::policy::{Policy, Weights};
use gsar_core::{Class, Tier, names};

use crate::partition::{Partition, score};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Variant {
    Policy,
    /// Every evidence type has weight 1.
    UniformWeights,
    /// Complementary claims count as ungrounded.
    NoComplementary,
    /// Contradicted claims have no weight.
    RhoZero,
    TwoTiers,
    /// Proceeds if a claim is grounded and none is contradicted, and otherwise replans.
    Binary,
    /// Uniform weights, and complementary claims count as ungrounded.
    UniformJudge,
}

names!(Variant {
    Policy => "policy",
    UniformWeights => "uniform weights",
    NoComplementary => "no complementary class",
    RhoZero => "rho = 0",
    TwoTiers => "two tiers",
    Binary => "baseline: binary",
    UniformJudge => "baseline: uniform-weight judge",
});

impl Variant {
    pub(crate) fn policy(self, base: &Policy) -> Result<Policy> {
        let mut values = base.values().clone();
        if matches!(self, Self::UniformWeights | Self::UniformJudge) {
            values.weights = Weights::new([Millionths::ONE; 8]);
        }
        if self == Self::RhoZero {
            values.rho = Millionths::ZERO;
            values.guards.rho_at_least_one = false;
        }
        Policy::new(values).with_context(|| format!("variant `{}`", self.name()))
    }

    pub(crate) fn decide(self, policy: &Policy, partition: &Partition) -> Outcome {
        if self == Self::Binary {
            let has = |class| partition.counted(policy).any(|claim| claim.class == class);
            let proceeds = has(Class::Grounded) && !has(Class::Contradicted);
            let tier = if proceeds { Tier::Proceed } else { Tier::Replan };
            return Outcome { tier, score: Some(f64::from(u8::from(proceeds))) };
        }
        let decision = match self {
            Self::NoComplementary | Self::UniformJudge => {
                partition.with_class_as(Class::Complementary, Class::Ungrounded).decide(policy)
            }
            _ => partition.decide(policy),
        };
        let tier = match decision.tier {
            Tier::Regenerate if self == Self::TwoTiers => Tier::Replan,
            tier => tier,
        };
        Outcome { tier, score: score(&decision) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) tier: Tier,
    /// S, from 0 to 1; `None` if it is undefined.
    pub(crate) score: Option<f64>,
}

impl Outcome {
    pub(crate) const ABSTAINED: Self = Self { tier: Tier::Abstain, score: None };
}
