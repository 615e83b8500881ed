//! This module holds the errors of stored evidence, each with its subject and the fix.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::storage::SchemaMismatch;
use crate::storage::postgres::{Failure, FailureKind};

/// Why stored evidence could not be had or kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The name of a corpus is not allowed.
    #[error(
        "{given:?} is no name of a corpus; use 1 to 128 letters, digits, `.`, `_` and `-`, the first a letter or digit"
    )]
    InvalidName {
        /// What was given, cut to 64 characters.
        given: String,
    },
    /// There is no such corpus.
    #[error("corpus `{corpus}` is not known; `gsar evidence list` shows those that are stored")]
    UnknownCorpus {
        /// Its name.
        corpus: String,
    },
    /// The corpus has no such item.
    #[error("corpus `{corpus}` has no item {item}; `gsar search {corpus}` finds what it has")]
    UnknownItem {
        /// The corpus.
        corpus: String,
        /// The item as it was asked for.
        item: String,
    },
    /// A bound on what is stored would be passed.
    #[error(
        "{limit} allows {allowed} bytes and {needed} would be needed; delete a corpus, store less, or raise it"
    )]
    Full {
        /// The bound as it is configured.
        limit: &'static str,
        /// The most that it allows, in its unit.
        allowed: u64,
        /// What would be needed; of all corpora only where the owner sees all.
        needed: Needed,
    },
    /// The messages of a call do not make sense together.
    #[error("{0}")]
    Disorder(String),
    /// The database of a corpus is damaged or of another program.
    #[error("{place} is damaged ({reason}); delete the corpus and store its evidence again")]
    Damaged {
        /// The database.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The corpus has another schema than this server supports.
    #[error("{} {mismatch}", file.display())]
    Schema {
        /// The database.
        file: PathBuf,
        /// The difference.
        mismatch: SchemaMismatch,
    },
    /// The store cannot take or give evidence at present.
    #[error("stored evidence is unavailable: {reason}; {fix}, then try again")]
    Unavailable {
        /// What the system or the database said.
        reason: String,
        /// What to do.
        fix: &'static str,
    },
}

/// What to do where a folder does not take evidence.
pub(super) const WRITE: &str = "make room or give the server the right to write there";

/// Bytes that would be needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// That many.
    Bytes(u64),
    /// How many says what others keep.
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
    /// What a database that servers share did not do.
    pub(super) fn of_database(failure: &Failure) -> Self {
        match failure.kind {
            FailureKind::Corrupt => Self::Damaged {
                place: "a corpus in the database".to_owned(),
                reason: failure.reason.clone(),
            },
            _ => Self::Unavailable { reason: failure.reason.clone(), fix: failure.fix },
        }
    }

    /// An error of SQLite.
    pub(super) fn of_sqlite(error: &rusqlite::Error, file: &Path) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => {
                Self::Damaged { place: file.display().to_string(), reason: error.to_string() }
            }
            _ => Self::Unavailable { reason: format!("{}: {error}", file.display()), fix: WRITE },
        }
    }

    /// An error of the file system.
    pub(super) fn of_system(error: &std::io::Error, path: &Path) -> Self {
        Self::Unavailable { reason: format!("{}: {error}", path.display()), fix: WRITE }
    }
}
