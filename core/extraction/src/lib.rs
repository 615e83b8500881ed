//! Reads the assertions of reports ([`report`]), the facts of evidence ([`facts`]), and the
//! words, figures, times and negations of both ([`text`]).
//!
//! Everything is a plain function of a text. The crate does not depend on policies, classes or evidence items, and
//! reads no clock, file, socket or environment variable.

pub mod budget;
pub mod facts;
mod memory;
pub mod passages;
pub mod report;
pub mod rules;
pub mod text;
