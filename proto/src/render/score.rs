//! This module renders scores and the weights behind them.

use gsar_core::fixed::{Fraction, Millionths};
use gsar_core::policy::PolicyValues;
use gsar_core::score::{Ratio, Terms};

use crate::v1;

/// The score, reduced.
#[must_use]
pub fn score(score: Ratio) -> v1::Score {
    fraction(score.fraction())
}

/// An exact number from 0 to 1.
///
/// Both parts fit 64 bits for every partition of at most [`gsar_core::tally::MAX_CLAIMS`] claims; beyond
/// that they are cut off at the greatest 64-bit number.
#[must_use]
pub fn fraction(fraction: Fraction) -> v1::Score {
    v1::Score {
        value: fraction.to_f64(),
        numerator: u64::try_from(fraction.numerator()).unwrap_or(u64::MAX),
        denominator: u64::try_from(fraction.denominator()).unwrap_or(u64::MAX),
    }
}

/// The weights of a partition under a policy, for display.
#[must_use]
pub fn terms(terms: &Terms, policy: &PolicyValues) -> v1::ScoreTerms {
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
