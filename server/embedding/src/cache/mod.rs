//! This module caches computed vectors by the digest of their text.
//!
//! A [`Key`] stands for a text under a model. [`MemoryCache`] holds the latest vectors of this process,
//! [`SqliteCache`] those of every process that used its file, and [`LayeredCache`] asks one before the other.

mod layered;
mod memory;
mod sqlite;

use crate::vector::Vector;

pub use layered::LayeredCache;
pub use memory::MemoryCache;
pub use sqlite::SqliteCache;

/// A text under a model: the BLAKE3 hash of the text, keyed with the digest of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of a text under the model of this digest.
    #[must_use]
    pub fn new(model_digest: &[u8; 32], text: &str) -> Self {
        Self(blake3::keyed_hash(model_digest, text.as_bytes()).into())
    }

    /// The key of what has two parts: where the first ends, counts.
    #[must_use]
    pub fn of_two(model_digest: &[u8; 32], first: &str, second: &str) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(model_digest);
        hasher.update(&(first.len() as u64).to_le_bytes());
        Self(hasher.update(first.as_bytes()).update(second.as_bytes()).finalize().into())
    }

    /// The bytes of the hash.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Vectors by key. A pool asks from one thread, which may wait for a disk.
///
/// A cache may forget at any time. What it gives is checked for dimension and length, and computed anew when
/// it does not fit; a cache that fails costs time and is counted, and no request fails for it.
pub trait Cache: Send + Sync {
    /// The vector of each key, in their order; `None` for those that are not known.
    ///
    /// # Errors
    /// What went wrong; nothing is taken as known then.
    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Vector>>, CacheError>;

    /// Keeps vectors.
    ///
    /// # Errors
    /// What went wrong; nothing is taken as kept then.
    fn put_many(&self, vectors: &[(Key, Vector)]) -> Result<(), CacheError>;
}

/// What went wrong with a cache.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CacheError {
    /// The file is not one of these caches.
    #[error("cache of vectors: {file} belongs to another program or version; name another file")]
    Foreign {
        /// The file.
        file: String,
    },
    /// The file cannot be used.
    #[error(
        "cache of vectors: {file}: {reason}; it holds nothing that cannot be computed again: when it is damaged, delete it together with its -wal and -shm files"
    )]
    Unusable {
        /// The file.
        file: String,
        /// What SQLite or the system said.
        reason: String,
    },
    /// A cache of another kind failed.
    #[error("cache of vectors: {0}")]
    Other(String),
}
