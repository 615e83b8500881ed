//! This module decides a claim where the model is sure enough by its own threshold. Integers only.

use gsar_core::Leaning;
use gsar_core::fixed::Millionths;
use gsar_cross_encoder::Probabilities;

/// The class that the model leans to; `None` if it decides that nothing supports the claim.
///
/// A class that counts in favour of a report, or blocks it, needs evidence to cite. What the model was shown are passages
/// chosen by shared words, so it decides neither.
pub(super) fn leaning(
    scored: &Probabilities,
    ungrounded_from: Option<Millionths>,
) -> Option<Leaning> {
    if ungrounded_from.is_some_and(|threshold| scored.ungrounded >= threshold) {
        return None;
    }
    let class = scored.likeliest();
    Some(Leaning { class, likelihood: Some(scored.of(class)) })
}

/// Whole percents, rounded down.
pub(super) const fn percent(likelihood: Millionths) -> u32 {
    likelihood.get() / 10_000
}

#[cfg(test)]
mod tests {
    use gsar_core::Class;

    use super::*;

    const THRESHOLD: Option<Millionths> = Some(Millionths::new(850_000));

    fn leans(percents: [u32; 4], threshold: Option<Millionths>) -> Option<Leaning> {
        let [grounded, ungrounded, contradicted, complementary] =
            percents.map(|percent| Millionths::new(percent * 10_000));
        leaning(&Probabilities { grounded, ungrounded, contradicted, complementary }, threshold)
    }

    #[test]
    fn it_decides_from_its_threshold_on_and_only_one_class() {
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
            assert_eq!(leans(percents, THRESHOLD), leaning, "{percents:?}");
        }
    }

    #[test]
    fn without_a_threshold_it_decides_nothing() {
        assert!(leans([0, 100, 0, 0], None).is_some());
    }
}
