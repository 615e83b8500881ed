//! Renders scores and their weights.

use gsar_core::fixed_point::{Fraction, Millionths};
use gsar_core::policy::PolicyValues;
use gsar_core::score::{Ratio, ScoreTerms};

use crate::v1;

/// Renders a score as a reduced fraction.
#[must_use]
pub fn score(score: Ratio) -> v1::Score {
    fraction(score.fraction())
}

/// Renders an exact fraction from 0 to 1.
///
/// Both parts fit in 64 bits for partitions of at most [`gsar_core::tally::MAX_CLAIMS`] claims; larger values are
/// clamped.
#[must_use]
pub fn fraction(fraction: Fraction) -> v1::Score {
    v1::Score {
        value: fraction.to_f64(),
        numerator: u64::try_from(fraction.numerator()).unwrap_or(u64::MAX),
        denominator: u64::try_from(fraction.denominator()).unwrap_or(u64::MAX),
    }
}

/// Renders the weights of a partition under a policy, for display.
#[must_use]
pub fn terms(terms: &ScoreTerms, policy: &PolicyValues) -> v1::ScoreTerms {
    v1::ScoreTerms {
        grounded: weight(terms.grounded),
        ungrounded: weight(terms.ungrounded),
        contradicted: weight(terms.contradicted),
        complementary: weight(terms.complementary),
        unverified: weight(terms.unverified),
        rho: policy.rho.to_f64(),
    }
}

fn weight(millionths: u128) -> f64 {
    millionths as f64 / Millionths::ONE.wide() as f64
}
