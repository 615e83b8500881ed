//! Claim and evidence item ids.

use core::fmt;

/// A claim id, not empty and unique in its report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimId(String);

impl ClaimId {
    /// The maximum length, in bytes.
    pub const MAX_BYTES: usize = 256;

    /// Validates an id of 1 to [`ClaimId::MAX_BYTES`] bytes.
    pub fn new(id: impl Into<String>) -> Result<Self, IdError> {
        checked_id(id.into()).map(Self)
    }

    /// The id as a string slice.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ClaimId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An evidence item id, not empty and unique in its request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceId(String);

impl EvidenceId {
    /// Validates an id of 1 to [`ClaimId::MAX_BYTES`] bytes.
    pub fn new(id: impl Into<String>) -> Result<Self, IdError> {
        checked_id(id.into()).map(Self)
    }

    /// The id as a string slice.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EvidenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) fn checked_id(id: String) -> Result<String, IdError> {
    if id.is_empty() {
        Err(IdError::Empty)
    } else if id.len() > ClaimId::MAX_BYTES {
        Err(IdError::TooLong { bytes: id.len() })
    } else {
        Ok(id)
    }
}

/// An invalid id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The id is empty.
    #[error("is empty; give it a name that is unique within the request")]
    Empty,
    /// The id is longer than [`ClaimId::MAX_BYTES`].
    #[error("has {bytes} bytes; at most {max} are allowed", max = ClaimId::MAX_BYTES)]
    TooLong {
        /// The id's length, in bytes.
        bytes: usize,
    },
}
