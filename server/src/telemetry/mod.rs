//! This module holds logs, metrics, trace context and traces. Report and evidence text never goes into any of them.

pub mod calls;
mod logs;
pub mod metrics;
pub mod panics;
pub mod safety;
mod trace_context;
pub mod traces;

pub use logs::start_logs;
pub use trace_context::TraceContext;
