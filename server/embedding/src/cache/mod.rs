//! Caches vectors by model digest and text.
//!
//! [`MemoryCache`] keeps vectors in this process, [`SqliteCache`] shares them between processes through a
//! file, and [`LayeredCache`] combines two caches.

mod layered;
mod memory;
mod sqlite;

use crate::vector::Vector;

pub use layered::LayeredCache;
pub use memory::MemoryCache;
pub use sqlite::SqliteCache;

/// A cache key: the BLAKE3 hash of the text, keyed with the model's digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// Computes the key for a text and a model.
    #[must_use]
    pub fn new(model_digest: &[u8; 32], text: &str) -> Self {
        Self(blake3::keyed_hash(model_digest, text.as_bytes()).into())
    }

    /// Computes the key for an ordered pair of texts.
    #[must_use]
    pub fn for_pair(model_digest: &[u8; 32], first: &str, second: &str) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(model_digest);
        hasher.update(&(first.len() as u64).to_le_bytes());
        Self(hasher.update(first.as_bytes()).update(second.as_bytes()).finalize().into())
    }

    /// Returns the hash.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A cache of vectors. A pool calls it from a single thread, which may block on I/O.
///
/// A cache may evict vectors at any time. The pool validates returned vectors and recomputes invalid ones.
/// It counts cache failures, but does not fail requests because of them.
pub trait Cache: Send + Sync {
    /// Returns the vector for each key, in order, or `None` for a miss.
    /// On an error, the pool treats every key as a miss.
    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Vector>>, CacheError>;

    /// Stores vectors.
    fn put_many(&self, vectors: &[(Key, Vector)]) -> Result<(), CacheError>;
}

/// An error from a cache.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CacheError {
    /// The file is not a vector cache.
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
    /// Another kind of cache failed.
    #[error("vector cache: {0}")]
    Other(String),
}
