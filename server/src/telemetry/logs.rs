//! This module writes logs: JSON for machines, pretty for people, always on standard error. Spans of traces go beside them.

use tracing::subscriber::Interest;
use tracing_subscriber::filter::{Directive, LevelFilter, dynamic_filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, Registry, fmt};

use super::traces::{Exporter, TARGET, is_exported};
use crate::config::{Log, LogFormat};

/// Words that say how much is logged.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Installs the log output of this process, and the export of spans.
///
/// # Errors
/// A sentence when `log.level` is no filter, or when logs were started before.
pub fn start_logs(log: &Log, exporter: Option<&Exporter>) -> Result<(), String> {
    let base = fmt::layer::<Registry>().with_writer(std::io::stderr);
    let lines = match log.format {
        LogFormat::Json => base.json().flatten_event(true).with_current_span(true).boxed(),
        LogFormat::Pretty => base.with_target(false).boxed(),
    };
    // Decides by target and level alone: once for each place that logs, and not each time it is passed.
    let lines = lines.with_filter(filter(&log.level)?);
    let spans = exporter.map(|exporter| {
        tracing_opentelemetry::layer()
            .with_tracer(exporter.tracer())
            .with_location(false)
            .with_threads(false)
            .with_level(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(
                dynamic_filter_fn(is_exported)
                    .with_callsite_filter(|of| match of.target() == TARGET {
                        true => Interest::sometimes(),
                        false => Interest::never(),
                    })
                    .with_max_level_hint(LevelFilter::INFO),
            )
    });
    let started = tracing_subscriber::registry().with(lines).with(spans).try_init();
    started.map_err(|error| format!("logs: {error}"))
}

/// A filter: levels, and levels of targets, between commas. A word alone must be a level: `verbose` would be a target
/// to the library, and silence for all others. Spans of traces are in no line.
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
    let is_no_filter = |error| refused(format!("`{text}` is no filter: {error}"));
    let traces: Directive = format!("{TARGET}=off").parse().map_err(is_no_filter)?;
    Ok(EnvFilter::try_new(text).map_err(is_no_filter)?.add_directive(traces))
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
