//! The programs of the published figures: generated partitions, prepared requests, a bare echo server and a load client.
//!
//! No other crate may depend on this one. `benches/README.md` describes each figure.

pub mod allocator;
pub mod core_figures;
pub mod echo;
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
