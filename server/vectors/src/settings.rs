//! This module holds the options of an index, their allowed values, and the size up to which an exact search is made.
//!
//! [`CROSSOVER`] comes from `cargo run --release -p gsar-vectors --example vectors_times`, with and without
//! `--made spread`. Processor time of one search for ten of 384 values each, in milliseconds:
//!
//! | vectors | made | one by one | graph | recall@10 | graph of bytes | recall@10 |
//! |---|---|---|---|---|---|---|
//! | 1 000 | clustered | 0.032 | 0.073 | 1.000 | 0.084 | 1.000 |
//! | 1 000 | spread | 0.031 | 0.090 | 1.000 | 0.115 | 1.000 |
//! | 5 000 | clustered | 0.187 | 0.200 | 1.000 | 0.201 | 1.000 |
//! | 5 000 | spread | 0.141 | 0.312 | 0.999 | 0.233 | 0.999 |
//! | 20 000 | clustered | 1.011 | 0.556 | 1.000 | 0.461 | 1.000 |
//! | 20 000 | spread | 0.951 | 2.007 | 1.000 | 1.767 | 1.000 |
//!
//! In clusters the graph is as quick as comparing one by one from about 5 000 on, spread widely only above 20 000; of
//! 100 000 real sentences (`--vectors`, docs/EVALUATION.md) from about 3 000 on, which is what counts. There a graph of
//! bytes is the quickest at every size and finds as much.

use std::num::NonZero;
use std::thread::available_parallelism;

use crate::error::IndexError;

/// The most vectors that a query is compared with one by one; with more, the graph is asked.
pub const CROSSOVER: usize = 3_072;

/// The most values of a vector.
const MAX_DIMENSION: usize = 16_384;
/// The most searches in the graph at one moment.
const MAX_CALLERS: usize = 1_024;

/// What an index is opened with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of values of each vector, 1 to 16384.
    pub dimension: usize,
    /// Names the model that makes the vectors, best by its digest; not empty. Vectors of another model are not
    /// used.
    pub model: String,
    /// How the graph keeps its copies of the vectors. Hits are ranked by the vectors themselves, whatever is
    /// set here.
    pub scalar: Scalar,
    /// The most searches in the graph at one moment, 1 to 1024; by default as many as processors. One more waits.
    /// They take turns in as much working memory, so more than there are processors make each slower.
    pub callers: usize,
    /// The most vectors that a query is compared with one by one; by default [`CROSSOVER`]. There is no graph before
    /// it is needed.
    pub crossover: usize,
}

/// How the graph keeps its copies of the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// As they are, four bytes for each value.
    F32,
    /// Rounded to one byte for each value: a quarter of the memory.
    I8,
}

impl Settings {
    /// An index of `dimension` values for vectors of `model`: the graph keeps bytes, as many callers as there are
    /// processors, the measured crossover.
    #[must_use]
    pub fn new(dimension: usize, model: impl Into<String>) -> Self {
        let callers = available_parallelism().map_or(1, NonZero::get).min(MAX_CALLERS);
        Self { dimension, model: model.into(), scalar: Scalar::I8, callers, crossover: CROSSOVER }
    }

    /// Refuses the first value that is not allowed.
    pub(crate) fn check(&self) -> Result<(), IndexError> {
        let refuse = |field, given: String, allowed| {
            Err(IndexError::InvalidSetting { field, given, allowed })
        };
        if !(1..=MAX_DIMENSION).contains(&self.dimension) {
            return refuse("dimension", self.dimension.to_string(), "1 to 16384");
        }
        if self.model.is_empty() {
            return refuse("model", "an empty text".to_owned(), "the digest of a model");
        }
        if !(1..=MAX_CALLERS).contains(&self.callers) {
            return refuse("callers", self.callers.to_string(), "1 to 1024");
        }
        Ok(())
    }

    /// The most rows at the end of the table that wait for the graph and are compared one by one until then.
    pub(crate) fn waiting_rows(&self) -> usize {
        const SHARE: usize = 8;
        self.crossover / SHARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut Settings)) -> Option<&'static str> {
        let mut settings = Settings::new(384, "model");
        change(&mut settings);
        match settings.check() {
            Ok(()) => None,
            Err(IndexError::InvalidSetting { field, .. }) => Some(field),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn each_bound_is_exact() {
        assert_eq!(refused(|_| {}), None);
        assert_eq!(refused(|s| s.dimension = 0), Some("dimension"));
        assert_eq!(refused(|s| s.dimension = 1), None);
        assert_eq!(refused(|s| s.dimension = 16_384), None);
        assert_eq!(refused(|s| s.dimension = 16_385), Some("dimension"));
        assert_eq!(refused(|s| s.model.clear()), Some("model"));
        assert_eq!(refused(|s| s.callers = 0), Some("callers"));
        assert_eq!(refused(|s| s.callers = 1), None);
        assert_eq!(refused(|s| s.callers = 1_024), None);
        assert_eq!(refused(|s| s.callers = 1_025), Some("callers"));
    }
}
