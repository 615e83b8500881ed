//! This module makes the spans of a trace, and exports them over OTLP where that is configured; elsewhere a span costs
//! nothing. Names and attributes follow the semantic conventions of OpenTelemetry for RPC and for generative AI. Texts of
//! reports, of evidence, of prompts and of answers are in none of them.

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

/// The target of the spans that are exported, and of nothing else.
pub(super) const TARGET: &str = "gsar_trace";
/// The name of the span of a call.
const CALL: &str = "call";

/// Whether a span is exported: that of a call that is traced, and those below it.
pub(super) fn is_exported<S>(span: &Metadata<'_>, context: &Context<'_, S>) -> bool
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    span.target() == TARGET && (span.name() == CALL || context.lookup_current().is_some())
}

/// Exports spans until it is shut down.
#[derive(Debug)]
pub struct Exporter(SdkTracerProvider);

impl Exporter {
    /// Begins exporting where a collector is configured. One that does not answer holds up nothing: spans wait in a bounded queue,
    /// and are dropped where it is full. Needs a runtime around it.
    ///
    /// # Errors
    /// Why the collector cannot be used.
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
        // Which calls have a span is decided before they have one.
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

    /// Exports what waits, and ends. Blocks for that time, at most some seconds.
    pub fn shut_down(self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "the last spans were not exported");
        }
    }
}

/// Headers as the propagator reads them.
struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

/// The span of a call of a method such as `GroundingService/Evaluate`, in the trace of its caller; none where the caller
/// drops its trace, or brings none and is not the one in as many that is drawn.
pub(crate) fn call(
    method: &'static str,
    headers: &HeaderMap,
    caller: Option<&TraceContext>,
    one_in: u32,
) -> Span {
    let is_kept = match caller {
        Some(caller) => caller.is_sampled,
        None => fastrand::u32(..one_in.max(1)) == 0,
    };
    if !is_kept {
        return Span::none();
    }
    // A method that there is not has a name of the conventions.
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
        // Fails only where there is no exporter.
        let _ = span.set_parent(parent);
    }
    span
}

/// Notes how a call ended.
pub(crate) fn answered(span: &Span, code: Code) {
    span.record("rpc.response.status_code", code_name(code));
    // What a server's span counts as an error, by the conventions.
    let is_ours = matches!(
        code,
        Code::Unknown
            | Code::DeadlineExceeded
            | Code::Unimplemented
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss
    );
    if is_ours {
        failed(span, code_name(code));
    }
}

/// The span of a step of a call: `retrieve`, `judge`, `decide` or `record`.
pub(crate) fn step(step: &'static str) -> Span {
    info_span!(target: TARGET, "step", otel.name = step)
}

/// The span of asking a judge.
pub(crate) fn judge(name: &str) -> Span {
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

/// Notes what a judge did, and the code of its failure where it has failed.
pub(crate) fn judged(span: &Span, result: &'static str, code: &'static str) {
    span.record("gsar.judge.result", result);
    if !code.is_empty() {
        failed(span, code);
    }
}

/// The span of a call of a chat model of a provider, by the name that the conventions give that.
pub(crate) fn chat(provider: &'static str, model: &str, purpose: &'static str) -> Span {
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

/// Notes on a span that what it is of has failed, with a word of a closed set.
fn failed(span: &Span, kind: &str) {
    span.record("otel.status_code", "ERROR");
    span.record("error.type", kind);
}

/// The trace that a span belongs to, and the span itself in place of the caller's; `None` where it is not exported.
pub(crate) fn context(span: &Span) -> Option<TraceContext> {
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

/// What tracing systems add to that trace, as `tracestate` says it.
pub(crate) fn state(span: &Span) -> String {
    span.context().span().span_context().trace_state().header()
}

/// What came of a call of a chat model.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChatReply<'a> {
    /// The model as its provider names it; empty where it did not answer.
    pub(crate) model: &'a str,
    /// Tokens of the prompt and of the answer.
    pub(crate) tokens: (u64, u64),
    /// How many attempts over HTTP were made.
    pub(crate) attempts: u32,
    /// The cost in millionths of a dollar, where the price is known.
    pub(crate) cost_micros: Option<u64>,
    /// The code of the failure; empty where it was answered.
    pub(crate) code: &'static str,
}

/// Notes it on the span of the call.
pub(crate) fn replied(span: &Span, of: &ChatReply<'_>) {
    if !of.model.is_empty() {
        span.record("gen_ai.response.model", of.model);
    }
    let (input, output) = of.tokens;
    span.record("gen_ai.usage.input_tokens", input);
    span.record("gen_ai.usage.output_tokens", output);
    span.record("gsar.attempts", of.attempts);
    if let Some(cost) = of.cost_micros {
        span.record("gsar.cost_micros", cost);
    }
    if !of.code.is_empty() {
        failed(span, of.code);
    }
}
