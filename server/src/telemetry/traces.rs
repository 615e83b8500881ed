//! Creates spans and exports them over OTLP, if configured. Names and attributes follow the OpenTelemetry semantic
//! conventions for RPC and generative AI. They never contain text from reports, evidence, prompts or answers.

use http::HeaderMap;
use opentelemetry::KeyValue;
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::{TraceContextExt as _, TracerProvider as _};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider};
use tonic::Code;
use tracing::field::Empty;
use tracing::{Metadata, Span, Subscriber, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::TraceContext;
use super::calls::code_name;
use crate::config::Traces;

pub(super) const TARGET: &str = "gsar_trace";
const CALL: &str = "call";

/// Returns `true` if a span is exported: a call span, or a span inside one.
pub(super) fn is_exported<S>(span: &Metadata<'_>, context: &Context<'_, S>) -> bool
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    span.target() == TARGET && (span.name() == CALL || context.lookup_current().is_some())
}

/// Exports spans until shut down.
#[derive(Debug)]
pub struct Exporter(SdkTracerProvider);

impl Exporter {
    /// Starts the exporter if a collector is configured. Must run inside a runtime. An unresponsive
    /// collector blocks nothing: spans wait in a bounded queue and are dropped when it is full.
    ///
    /// # Errors
    /// Returns the reason why the collector cannot be used.
    pub fn start(config: &Traces) -> Result<Option<Self>, String> {
        let Some(endpoint) = &config.endpoint else { return Ok(None) };
        let exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint).build();
        let exporter = exporter.map_err(|error| error.to_string())?;
        let resource = Resource::builder()
            .with_service_name("gsar")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .with_attribute(KeyValue::new(
                "service.instance.id",
                crate::wall_clock::new_id().to_string(),
            ))
            .build();
        // Sampling is decided when the call span is created.
        let provider = SdkTracerProvider::builder()
            .with_sampler(Sampler::AlwaysOn)
            .with_resource(resource)
            .with_batch_exporter(exporter)
            .build();
        Ok(Some(Self(provider)))
    }

    pub(super) fn tracer(&self) -> SdkTracer {
        self.0.tracer("gsar")
    }

    /// Exports the queued spans and stops. Blocks for up to a few seconds.
    pub fn shut_down(self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "failed to export the last spans");
        }
    }
}

/// Adapts headers for the propagator.
struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

/// Returns the span for a call to a method such as `GroundingService/Evaluate`, in the caller's trace. The
/// span is disabled if the caller does not sample its trace, or if the caller sent no trace context and
/// this call is not sampled.
pub(crate) fn call_span(
    method: &'static str,
    headers: &HeaderMap,
    caller_context: Option<&TraceContext>,
    one_in: u32,
) -> Span {
    let is_sampled = match caller_context {
        Some(caller_context) => caller_context.is_sampled,
        None => fastrand::u32(..one_in.max(1)) == 0,
    };
    if !is_sampled {
        return Span::none();
    }
    // The conventions name unknown methods `_OTHER`.
    let (package, method) = match method.contains('/') {
        true => ("gsar.v1.", method),
        false => ("", "_OTHER"),
    };
    let span = info_span!(
        target: TARGET,
        CALL,
        otel.name = format_args!("{package}{method}"),
        otel.kind = "server",
        otel.status_code = Empty,
        rpc.system.name = "grpc",
        rpc.method = format_args!("{package}{method}"),
        rpc.response.status_code = Empty,
        "error.type" = Empty,
    );
    if !span.is_disabled() {
        let parent = TraceContextPropagator::new().extract(&Headers(headers));
        // Fails only if there is no exporter.
        let _ = span.set_parent(parent);
    }
    span
}

/// Records the status code of a call.
pub(crate) fn record_code(span: &Span, code: Code) {
    span.record("rpc.response.status_code", code_name(code));
    // The conventions count these codes as server errors.
    let is_server_error = matches!(
        code,
        Code::Unknown
            | Code::DeadlineExceeded
            | Code::Unimplemented
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss
    );
    if is_server_error {
        record_failure(span, code_name(code));
    }
}

/// Returns the span for a step of a call: `retrieve`, `judge`, `decide` or `record`.
pub(crate) fn step_span(step: &'static str) -> Span {
    info_span!(target: TARGET, "step", otel.name = step)
}

pub(crate) fn gate_span(exit: &str, reason: &str, in_shadow: bool, validated: u32) -> Span {
    info_span!(
        target: TARGET,
        "gate",
        gsar.gate.exit = exit,
        gsar.gate.reason = reason,
        gsar.gate.shadow = in_shadow,
        gsar.gate.validated = validated,
    )
}

pub(crate) fn judge_span(name: &str) -> Span {
    info_span!(
        target: TARGET,
        "judge",
        otel.name = format_args!("judge {name}"),
        gsar.judge.name = name,
        gsar.judge.result = Empty,
        otel.status_code = Empty,
        "error.type" = Empty,
    )
}

/// Records a judge's result and, if it failed, the code.
pub(crate) fn record_judge_result(span: &Span, result: &'static str, code: &'static str) {
    span.record("gsar.judge.result", result);
    if !code.is_empty() {
        record_failure(span, code);
    }
}

/// Returns the span for a chat model call, named as the conventions require.
pub(crate) fn chat_span(provider: &'static str, model: &str, purpose: &'static str) -> Span {
    info_span!(
        target: TARGET,
        "chat",
        otel.name = format_args!("chat {model}"),
        otel.kind = "client",
        otel.status_code = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = provider,
        gen_ai.request.model = model,
        gen_ai.response.model = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gsar.purpose = purpose,
        gsar.attempts = Empty,
        gsar.cost_micros = Empty,
        "error.type" = Empty,
    )
}

/// Marks a span as failed, with one of a fixed set of error types.
fn record_failure(span: &Span, kind: &str) {
    span.record("otel.status_code", "ERROR");
    span.record("error.type", kind);
}

/// Returns the trace context for calls made inside a span, or `None` if the span is not exported.
pub(crate) fn trace_context(span: &Span) -> Option<TraceContext> {
    if span.is_disabled() {
        return None;
    }
    let context = span.context();
    let context = context.span().span_context().clone();
    (context.is_valid() && context.is_sampled()).then(|| TraceContext {
        trace_id: context.trace_id().to_string(),
        parent_id: context.span_id().to_string(),
        is_sampled: true,
    })
}

pub(crate) fn tracestate(span: &Span) -> String {
    span.context().span().span_context().trace_state().header()
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChatReply<'a> {
    /// The model name from the provider; empty if there was no response.
    pub(crate) model: &'a str,
    pub(crate) tokens: (u64, u64),
    pub(crate) attempts: u32,
    /// The cost in millionths of a dollar, if known.
    pub(crate) cost_micros: Option<u64>,
    /// The error code; empty on success.
    pub(crate) code: &'static str,
}

pub(crate) fn record_reply(span: &Span, reply: &ChatReply<'_>) {
    if !reply.model.is_empty() {
        span.record("gen_ai.response.model", reply.model);
    }
    let (input, output) = reply.tokens;
    span.record("gen_ai.usage.input_tokens", input);
    span.record("gen_ai.usage.output_tokens", output);
    span.record("gsar.attempts", reply.attempts);
    if let Some(cost) = reply.cost_micros {
        span.record("gsar.cost_micros", cost);
    }
    if !reply.code.is_empty() {
        record_failure(span, reply.code);
    }
}
