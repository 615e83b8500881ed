//! Logs, metrics and traces. They never contain text from reports or evidence.

pub mod calls;
mod logs;
pub mod metrics;
pub mod panics;
pub mod safety;
mod trace_context;
pub mod traces;

pub use logs::start_logs;
pub use trace_context::TraceContext;
