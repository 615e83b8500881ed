//! This module writes logs: JSON for machines, pretty for people, always on standard error.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;

use crate::config::{Log, LogFormat};

/// Words that say how much is logged.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Installs the log output of this process.
///
/// # Errors
/// A sentence when `log.level` is no filter, or when logs were started before.
pub fn start_logs(log: &Log) -> Result<(), String> {
    let filter = filter(&log.level)?;
    let base = fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match log.format {
        LogFormat::Json => base.json().flatten_event(true).with_current_span(true).try_init(),
        LogFormat::Pretty => base.with_target(false).try_init(),
    };
    started.map_err(|error| format!("logs: {error}"))
}

/// A filter: levels, and levels of targets, between commas. A word alone must be a level: `verbose` would be a target
/// to the library, and silence for all others.
fn filter(text: &str) -> Result<EnvFilter, String> {
    let refused = |why: String| {
        format!(
            "{why}; give {}, or levels of targets such as gsar_server=debug,warn",
            LEVELS.join(", ")
        )
    };
    for directive in text.split(',').map(str::trim) {
        let level = directive.rsplit('=').next().unwrap_or_default();
        if !LEVELS.iter().any(|known| level.eq_ignore_ascii_case(known)) {
            return Err(refused(format!("`{directive}` is no level")));
        }
    }
    EnvFilter::try_new(text).map_err(|error| refused(format!("`{text}` is no filter: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_made_of_levels() {
        for sound in
            ["info", "WARN", "off", "gsar_server=debug,warn", "gsar_server::ledger=trace, info"]
        {
            filter(sound).unwrap();
        }
        for (wrong, expected) in [
            ("verbose", "`verbose` is no level; give off, error, warn, info, debug, trace"),
            ("", "`` is no level"),
            ("info,", "`` is no level"),
            ("gsar_server", "`gsar_server` is no level"),
            ("gsar_server=loud", "`gsar_server=loud` is no level"),
        ] {
            let refused = filter(wrong).unwrap_err();
            assert!(refused.starts_with(expected), "{refused}");
        }
    }
}
