//! The errors of an index, and the reasons why files are not used.

use std::path::{Path, PathBuf};

/// An error from an index.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// A setting has an invalid value.
    #[error("vector index setting {field}: {given} is not allowed; give {allowed}")]
    InvalidSetting {
        /// The setting.
        field: &'static str,
        /// What was given.
        given: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The directory cannot be created or used.
    #[error("vector index directory {}: {reason}; use a directory that this user may write", directory.display())]
    UnusableDirectory {
        /// The directory.
        directory: PathBuf,
        /// The system's error.
        reason: String,
    },
    /// Another index, in this process or another one, has locked the directory.
    #[error("vector index directory {} is in use; open it once, or give each index its own directory", directory.display())]
    Locked {
        /// The directory.
        directory: PathBuf,
    },
    /// A file exists but reading it fails.
    #[error("failed to read {} ({reason}); check its permissions and the disk", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The system's error.
        reason: String,
    },
    /// Saving failed. The previous save and the index in memory are unchanged.
    #[error("failed to write {} ({reason}); the previous save is unchanged: free space or check the disk, then save again", file.display())]
    NotSaved {
        /// The file.
        file: PathBuf,
        /// The system's error.
        reason: String,
    },
    /// A vector of a batch is invalid. Nothing of the batch was added.
    #[error("vector {position} of the batch (key {key}): {fault}; nothing of the batch was added")]
    InvalidVector {
        /// Its position in the batch, from 0.
        position: usize,
        /// Its key.
        key: u64,
        /// What is wrong with it.
        fault: VectorFault,
    },
    /// The query vector is invalid.
    #[error("query vector: {fault}")]
    InvalidQuery {
        /// What is wrong with it.
        fault: VectorFault,
    },
    /// The key is reserved for removed vectors. Nothing of the batch was added.
    #[error("vector {position} of the batch: key {} is reserved; use keys below it", u64::MAX)]
    ReservedKey {
        /// Its position in the batch, from 0.
        position: usize,
    },
    /// The index is full. Nothing of the batch was added.
    #[error(
        "the index would have {given} rows, at most {allowed} are allowed; split the corpus, or save to drop removed vectors"
    )]
    Full {
        /// The number of rows it would have, including removed ones.
        given: usize,
        /// The maximum number of rows.
        allowed: usize,
    },
    /// The graph could not be built. Searches stay correct but are slow.
    #[error(
        "the graph was not built ({reason}); give the process more memory, then build it again"
    )]
    NoGraph {
        /// The library's error.
        reason: String,
    },
}

impl IndexError {
    pub(crate) fn unusable(directory: &Path, reason: impl ToString) -> Self {
        Self::UnusableDirectory { directory: directory.to_owned(), reason: reason.to_string() }
    }
}

/// What is wrong with a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorFault {
    /// Its length differs from the index's dimension.
    #[error(
        "it has {found} values, the index has {expected}; use the model that the index was built with"
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
        /// The position of the value, from 0.
        position: usize,
    },
    /// Every value is zero, so it has no direction.
    #[error("every value is zero; leave out empty texts")]
    Zero,
}

/// Why existing files are not used.
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
        /// The damage.
        found: String,
    },
    /// The files were written by another version of this crate.
    #[error("the files have format {found}, this server reads {supported}")]
    OtherFormat {
        /// The format of the files, from 1.
        found: u32,
        /// The supported format.
        supported: u32,
    },
    /// The vectors are from another model.
    #[error("the vectors are from model {found}")]
    OtherModel {
        /// The digest of that model.
        found: String,
    },
    /// The vectors have another dimension.
    #[error("the vectors have {found} values each")]
    OtherDimension {
        /// The number of values of each vector.
        found: usize,
    },
    /// The graph has another scalar type.
    #[error("the graph has another scalar type")]
    OtherScalar,
    /// The graph was written by another version of its library.
    #[error("the graph was written by usearch {found}")]
    OtherLibrary {
        /// That version.
        found: String,
    },
    /// The graph was incomplete when the index was saved.
    #[error("the graph was saved before it was complete")]
    Incomplete,
}
