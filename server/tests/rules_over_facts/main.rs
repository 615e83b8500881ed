//! The judge over facts (`rules/2`) by itself, without a server: the page that describes it, and statements over evidence
//! of invented incidents.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::allow_attributes,
    reason = "a test fails by panicking and prints what it measures"
)]

mod claims_page;
mod statement_files;
mod statements;
