//! Sets up logging to standard error, as JSON or human-readable text, and the export of spans.

use tracing::subscriber::Interest;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::filter::{Directive, LevelFilter, dynamic_filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use super::traces::{Exporter, TARGET, is_exported};
use crate::config::{Log, LogFormat};

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Installs the process-wide log subscriber and the span exporter.
///
/// # Errors
/// Returns an error if `log.level` is invalid or a subscriber is already installed.
pub fn start_logs(log: &Log, exporter: Option<&Exporter>) -> Result<(), String> {
    let base = fmt::layer::<Registry>().with_writer(std::io::stderr);
    let log_layer = match log.format {
        LogFormat::Json => base.json().flatten_event(true).with_current_span(true).boxed(),
        LogFormat::Pretty => base.with_target(false).boxed(),
    };
    // A static filter lets each callsite be evaluated only once.
    let log_layer = log_layer.with_filter(filter(&log.level)?);
    let registry = tracing_subscriber::registry().with(log_layer);
    let result = match exporter {
        Some(exporter) => registry.with(span_layer(exporter)).try_init(),
        // With an `Option` of a layer, the registry would create spans that nothing collects.
        None => registry.try_init(),
    };
    result.map_err(|error| format!("logs: {error}"))
}

fn span_layer<S>(exporter: &Exporter) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let is_exported_at = |span: &Metadata<'_>| match span.target() == TARGET {
        true => Interest::sometimes(),
        false => Interest::never(),
    };
    tracing_opentelemetry::layer()
        .with_tracer(exporter.tracer())
        .with_location(false)
        .with_threads(false)
        .with_level(false)
        .with_target(false)
        .with_tracked_inactivity(false)
        .with_filter(
            dynamic_filter_fn(is_exported)
                .with_callsite_filter(is_exported_at)
                .with_max_level_hint(LevelFilter::INFO),
        )
}

/// Parses a filter of comma-separated levels and `target=level` directives. A single word must be a level:
/// the library would interpret `verbose` as a target and silence all other targets. Excludes trace spans.
fn filter(text: &str) -> Result<EnvFilter, String> {
    let filter_error = |reason: String| {
        format!(
            "{reason}; use {}, or levels for targets such as gsar_server=debug,warn",
            LEVELS.join(", ")
        )
    };
    for directive in text.split(',').map(str::trim) {
        let level = directive.rsplit('=').next().unwrap_or_default();
        if !LEVELS.iter().any(|level_name| level.eq_ignore_ascii_case(level_name)) {
            return Err(filter_error(format!("unknown log level `{directive}`")));
        }
    }
    let invalid_filter = |error| filter_error(format!("invalid log filter `{text}`: {error}"));
    let traces: Directive = format!("{TARGET}=off").parse().map_err(invalid_filter)?;
    Ok(EnvFilter::try_new(text).map_err(invalid_filter)?.add_directive(traces))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_level_filters() {
        for valid in
            ["info", "WARN", "off", "gsar_server=debug,warn", "gsar_server::ledger=trace, info"]
        {
            filter(valid).unwrap();
        }
        for (text, expected) in [
            ("verbose", "unknown log level `verbose`; use off, error, warn, info, debug, trace"),
            ("", "unknown log level ``"),
            ("info,", "unknown log level ``"),
            ("gsar_server", "unknown log level `gsar_server`"),
            ("gsar_server=loud", "unknown log level `gsar_server=loud`"),
        ] {
            let error = filter(text).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
