//! Reading reports and evidence as text: words, figures, times, negation, sentences.
//!
//! This crate is a set of plain functions of a text. It knows nothing of policies, classes or evidence items,
//! and it never reads a clock, a file, a socket or the environment.

extern crate alloc;

pub mod text;
