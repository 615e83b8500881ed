//! Computes the score in integer millionths (arXiv:2604.23366; docs/POLICY.md, "The score").

use core::cmp::Ordering;

use crate::claim::{Class, EvidenceType};
use crate::fixed_point::{Fraction, Millionths};
use crate::policy::PolicyValues;
use crate::tally::Tally;

/// The weight W of each class, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScoreTerms {
    /// W(G), the weight of the grounded claims.
    pub grounded: u128,
    /// W(U), the weight of the ungrounded claims, with the floor applied.
    pub ungrounded: u128,
    /// W(X), the weight of the contradicted claims, with the floor applied but not rho.
    pub contradicted: u128,
    /// W(K), the weight of the complementary claims.
    pub complementary: u128,
    /// The weight of the unverified contradictions and the dropped claims, without the factor max(1, rho).
    pub unverified: u128,
}

impl ScoreTerms {
    /// Computes the weights of a tally.
    #[must_use]
    pub fn new(policy: &PolicyValues, tally: &Tally) -> Self {
        let weight = |class| {
            let counts = tally.of_class(class).iter().zip(policy.weights.as_array());
            counts.map(|(count, weight)| u128::from(*count) * weight.wide()).sum()
        };
        let weight_with_floor = |counts: &[u32; 8]| -> u128 {
            let counts = counts.iter().zip(policy.weights.as_array());
            let floor = policy.ungrounded_floor;
            counts.map(|(count, weight)| u128::from(*count) * (*weight).max(floor).wide()).sum()
        };
        Self {
            grounded: weight(Class::Grounded),
            ungrounded: weight_with_floor(tally.of_class(Class::Ungrounded)),
            contradicted: weight_with_floor(tally.of_class(Class::Contradicted)),
            complementary: weight(Class::Complementary),
            unverified: weight_with_floor(tally.unverified_contradictions())
                + u128::from(tally.dropped()) * max_weight(policy).wide(),
        }
    }

    /// The published score S, from 0 to 1; `None` if nothing has weight.
    #[must_use]
    pub fn score(&self, policy: &PolicyValues) -> Option<Ratio> {
        let one = Millionths::ONE.wide();
        self.ratio(policy, policy.rho, self.complementary * one)
    }

    /// The guarded score S', at most S, which determines the tier (docs/POLICY.md, "The guards").
    #[must_use]
    pub fn guarded_score(&self, policy: &PolicyValues) -> Option<Ratio> {
        let one = Millionths::ONE;
        let rho = if policy.guards.rho_at_least_one { policy.rho.max(one) } else { policy.rho };
        let complementary = self.complementary * one.wide();
        let limited_complementary = match policy.guards.complementary_limit {
            Some(limit) => complementary.min(self.grounded * limit.wide()),
            None => complementary,
        };
        let score = self.ratio(policy, rho, limited_complementary);
        score.or_else(|| self.score(policy).map(|_| Ratio { numerator: 0, denominator: 1 }))
    }

    /// Computes S. `complementary` is W(K), multiplied by one million twice.
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

/// The largest possible weight of an ungrounded claim.
#[must_use]
pub fn max_weight(policy: &PolicyValues) -> Millionths {
    let weights = policy.weights.as_array().iter().copied();
    weights.max().unwrap_or_default().max(policy.ungrounded_floor)
}

/// The evidence type with the largest weight. If several have it, this is the first of them in [`EvidenceType::ALL`].
#[must_use]
pub fn heaviest_type(policy: &PolicyValues) -> EvidenceType {
    let by_weight =
        |a: &EvidenceType, b: &EvidenceType| policy.weights.get(*a).cmp(&policy.weights.get(*b));
    EvidenceType::ALL.into_iter().rev().max_by(by_weight).unwrap_or(EvidenceType::ToolMatch)
}

/// An unreduced score with a positive denominator.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    numerator: u128,
    denominator: u128,
}

impl Ratio {
    /// One half.
    pub const HALF: Self = Self { numerator: 1, denominator: 2 };

    /// Compares the score with a threshold.
    #[must_use]
    pub fn compare(self, threshold: Millionths) -> Ordering {
        (self.numerator * Millionths::ONE.wide()).cmp(&(self.denominator * threshold.wide()))
    }

    /// Reduces the score.
    #[must_use]
    pub fn fraction(self) -> Fraction {
        Fraction::new(self.numerator, self.denominator).unwrap_or(Fraction::ZERO)
    }

    /// The absolute distance from a threshold.
    #[must_use]
    pub fn distance(self, threshold: Millionths) -> Fraction {
        let one = Millionths::ONE.wide();
        let score_product = self.numerator * one;
        let threshold_product = self.denominator * threshold.wide();
        Fraction::new(score_product.abs_diff(threshold_product), self.denominator * one)
            .unwrap_or(Fraction::ZERO)
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
        // Scores with at most `MAX_CLAIMS` claims are below 2^64, so the products fit.
        match (
            self.numerator.checked_mul(other.denominator),
            other.numerator.checked_mul(self.denominator),
        ) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => self.fraction().cmp(&other.fraction()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn scores_compare_like_their_reduced_fractions(
            numerators in (0u128..1 << 100, 0u128..1 << 100),
            denominators in (1u128..1 << 100, 1u128..1 << 100),
        ) {
            let left = Ratio { numerator: numerators.0, denominator: denominators.0 };
            let right = Ratio { numerator: numerators.1, denominator: denominators.1 };
            proptest::prop_assert_eq!(left.cmp(&right), left.fraction().cmp(&right.fraction()));
            let doubled = Ratio { numerator: 2 * left.numerator, denominator: 2 * left.denominator };
            proptest::prop_assert_eq!(left.cmp(&doubled), Ordering::Equal);
        }
    }
}
