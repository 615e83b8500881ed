//! This module layers two caches, memory before disk.

use super::{Cache, CacheError, Key};
use crate::vector::Vector;

/// Asks the front, then the back for the rest, and keeps in the front what the back gave. Where only the back
/// fails, what the front knows is still known.
#[derive(Debug)]
pub struct LayeredCache<Front, Back> {
    front: Front,
    back: Back,
}

impl<Front: Cache, Back: Cache> LayeredCache<Front, Back> {
    /// A cache of both.
    #[must_use]
    pub fn new(front: Front, back: Back) -> Self {
        Self { front, back }
    }
}

impl<Front: Cache, Back: Cache> Cache for LayeredCache<Front, Back> {
    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Vector>>, CacheError> {
        let mut found = self.front.get_many(keys)?;
        let missing: Vec<Key> = keys
            .iter()
            .zip(&found)
            .filter(|(_, vector)| vector.is_none())
            .map(|(key, _)| *key)
            .collect();
        if missing.is_empty() {
            return Ok(found);
        }
        let behind = match self.back.get_many(&missing) {
            Ok(behind) => behind,
            Err(_) if missing.len() < keys.len() => return Ok(found),
            Err(error) => return Err(error),
        };
        let fresh: Vec<(Key, Vector)> = missing
            .iter()
            .zip(&behind)
            .filter_map(|(key, vector)| Some((*key, Vector::clone(vector.as_ref()?))))
            .collect();
        self.front.put_many(&fresh)?;
        let mut behind = behind.into_iter();
        for vector in found.iter_mut().filter(|vector| vector.is_none()) {
            *vector = behind.next().flatten();
        }
        Ok(found)
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
    fn what_the_back_gives_stays_in_the_front() {
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
