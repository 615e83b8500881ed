//! This crate has the programs of the published figures: generated partitions, prepared requests, a bare echo server
//! and a load client.
//!
//! Nothing of the product may depend on this crate. `benches/README.md` says what each figure is and how
//! it is taken.

pub mod allocator;
pub mod core_figures;
pub mod echo;
pub mod endpoint;
pub mod extraction;
pub mod growth;
pub mod judging;
pub mod load;
pub mod partitions;
pub mod processor_time;
pub mod provider;
pub mod requests;
pub mod stream_load;
pub mod telemetry;
pub mod timing;
