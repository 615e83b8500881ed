//! Tests `gsar-calibrate` with a real server.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on fails")]

mod investigations;
mod real_server;
mod support;
mod traces;
