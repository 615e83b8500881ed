//! The GSAR sidecar: decides over gRPC whether an incident report may be sent.
//!
//! `api` contains the gRPC services, and `gateway` serves them over HTTP. `evaluate` runs one evaluation,
//! `rescore` applies other policies to recorded evaluations, and `drive` runs investigations. `judge`
//! classifies claims. `evidence` stores and searches corpora. `ledger` records evaluations, `export`
//! streams them and `backup` copies them. `assembly` builds the engine from the configuration, and
//! `lifecycle` binds, starts and drains the server.

pub mod api;
pub mod assembly;
pub mod attestation;
pub mod backup;
mod blocking_work;
pub mod call;
mod compute_pool;
pub mod config;
pub mod data_owner;
pub mod drive;
pub mod errors;
pub mod evaluate;
pub mod evidence;
mod evidence_size;
pub mod export;
mod field_hasher;
pub mod gateway;
pub mod identity;
pub mod judge;
pub mod ledger;
pub mod lifecycle;
mod memory;
mod metered_body;
pub mod policies;
mod rescore;
pub mod server_phase;
mod storage;
pub mod telemetry;
pub mod tls;
mod wall_clock;
