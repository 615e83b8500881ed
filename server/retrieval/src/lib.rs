//! Retrieval without I/O: splits evidence into passages, extracts their search terms, and fuses rankings.

pub mod cohesion;
pub mod fusion;
pub mod lines;
pub mod records;
pub mod diversity;
pub mod templates;
pub mod terms;
