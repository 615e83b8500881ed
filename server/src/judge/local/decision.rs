//! Applies the threshold to a model's scores.

use gsar_core::Leaning;
use gsar_core::fixed_point::Millionths;
use gsar_cross_encoder::Probabilities;

/// Returns the most likely class, or `None` if the claim is ungrounded with sufficient probability.
///
/// The other classes are never decided here. They require a citation, and the passages that the model saw
/// were selected only by shared words.
pub(super) fn leaning(
    probabilities: &Probabilities,
    ungrounded_from: Option<Millionths>,
) -> Option<Leaning> {
    if ungrounded_from.is_some_and(|threshold| probabilities.ungrounded >= threshold) {
        return None;
    }
    let class = probabilities.likeliest();
    Some(Leaning { class, likelihood: Some(probabilities.of(class)) })
}

/// Converts a likelihood to a percentage, rounded down.
pub(super) const fn percent(likelihood: Millionths) -> u32 {
    likelihood.get() / 10_000
}

#[cfg(test)]
mod tests {
    use gsar_core::Class;

    use super::*;

    const THRESHOLD: Option<Millionths> = Some(Millionths::new(850_000));

    fn leaning_for(percents: [u32; 4], threshold: Option<Millionths>) -> Option<Leaning> {
        let [grounded, ungrounded, contradicted, complementary] =
            percents.map(|percent| Millionths::new(percent * 10_000));
        leaning(&Probabilities { grounded, ungrounded, contradicted, complementary }, threshold)
    }

    #[test]
    fn only_ungrounded_is_decided_at_the_threshold() {
        for (percents, expected) in [
            ([0, 85, 15, 0], None),
            ([0, 84, 16, 0], Some((Class::Ungrounded, 84))),
            ([0, 0, 0, 100], Some((Class::Complementary, 100))),
            ([100, 0, 0, 0], Some((Class::Grounded, 100))),
            ([0, 0, 100, 0], Some((Class::Contradicted, 100))),
        ] {
            let leaning = expected.map(|(class, percent)| Leaning {
                class,
                likelihood: Some(Millionths::new(percent * 10_000)),
            });
            assert_eq!(leaning_for(percents, THRESHOLD), leaning, "{percents:?}");
        }
    }

    #[test]
    fn decides_no_claim_without_a_threshold() {
        assert!(leaning_for([0, 100, 0, 0], None).is_some());
    }
}
