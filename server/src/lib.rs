//! The GSAR sidecar: decides over gRPC whether an incident report may go out.
//!
//! `api` has the gRPC services and `gateway` serves them over HTTP. `evaluate` is the pipeline of one evaluation, `rescore`
//! decides recorded ones under other policies, and `drive` is the outer loop around evaluations. `judge` classifies claims,
//! `evidence` stores and searches corpora, `ledger` stores the record, `export` streams it and `backup` copies it. `assembly`
//! builds the engine from the configuration; `lifecycle` binds, starts and drains. The other modules serve all of these.

pub mod api;
pub mod assembly;
pub mod attestation;
pub mod backup;
pub mod call;
mod compute;
pub mod config;
pub mod drive;
pub mod errors;
pub mod evaluate;
pub mod evidence;
pub mod export;
pub mod gateway;
pub mod identity;
pub mod judge;
pub mod ledger;
pub mod lifecycle;
mod memory;
mod metered_body;
mod offload;
pub mod owner;
pub mod phase;
pub mod policies;
mod rescore;
mod storage;
pub mod telemetry;
pub mod tls;
mod wall_clock;
mod weight;
