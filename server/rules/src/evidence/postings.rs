//! An index from word keys to numbers: open addressing with one chain of entries per key.
//!
//! Built once per question and read per claim, so it is laid out for few allocations, not for removal.

use crate::vocabulary::words::Key;

const NONE: u32 = u32::MAX;

/// Which numbers stand under a key, newest first.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    slots: Vec<Slot>,
    entries: Vec<Entry>,
    used: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: Key,
    head: u32,
    newest: u32,
    count: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    value: u32,
    next: u32,
}

const EMPTY: Slot = Slot { key: 0, head: NONE, newest: NONE, count: 0 };

impl Postings {
    /// An empty index with room for that many entries. Room for keys is made as they come: a table no larger than
    /// the words of the evidence are many stays near the processor.
    pub(crate) fn with_room(entries: usize) -> Self {
        Self { slots: Vec::new(), entries: Vec::with_capacity(entries), used: 0 }
    }

    /// Puts a number under a key, unless it is the newest there already.
    pub(crate) fn add(&mut self, key: Key, value: u32) {
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let Ok(entry) = u32::try_from(self.entries.len()) else { return };
        let place = self.place(key);
        let Some(slot) = self.slots.get_mut(place) else { return };
        if slot.head == NONE {
            self.used += 1;
            slot.key = key;
        } else if slot.newest == value {
            return;
        }
        self.entries.push(Entry { value, next: slot.head });
        slot.head = entry;
        slot.newest = value;
        slot.count += 1;
    }

    /// How many numbers stand under a key.
    pub(crate) fn count(&self, key: Key) -> u32 {
        self.slots.get(self.place(key)).map_or(0, |slot| slot.count)
    }

    /// The numbers under a key, newest first.
    pub(crate) fn of(&self, key: Key) -> Chain<'_> {
        let next = self.slots.get(self.place(key)).map_or(NONE, |slot| slot.head);
        Chain { entries: &self.entries, next }
    }

    /// The slot that holds a key, or the free one where it belongs.
    fn place(&self, key: Key) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        let spread = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let mut at = usize::try_from(spread).unwrap_or(0) & mask;
        loop {
            match self.slots.get(at) {
                Some(slot) if slot.head != NONE && slot.key != key => at = (at + 1) & mask,
                _ => return at,
            }
        }
    }

    fn grow(&mut self) {
        let larger = (self.slots.len() * 2).max(256);
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; larger]);
        for slot in old.into_iter().filter(|slot| slot.head != NONE) {
            let place = self.place(slot.key);
            if let Some(free) = self.slots.get_mut(place) {
                *free = slot;
            }
        }
    }
}

/// Iterator over the numbers under one key.
#[derive(Clone, Debug)]
pub(crate) struct Chain<'a> {
    entries: &'a [Entry],
    next: u32,
}

impl Iterator for Chain<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let entry = self.entries.get(self.next as usize)?;
        self.next = entry.next;
        Some(entry.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn an_empty_index_holds_nothing() {
        let empty = Postings::default();
        assert_eq!(empty.of(1).count(), 0);
        assert_eq!(empty.count(7), 0);
    }

    proptest! {
        #[test]
        fn it_holds_what_a_map_holds(pairs in proptest::collection::vec((0_u64..300, 0_u32..50), 0..800)) {
            let mut index = Postings::with_room(4);
            let mut expected: HashMap<u64, Vec<u32>> = HashMap::new();
            for (key, value) in pairs {
                index.add(key, value);
                let under = expected.entry(key).or_default();
                if under.last() != Some(&value) {
                    under.push(value);
                }
            }
            for key in 0..300 {
                let mut found: Vec<_> = index.of(key).collect();
                found.reverse();
                prop_assert_eq!(index.count(key) as usize, found.len());
                prop_assert_eq!(found, expected.get(&key).cloned().unwrap_or_default());
            }
        }
    }
}
