//! Integration tests with real and scripted servers, in a single binary.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod calls;
mod command_line;
mod common;
mod drive;
mod explores;
mod judge_try;
mod machine;
mod real_server;
mod reproducers;
mod run_agent;
mod same_verdicts;
mod sdk;
mod server_binary;
mod tls;
mod watch;
