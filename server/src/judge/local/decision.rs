//! Decides whether the scores of the model reach its threshold. Uses integers only.

use gsar_core::Leaning;
use gsar_core::fixed::Millionths;
use gsar_cross_encoder::Probabilities;

/// Returns the most likely class, or `None` if the score is high enough to decide that nothing supports the claim.
///
/// Only ungrounded is decided here: a class that favours or blocks a report needs evidence to cite, and the model
/// saw passages selected by shared words only.
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

/// Rounds down to whole percents.
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
    fn only_ungrounded_is_decided_and_only_from_the_threshold_on() {
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
    fn decides_nothing_without_a_threshold() {
        assert!(leans([0, 100, 0, 0], None).is_some());
    }
}
