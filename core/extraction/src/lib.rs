//! Extracts assertions from reports ([`report`]), facts from evidence ([`facts`]), and words, figures, times and
//! negations from both ([`text`]).
//!
//! Everything is a pure function of the text. The crate does no I/O, reads no clock, and does not depend on
//! policies, classes or evidence items.

pub mod budget;
pub mod facts;
mod heap_size;
pub mod passages;
pub mod report;
pub mod rules;
pub mod text;
