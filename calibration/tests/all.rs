//! Tests `gsar-calibrate` against a real server.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod investigations;
mod real_server;
mod support;
mod traces;
