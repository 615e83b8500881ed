//! This crate keeps vectors of evidence in the files of one directory and searches them by cosine similarity.
//!
//! One [`VectorIndex`] holds the vectors of one corpus, each under a key of its owner. Few vectors are compared
//! one by one with the query; many are found through a graph of near vectors (HNSW, by the crate `usearch`),
//! whose candidates are ranked again by the vectors themselves. Either way the similarity of a hit is the same
//! number, and a removed key never comes back.
//!
//! This crate keeps vectors. It embeds nothing, knows neither evidence nor claims, opens no socket and reads no
//! configuration; it owns every file in its directories.
//!
//! ```
//! use gsar_vectors::{Opened, Settings, VectorIndex};
//! # let parent = tempfile::tempdir()?;
//! # let directory = parent.path().join("corpus");
//! let settings = Settings::new(3, "digest of the model");
//! let (index, opened) = VectorIndex::open(&directory, settings)?;
//! assert_eq!(opened, Opened::Empty);
//! index.add(&[(7, [1.0, 0.0, 0.0]), (8, [0.0, 1.0, 0.0])])?;
//! let hits = index.search(&[0.9, 0.1, 0.0], 1, None)?;
//! assert_eq!(hits[0].key, 7);
//! index.save()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod callers;
mod disk;
mod error;
mod files;
mod graph;
mod index;
mod manifest;
mod ranking;
mod settings;
mod table;
mod unit;

pub use error::{IndexError, Reason, VectorFault};
pub use index::{Opened, VectorIndex};
pub use ranking::Hit;
pub use settings::{CROSSOVER, Scalar, Settings};

#[cfg(test)]
mod tests;
