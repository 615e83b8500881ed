//! This module decides a claim where the model is sure enough by its own thresholds. Integers only.

use gsar_core::fixed::Millionths;
use gsar_core::{Class, Leaning};
use gsar_cross_encoder::{Probabilities, Thresholds};

/// What becomes of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decided {
    /// It is of this class.
    As(Class),
    /// The model leans to a class and is not sure enough.
    Open(Leaning),
}

/// Decides a claim, with what the model says of it for a person.
pub(super) fn decide(scored: &Probabilities, thresholds: Thresholds) -> (Decided, String) {
    let is_enough = |class: Class, threshold: Option<Millionths>| {
        threshold.is_some_and(|threshold| scored.of(class) >= threshold)
    };
    let class = if is_enough(Class::Ungrounded, thresholds.ungrounded) {
        Class::Ungrounded
    } else if is_enough(Class::Complementary, thresholds.complementary) {
        Class::Complementary
    } else {
        let class = scored.likeliest();
        let likelihood = scored.of(class);
        let note = format!(
            "the model leans to {} ({} %), which is not enough to decide",
            class.name(),
            percent(likelihood)
        );
        return (Decided::Open(Leaning { class, likelihood: Some(likelihood) }), note);
    };
    let finds = match class {
        Class::Complementary => "a further angle",
        _ => "supported by nothing",
    };
    let note = format!("the model finds it {finds} ({} %)", percent(scored.of(class)));
    (Decided::As(class), note)
}

/// Whole percents, rounded down.
pub(super) const fn percent(likelihood: Millionths) -> u32 {
    likelihood.get() / 10_000
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLDS: Thresholds = Thresholds {
        ungrounded: Some(Millionths::new(850_000)),
        complementary: Some(Millionths::new(500_000)),
    };

    fn decided(percents: [u32; 4], thresholds: Thresholds) -> Decided {
        let [grounded, ungrounded, contradicted, complementary] =
            percents.map(|percent| Millionths::new(percent * 10_000));
        let scored = Probabilities { grounded, ungrounded, contradicted, complementary };
        decide(&scored, thresholds).0
    }

    fn open(class: Class, percent: u32) -> Decided {
        Decided::Open(Leaning { class, likelihood: Some(Millionths::new(percent * 10_000)) })
    }

    #[test]
    fn it_decides_from_its_thresholds_on_and_only_two_classes() {
        for (percents, expected) in [
            ([0, 85, 15, 0], Decided::As(Class::Ungrounded)),
            ([0, 84, 16, 0], open(Class::Ungrounded, 84)),
            ([20, 20, 10, 50], Decided::As(Class::Complementary)),
            ([20, 20, 11, 49], open(Class::Complementary, 49)),
            ([100, 0, 0, 0], open(Class::Grounded, 100)),
            ([0, 0, 100, 0], open(Class::Contradicted, 100)),
        ] {
            assert_eq!(decided(percents, THRESHOLDS), expected, "{percents:?}");
        }
    }

    #[test]
    fn without_thresholds_it_decides_nothing() {
        for at in 0..4 {
            let mut percents = [0; 4];
            percents[at] = 100;
            assert!(matches!(decided(percents, Thresholds::default()), Decided::Open(_)));
        }
    }
}
