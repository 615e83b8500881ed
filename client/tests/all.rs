//! The command line and the client, in front of real servers and scripted ones. One binary, linked once.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]

mod calls;
mod command_line;
mod common;
mod drive;
mod judge_try;
mod machine;
mod real_server;
mod reproducers;
mod same_verdicts;
mod sdk;
mod server_binary;
mod tls;
mod watch;
