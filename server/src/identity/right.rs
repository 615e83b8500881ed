//! This module names what a principal may do.

use std::fmt;

use serde::Deserialize;

/// What a principal may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Right {
    /// Have reports evaluated, and drive investigations.
    Evaluate,
    /// Change the policy of a request, as far as the server allows that.
    Override,
    /// Read its own evaluations and investigations.
    Read,
    /// Delete its own evaluations.
    Delete,
    /// Grade evaluations.
    Grade,
    /// Store evidence in its own corpora, and delete them.
    Store,
    /// Search its own corpora and read what is in them.
    Search,
    /// Have the other rights over what every principal keeps.
    Audit,
}

impl Right {
    /// The word in files and errors.
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
