//! Tests for the rules and for the repository. They form a single binary, so that the crate is linked only once.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and some tests read files"
)]

mod architecture;
mod belief;
mod decision_exhaustive;
mod documents;
mod explain;
mod hardening;
mod laws;
mod laws_of_words;
mod open_points;
mod outer_loop;
mod strictness;
mod tool_results;
