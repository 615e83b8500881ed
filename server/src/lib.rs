//! This crate is the GSAR sidecar: it answers over gRPC whether an incident report may go out.
//!
//! One folder per subject. `api` decodes, checks and encodes; `assembly` builds the engine from the
//! configuration; `evaluate` is the pipeline of one evaluation; `rescore` decides recorded ones under other policies; `backup` copies a data directory; `drive` is the outer loop around evaluations; `judge`
//! partitions claims; `evidence` keeps corpora and finds what bears on a claim; `ledger` keeps the record and `export`
//! streams it; `gateway` serves HTTP by what `api` answers; `lifecycle` starts, readies and drains; `tls` does handshakes. `call`, `errors`, `config` and `telemetry`
//! serve all of them.

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
mod offload;
pub mod owner;
pub mod phase;
pub mod policies;
mod rescore;
mod storage;
pub mod telemetry;
pub mod tls;
mod wall_clock;
mod weigh;
mod weight;
