//! Combines two caches, such as memory and disk.

use super::{Cache, CacheError, Key};
use crate::vector::Vector;

/// Reads from the front cache first, then from the back cache, and copies vectors from back to front. If
/// the back cache fails, returns the vectors found in the front cache, or an error if there are none.
#[derive(Debug)]
pub struct LayeredCache<Front, Back> {
    front: Front,
    back: Back,
}

impl<Front: Cache, Back: Cache> LayeredCache<Front, Back> {
    /// Creates a layered cache.
    #[must_use]
    pub fn new(front: Front, back: Back) -> Self {
        Self { front, back }
    }
}

impl<Front: Cache, Back: Cache> Cache for LayeredCache<Front, Back> {
    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Vector>>, CacheError> {
        let mut vectors = self.front.get_many(keys)?;
        let missing_keys: Vec<Key> = keys
            .iter()
            .zip(&vectors)
            .filter(|(_, vector)| vector.is_none())
            .map(|(key, _)| *key)
            .collect();
        if missing_keys.is_empty() {
            return Ok(vectors);
        }
        let back_vectors = match self.back.get_many(&missing_keys) {
            Ok(back_vectors) => back_vectors,
            Err(_) if missing_keys.len() < keys.len() => return Ok(vectors),
            Err(error) => return Err(error),
        };
        let found_in_back: Vec<(Key, Vector)> = missing_keys
            .iter()
            .zip(&back_vectors)
            .filter_map(|(key, vector)| Some((*key, Vector::clone(vector.as_ref()?))))
            .collect();
        self.front.put_many(&found_in_back)?;
        let mut back_vectors = back_vectors.into_iter();
        for vector in vectors.iter_mut().filter(|vector| vector.is_none()) {
            *vector = back_vectors.next().flatten();
        }
        Ok(vectors)
    }

    fn put_many(&self, vectors: &[(Key, Vector)]) -> Result<(), CacheError> {
        self.front.put_many(vectors)?;
        self.back.put_many(vectors)
    }
}

#[cfg(test)]
mod tests {
    use super::super::MemoryCache;
    use super::*;

    #[test]
    fn vectors_from_the_back_are_copied_to_the_front() {
        let keys = ["a", "b", "c", "d"].map(|text| Key::new(&[0; 32], text));
        let vector = |number: f32| Vector::from(vec![number]);
        let cache = LayeredCache::new(MemoryCache::new(1 << 20), MemoryCache::new(1 << 20));
        cache.front.put_many(&[(keys[1], vector(1.0))]).unwrap();
        cache.back.put_many(&[(keys[0], vector(0.0)), (keys[3], vector(3.0))]).unwrap();
        let expected = vec![Some(vector(0.0)), Some(vector(1.0)), None, Some(vector(3.0))];
        assert_eq!(cache.get_many(&keys).unwrap(), expected);
        assert_eq!(cache.front.get_many(&keys).unwrap(), expected);
    }
}
