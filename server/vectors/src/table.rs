//! The vectors in memory: rows in insertion order, and the row of each key.
//!
//! Rows never change or move, because the graph and the files refer to them. Replacing or removing a key only
//! marks its row as removed. Rows are stored in blocks, so that growing the table does not copy them.

use std::collections::HashMap;

pub(crate) const REMOVED: u64 = u64::MAX;
/// The maximum number of rows, including removed ones.
pub(crate) const MAX_ROWS: usize = u32::MAX as usize;
pub(crate) const ROWS_PER_BLOCK: usize = 1_024;

#[derive(Debug)]
pub(crate) struct Table {
    dimension: usize,
    blocks: Vec<Vec<f32>>,
    keys: Vec<u64>,
    rows: HashMap<u64, usize>,
}

impl Table {
    pub(crate) fn new(dimension: usize) -> Self {
        Self { dimension, blocks: Vec::new(), keys: Vec::new(), rows: HashMap::new() }
    }

    /// Builds a table from blocks, which must be full except the last. Returns `None` if the sizes do not match
    /// or a key is duplicated.
    pub(crate) fn restore(dimension: usize, blocks: Vec<Vec<f32>>, keys: Vec<u64>) -> Option<Self> {
        let values: usize = blocks.iter().map(Vec::len).sum();
        if keys.len().checked_mul(dimension)? != values {
            return None;
        }
        let present = || keys.iter().enumerate().filter(|(_, key)| **key != REMOVED);
        let rows: HashMap<u64, usize> = present().map(|(row, key)| (*key, row)).collect();
        (rows.len() == present().count()).then_some(Self { dimension, blocks, keys, rows })
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of rows, including removed ones.
    pub(crate) fn rows(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys
    }

    pub(crate) fn row(&self, key: u64) -> Option<usize> {
        self.rows.get(&key).copied()
    }

    pub(crate) fn key(&self, row: usize) -> Option<u64> {
        self.keys.get(row).copied().filter(|key| *key != REMOVED)
    }

    /// Returns the vector of `row`, even if it was removed.
    pub(crate) fn vector(&self, row: usize) -> Option<&[f32]> {
        let start = (row % ROWS_PER_BLOCK) * self.dimension;
        self.blocks.get(row / ROWS_PER_BLOCK)?.get(start..start + self.dimension)
    }

    /// Appends a row, which replaces the previous row of `key`. `vector` must have the table's dimension.
    pub(crate) fn push(&mut self, key: u64, vector: &[f32]) {
        if self.keys.len().is_multiple_of(ROWS_PER_BLOCK) {
            // The first block grows as needed, because most tables are small.
            let capacity = if self.blocks.is_empty() { 0 } else { ROWS_PER_BLOCK * self.dimension };
            self.blocks.push(Vec::with_capacity(capacity));
        }
        if let Some(block) = self.blocks.last_mut() {
            block.extend_from_slice(vector);
        }
        self.remove(key);
        self.rows.insert(key, self.keys.len());
        self.keys.push(key);
    }

    pub(crate) fn remove(&mut self, key: u64) -> bool {
        let Some(row) = self.rows.remove(&key) else { return false };
        if let Some(key) = self.keys.get_mut(row) {
            *key = REMOVED;
        }
        true
    }

    /// Visits the rows from `first` that are not removed.
    #[inline]
    pub(crate) fn for_each_from(&self, first: usize, mut visit: impl FnMut(u64, &[f32])) {
        let mut skipped_rows = first % ROWS_PER_BLOCK;
        let blocks = self.blocks.iter().zip(self.keys.chunks(ROWS_PER_BLOCK));
        for (block, keys) in blocks.skip(first / ROWS_PER_BLOCK) {
            for (vector, key) in block.chunks_exact(self.dimension).zip(keys).skip(skipped_rows) {
                if *key != REMOVED {
                    visit(*key, vector);
                }
            }
            skipped_rows = 0;
        }
    }

    pub(crate) fn compacted(&self) -> Self {
        let mut compacted = Self::new(self.dimension);
        self.for_each_from(0, |key, vector| compacted.push(key, vector));
        compacted
    }

    pub(crate) fn values_from(&self, first: usize) -> impl Iterator<Item = &[f32]> {
        let start = (first % ROWS_PER_BLOCK) * self.dimension;
        self.blocks
            .iter()
            .skip(first / ROWS_PER_BLOCK)
            .enumerate()
            .filter_map(move |(index, block)| block.get(if index == 0 { start } else { 0 }..))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_rows_across_blocks() {
        let mut table = Table::new(2);
        for key in 0..2_500_u64 {
            table.push(key, &[key as f32, 0.5]);
        }
        table.remove(2_000);
        for first in [0, 1, 1_023, 1_024, 1_025, 2_047, 2_048, 2_499, 2_500, 9_999] {
            let mut keys = Vec::new();
            table.for_each_from(first, |key, vector| {
                assert_eq!(vector, [key as f32, 0.5]);
                keys.push(key);
            });
            let expected: Vec<u64> = (first as u64..2_500).filter(|key| *key != 2_000).collect();
            assert_eq!(keys, expected, "{first}");
            let values: usize = table.values_from(first).map(<[f32]>::len).sum();
            assert_eq!(values, 2 * 2_500_usize.saturating_sub(first), "{first}");
        }
        assert_eq!(table.vector(2_000), Some(&[2_000.0, 0.5][..]));
        assert_eq!(table.vector(2_500), None);
        let compacted = table.compacted();
        assert_eq!((compacted.rows(), compacted.len()), (2_499, 2_499));
        assert_eq!(compacted.row(2_001), Some(2_000));
    }

    #[test]
    fn rejects_duplicate_keys() {
        assert!(Table::restore(1, vec![vec![1.0, 1.0]], vec![5, 5]).is_none());
        assert!(Table::restore(1, vec![vec![1.0, 1.0]], vec![5]).is_none());
        let table = Table::restore(1, vec![vec![1.0; 3]], vec![REMOVED, 5, REMOVED]).unwrap();
        assert_eq!((table.len(), table.rows(), table.row(5)), (1, 3, Some(1)));
    }
}
