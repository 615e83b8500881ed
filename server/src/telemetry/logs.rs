//! Log output: JSON for machines, pretty for people, always on standard error.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;

use crate::config::{Log, LogFormat};

/// Installs the log output of this process.
///
/// # Errors
/// A sentence when the level is no filter, or when logs were started before.
pub fn start_logs(log: &Log) -> Result<(), String> {
    let filter = EnvFilter::try_new(&log.level).map_err(|error| {
        format!("log.level: `{}` is no filter such as info: {error}", log.level)
    })?;
    let base = fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match log.format {
        LogFormat::Json => base.json().flatten_event(true).with_current_span(true).try_init(),
        LogFormat::Pretty => base.with_target(false).try_init(),
    };
    started.map_err(|error| format!("logs: {error}"))
}
