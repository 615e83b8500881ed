//! Tests of the crate, in one binary so that it is linked only once.

#![expect(
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and reads files"
)]

mod architecture;
mod reports;
mod source;
