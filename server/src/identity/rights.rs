//! The rights of principals.

use std::fmt;

use serde::Deserialize;

/// A right of a principal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Right {
    /// Evaluate reports and drive investigations.
    Evaluate,
    /// Override the policy in requests, as far as the server allows it.
    Override,
    /// Read its own evaluations and investigations.
    Read,
    /// Delete its own evaluations.
    Delete,
    /// Grade evaluations.
    Grade,
    /// Store evidence in its own corpora and delete them.
    Store,
    /// Search and read its own corpora.
    Search,
    /// Extend the other rights to the data of all principals.
    Audit,
}

impl Right {
    /// Returns the name used in the principals file and in errors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evaluate => "evaluate",
            Self::Override => "override",
            Self::Read => "read",
            Self::Delete => "delete",
            Self::Grade => "grade",
            Self::Store => "store",
            Self::Search => "search",
            Self::Audit => "audit",
        }
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
