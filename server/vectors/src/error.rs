//! This module holds the errors of an index, each with what was found and the fix, and the reasons why files are not
//! used.

use std::path::{Path, PathBuf};

/// Why an index did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// A setting has a value that is not allowed.
    #[error("vector index setting {field}: {given} is not allowed; allowed is {allowed}")]
    InvalidSetting {
        /// The setting.
        field: &'static str,
        /// What was given.
        given: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The directory cannot be created or used.
    #[error("vector index directory {}: {reason}; choose a directory this user may write, or give it the right", directory.display())]
    UnusableDirectory {
        /// The directory.
        directory: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Another index, of this process or of another one, holds the directory.
    #[error("vector index directory {} is in use; open it once, or give each index a directory of its own", directory.display())]
    Locked {
        /// The directory.
        directory: PathBuf,
    },
    /// A file is there and the system does not let it be read.
    #[error("{} cannot be read ({reason}); give this user the right to read it, or check the disk", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The index was not saved. What was saved before is still there, and what is in memory too.
    #[error("{} cannot be written ({reason}); the last saved state is kept: make room or check the disk, then save again", file.display())]
    NotSaved {
        /// The file.
        file: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A vector of a batch is no direction of the right length. Nothing of the batch was added.
    #[error("vector {position} of the batch (key {key}): {fault}; nothing of the batch was added")]
    InvalidVector {
        /// Its place in the batch, from 0.
        position: usize,
        /// Its key.
        key: u64,
        /// What is wrong with it.
        fault: VectorFault,
    },
    /// The query is no direction of the right length.
    #[error("query vector: {fault}")]
    InvalidQuery {
        /// What is wrong with it.
        fault: VectorFault,
    },
    /// The key marks removed vectors in the files. Nothing of the batch was added.
    #[error("vector {position} of the batch: key {} is reserved; use keys below it", u64::MAX)]
    ReservedKey {
        /// Its place in the batch, from 0.
        position: usize,
    },
    /// The index holds as many vectors as it can. Nothing of the batch was added.
    #[error(
        "the index would hold {given} rows, allowed are {allowed}; split the corpus, or save to drop removed vectors"
    )]
    Full {
        /// How many rows it would hold, removed ones included.
        given: usize,
        /// The most rows.
        allowed: usize,
    },
    /// The graph could not be built. Searches stay right and are slow.
    #[error(
        "the graph was not built ({reason}); give the process more memory, then build it again"
    )]
    NoGraph {
        /// What the library said.
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
    /// It has another length than the index.
    #[error(
        "it has {found} values, the index has {expected}; use the model the index was made with"
    )]
    Length {
        /// How many values it has.
        found: usize,
        /// The dimension of the index.
        expected: usize,
    },
    /// A value is not a finite number.
    #[error("value {position} is not a finite number; check the model's output")]
    NotFinite {
        /// The place of the value, from 0.
        position: usize,
    },
    /// Every value is zero, which is no direction.
    #[error("every value is zero, which has no direction; leave out empty texts")]
    Zero,
}

/// Why files that were found are not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// A file is not there.
    #[error("{} is missing", file.display())]
    Missing {
        /// The file.
        file: PathBuf,
    },
    /// A file is not what was written.
    #[error("{} is damaged ({found})", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What was found.
        found: String,
    },
    /// The files were written by another version of this crate.
    #[error("the files have format {found}, this server reads {supported}")]
    OtherFormat {
        /// The format of the files, from 1.
        found: u32,
        /// The one format that is read.
        supported: u32,
    },
    /// The vectors are of another model.
    #[error("the vectors are of model {found}")]
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
    /// The graph keeps its vectors as another kind of number.
    #[error("the graph keeps another kind of number")]
    OtherScalar,
    /// The graph was written by another version of its library.
    #[error("the graph was written by usearch {found}")]
    OtherLibrary {
        /// That version.
        found: String,
    },
    /// The graph was not yet built, or only in part, when the index was saved.
    #[error("the graph was saved before it was complete")]
    Incomplete,
}
