//! Parses confidences, and requests to cap a confidence.

use gsar_core::fixed_point::Millionths;
use gsar_core::safety::{Confidence, Strength};

use super::field::{decimal, enumeration};
use super::path::Path;
use crate::v1;
use crate::violations::Violations;

/// A parsed request to cap a confidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedCap {
    /// The self-rated confidence.
    pub confidence: Confidence,
    /// The strength of the evidence chain.
    pub strength: Strength,
}

/// Parses a request to cap a confidence, except for `policy`.
pub fn cap_confidence(
    message: &v1::CapConfidenceRequest,
    violations: &mut Violations,
) -> Option<ParsedCap> {
    let self_rated = confidence(Path::root("confidence"), message.confidence, violations);
    let strength = enumeration(Path::root("strength"), message.strength, violations);
    Some(ParsedCap { confidence: self_rated?, strength: strength? })
}

/// Parses a confidence: a decimal from 0 to 1 with at most six places.
pub(super) fn confidence(
    path: Path<'_>,
    value: f64,
    violations: &mut Violations,
) -> Option<Confidence> {
    let value = decimal(path, value, Millionths::ONE, violations)?;
    violations.note(path, Confidence::new(value))
}
