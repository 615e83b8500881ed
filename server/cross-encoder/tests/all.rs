//! Tests of the cross-encoder.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod refusals;
mod scores;
mod shipped;
mod support;
