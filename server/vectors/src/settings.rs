//! The settings of an index, and the measurements behind [`CROSSOVER`].
//!
//! The following table lists the CPU time, in milliseconds, of a search for the ten nearest vectors of 384
//! values, measured with `cargo run --release -p gsar-vectors --example vectors_times`, with and without
//! `--made spread`:
//!
//! | vectors | data | exact scan | `F32` graph | recall@10 | `I8` graph | recall@10 |
//! |---|---|---|---|---|---|---|
//! | 1 000 | clustered | 0.032 | 0.073 | 1.000 | 0.084 | 1.000 |
//! | 1 000 | spread | 0.031 | 0.090 | 1.000 | 0.115 | 1.000 |
//! | 5 000 | clustered | 0.187 | 0.200 | 1.000 | 0.201 | 1.000 |
//! | 5 000 | spread | 0.141 | 0.312 | 0.999 | 0.233 | 0.999 |
//! | 20 000 | clustered | 1.011 | 0.556 | 1.000 | 0.461 | 1.000 |
//! | 20 000 | spread | 0.951 | 2.007 | 1.000 | 1.767 | 1.000 |
//!
//! The graph is faster than a scan from about 5 000 clustered or 20 000 spread vectors. With 100 000 real
//! sentences (`--vectors`, docs/EVALUATION.md) it is faster from about 3 000 vectors, and the `I8` graph is the
//! fastest at every size, with the same recall.

use std::num::NonZero;
use std::thread::available_parallelism;

use crate::error::IndexError;

/// The default maximum number of vectors in an index without a graph.
pub const CROSSOVER: usize = 3_072;

const MAX_DIMENSION: usize = 16_384;
const MAX_CALLERS: usize = 1_024;

/// The settings of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of values per vector, 1 to 16384.
    pub dimension: usize,
    /// Identifies the embedding model, preferably by its digest. Must not be empty. Files for another model
    /// are not loaded.
    pub model: String,
    /// The scalar type in the graph. Hits are always ranked by the exact vectors.
    pub scalar: Scalar,
    /// The maximum number of concurrent graph searches, 1 to 1024; further searches wait. Defaults to the
    /// number of CPUs; a higher value makes searches slower.
    pub callers: usize,
    /// The maximum number of vectors in an index without a graph; defaults to [`CROSSOVER`].
    pub crossover: usize,
}

/// The scalar type of vectors in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Four bytes per value, exact.
    F32,
    /// One byte per value, rounded.
    I8,
}

impl Settings {
    /// Returns the default settings for vectors of `model` with `dimension` values.
    #[must_use]
    pub fn new(dimension: usize, model: impl Into<String>) -> Self {
        let callers = available_parallelism().map_or(1, NonZero::get).min(MAX_CALLERS);
        Self { dimension, model: model.into(), scalar: Scalar::I8, callers, crossover: CROSSOVER }
    }

    pub(crate) fn check(&self) -> Result<(), IndexError> {
        let invalid = |field, given: String, allowed| {
            Err(IndexError::InvalidSetting { field, given, allowed })
        };
        if !(1..=MAX_DIMENSION).contains(&self.dimension) {
            return invalid("dimension", self.dimension.to_string(), "1 to 16384");
        }
        if self.model.is_empty() {
            return invalid("model", "an empty string".to_owned(), "the digest of a model");
        }
        if !(1..=MAX_CALLERS).contains(&self.callers) {
            return invalid("callers", self.callers.to_string(), "1 to 1024");
        }
        Ok(())
    }

    /// The maximum number of rows missing from the graph, which are compared one by one.
    pub(crate) fn max_rows_behind(&self) -> usize {
        const SHARE: usize = 8;
        self.crossover / SHARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invalid_field(change: impl FnOnce(&mut Settings)) -> Option<&'static str> {
        let mut settings = Settings::new(384, "model");
        change(&mut settings);
        match settings.check() {
            Ok(()) => None,
            Err(IndexError::InvalidSetting { field, .. }) => Some(field),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn checks_values_at_their_bounds() {
        assert_eq!(invalid_field(|_| {}), None);
        assert_eq!(invalid_field(|s| s.dimension = 0), Some("dimension"));
        assert_eq!(invalid_field(|s| s.dimension = 1), None);
        assert_eq!(invalid_field(|s| s.dimension = 16_384), None);
        assert_eq!(invalid_field(|s| s.dimension = 16_385), Some("dimension"));
        assert_eq!(invalid_field(|s| s.model.clear()), Some("model"));
        assert_eq!(invalid_field(|s| s.callers = 0), Some("callers"));
        assert_eq!(invalid_field(|s| s.callers = 1), None);
        assert_eq!(invalid_field(|s| s.callers = 1_024), None);
        assert_eq!(invalid_field(|s| s.callers = 1_025), Some("callers"));
    }
}
