//! The ids of claims, evidence items and hypotheses.

use core::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
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

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// A claim id, which is not empty and is unique in its report.
    ClaimId
);
id!(
    /// An evidence item id, which is not empty and is unique in its request.
    EvidenceId
);
id!(
    /// A hypothesis id, which is not empty and is unique in its investigation.
    HypothesisId
);

impl ClaimId {
    /// The maximum length of every id, in bytes.
    pub const MAX_BYTES: usize = 256;
}

fn checked_id(id: String) -> Result<String, IdError> {
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
    #[error("is empty; use an id that is unique within the request")]
    Empty,
    /// The id is longer than [`ClaimId::MAX_BYTES`].
    #[error("has {bytes} bytes; at most {max} are allowed", max = ClaimId::MAX_BYTES)]
    TooLong {
        /// The id's length, in bytes.
        bytes: usize,
    },
}
