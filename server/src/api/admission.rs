//! The layer that admits every call before its handler runs.
//!
//! It checks, in order: the server's phase, the concurrency limit over all connections (a call over the
//! limit is refused, never queued), the caller's identity and rights, and the deadline. It also catches
//! panics in handlers, so that a bug fails one call only. Health and reflection bypass it.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use http::{Extensions, HeaderMap, HeaderName, Request, Response};
use metrics::{Counter, Histogram, counter, histogram};
use tonic::body::Body;
use tonic::{Code, Status};
use tower::{Layer, Service};
use tracing::Instrument as _;

use super::method_rights::{METHODS, OTHER, STREAMS, method};
use super::permits::Permits;
use crate::attestation::Attestation;
use crate::call::Call;
use crate::compute_pool::{Bounds, Share};
use crate::config::Limits;
use crate::errors;
use crate::identity::{AdmissionError, AdmittedIdentity, IdentityStore, Right};
use crate::memory::ReceivedBytes;
use crate::metered_body::MeteredBody;
use crate::server_phase::{Phase, PhaseCell};
use crate::telemetry::calls::{code_name, log_refused};
use crate::telemetry::{TraceContext, metrics as names, panics, traces};

/// The admission layer, shared by all connections of a listener.
#[derive(Clone, Debug)]
pub struct AdmissionLayer(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    phase: PhaseCell,
    permits: Arc<Permits>,
    limits: Limits,
    bounds: Arc<Bounds>,
    metrics: Vec<MethodMetrics>,
    attestation: Attestation,
    identities: Arc<IdentityStore>,
    /// If the caller sent no trace context, one in this many calls is traced.
    traced_one_in: u32,
}

/// The metrics of one method, created once instead of on each call.
#[derive(Debug)]
struct MethodMetrics {
    method: &'static str,
    ok_count: Counter,
    seconds: Histogram,
}

impl MethodMetrics {
    fn new(method: &'static str) -> Self {
        Self {
            method,
            ok_count: counter!(names::CALLS, "method" => method, "code" => code_name(Code::Ok)),
            seconds: histogram!(names::CALL_SECONDS, "method" => method),
        }
    }
}

impl AdmissionLayer {
    /// Creates the layer. It refuses calls until the phase is ready. All listeners share `permits`.
    #[must_use]
    pub(crate) fn new(
        phase: PhaseCell,
        limits: Limits,
        permits: Arc<Permits>,
        attestation: Attestation,
        identities: Arc<IdentityStore>,
        traced_one_in: u32,
    ) -> Self {
        let labels = METHODS.iter().map(|(method, _)| *method).chain([OTHER]);
        let metrics = labels.map(MethodMetrics::new).collect();
        let bounds = Arc::new(Bounds::new(limits.work, permits.memory(), phase.clone()));
        Self(Arc::new(Shared {
            phase,
            permits,
            limits,
            bounds,
            metrics,
            attestation,
            identities,
            traced_one_in,
        }))
    }
}

impl<S> Layer<S> for AdmissionLayer {
    type Service = Admission<S>;

    fn layer(&self, inner: S) -> Admission<S> {
        Admission { shared: Arc::clone(&self.0), inner }
    }
}

/// A service wrapped by [`AdmissionLayer`].
#[derive(Clone, Debug)]
pub struct Admission<S> {
    shared: Arc<Shared>,
    inner: S,
}

type ResponseFuture<E> = Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

impl<S> Service<Request<Body>> for Admission<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture<Infallible>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let Some((method, right)) = method(request.uri().path()) else {
            return Box::pin(self.inner.call(request));
        };
        let caller_trace = TraceContext::from_headers(request.headers());
        let trace_span = traces::call_span(
            method,
            request.headers(),
            caller_trace.as_ref(),
            self.shared.traced_one_in,
        );
        let trace = caller_trace.or_else(|| traces::trace_context(&trace_span));
        let span = match trace {
            Some(trace) => tracing::info_span!(
                "call",
                method,
                trace_id = trace.trace_id,
                parent_id = trace.parent_id
            ),
            // A span at info level would cost as much as a small call.
            None => tracing::debug_span!("call", method),
        };
        let shared = Arc::clone(&self.shared);
        // Only `self.inner` was polled ready, so it serves this call and its clone replaces it.
        let clone = self.inner.clone();
        let service = std::mem::replace(&mut self.inner, clone);
        let call_span = trace_span.clone();
        let work = async move {
            let started = Instant::now();
            let (response, error) = match shared.handle(service, request, (method, right)).await {
                Ok(response_and_error) => response_and_error,
                Err(status) => (status.clone().into_http(), Some(status)),
            };
            let elapsed = started.elapsed();
            if let Some(status) = &error {
                log_refused(method, status, elapsed);
            }
            let code = error.map_or(Code::Ok, |status| status.code());
            traces::record_code(&call_span, code);
            shared.measure(method, code, elapsed);
            Ok(response)
        };
        Box::pin(work.instrument(span).instrument(trace_span))
    }
}

impl Shared {
    fn measure(&self, method: &'static str, code: Code, elapsed: Duration) {
        let Some(metrics) = self.metrics.iter().find(|metrics| metrics.method == method) else {
            return;
        };
        metrics.seconds.record(elapsed);
        if code == Code::Ok {
            metrics.ok_count.increment(1);
        } else {
            counter!(names::CALLS, "method" => method, "code" => code_name(code)).increment(1);
        }
    }

    fn admit(
        &self,
        headers: &HeaderMap,
        extensions: &Extensions,
        right: Option<Right>,
    ) -> Result<Call, Status> {
        let (label, refusal) = match self.try_admit(headers, extensions, right) {
            Ok(call) => return Ok(call),
            Err(refusal) => refusal,
        };
        counter!(names::REFUSED, "reason" => label).increment(1);
        Err(refusal)
    }

    fn try_admit(
        &self,
        headers: &HeaderMap,
        extensions: &Extensions,
        right: Option<Right>,
    ) -> Result<Call, (&'static str, Status)> {
        match self.phase.current() {
            Phase::Starting => return Err(("starting", errors::not_serving("starting"))),
            Phase::Draining | Phase::Stopped => {
                return Err(("draining", errors::not_serving("draining")));
            }
            Phase::Ready => {}
        }
        let permit = self
            .permits
            .try_acquire()
            .ok_or_else(|| ("overload", errors::too_many_calls(self.limits.calls_in_flight)))?;
        let identity = AdmittedIdentity::admit(&self.identities, headers, extensions, right)
            .map_err(|error| (refusal_label(&error), errors::not_admitted(&error)))?;
        let principal = identity.principal();
        principal
            .count_call()
            .map_err(|exceeded| ("too_fast", errors::too_fast(principal.name(), exceeded)))?;
        let principal_permit = principal.try_acquire().map_err(|max| {
            ("overload", errors::too_many_calls_for_principal(principal.name(), max))
        })?;
        let permit = permit.with_principal(principal_permit);
        let attestation = self.attestation.for_connection(extensions, principal);
        let time_limit = deadline(headers, &self.limits);
        let (share, received) =
            (Share::new(&self.bounds), ReceivedBytes::new(self.permits.memory()));
        Ok(Call::admitted(permit, time_limit, attestation, identity, share, received))
    }

    /// Runs the handler. Returns its response, and the error that the response contains if the handler failed.
    async fn handle<S>(
        &self,
        mut inner: S,
        mut request: Request<Body>,
        (method, right): (&'static str, Option<Right>),
    ) -> Result<(Response<Body>, Option<Status>), Status>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    {
        let call = self.admit(request.headers(), request.extensions(), right)?;
        let is_stream = STREAMS.contains(&method);
        let _in_flight = self.permits.count();
        if let Some(received) = call.received() {
            request = request.map(|body| {
                let body = MeteredBody::new(body, Arc::clone(received));
                Body::new(if is_stream { body } else { body.with_timeout(MESSAGE_TIMEOUT) })
            });
        }
        request.extensions_mut().insert(call.clone());
        if is_stream {
            request.extensions_mut().insert(Arc::clone(&self.permits));
        }
        let Ok(response) = run_within_deadline(&call, inner.call(request)).await?;
        match error_status(&response) {
            Some(status) if status.code() == Code::OutOfRange => {
                Err(errors::message_too_large(self.limits.message.0))
            }
            error => Ok((response, error)),
        }
    }
}

/// Returns the error that ends a stream whose caller is no longer admitted, and counts and logs it.
pub(super) fn stream_refused(method: &'static str, error: &AdmissionError) -> Status {
    counter!(names::REFUSED, "reason" => refusal_label(error)).increment(1);
    let status = errors::not_admitted(error);
    log_refused(method, &status, Duration::ZERO);
    status
}

fn refusal_label(error: &AdmissionError) -> &'static str {
    match error {
        AdmissionError::Unidentified(_) => "unidentified",
        AdmissionError::NoRight { .. } => "no_right",
    }
}

/// Runs a call's work within its deadline. A panic becomes an INTERNAL error.
pub(super) async fn run_within_deadline<T>(
    call: &Call,
    work: impl Future<Output = T>,
) -> Result<T, Status> {
    let guarded_work = AssertUnwindSafe(work).catch_unwind();
    match tokio::time::timeout_at(call.deadline.into(), guarded_work).await {
        Err(_) => Err(errors::deadline_exceeded(call.step().name())),
        Ok(Err(panic)) => Err(panic_status(panic.as_ref())),
        Ok(Ok(value)) => Ok(value),
    }
}

fn panic_status(panic: &(dyn std::any::Any + Send)) -> Status {
    let id = crate::wall_clock::new_id().to_string();
    tracing::error!(defect = %id, panic = panics::payload_str(panic), "a handler panicked");
    counter!(names::PANICS).increment(1);
    errors::internal(&id)
}

fn deadline(headers: &HeaderMap, limits: &Limits) -> Duration {
    let requested_timeout =
        headers.get(&GRPC_TIMEOUT).and_then(|value| value.to_str().ok()).and_then(parse_timeout);
    requested_timeout.unwrap_or(limits.default_deadline.0).min(limits.max_deadline.0)
}

/// Parses a `grpc-timeout` header: at most eight digits and a unit.
fn parse_timeout(value: &str) -> Option<Duration> {
    let (digits, unit) = value.split_at_checked(value.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let amount: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(amount * 3600)),
        "M" => Some(Duration::from_secs(amount * 60)),
        "S" => Some(Duration::from_secs(amount)),
        "m" => Some(Duration::from_millis(amount)),
        "u" => Some(Duration::from_micros(amount)),
        "n" => Some(Duration::from_nanos(amount)),
        _ => None,
    }
}

fn error_status(response: &Response<Body>) -> Option<Status> {
    Status::from_header_map(response.headers()).filter(|status| status.code() != Code::Ok)
}

static GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// The maximum time that a unary call waits for the next bytes of its message.
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Problems, Security};
    use crate::memory::Memory;

    #[test]
    fn parses_grpc_timeouts() {
        for (value, expected) in [
            ("10S", Some(Duration::from_secs(10))),
            ("250m", Some(Duration::from_millis(250))),
            ("1H", Some(Duration::from_secs(3600))),
            ("99999999n", Some(Duration::from_nanos(99_999_999))),
            ("123456789S", None),
            ("S", None),
            ("", None),
            ("-1S", None),
            ("1é", None),
        ] {
            assert_eq!(parse_timeout(value), expected, "{value}");
        }
    }

    #[tokio::test]
    async fn the_callers_deadline_ends_the_handler() {
        let phase = PhaseCell::default();
        phase.advance(Phase::Ready);
        let limits = crate::config::Config::default().limits;
        let pending_service = tower::service_fn(|_: Request<Body>| async {
            std::future::pending::<Result<Response<Body>, Infallible>>().await
        });
        let identities = IdentityStore::check(&Security::default(), &mut Problems::default());
        let permits = Arc::new(Permits::new(1, Memory::new(1 << 20)));
        let identities = Arc::new(identities.unwrap());
        let attestation = Attestation::default();
        let mut admission = AdmissionLayer::new(phase, limits, permits, attestation, identities, 1)
            .layer(pending_service);
        let request = Request::builder()
            .uri("/gsar.v1.GroundingService/Evaluate")
            .header("grpc-timeout", "1m")
            .body(Body::empty())
            .unwrap();
        let response = admission.call(request).await.unwrap();
        assert_eq!(
            error_status(&response).map(|status| status.code()),
            Some(Code::DeadlineExceeded)
        );
    }
}
