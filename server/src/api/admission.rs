//! This module does what every call of the contract passes before and after its handler.
//!
//! In this order, for a reason each: the phase (a server that starts or drains refuses at no cost), the one
//! concurrency limit over all connections (overload is refused at once, never queued), who calls and whether it may (before
//! anything of the message is read), the deadline (started before the body is read), the handler with its panics caught (one defect costs one call), and
//! the answer made ours (what the transport refuses gets the details of the contract).
//! Health and reflection pass freely.

use std::convert::Infallible;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use http::{Extensions, HeaderMap, Request, Response};
use metrics::{Counter, Histogram, counter, histogram};
use tonic::body::Body;
use tonic::{Code, Status};
use tower::{Layer, Service};
use tracing::Instrument as _;

use super::permits::Permits;
use crate::attestation::Attestation;
use crate::call::Call;
use crate::compute::{Bounds, Share};
use crate::config::Limits;
use crate::errors;
use crate::identity::{IdentityStore, NotAdmitted, Right, Standing};
use crate::memory::Arrived;
use crate::phase::{Phase, PhaseCell};
use crate::telemetry::calls::{code_name, log_refused};
use crate::telemetry::{TraceContext, metrics as names, panics, traces};
use crate::weigh::WeighedBody;

/// What all connections share.
#[derive(Clone, Debug)]
pub struct AdmissionLayer(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    phase: PhaseCell,
    permits: Arc<Permits>,
    limits: Limits,
    /// Of the computations for each call.
    bounds: Arc<Bounds>,
    measured: Vec<Measured>,
    attestation: Attestation,
    identities: Arc<IdentityStore>,
    /// Of calls without a trace of their caller one in as many is traced.
    traced_one_in: u32,
}

/// What is measured of every call of a method; looked up once, not at each call.
#[derive(Debug)]
struct Measured {
    method: &'static str,
    answered: Counter,
    seconds: Histogram,
}

impl Measured {
    fn of(method: &'static str) -> Self {
        Self {
            method,
            answered: counter!(names::CALLS, "method" => method, "code" => code_name(Code::Ok)),
            seconds: histogram!(names::CALL_SECONDS, "method" => method),
        }
    }
}

impl AdmissionLayer {
    /// Admission with these limits, which refuses until the phase is ready. All listeners share the permits.
    #[must_use]
    pub(crate) fn new(
        phase: PhaseCell,
        limits: Limits,
        permits: Arc<Permits>,
        attestation: Attestation,
        identities: Arc<IdentityStore>,
        traced_one_in: u32,
    ) -> Self {
        let labels = METHODS.into_iter().map(|(method, _)| method).chain([OTHER]);
        let measured = labels.map(Measured::of).collect();
        let bounds = Arc::new(Bounds::new(limits.work, permits.memory(), phase.clone()));
        Self(Arc::new(Shared {
            phase,
            permits,
            limits,
            bounds,
            measured,
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

/// A service behind admission.
#[derive(Clone, Debug)]
pub struct Admission<S> {
    shared: Arc<Shared>,
    inner: S,
}

type Answer<E> = Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

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
    type Future = Answer<Infallible>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let Some((method, right)) = method(request.uri().path()) else {
            return Box::pin(self.inner.call(request));
        };
        let of_caller = TraceContext::from_headers(request.headers());
        let traced =
            traces::call(method, request.headers(), of_caller.as_ref(), self.shared.traced_one_in);
        let trace = of_caller.or_else(|| traces::context(&traced));
        let span = match trace {
            Some(trace) => tracing::info_span!(
                "call",
                method,
                trace_id = trace.trace_id,
                parent_id = trace.parent_id
            ),
            // Nobody follows this call, and a span costs as much as a small call itself.
            None => tracing::debug_span!("call", method),
        };
        let shared = Arc::clone(&self.shared);
        // The clone takes part in readiness; the ready one serves this call.
        let fresh = self.inner.clone();
        let ready = std::mem::replace(&mut self.inner, fresh);
        let seen = traced.clone();
        let work = async move {
            let started = Instant::now();
            let (response, refused) = match shared.pass(ready, request, (method, right)).await {
                Ok(response) => {
                    let refused = refused(&response);
                    (response, refused)
                }
                Err(status) => (status.clone().into_http(), Some(status)),
            };
            let took = started.elapsed();
            if let Some(status) = &refused {
                log_refused(method, status, took);
            }
            let code = refused.map_or(Code::Ok, |status| status.code());
            traces::answered(&seen, code);
            shared.measure(method, code, took);
            Ok(response)
        };
        Box::pin(work.instrument(span).instrument(traced))
    }
}

impl Shared {
    fn measure(&self, method: &'static str, code: Code, took: Duration) {
        let Some(measured) = self.measured.iter().find(|measured| measured.method == method) else {
            return;
        };
        measured.seconds.record(took);
        if code == Code::Ok {
            measured.answered.increment(1);
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
        let (reason, refusal) = match self.let_in(headers, extensions, right) {
            Ok(call) => return Ok(call),
            Err(refused) => refused,
        };
        counter!(names::REFUSED, "reason" => reason).increment(1);
        Err(refusal)
    }

    /// The call, or the reason of the refusal and its status.
    fn let_in(
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
            .of_call()
            .ok_or_else(|| ("overload", errors::too_many_calls(self.limits.calls_in_flight)))?;
        let standing = Standing::of_call(&self.identities, headers, extensions, right)
            .map_err(|why| (reason(&why), errors::not_admitted(&why)))?;
        let principal = standing.principal();
        principal
            .count_call()
            .map_err(|too_fast| ("too_fast", errors::too_fast(principal.name(), too_fast)))?;
        let place = principal
            .place()
            .map_err(|max| ("overload", errors::too_many_of(principal.name(), max)))?;
        let permit = permit.with_place(place);
        let attestation = self.attestation.of_connection(extensions, principal);
        let allowed = deadline(headers, &self.limits);
        let (share, arrived) = (Share::new(&self.bounds), Arrived::nothing(self.permits.memory()));
        Ok(Call::admitted(permit, allowed, attestation, standing, share, arrived))
    }

    async fn pass<S>(
        &self,
        mut inner: S,
        mut request: Request<Body>,
        (method, right): (&'static str, Option<Right>),
    ) -> Result<Response<Body>, Status>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    {
        let call = self.admit(request.headers(), request.extensions(), right)?;
        let streams = STREAMS.contains(&method);
        let _counted = self.permits.count();
        if let Some(arrived) = call.arrived() {
            request = request.map(|body| {
                let body = WeighedBody::of(body, Arc::clone(arrived));
                Body::new(if streams { body } else { body.within(MESSAGE) })
            });
        }
        request.extensions_mut().insert(call.clone());
        request.extensions_mut().insert(Arc::clone(&self.permits));
        let Ok(response) = guarded(&call, inner.call(request)).await?;
        match code(&response) {
            Code::OutOfRange => Err(errors::message_too_large(self.limits.message.0)),
            _ => Ok(response),
        }
    }
}

/// The end of a stream whose caller is not let in any more, counted and logged as a call that is refused.
pub(super) fn ended(method: &'static str, why: &NotAdmitted) -> Status {
    counter!(names::REFUSED, "reason" => reason(why)).increment(1);
    let status = errors::not_admitted(why);
    log_refused(method, &status, Duration::ZERO);
    status
}

/// The label of a refusal.
fn reason(why: &NotAdmitted) -> &'static str {
    match why {
        NotAdmitted::Unidentified(_) => "unidentified",
        NotAdmitted::NoRight { .. } => "no_right",
    }
}

/// What comes of a call within its deadline; a panic of it is its own error.
pub(super) async fn guarded<T>(call: &Call, work: impl Future<Output = T>) -> Result<T, Status> {
    let caught = AssertUnwindSafe(work).catch_unwind();
    match tokio::time::timeout_at(call.deadline.into(), caught).await {
        Err(_) => Err(errors::deadline_exceeded(call.step().name())),
        Ok(Err(panic)) => Err(panicked(panic.as_ref())),
        Ok(Ok(value)) => Ok(value),
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> Status {
    let id = crate::wall_clock::new_id().to_string();
    tracing::error!(defect = %id, panic = panics::said(panic), "a handler panicked");
    counter!(names::PANICS).increment(1);
    errors::internal(&id)
}

/// The time a call may take: what its caller asks for, within the limits.
fn deadline(headers: &HeaderMap, limits: &Limits) -> Duration {
    let asked = headers.get("grpc-timeout").and_then(|value| value.to_str().ok()).and_then(timeout);
    asked.unwrap_or(limits.default_deadline.0).min(limits.max_deadline.0)
}

/// `grpc-timeout`: at most eight digits and a unit.
fn timeout(value: &str) -> Option<Duration> {
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

/// The error that a response is, if it is one.
fn refused(response: &Response<Body>) -> Option<Status> {
    Status::from_header_map(response.headers()).filter(|status| status.code() != Code::Ok)
}

fn code(response: &Response<Body>) -> Code {
    response
        .headers()
        .get("grpc-status")
        .map_or(Code::Ok, |value| Code::from_bytes(value.as_bytes()))
}

/// How long a call without a stream may wait for the next bytes of its message, whatever its deadline.
const MESSAGE: Duration = Duration::from_secs(10);

/// The methods whose callers send any number of messages, whenever they have one.
const STREAMS: [&str; 3] = [
    "GroundingService/EvaluateStream",
    "InvestigationService/Drive",
    "EvidenceService/PutEvidence",
];

/// Every method of the contract, and the right that a call of it takes.
const METHODS: [(&str, Option<Right>); 33] = [
    ("GroundingService/Evaluate", Some(Right::Evaluate)),
    ("GroundingService/EvaluateStream", Some(Right::Evaluate)),
    ("GroundingService/SelectBest", Some(Right::Evaluate)),
    ("GroundingService/Score", Some(Right::Evaluate)),
    ("GroundingService/TryJudges", Some(Right::Evaluate)),
    ("GroundingService/Rescore", Some(Right::Read)),
    ("GateService/EvaluateGate", None),
    ("GateService/ClassifyVerdict", Some(Right::Evaluate)),
    ("GateService/AssembleChain", None),
    ("GateService/CapConfidence", None),
    ("InvestigationService/StartInvestigation", Some(Right::Evaluate)),
    ("InvestigationService/RecordTurn", Some(Right::Evaluate)),
    ("InvestigationService/SubmitReport", Some(Right::Evaluate)),
    ("InvestigationService/GetInvestigation", Some(Right::Read)),
    ("InvestigationService/CancelInvestigation", Some(Right::Evaluate)),
    ("InvestigationService/LookAtEntity", Some(Right::Evaluate)),
    ("InvestigationService/Drive", Some(Right::Evaluate)),
    ("PolicyService/ListPolicies", None),
    ("PolicyService/GetPolicy", None),
    ("PolicyService/CheckPolicy", Some(Right::Evaluate)),
    ("LedgerService/ListEvaluations", Some(Right::Read)),
    ("LedgerService/CountEvaluations", Some(Right::Read)),
    ("LedgerService/GetEvaluation", Some(Right::Read)),
    ("LedgerService/GetEvaluationEvidence", Some(Right::Read)),
    ("LedgerService/RescoreEvaluations", Some(Right::Read)),
    ("LedgerService/DeleteEvaluation", Some(Right::Delete)),
    ("LedgerService/Grade", Some(Right::Grade)),
    ("LedgerService/Export", Some(Right::Read)),
    ("EvidenceService/PutEvidence", Some(Right::Store)),
    ("EvidenceService/GetSnapshot", Some(Right::Search)),
    ("EvidenceService/Search", Some(Right::Search)),
    ("EvidenceService/ListCorpora", Some(Right::Search)),
    ("EvidenceService/DeleteCorpus", Some(Right::Store)),
];

/// The label of a method that is none of them.
const OTHER: &str = "other";

/// The method's name for logs and metrics, and its right; `None` for services that are not of the contract.
fn method(path: &str) -> Option<(&'static str, Option<Right>)> {
    let ours = path.strip_prefix("/gsar.v1.")?;
    Some(METHODS.into_iter().find(|(method, _)| *method == ours).unwrap_or((OTHER, None)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Problems, Security};
    use crate::memory::Memory;

    #[test]
    fn grpc_timeouts_are_read() {
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
            assert_eq!(timeout(value), expected, "{value}");
        }
    }

    #[test]
    fn every_method_of_the_contract_has_a_label() {
        let pool = prost_reflect_pool();
        for service in pool.services().filter(|service| service.package_name() == "gsar.v1") {
            for found in service.methods() {
                let path = format!("/{}/{}", service.full_name(), found.name());
                assert_ne!(method(&path), Some((OTHER, None)), "{path}");
                let name = format!("{}/{}", service.name(), found.name());
                assert_eq!(STREAMS.contains(&&*name), found.is_client_streaming(), "{path}");
            }
        }
        assert_eq!(method("/grpc.health.v1.Health/Check"), None);
    }

    #[tokio::test]
    async fn a_deadline_of_the_caller_ends_the_handler() {
        let phase = PhaseCell::default();
        phase.advance(Phase::Ready);
        let limits = crate::config::Config::default().limits;
        let never = tower::service_fn(|_: Request<Body>| async {
            std::future::pending::<Result<Response<Body>, Infallible>>().await
        });
        let identities = IdentityStore::check(&Security::default(), &mut Problems::default());
        let permits = Arc::new(Permits::new(1, Memory::new(1 << 20)));
        let identities = Arc::new(identities.unwrap());
        let attestation = Attestation::default();
        let mut admission =
            AdmissionLayer::new(phase, limits, permits, attestation, identities, 1).layer(never);
        let request = Request::builder()
            .uri("/gsar.v1.GroundingService/Evaluate")
            .header("grpc-timeout", "1m")
            .body(Body::empty())
            .unwrap();
        let response = admission.call(request).await.unwrap();
        assert_eq!(code(&response), Code::DeadlineExceeded);
    }

    fn prost_reflect_pool() -> prost_reflect::DescriptorPool {
        prost_reflect::DescriptorPool::decode(gsar_proto::DESCRIPTORS).unwrap()
    }
}
