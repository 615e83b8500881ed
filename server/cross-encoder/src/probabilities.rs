//! Converts logits to exact probabilities. Later steps use no floating point.

use std::cmp::Reverse;

use gsar_core::Class;
use gsar_core::fixed_point::{Millionths, ONE_MILLION};

use crate::labels::Labels;

/// The probability of each class in millionths. The probabilities sum to one million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probabilities {
    /// The premise supports the claim.
    pub grounded: Millionths,
    /// The premise does not support the claim.
    pub ungrounded: Millionths,
    /// The premise contradicts the claim.
    pub contradicted: Millionths,
    /// The claim is complementary. Zero if the model has no such class.
    pub complementary: Millionths,
}

impl Probabilities {
    /// Returns the probability of a class.
    #[must_use]
    pub fn of(&self, class: Class) -> Millionths {
        match class {
            Class::Grounded => self.grounded,
            Class::Ungrounded => self.ungrounded,
            Class::Contradicted => self.contradicted,
            Class::Complementary => self.complementary,
        }
    }

    /// Returns the most likely class, or the strictest on a tie.
    #[must_use]
    pub fn likeliest(&self) -> Class {
        Class::ALL
            .into_iter()
            .max_by_key(|class| (self.of(*class), *class))
            .unwrap_or(Class::Contradicted)
    }

    /// Returns the softmax of the logits divided by a temperature (Guo et al. 2017). Largest-remainder
    /// rounding makes the sum exactly one million.
    pub(crate) fn from_logits(logits: &[f32], labels: &Labels, temperature: f64) -> Self {
        let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f64> = logits
            .iter()
            .map(|logit| ((f64::from(*logit) - f64::from(max)) / temperature).exp())
            .collect();
        let mut probabilities = Self {
            grounded: Millionths::ZERO,
            ungrounded: Millionths::ZERO,
            contradicted: Millionths::ZERO,
            complementary: Millionths::ZERO,
        };
        let classes = labels.classes();
        for (class, share) in classes.iter().zip(shares(&weights, classes)) {
            *probabilities.get_mut(*class) = Millionths::new(share);
        }
        probabilities
    }

    fn get_mut(&mut self, class: Class) -> &mut Millionths {
        match class {
            Class::Grounded => &mut self.grounded,
            Class::Ungrounded => &mut self.ungrounded,
            Class::Contradicted => &mut self.contradicted,
            Class::Complementary => &mut self.complementary,
        }
    }
}

/// Splits one million in proportion to the weights, which are finite and include a 1. The remainder goes to
/// the largest fractions, and to the stricter class on a tie.
fn shares(weights: &[f64], classes: &[Class]) -> Vec<u32> {
    let sum: f64 = weights.iter().sum();
    let exact: Vec<f64> =
        weights.iter().map(|weight| weight / sum * f64::from(ONE_MILLION)).collect();
    let mut shares: Vec<u32> = exact.iter().map(|share| *share as u32).collect();
    let remaining = ONE_MILLION.saturating_sub(shares.iter().sum());
    // Remainders are in units of 2^-40, so that they can be compared as integers.
    let remainder = |index: &usize| {
        exact.get(*index).map_or(0, |share| (share.fract() * (1_u64 << 40) as f64) as u64)
    };
    let mut by_remainder: Vec<usize> = (0..shares.len()).collect();
    by_remainder.sort_by_key(|index| Reverse((remainder(index), classes.get(*index))));
    for index in by_remainder.into_iter().take(remaining as usize) {
        if let Some(share) = shares.get_mut(index) {
            *share += 1;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn labels(names: &[&str]) -> Labels {
        let id2label: serde_json::Map<_, _> = names
            .iter()
            .enumerate()
            .map(|(index, name)| (index.to_string(), json!(name)))
            .collect();
        Labels::read(&json!({ "id2label": id2label })).unwrap()
    }

    fn sum(probabilities: &Probabilities) -> u32 {
        Class::ALL.iter().map(|class| probabilities.of(*class).get()).sum()
    }

    #[test]
    fn probabilities_sum_to_one_million() {
        let four = labels(&["complementary", "grounded", "ungrounded", "contradicted"]);
        let three = labels(&["refutes", "supports", "not_enough_info"]);
        let mut random = 9_u32;
        let mut logit = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 16) as f32 / 2_000.0 - 16.0
        };
        for _ in 0..2_000 {
            let logits = [logit(), logit(), logit(), logit()];
            for temperature in [0.01, 1.0, 1.7, 100.0] {
                assert_eq!(
                    sum(&Probabilities::from_logits(&logits, &four, temperature)),
                    1_000_000
                );
                let three_probabilities =
                    Probabilities::from_logits(&logits[..3], &three, temperature);
                assert_eq!(
                    (sum(&three_probabilities), three_probabilities.complementary.get()),
                    (1_000_000, 0)
                );
            }
        }
        for extreme in [f32::MAX, f32::MIN, 0.0, 1e-30] {
            let equal = Probabilities::from_logits(&[extreme; 3], &three, 1.0);
            assert_eq!(sum(&equal), 1_000_000);
            let uneven = Probabilities::from_logits(&[extreme, f32::MIN, f32::MAX], &three, 0.01);
            assert_eq!(sum(&uneven), 1_000_000);
        }
    }

    #[test]
    fn applies_temperature_and_label_order() {
        let labels = labels(&["contradiction", "neutral", "entailment"]);
        let unscaled = Probabilities::from_logits(&[2.0, 0.0, 1.0], &labels, 1.0);
        assert_eq!(
            (unscaled.contradicted.get(), unscaled.ungrounded.get(), unscaled.grounded.get()),
            (665_241, 90_031, 244_728)
        );
        let scaled = Probabilities::from_logits(&[2.0, 0.0, 1.0], &labels, 2.0);
        assert_eq!(scaled.contradicted.get(), 506_480);
        assert_eq!(unscaled.likeliest(), Class::Contradicted);
    }

    #[test]
    fn ties_go_to_the_strictest_class() {
        let labels = labels(&["grounded", "ungrounded", "contradicted", "complementary"]);
        let four_way_tie = Probabilities::from_logits(&[0.5; 4], &labels, 1.0);
        assert_eq!(four_way_tie.likeliest(), Class::Contradicted);
        let three_way_tie = Probabilities::from_logits(&[0.5, 0.5, -3.0, 0.5], &labels, 1.0);
        assert_eq!(three_way_tie.likeliest(), Class::Ungrounded);
        assert_eq!(three_way_tie.ungrounded.get() - three_way_tie.grounded.get(), 1);
        assert_eq!(three_way_tie.complementary, three_way_tie.ungrounded);
    }
}
