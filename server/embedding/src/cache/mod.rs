//! Caches vectors by the digest of the model and the text.
//!
//! [`MemoryCache`] stores the most recently used vectors of this process, [`SqliteCache`] those of all processes that share
//! its file, and [`LayeredCache`] combines two caches.

mod layered;
mod memory;
mod sqlite;

use crate::vector::Vector;

pub use layered::LayeredCache;
pub use memory::MemoryCache;
pub use sqlite::SqliteCache;

/// The key of a vector: the BLAKE3 hash of the text, keyed with the digest of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// Computes the key of a text and a model.
    #[must_use]
    pub fn new(model_digest: &[u8; 32], text: &str) -> Self {
        Self(blake3::keyed_hash(model_digest, text.as_bytes()).into())
    }

    /// Computes the key of an ordered pair of texts.
    #[must_use]
    pub fn for_pair(model_digest: &[u8; 32], first: &str, second: &str) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(model_digest);
        hasher.update(&(first.len() as u64).to_le_bytes());
        Self(hasher.update(first.as_bytes()).update(second.as_bytes()).finalize().into())
    }

    /// Returns the bytes of the hash.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A cache of vectors. A pool uses it from one thread, which may block on I/O.
///
/// A cache may evict vectors at any time. Returned vectors are validated, and recomputed if invalid.
/// Cache failures are counted and do not fail requests.
pub trait Cache: Send + Sync {
    /// Returns the vector of each key, in order; `None` for a miss.
    ///
    /// # Errors
    /// [`CacheError`], which counts as a miss of all keys.
    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Vector>>, CacheError>;

    /// Stores vectors.
    ///
    /// # Errors
    /// [`CacheError`] if vectors were not stored.
    fn put_many(&self, vectors: &[(Key, Vector)]) -> Result<(), CacheError>;
}

/// An error of a cache.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CacheError {
    /// The file is not such a cache.
    #[error("vector cache: {file} belongs to another program or version; use another file")]
    Foreign {
        /// The file.
        file: String,
    },
    /// The file is unusable.
    #[error(
        "vector cache: {file}: {reason}; if it is damaged, delete it with its -wal and -shm files; its vectors will be recomputed"
    )]
    Unusable {
        /// The file.
        file: String,
        /// The error from SQLite or the operating system.
        reason: String,
    },
    /// A cache of another kind failed.
    #[error("vector cache: {0}")]
    Other(String),
}
