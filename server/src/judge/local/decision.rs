//! This module makes one class of two votes: what the rules say of a claim and how likely the model finds each class.
//! Integers only.

use gsar_core::Class;
use gsar_core::fixed::Millionths;
use gsar_cross_encoder::Probabilities;

/// The least likelihood at which the model grounds a claim. Below it and below the others the claim stays ungrounded.
const GROUNDED: Millionths = Millionths::new(650_000);
/// The least likelihood at which the model contradicts a claim.
const CONTRADICTED: Millionths = Millionths::new(750_000);
/// The least likelihood at which it calls a claim complementary.
const COMPLEMENTARY: Millionths = Millionths::new(500_000);
/// The least likelihood at which it overrules a rule: the claim is left open then.
const OVERRULES: Millionths = Millionths::new(900_000);

/// What becomes of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decided {
    /// What the rules say, with their citations.
    AsRuled,
    /// What the model says.
    ByModel { class: Class, note: String },
}

/// Where a rule speaks, its vote counts unless the model is sure of the opposite, which leaves the claim open; where none
/// does, the model decides above its thresholds.
pub(super) fn decide(ruled: Class, scored: &Probabilities) -> Decided {
    let open = |note: &str| Decided::ByModel { class: Class::Ungrounded, note: note.to_owned() };
    match ruled {
        Class::Complementary => Decided::AsRuled,
        Class::Grounded if scored.contradicted >= OVERRULES => {
            open("a rule finds it shown and the model finds it refuted")
        }
        Class::Contradicted if scored.grounded >= OVERRULES => {
            open("a rule finds it refuted and the model finds it shown")
        }
        Class::Grounded | Class::Contradicted => Decided::AsRuled,
        Class::Ungrounded => by_model(scored),
    }
}

fn by_model(scored: &Probabilities) -> Decided {
    let class = if scored.grounded >= GROUNDED {
        Class::Grounded
    } else if scored.contradicted >= CONTRADICTED {
        Class::Contradicted
    } else if scored.complementary >= COMPLEMENTARY {
        Class::Complementary
    } else {
        Class::Ungrounded
    };
    let likelihood = percent(scored.of(class));
    let note = match class {
        Class::Grounded => format!("the model finds it shown ({likelihood} %)"),
        Class::Contradicted => format!("the model finds it refuted ({likelihood} %)"),
        Class::Complementary => format!("the model finds it a further angle ({likelihood} %)"),
        Class::Ungrounded => {
            let likeliest = scored.likeliest();
            let likelihood = percent(scored.of(likeliest));
            format!(
                "the model is not sure enough of any class: {} {likelihood} %",
                likeliest.name()
            )
        }
    };
    Decided::ByModel { class, note }
}

/// Whole percents, rounded down.
pub(super) const fn percent(likelihood: Millionths) -> u32 {
    likelihood.get() / 10_000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(
        grounded: u32,
        ungrounded: u32,
        contradicted: u32,
        complementary: u32,
    ) -> Probabilities {
        let [grounded, ungrounded, contradicted, complementary] =
            [grounded, ungrounded, contradicted, complementary]
                .map(|percent| Millionths::new(percent * 10_000));
        Probabilities { grounded, ungrounded, contradicted, complementary }
    }

    fn class(ruled: Class, scored: &Probabilities) -> Class {
        match decide(ruled, scored) {
            Decided::AsRuled => ruled,
            Decided::ByModel { class, .. } => class,
        }
    }

    #[test]
    fn where_no_rule_speaks_the_model_decides_above_its_thresholds() {
        for (likelihoods, expected) in [
            ((80, 10, 10, 0), Class::Grounded),
            ((60, 20, 20, 0), Class::Ungrounded),
            ((10, 10, 80, 0), Class::Contradicted),
            ((20, 30, 50, 0), Class::Ungrounded),
            ((10, 20, 5, 65), Class::Complementary),
            ((25, 25, 25, 25), Class::Ungrounded),
        ] {
            let (g, u, c, k) = likelihoods;
            assert_eq!(class(Class::Ungrounded, &scored(g, u, c, k)), expected, "{likelihoods:?}");
        }
    }

    #[test]
    fn a_rule_stands_unless_the_model_is_sure_of_the_opposite() {
        assert_eq!(class(Class::Contradicted, &scored(89, 6, 5, 0)), Class::Contradicted);
        assert_eq!(class(Class::Contradicted, &scored(95, 3, 2, 0)), Class::Ungrounded);
        assert_eq!(class(Class::Grounded, &scored(2, 3, 95, 0)), Class::Ungrounded);
        assert_eq!(class(Class::Grounded, &scored(2, 96, 2, 0)), Class::Grounded);
        assert_eq!(class(Class::Complementary, &scored(0, 0, 100, 0)), Class::Complementary);
    }
}
