//! Caps a self-rated confidence by the strength of the evidence chain.

use core::fmt;

use super::evidence_chain::Strength;
use crate::fixed_point::{DecimalError, Millionths};
use crate::policy::Cap;

/// A confidence from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence(Millionths);

impl Confidence {
    /// Creates a confidence from a value that is at most 1.
    pub fn new(value: Millionths) -> Result<Self, ConfidenceError> {
        if value > Millionths::ONE {
            return Err(ConfidenceError::AboveOne { given: value });
        }
        Ok(Self(value))
    }

    /// Converts a double from 0 to 1 with at most six decimal places.
    pub fn from_f64(value: f64) -> Result<Self, ConfidenceError> {
        Self::new(Millionths::from_f64(value)?)
    }

    /// The confidence as a decimal.
    #[must_use]
    pub const fn value(self) -> Millionths {
        self.0
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An invalid confidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfidenceError {
    /// The number is above 1.
    #[error("confidence: `{given}` is out of range; expected 0 to 1")]
    AboveOne {
        /// The given number.
        given: Millionths,
    },
    /// The number is not an exact decimal.
    #[error("confidence: {0}; expected 0 to 1 with at most six decimal places")]
    NotExact(#[from] DecimalError),
}

/// A confidence before and after capping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CappedConfidence {
    /// The self-rated confidence.
    pub before: Confidence,
    /// The capped confidence.
    pub after: Confidence,
    /// The cap, even if it did not lower the confidence; `None` for a grounded chain.
    pub cap: Option<Millionths>,
}

/// Caps a confidence by the strength of its evidence chain.
#[must_use]
pub fn cap(policy: &Cap, strength: Strength, confidence: Confidence) -> CappedConfidence {
    let cap = match strength {
        Strength::Grounded => None,
        Strength::PartiallyGrounded => Some(policy.partially_grounded),
        Strength::Ungrounded => Some(policy.ungrounded),
    };
    let after = cap.map_or(confidence, |cap| Confidence(confidence.0.min(cap)));
    CappedConfidence { before: confidence, after, cap }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::policy::{Policy, Preset, preset};
    use proptest::prelude::*;

    pub(crate) fn confidence(millionths: u32) -> Confidence {
        Confidence::new(Millionths::new(millionths)).unwrap()
    }

    pub(crate) fn any_confidence() -> impl Strategy<Value = Confidence> {
        (0u32..=1_000_000).prop_map(confidence)
    }

    fn capped_value(strength: Strength, millionths: u32) -> u32 {
        let capped = cap(&preset(Preset::Reference).cap, strength, confidence(millionths));
        capped.after.value().get()
    }

    #[test]
    fn an_ungrounded_chain_never_reaches_0_65() {
        assert_eq!(capped_value(Strength::Ungrounded, 1_000_000), 640_000);
        assert_eq!(capped_value(Strength::Ungrounded, 640_001), 640_000);
        assert_eq!(capped_value(Strength::Ungrounded, 300_000), 300_000);
    }

    #[test]
    fn a_partially_grounded_chain_never_reaches_0_85() {
        assert_eq!(capped_value(Strength::PartiallyGrounded, 1_000_000), 840_000);
        assert_eq!(capped_value(Strength::PartiallyGrounded, 840_000), 840_000);
    }

    #[test]
    fn the_confidence_of_a_grounded_chain_is_not_capped() {
        for millionths in [0, 1, 640_000, 999_999, 1_000_000] {
            assert_eq!(capped_value(Strength::Grounded, millionths), millionths);
        }
    }

    #[test]
    fn h18_rejects_a_cap_that_reaches_the_threshold_of_an_action() {
        for base in [Preset::Paper, Preset::Reference, Preset::Strict] {
            let mut values = preset(base).values().clone();
            values.cap.partially_grounded = values.ladder.pull_request;
            values.cap.ungrounded = values.ladder.patch;
            let problems = Policy::new(values).unwrap_err().problems;
            let fields: Vec<_> = problems.iter().map(|problem| problem.field.as_str()).collect();
            assert_eq!(fields, ["cap.partially_grounded", "cap.ungrounded"]);
        }
    }

    #[test]
    fn h19_rejects_invalid_confidences() {
        for value in [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -0.0,
            -0.1,
            1.000_000_1,
            1.000_001,
            2.0,
            1e300,
        ] {
            let error = Confidence::from_f64(value).unwrap_err();
            assert!(error.to_string().starts_with("confidence: "), "{value}: {error}");
        }
        for value in [0.0, 0.84, 1.0] {
            assert!(Confidence::from_f64(value).is_ok(), "{value}");
        }
    }

    proptest! {
        #[test]
        fn a_cap_only_lowers_the_confidence(
            value in any_confidence(), partially_grounded in 0u32..=1_000_000, ungrounded in 0u32..=1_000_000, strength in 0usize..3,
        ) {
            let policy = Cap {
                partially_grounded: Millionths::new(partially_grounded),
                ungrounded: Millionths::new(ungrounded),
            };
            let capped = cap(&policy, Strength::ALL[strength], value);
            prop_assert!(capped.after <= value);
            prop_assert_eq!(capped.before, value);
            prop_assert!(capped.cap.is_none_or(|cap| capped.after.value() <= cap));
        }
    }
}
