//! This module parses confidences and the request to cap one.

use gsar_core::fixed::Millionths;
use gsar_core::safety::{Confidence, Strength};

use super::field::{decimal, enumeration};
use super::path::Path;
use crate::v1;
use crate::violations::Violations;

/// A confidence to cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedCap {
    /// As rated.
    pub confidence: Confidence,
    /// How well its evidence chain is grounded.
    pub strength: Strength,
}

/// Reads the request to cap a confidence; its `policy` is left to the caller.
pub fn cap_confidence(
    message: &v1::CapConfidenceRequest,
    violations: &mut Violations,
) -> Option<ParsedCap> {
    let rated = confidence(Path::root("confidence"), message.confidence, violations);
    let strength = enumeration(Path::root("strength"), message.strength, violations);
    Some(ParsedCap { confidence: rated?, strength: strength? })
}

/// A confidence: a decimal of at most six places, from 0 to 1.
pub(super) fn confidence(
    path: Path<'_>,
    value: f64,
    violations: &mut Violations,
) -> Option<Confidence> {
    let value = decimal(path, value, Millionths::ONE, violations)?;
    violations.note(path, Confidence::new(value))
}
