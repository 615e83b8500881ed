//! An in-memory LRU cache with a size limit.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use super::{Cache, CacheError, Key};
use crate::vector::Vector;

/// The overhead per entry in bytes: two keys, counters and the nodes of both maps.
const OVERHEAD: usize = 192;

/// An in-memory cache that evicts the least recently used vectors.
#[derive(Debug)]
pub struct MemoryCache {
    max_bytes: usize,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    vectors: HashMap<Key, (Vector, u64)>,
    by_use: BTreeMap<u64, Key>,
    uses: u64,
    bytes: usize,
}

impl MemoryCache {
    /// Creates a cache of at most `max_bytes` bytes. A cache of 1 MiB holds 605 vectors of 384 values.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        Self { max_bytes, entries: Mutex::default() }
    }
}

impl Entries {
    fn get(&mut self, key: &Key) -> Option<Vector> {
        let (vector, used) = self.vectors.get_mut(key)?;
        self.by_use.remove(used);
        self.uses += 1;
        *used = self.uses;
        self.by_use.insert(self.uses, *key);
        Some(Vector::clone(vector))
    }

    fn put(&mut self, key: Key, vector: Vector, max_bytes: usize) {
        let bytes = cost(&vector);
        if bytes > max_bytes || self.get(&key).is_some() {
            return;
        }
        self.uses += 1;
        self.by_use.insert(self.uses, key);
        self.vectors.insert(key, (vector, self.uses));
        self.bytes += bytes;
        while self.bytes > max_bytes {
            let Some((_, oldest)) = self.by_use.pop_first() else { return };
            if let Some((vector, _)) = self.vectors.remove(&oldest) {
                self.bytes = self.bytes.saturating_sub(cost(&vector));
            }
        }
    }
}

fn cost(vector: &Vector) -> usize {
    OVERHEAD + size_of_val::<[f32]>(vector)
}

impl Cache for MemoryCache {
    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Vector>>, CacheError> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(keys.iter().map(|key| entries.get(key)).collect())
    }

    fn put_many(&self, vectors: &[(Key, Vector)]) -> Result<(), CacheError> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, vector) in vectors {
            entries.put(*key, Vector::clone(vector), self.max_bytes);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Key {
        Key::new(&[7; 32], text)
    }

    fn vector() -> Vector {
        vec![1.0; 16].into()
    }

    #[test]
    fn evicts_the_least_recently_used() {
        let cache = MemoryCache::new(2 * cost(&vector()));
        cache.put_many(&[(key("a"), vector()), (key("b"), vector())]).unwrap();
        cache.get_many(&[key("a")]).unwrap();
        cache.put_many(&[(key("c"), vector())]).unwrap();
        let found = cache.get_many(&[key("a"), key("b"), key("c")]).unwrap();
        assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, true]);
        let entries = cache.entries.lock().unwrap();
        assert_eq!(entries.bytes, 2 * cost(&vector()));
        assert_eq!((entries.vectors.len(), entries.by_use.len()), (2, 2));
    }

    #[test]
    fn duplicates_count_once() {
        let cache = MemoryCache::new(1 << 20);
        for _ in 0..3 {
            cache.put_many(&[(key("a"), vector())]).unwrap();
        }
        assert_eq!(cache.entries.lock().unwrap().bytes, cost(&vector()));
    }

    #[test]
    fn does_not_store_vectors_above_the_limit() {
        let cache = MemoryCache::new(8);
        cache.put_many(&[(key("a"), vector())]).unwrap();
        assert_eq!(cache.get_many(&[key("a")]).unwrap(), [None]);
    }

    #[test]
    fn keys_distinguish_models_and_texts() {
        assert_ne!(key("a"), key("b"));
        assert_ne!(key("a"), Key::new(&[8; 32], "a"));
        assert_eq!(key(""), key(""));
        let for_pair = |first, second| Key::for_pair(&[7; 32], first, second);
        assert_ne!(for_pair("ab", "c"), for_pair("a", "bc"));
        assert_eq!(for_pair("a", "b"), for_pair("a", "b"));
    }
}
