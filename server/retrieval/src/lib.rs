//! Retrieval without I/O: splits evidence into passages, extracts their search terms, and fuses rankings.

pub mod cohesion;
pub mod diversity;
pub mod fusion;
pub mod lines;
pub mod records;
pub mod templates;
pub mod terms;
