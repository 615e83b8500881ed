//! Errors from the evidence store.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::storage::SchemaMismatch;
use crate::storage::postgres::{Failure, FailureKind};

/// An error from the evidence store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The name of a corpus is invalid.
    #[error(
        "invalid corpus name {given:?}; use 1 to 128 letters, digits, `.`, `_` and `-`, starting with a letter or digit"
    )]
    InvalidName {
        /// The first 64 characters of the name.
        given: String,
    },
    /// The corpus does not exist.
    #[error("unknown corpus `{corpus}`; `gsar evidence list` lists stored corpora")]
    UnknownCorpus {
        /// The given name.
        corpus: String,
    },
    /// The corpus has no such item.
    #[error("corpus `{corpus}` has no item {item}; `gsar search {corpus}` finds its items")]
    UnknownItem {
        /// The name of the corpus.
        corpus: String,
        /// The id or digest of the item.
        item: String,
    },
    /// A size limit would be exceeded.
    #[error(
        "{limit} is {allowed} bytes, but {needed} would be needed; delete a corpus, store less, or raise the limit"
    )]
    Full {
        /// The configuration key of the limit.
        limit: &'static str,
        /// The limit in bytes.
        allowed: u64,
        /// The required size.
        needed: Needed,
    },
    /// A client's messages are invalid or in the wrong order.
    #[error("{0}")]
    InvalidMessage(String),
    /// A corpus's database is damaged or belongs to another program.
    #[error("{place} is damaged ({reason}); delete the corpus and store its evidence again")]
    Damaged {
        /// The path or description of the database.
        place: String,
        /// The problem.
        reason: String,
    },
    /// A corpus has a schema that this server does not support.
    #[error("{} {mismatch}", file.display())]
    Schema {
        /// The database file.
        file: PathBuf,
        /// The found and the supported schema.
        mismatch: SchemaMismatch,
    },
    /// The store cannot be read or written at the moment.
    #[error("stored evidence is unavailable: {reason}; {fix}, then try again")]
    Unavailable {
        /// The error from the operating system or the database.
        reason: String,
        /// The fix.
        fix: &'static str,
    },
}

/// The fix if a folder cannot be written.
pub(super) const WRITE: &str = "free disk space, or give the server write permission there";

/// The size that a change would require.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// A number of bytes.
    Bytes(u64),
    /// The number is withheld, because it would reveal the size of other owners' corpora.
    More,
}

impl fmt::Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => bytes.fmt(f),
            Self::More => f.write_str("more"),
        }
    }
}

impl StoreError {
    pub(super) fn from_database(failure: &Failure) -> Self {
        match failure.kind {
            FailureKind::Corrupt => Self::Damaged {
                place: "a corpus in the database".to_owned(),
                reason: failure.reason.clone(),
            },
            _ => Self::Unavailable { reason: failure.reason.clone(), fix: failure.fix },
        }
    }

    pub(super) fn from_sqlite(error: &rusqlite::Error, file: &Path) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => {
                Self::Damaged { place: file.display().to_string(), reason: error.to_string() }
            }
            _ => Self::Unavailable { reason: format!("{}: {error}", file.display()), fix: WRITE },
        }
    }

    pub(super) fn from_io(error: &std::io::Error, path: &Path) -> Self {
        Self::Unavailable { reason: format!("{}: {error}", path.display()), fix: WRITE }
    }
}
