//! Evaluates the reports of a stream. Each report counts as a call with its own deadline and permit.

use std::sync::Arc;
use std::time::Instant;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use gsar_core::ClaimId;
use gsar_proto::v1::evaluate_stream_response::Result as StreamResult;
use gsar_proto::violations::Violations;
use gsar_proto::{render, v1};
use metrics::counter;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tonic::{Code, Status, Streaming};
use tracing::Instrument as _;

use super::admission::{run_within_deadline, stream_refused};
use super::permits::Permits;
use crate::call::{Permit, StreamAdmission};
use crate::config::Limits;
use crate::errors;
use crate::evaluate::Engine;
use crate::server_phase::{Phase, PhaseCell};
use crate::telemetry::calls::{RequestIds, code_name, log_evaluated, log_refused};
use crate::telemetry::metrics as names;

const METHOD: &str = "GroundingService/EvaluateStream";

pub(super) type ResponseSender = mpsc::Sender<Result<v1::EvaluateStreamResponse, Status>>;

#[derive(Clone)]
pub(super) struct ReportStream {
    pub(super) engine: Arc<Engine>,
    pub(super) permits: Arc<Permits>,
    pub(super) admission: StreamAdmission,
    pub(super) phase: PhaseCell,
    pub(super) limits: Limits,
}

impl ReportStream {
    /// Evaluates reports until the client ends its side or disconnects, or the server drains. At most
    /// `limits.stream_in_flight` reports are in flight, and at most one more waits for a permit. If the
    /// client disconnects, reports in flight are dropped.
    pub(super) async fn run(
        self,
        mut requests: Streaming<v1::EvaluateStreamRequest>,
        answers: ResponseSender,
    ) {
        let draining = self.phase.wait_for(Phase::Draining);
        tokio::pin!(draining);
        let mut permit_waits = FuturesUnordered::new();
        let mut evaluations = JoinSet::new();
        // The outcome of the request stream, once it has ended.
        let mut stream_end = None;
        while stream_end.is_none() || !evaluations.is_empty() || !permit_waits.is_empty() {
            let has_room =
                permit_waits.is_empty() && evaluations.len() < self.limits.stream_in_flight;
            tokio::select! {
                biased;
                () = answers.closed() => return,
                Some(result) = evaluations.join_next() => {
                    if deliver(&answers, result).await.is_err() {
                        return;
                    }
                }
                Some((permit, request)) = permit_waits.next() => match permit {
                    Ok(permit) => {
                        evaluations.spawn(self.clone().answer(permit, request).in_current_span());
                    }
                    Err(status) => stream_end = Some(Err(status)),
                },
                () = &mut draining, if stream_end.is_none() => {
                    stream_end = Some(Err(errors::not_serving("draining")));
                }
                message = requests.message(), if stream_end.is_none() && has_room => match message {
                    Ok(Some(request)) => permit_waits.push(self.wait_for_permit(request)),
                    Ok(None) => stream_end = Some(Ok(())),
                    Err(status) => stream_end = Some(Err(self.read_error(status))),
                },
            }
        }
        if let Some(Err(status)) = stream_end {
            let _caller_is_gone = answers.send(Err(status)).await;
        }
    }

    /// Waits for a report's permit. An error ends the stream. A message without a request gets no permit,
    /// since it is answered with its violations.
    async fn wait_for_permit(
        &self,
        request: v1::EvaluateStreamRequest,
    ) -> (Result<Option<Permit>, Status>, v1::EvaluateStreamRequest) {
        let permit = match request.request {
            Some(_) => match self.admission.wait_for_call().await {
                Ok(()) => Ok(self.permits.acquire_for_stream().await),
                Err(error) => Err(stream_refused(METHOD, &error)),
            },
            None => Ok(None),
        };
        (permit, request)
    }

    async fn answer(
        self,
        permit: Option<Permit>,
        request: v1::EvaluateStreamRequest,
    ) -> v1::EvaluateStreamResponse {
        let started = Instant::now();
        let v1::EvaluateStreamRequest { correlation_id, request } = request;
        let result = match check(&correlation_id, request) {
            Ok(request) => self.evaluate(permit, request, started).await,
            Err(status) => Err(status),
        };
        let code = result.as_ref().map_or_else(Status::code, |_| Code::Ok);
        counter!(names::STREAM_ITEMS, "code" => code_name(code)).increment(1);
        let result = match result {
            Ok(evaluation) => StreamResult::Evaluation(Box::new(evaluation)),
            Err(status) => {
                log_refused(METHOD, &status, started.elapsed());
                StreamResult::Error(render::call_error(&status))
            }
        };
        v1::EvaluateStreamResponse { correlation_id, result: Some(result) }
    }

    async fn evaluate(
        &self,
        permit: Option<Permit>,
        request: v1::EvaluateRequest,
        started: Instant,
    ) -> Result<v1::EvaluateResponse, Status> {
        let permit = permit.ok_or_else(|| errors::not_serving("draining"))?;
        let _in_flight = self.permits.count();
        let call = self.admission.admit(permit).map_err(|error| stream_refused(METHOD, &error))?;
        let ids = RequestIds::from_request(&request);
        let engine = self.engine.for_principal(&call.principal);
        let answer = run_within_deadline(&call, engine.evaluate(&call, request)).await??;
        log_evaluated(&ids, &answer, started.elapsed());
        Ok(answer)
    }

    fn read_error(&self, status: Status) -> Status {
        match status.code() {
            Code::OutOfRange => errors::message_too_large(self.limits.message.0),
            _ => status,
        }
    }
}

async fn deliver(
    answers: &ResponseSender,
    result: Result<v1::EvaluateStreamResponse, tokio::task::JoinError>,
) -> Result<(), ()> {
    match result {
        Ok(answer) => answers.send(Ok(answer)).await.map_err(|_| ()),
        // Panics in handlers are caught earlier, so this is a bug in this file.
        Err(_) => {
            let id = crate::wall_clock::new_id().to_string();
            tracing::error!(defect = %id, "a streamed evaluation panicked");
            let _caller_is_gone = answers.send(Err(errors::internal(&id))).await;
            Err(())
        }
    }
}

fn check(
    correlation_id: &str,
    request: Option<v1::EvaluateRequest>,
) -> Result<v1::EvaluateRequest, Status> {
    let mut violations = Violations::default();
    let (len, max) = (correlation_id.len(), ClaimId::MAX_BYTES);
    if len == 0 {
        violations
            .add("correlation_id", "is missing; expected 1 to 256 bytes that identify the answer");
    } else if len > max {
        let description = format!("has {len} bytes; at most {max} are allowed; shorten it");
        violations.add("correlation_id", description);
    }
    if request.is_none() {
        violations.add("request", "is missing; it is required");
    }
    violations.finish(request)
}
