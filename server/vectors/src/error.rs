//! Errors of the vector index.

use std::path::{Path, PathBuf};

/// An error from a [`crate::VectorIndex`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// A setting has an invalid value.
    #[error("vector index setting {field}: {given} is not allowed; expected {allowed}")]
    InvalidSetting {
        /// The setting.
        field: &'static str,
        /// The given value.
        given: String,
        /// The allowed values.
        allowed: &'static str,
    },
    /// The directory cannot be created or used.
    #[error("vector index directory {}: {reason}; use a directory that this user may write to", directory.display())]
    UnusableDirectory {
        /// The directory.
        directory: PathBuf,
        /// The system's error message.
        reason: String,
    },
    /// The directory is locked by another index, in this process or another.
    #[error("vector index directory {} is in use; open it once, or give each index its own directory", directory.display())]
    Locked {
        /// The directory.
        directory: PathBuf,
    },
    /// A file could not be read.
    #[error("failed to read {} ({reason}); check its permissions and the disk", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The system's error message.
        reason: String,
    },
    /// A save failed. The previous save and the index in memory are unchanged.
    #[error("failed to write {} ({reason}); the previous save is unchanged: free space or check the disk, then save again", file.display())]
    NotSaved {
        /// The file or directory.
        file: PathBuf,
        /// The system's error message.
        reason: String,
    },
    /// A vector in the batch is invalid; no vector was added.
    #[error("vector {position} of the batch (key {key}): {fault}; no vector was added")]
    InvalidVector {
        /// Its index in the batch.
        position: usize,
        /// Its key.
        key: u64,
        /// The fault.
        fault: VectorFault,
    },
    /// The query vector is invalid.
    #[error("query vector: {fault}")]
    InvalidQuery {
        /// The fault.
        fault: VectorFault,
    },
    /// A key in the batch is reserved for removed vectors; no vector was added.
    #[error("vector {position} of the batch: key {} is reserved; use keys below it", u64::MAX)]
    ReservedKey {
        /// Its index in the batch.
        position: usize,
    },
    /// The index is full; no vector was added.
    #[error(
        "the index would have {given} rows, but at most {allowed} are allowed; split the corpus, or save to drop removed vectors"
    )]
    Full {
        /// The number of rows the index would have, including removed ones.
        given: usize,
        /// The maximum number of rows.
        allowed: usize,
    },
    /// The graph could not be built. Searches remain correct, but are slow.
    #[error(
        "the graph was not built ({reason}); make more memory available to the process, then build it again"
    )]
    NoGraph {
        /// The error message of `usearch`.
        reason: String,
    },
}

impl IndexError {
    pub(crate) fn unusable(directory: &Path, reason: impl ToString) -> Self {
        Self::UnusableDirectory { directory: directory.to_owned(), reason: reason.to_string() }
    }
}

/// A fault in a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorFault {
    /// Its length is not the dimension of the index.
    #[error(
        "it has {found} values, but the index requires {expected}; use the model that the index was built with"
    )]
    Length {
        /// The number of values.
        found: usize,
        /// The dimension of the index.
        expected: usize,
    },
    /// A value is not a finite number.
    #[error("value {position} is not a finite number; check the model's output")]
    NotFinite {
        /// The index of the value.
        position: usize,
    },
    /// All values are zero.
    #[error("every value is zero; leave out empty texts")]
    Zero,
}

/// The reason for not loading saved files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// A file is missing.
    #[error("{} is missing", file.display())]
    Missing {
        /// The file.
        file: PathBuf,
    },
    /// A file is damaged.
    #[error("{} is damaged ({found})", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// A description of the damage.
        found: String,
    },
    /// The files have another format version.
    #[error("the files have format {found}, but this version reads format {supported}")]
    OtherFormat {
        /// The format version of the files.
        found: u32,
        /// The supported format version.
        supported: u32,
    },
    /// The vectors were computed by another model.
    #[error("the vectors are from model {found}")]
    OtherModel {
        /// The model in the manifest.
        found: String,
    },
    /// The vectors have another dimension.
    #[error("the vectors have {found} values each")]
    OtherDimension {
        /// Their dimension.
        found: usize,
    },
    /// The graph has another scalar type.
    #[error("the graph has another scalar type")]
    OtherScalar,
    /// The graph was written by another version of `usearch`.
    #[error("the graph was written by usearch {found}")]
    OtherLibrary {
        /// The version of `usearch` that wrote it.
        found: String,
    },
    /// Rows are missing from the saved graph.
    #[error("the graph was saved before it was complete")]
    Incomplete,
}
