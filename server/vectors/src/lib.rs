//! Stores embedding vectors in the files of a directory and searches them by cosine similarity.
//!
//! A [`VectorIndex`] contains the vectors of one corpus under keys chosen by the caller. Small indexes compare
//! the query with every vector. Larger ones search an HNSW graph (crate `usearch`) and rank its candidates by
//! the exact vectors. Both report the same similarities.
//!
//! The crate does not compute embeddings. It owns all files in its directories.
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

mod disk;
mod error;
mod files;
mod graph;
mod index;
mod manifest;
mod ranking;
mod semaphore;
mod settings;
mod table;
mod unit_vector;

pub use error::{IndexError, Reason, VectorFault};
pub use index::{Opened, VectorIndex};
pub use ranking::Hit;
pub use settings::{CROSSOVER, Scalar, Settings};

#[cfg(test)]
mod tests;
