//! Integration tests against real and scripted servers, compiled to a single binary.

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
#[path = "../../server/tests/support/process.rs"]
mod process;
mod real_server;
#[path = "../../server/tests/support/recorded_model.rs"]
mod recorded_model;
mod reproducers;
mod run_agent;
mod same_verdicts;
mod sdk;
#[path = "../../server/tests/support/server_binary.rs"]
mod server_binary;
mod tls;
mod watch;
