//! This crate reads reports for what they assert ([`report`]), evidence for its facts ([`facts`]), and both for
//! words, figures, times and negations ([`text`]).
//!
//! This crate is a set of plain functions of a text. It knows nothing of policies, classes or evidence items,
//! and it never reads a clock, a file, a socket or the environment.

pub mod budget;
pub mod facts;
mod memory;
pub mod passages;
pub mod report;
pub mod rules;
pub mod text;
