//! This module holds logs, metrics and trace context. Report and evidence text never goes into any of them.

pub mod calls;
pub mod gate;
mod logs;
pub mod metrics;
mod trace_context;

pub use logs::start_logs;
pub use trace_context::TraceContext;
