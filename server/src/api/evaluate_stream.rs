//! This module evaluates the reports of one stream: what it reads, how much of it is in progress, and how it ends. Each
//! report is evaluated as a call of its own; this module knows nothing of how.

use std::sync::Arc;
use std::time::Instant;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use gsar_core::ClaimId;
use gsar_proto::v1::evaluate_stream_response::Result as Answered;
use gsar_proto::violations::Violations;
use gsar_proto::{render, v1};
use metrics::counter;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tonic::{Code, Status, Streaming};
use tracing::Instrument as _;

use super::admission::{ended, guarded};
use super::permits::Permits;
use crate::call::{Permit, Terms};
use crate::config::Limits;
use crate::errors;
use crate::evaluate::Engine;
use crate::phase::{Phase, PhaseCell};
use crate::telemetry::calls::{RequestIds, code_name, log_evaluated, log_refused};
use crate::telemetry::metrics as names;

/// The label of a report of a stream in logs.
const METHOD: &str = "GroundingService/EvaluateStream";

/// Where the answers of a stream go.
pub(super) type Answers = mpsc::Sender<Result<v1::EvaluateStreamResponse, Status>>;

/// One stream.
#[derive(Clone)]
pub(super) struct Stream {
    pub(super) engine: Arc<Engine>,
    pub(super) permits: Arc<Permits>,
    /// The time of each report, and which of its evidence is attested.
    pub(super) terms: Terms,
    pub(super) phase: PhaseCell,
    pub(super) limits: Limits,
}

impl Stream {
    /// Reads reports and answers them until the caller closes its side, goes, or the server drains. At most
    /// `limits.stream_in_flight` reports are evaluated or wait to be read, and one waits for its permit; while that is
    /// so nothing more is read. When the caller goes, reports in progress are dropped as calls of their own would be.
    pub(super) async fn run(
        self,
        mut requests: Streaming<v1::EvaluateStreamRequest>,
        answers: Answers,
    ) {
        let draining = self.phase.reached(Phase::Draining);
        tokio::pin!(draining);
        let mut entering = FuturesUnordered::new();
        let mut evaluating = JoinSet::new();
        // Set once nothing is read on.
        let mut end = None;
        while end.is_none() || !evaluating.is_empty() || !entering.is_empty() {
            let has_place = entering.is_empty() && evaluating.len() < self.limits.stream_in_flight;
            tokio::select! {
                biased;
                () = answers.closed() => return,
                Some(answered) = evaluating.join_next() => {
                    if deliver(&answers, answered).await.is_err() {
                        return;
                    }
                }
                Some((entered, request)) = entering.next() => match entered {
                    Ok(permit) => {
                        evaluating.spawn(self.clone().answer(permit, request).in_current_span());
                    }
                    Err(status) => end = Some(Err(status)),
                },
                () = &mut draining, if end.is_none() => {
                    end = Some(Err(errors::not_serving("draining")));
                }
                message = requests.message(), if end.is_none() && has_place => match message {
                    Ok(Some(request)) => entering.push(self.enter(request)),
                    Ok(None) => end = Some(Ok(())),
                    Err(status) => end = Some(Err(self.unreadable(status))),
                },
            }
        }
        if let Some(Err(status)) = end {
            let _caller_is_gone = answers.send(Err(status)).await;
        }
    }

    /// Waits for the permit of a report, unless its caller may send none any more, which ends the stream. What is wrong
    /// with the request is answered without a permit.
    async fn enter(
        &self,
        request: v1::EvaluateStreamRequest,
    ) -> (Result<Option<Permit>, Status>, v1::EvaluateStreamRequest) {
        let permit = match request.request {
            Some(_) => match self.terms.wait_for_call().await {
                Ok(()) => Ok(self.permits.of_item().await),
                Err(why) => Err(ended(METHOD, &why)),
            },
            None => Ok(None),
        };
        (permit, request)
    }

    /// Evaluates one report.
    async fn answer(
        self,
        permit: Option<Permit>,
        request: v1::EvaluateStreamRequest,
    ) -> v1::EvaluateStreamResponse {
        let started = Instant::now();
        let v1::EvaluateStreamRequest { correlation_id, request } = request;
        let result = match checked(&correlation_id, request) {
            Ok(request) => self.evaluated(permit, request, started).await,
            Err(status) => Err(status),
        };
        let code = result.as_ref().map_or_else(Status::code, |_| Code::Ok);
        counter!(names::STREAM_ITEMS, "code" => code_name(code)).increment(1);
        let result = match result {
            Ok(evaluation) => Answered::Evaluation(Box::new(evaluation)),
            Err(status) => {
                log_refused(METHOD, &status, started.elapsed());
                Answered::Error(render::call_error(&status))
            }
        };
        v1::EvaluateStreamResponse { correlation_id, result: Some(result) }
    }

    async fn evaluated(
        &self,
        permit: Option<Permit>,
        request: v1::EvaluateRequest,
        started: Instant,
    ) -> Result<v1::EvaluateResponse, Status> {
        let permit = permit.ok_or_else(|| errors::not_serving("draining"))?;
        let _counted = self.permits.count();
        let call = self.terms.admitted(permit).map_err(|why| ended(METHOD, &why))?;
        let ids = RequestIds::of(&request);
        let engine = self.engine.of(&call.principal);
        let answer = guarded(&call, engine.evaluate(&call, request)).await??;
        log_evaluated(&ids, &answer, started.elapsed());
        Ok(answer)
    }

    /// Why a message of the stream cannot be read: the rest of the stream cannot be read either.
    fn unreadable(&self, status: Status) -> Status {
        match status.code() {
            Code::OutOfRange => errors::message_too_large(self.limits.message.0),
            _ => status,
        }
    }
}

/// Hands an answer to the caller, as soon as it takes one.
async fn deliver(
    answers: &Answers,
    answered: Result<v1::EvaluateStreamResponse, tokio::task::JoinError>,
) -> Result<(), ()> {
    match answered {
        Ok(answer) => answers.send(Ok(answer)).await.map_err(|_| ()),
        // Panics are caught where they happen, so that this one is of the lines around that.
        Err(_) => {
            let id = crate::wall_clock::new_id().to_string();
            tracing::error!(defect = %id, "a report of a stream was lost");
            let _caller_is_gone = answers.send(Err(errors::internal(&id))).await;
            Err(())
        }
    }
}

/// The request of a message whose own fields are right.
fn checked(
    correlation_id: &str,
    request: Option<v1::EvaluateRequest>,
) -> Result<v1::EvaluateRequest, Status> {
    let mut violations = Violations::default();
    let (given, most) = (correlation_id.len(), ClaimId::MAX_BYTES);
    if given == 0 {
        violations
            .add("correlation_id", "is missing; give 1 to 256 bytes by which to know the answer");
    } else if given > most {
        let description = format!("has {given} bytes; at most {most} are allowed: shorten it");
        violations.add("correlation_id", description);
    }
    if request.is_none() {
        violations.add("request", "is missing; it is required");
    }
    violations.finish(request)
}
