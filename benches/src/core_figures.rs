//! The core operations that are measured.
//!
//! Each starts from claims as labelled by a judge, so that the figure includes counting them.

use gsar_core::explain::{Margins, margins};
use gsar_core::score::{Ratio, ScoreTerms};
use gsar_core::tier_decision::Decision;
use gsar_core::{Class, EvidenceType, Origin, Policy, Tally, decide};

/// Computes the exact score.
pub fn score(policy: &Policy, partition: &[(Class, EvidenceType)]) -> Option<Ratio> {
    ScoreTerms::new(policy, &Tally::from_claims(partition.iter().copied())).score(policy)
}

/// Computes the score, guards, tier and reasons.
pub fn decision(policy: &Policy, partition: &[(Class, EvidenceType)]) -> Decision {
    decide(policy, &Tally::from_claims(partition.iter().copied()), Origin::Caller, None)
}

/// Computes the decision and its distance to the neighbouring tiers.
pub fn decision_with_margins(
    policy: &Policy,
    partition: &[(Class, EvidenceType)],
) -> (Decision, Margins) {
    let tally = Tally::from_claims(partition.iter().copied());
    let decision = decide(policy, &tally, Origin::Caller, None);
    let margins = margins(policy, &tally, &decision, None);
    (decision, margins)
}

/// The baseline for [`score`]: the formula in one pass over floats, which is not exact.
#[derive(Clone, Debug)]
pub struct InDoubles {
    weights: [f64; 8],
    rho: f64,
}

impl InDoubles {
    /// Copies a policy's values.
    pub fn of(policy: &Policy) -> Self {
        Self {
            weights: policy.weights.as_array().map(gsar_core::fixed_point::Millionths::to_f64),
            rho: policy.rho.to_f64(),
        }
    }

    /// Returns the score, or NaN if no claim has weight.
    pub fn score(&self, partition: &[(Class, EvidenceType)]) -> f64 {
        let (mut supported, mut rest) = (0.0, 0.0);
        for (class, evidence_type) in partition {
            let weight = self.weights.get(*evidence_type as usize).copied().unwrap_or_default();
            match class {
                Class::Grounded | Class::Complementary => supported += weight,
                Class::Ungrounded => rest += weight,
                Class::Contradicted => rest += self.rho * weight,
            }
        }
        supported / (supported + rest)
    }
}

#[cfg(test)]
mod tests {
    use gsar_core::{Preset, preset};

    use super::*;
    use crate::partitions;

    #[test]
    fn floats_match_the_exact_score() {
        let paper = preset(Preset::Paper);
        let in_doubles = InDoubles::of(&paper);
        for partition in partitions::of_size(20) {
            let exact = score(&paper, &partition).unwrap().fraction().to_f64();
            assert!((in_doubles.score(&partition) - exact).abs() < 1e-12);
        }
    }
}
