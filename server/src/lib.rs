//! The GSAR sidecar: answers over gRPC whether an incident report may go out.
//!
//! One folder per room. `api` decodes, checks and encodes and knows no rules; `evaluate` is the pipeline of
//! one evaluation and the only room that knows the others; `judge` partitions claims; `evidence` keeps corpora
//! and finds what bears on a claim; `ledger` keeps the record; `lifecycle` starts, readies and drains; `config` and `telemetry` serve all of them.

pub mod api;
pub mod config;
pub mod evaluate;
pub mod evidence;
pub mod judge;
pub mod ledger;
pub mod lifecycle;
pub mod policies;
mod storage;
pub mod telemetry;
