//! Inputs, baselines and load clients for the published figures. See `benches/README.md`.

pub mod allocator;
pub mod core_figures;
pub mod cpu_time;
pub mod echo;
pub mod extraction;
pub mod growth;
pub mod judging;
pub mod load;
pub mod partitions;
pub mod provider;
pub mod requests;
pub mod sized;
pub mod stream_load;
pub mod telemetry;
pub mod timing;
