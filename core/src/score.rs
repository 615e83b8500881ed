//! Computes the score of a partition over integers in millionths (arXiv:2604.23366; docs/POLICY.md, "The score"):
//! S = (W(G) + W(K)) / (W(G) + W(U) + rho W(X) + W(K)).

use core::cmp::Ordering;

use crate::claim::{Class, EvidenceType};
use crate::fixed::{Fraction, Millionths};
use crate::policy::PolicyValues;
use crate::tally::Tally;

/// The weight W of each part of a partition, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScoreTerms {
    /// W(G).
    pub grounded: u128,
    /// W(U), each claim weighing at least the floor.
    pub ungrounded: u128,
    /// W(X), each claim weighing at least the floor; rho is not yet applied.
    pub contradicted: u128,
    /// W(K).
    pub complementary: u128,
    /// The weight of contradictions with a failed citation and of dropped claims; max(1, rho) is not yet applied.
    pub unverified: u128,
}

impl ScoreTerms {
    /// Computes the weights of a tally.
    #[must_use]
    pub fn of(policy: &PolicyValues, tally: &Tally) -> Self {
        let supported = |class| {
            let counts = tally.of_class(class).iter().zip(policy.weights.as_array());
            counts.map(|(count, weight)| u128::from(*count) * weight.wide()).sum()
        };
        let floored = |counts: &[u32; 8]| -> u128 {
            let counts = counts.iter().zip(policy.weights.as_array());
            let floor = policy.ungrounded_floor;
            counts.map(|(count, weight)| u128::from(*count) * (*weight).max(floor).wide()).sum()
        };
        Self {
            grounded: supported(Class::Grounded),
            ungrounded: floored(tally.of_class(Class::Ungrounded)),
            contradicted: floored(tally.of_class(Class::Contradicted)),
            complementary: supported(Class::Complementary),
            unverified: floored(tally.unverified_contradictions())
                + u128::from(tally.dropped()) * max_weight(policy).wide(),
        }
    }

    /// The published score S (arXiv:2604.23366), from 0 to 1, or `None` if nothing has weight.
    #[must_use]
    pub fn score(&self, policy: &PolicyValues) -> Option<Ratio> {
        let one = Millionths::ONE.wide();
        self.ratio(policy, policy.rho, self.complementary * one)
    }

    /// The guarded score S' that determines the tier (docs/POLICY.md, "The guards"), from 0 to 1: rho is at least 1 and
    /// complementary claims are limited, if the policy's guards are on. Never above [`ScoreTerms::score`], and 0 if only
    /// complementary claims above the limit have weight.
    #[must_use]
    pub fn guarded_score(&self, policy: &PolicyValues) -> Option<Ratio> {
        let one = Millionths::ONE;
        let rho = if policy.guards.rho_at_least_one { policy.rho.max(one) } else { policy.rho };
        let complementary = self.complementary * one.wide();
        let limited = match policy.guards.complementary_limit {
            Some(limit) => complementary.min(self.grounded * limit.wide()),
            None => complementary,
        };
        let guarded = self.ratio(policy, rho, limited);
        guarded.or_else(|| self.score(policy).map(|_| Ratio { numerator: 0, denominator: 1 }))
    }

    /// S with this rho and W(K), given in millionths of millionths; `None` if nothing has weight.
    fn ratio(&self, policy: &PolicyValues, rho: Millionths, complementary: u128) -> Option<Ratio> {
        let one = Millionths::ONE;
        let numerator = self.grounded * one.wide() + complementary;
        let denominator = numerator
            + self.ungrounded * one.wide()
            + self.contradicted * rho.wide()
            + self.unverified * policy.rho.max(one).wide();
        (denominator > 0).then_some(Ratio { numerator, denominator })
    }
}

/// The largest weight that an ungrounded claim can have under a policy.
#[must_use]
pub fn max_weight(policy: &PolicyValues) -> Millionths {
    let weights = policy.weights.as_array().iter().copied();
    weights.max().unwrap_or_default().max(policy.ungrounded_floor)
}

/// The type with the largest weight under a policy; the first of [`EvidenceType::ALL`] among equals.
#[must_use]
pub fn heaviest_type(policy: &PolicyValues) -> EvidenceType {
    let by_weight =
        |a: &EvidenceType, b: &EvidenceType| policy.weights.of(*a).cmp(&policy.weights.of(*b));
    EvidenceType::ALL.into_iter().rev().max_by(by_weight).unwrap_or(EvidenceType::ToolMatch)
}

/// An unreduced score. Both parts have the same unit; the denominator is above zero.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    numerator: u128,
    denominator: u128,
}

impl Ratio {
    /// One half.
    pub const HALF: Self = Self { numerator: 1, denominator: 2 };

    /// Compares exactly with a threshold.
    #[must_use]
    pub fn compare(self, threshold: Millionths) -> Ordering {
        (self.numerator * Millionths::ONE.wide()).cmp(&(self.denominator * threshold.wide()))
    }

    /// The reduced fraction.
    #[must_use]
    pub fn fraction(self) -> Fraction {
        Fraction::new(self.numerator, self.denominator).unwrap_or(Fraction::ZERO)
    }

    /// The absolute distance from a threshold.
    #[must_use]
    pub fn distance(self, threshold: Millionths) -> Fraction {
        let one = Millionths::ONE.wide();
        let left = self.numerator * one;
        let right = self.denominator * threshold.wide();
        Fraction::new(left.abs_diff(right), self.denominator * one).unwrap_or(Fraction::ZERO)
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ratio {}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        // The products fit for scores of partitions within `MAX_CLAIMS`, which are below 2^64; larger ones are compared
        // in reduced form.
        match (
            self.numerator.checked_mul(other.denominator),
            other.numerator.checked_mul(self.denominator),
        ) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => self.fraction().cmp(&other.fraction()),
        }
    }
}
