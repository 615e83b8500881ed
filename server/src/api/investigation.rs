//! Serves `gsar.v1.InvestigationService`.

use std::time::Instant;

use gsar_proto::v1;
use gsar_proto::v1::drive_request::Request as Step;
use gsar_proto::v1::investigation_service_server::InvestigationService;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use super::admission::stream_refused;
use super::services::call;
use crate::call::Call;
use crate::drive::Investigations;
use crate::errors;
use crate::server_phase::{Phase, PhaseCell};
use crate::telemetry::calls::{RequestIds, log_evaluated};

/// The service. It ends its streams when `phase` reaches draining.
#[derive(Clone)]
pub(super) struct Driver {
    pub(super) investigations: Investigations,
    pub(super) phase: PhaseCell,
}

impl Driver {
    async fn run_step<T>(
        &self,
        request: Request<T>,
        step: impl FnOnce(T) -> Step,
    ) -> Result<v1::DriveResponse, Status> {
        let call = call(request.extensions())?;
        self.step(&call, step(request.into_inner())).await
    }

    async fn step(&self, call: &Call, step: Step) -> Result<v1::DriveResponse, Status> {
        let investigations = self.investigations.for_principal(&call.principal);
        let investigation = match step {
            Step::Start(start) => investigations.start(*start).await?,
            Step::Turn(turn) => investigations.record_turn(call, turn).await?,
            Step::Report(report) => return submit_report(&investigations, call, report).await,
            Step::Cancel(cancel) => investigations.cancel(cancel).await?,
        };
        Ok(v1::DriveResponse { investigation: Some(investigation), evaluation: None })
    }
}

async fn submit_report(
    investigations: &Investigations,
    call: &Call,
    request: v1::SubmitReportRequest,
) -> Result<v1::DriveResponse, Status> {
    let started = Instant::now();
    let report_id = request.report.as_ref().map(|report| report.id.clone()).unwrap_or_default();
    let answer = investigations.submit_report(call, request).await?;
    if let (Some(investigation), Some(evaluation)) = (&answer.investigation, &answer.evaluation) {
        let ids = RequestIds::from_investigation(report_id, investigation);
        log_evaluated(&ids, evaluation, started.elapsed());
    }
    Ok(answer)
}

#[tonic::async_trait]
impl InvestigationService for Driver {
    async fn start_investigation(
        &self,
        request: Request<v1::StartInvestigationRequest>,
    ) -> Result<Response<v1::StartInvestigationResponse>, Status> {
        let answer = self.run_step(request, |start| Step::Start(Box::new(start))).await?;
        let investigation = answer.investigation;
        Ok(Response::new(v1::StartInvestigationResponse { investigation }))
    }

    async fn record_turn(
        &self,
        request: Request<v1::RecordTurnRequest>,
    ) -> Result<Response<v1::RecordTurnResponse>, Status> {
        let investigation = self.run_step(request, Step::Turn).await?.investigation;
        Ok(Response::new(v1::RecordTurnResponse { investigation }))
    }

    async fn submit_report(
        &self,
        request: Request<v1::SubmitReportRequest>,
    ) -> Result<Response<v1::SubmitReportResponse>, Status> {
        let v1::DriveResponse { investigation, evaluation } =
            self.run_step(request, Step::Report).await?;
        Ok(Response::new(v1::SubmitReportResponse { investigation, evaluation }))
    }

    async fn get_investigation(
        &self,
        request: Request<v1::GetInvestigationRequest>,
    ) -> Result<Response<v1::GetInvestigationResponse>, Status> {
        let call = call(request.extensions())?;
        let investigations = self.investigations.for_principal(&call.principal);
        investigations.get(request.into_inner()).await.map(Response::new)
    }

    async fn cancel_investigation(
        &self,
        request: Request<v1::CancelInvestigationRequest>,
    ) -> Result<Response<v1::CancelInvestigationResponse>, Status> {
        let investigation = self.run_step(request, Step::Cancel).await?.investigation;
        Ok(Response::new(v1::CancelInvestigationResponse { investigation }))
    }

    async fn look_at_entity(
        &self,
        request: Request<v1::LookAtEntityRequest>,
    ) -> Result<Response<v1::LookAtEntityResponse>, Status> {
        let call = call(request.extensions())?;
        let investigations = self.investigations.for_principal(&call.principal);
        investigations.look(&call, request.into_inner()).await.map(Response::new)
    }

    type DriveStream = ReceiverStream<Result<v1::DriveResponse, Status>>;

    async fn drive(
        &self,
        request: Request<Streaming<v1::DriveRequest>>,
    ) -> Result<Response<Self::DriveStream>, Status> {
        let call = call(request.extensions())?;
        let (answers, stream) = mpsc::channel(1);
        let session = Session { driver: self.clone(), investigation_id: String::new(), call };
        tokio::spawn(session.run(request.into_inner(), answers));
        Ok(Response::new(ReceiverStream::new(stream)))
    }
}

const METHOD: &str = "InvestigationService/Drive";

type AnswerSender = mpsc::Sender<Result<v1::DriveResponse, Status>>;

struct Session {
    driver: Driver,
    /// The investigation that the first message started. Empty before that.
    investigation_id: String,
    call: Call,
}

impl Session {
    /// Answers each message in order until the investigation is finished, the client disconnects or the
    /// server drains. A report that is being evaluated is still recorded.
    async fn run(mut self, mut requests: Streaming<v1::DriveRequest>, answers: AnswerSender) {
        loop {
            let message = tokio::select! {
                message = requests.message() => message,
                () = self.driver.phase.wait_for(Phase::Draining) => {
                    Err(errors::not_serving("draining"))
                }
                () = answers.closed() => return,
            };
            let answer = match message {
                Ok(None) => return,
                Ok(Some(message)) => self.answer(message).await,
                Err(status) => Err(status),
            };
            let is_over = match &answer {
                Ok(answer) => is_finished(answer),
                Err(_) => true,
            };
            if answers.send(answer).await.is_err() || is_over {
                return;
            }
        }
    }

    /// Answers one message. Each message has its own deadline, and the caller's rights are checked again for each.
    async fn answer(&mut self, message: v1::DriveRequest) -> Result<v1::DriveResponse, Status> {
        let step = message.request.ok_or_else(|| {
            errors::invalid_field("request", "is missing; expected start, turn, report or cancel")
        })?;
        self.call
            .stream_admission()
            .wait_for_call()
            .await
            .map_err(|error| stream_refused(METHOD, &error))?;
        let call = self.call.for_next_message().map_err(|error| stream_refused(METHOD, &error))?;
        let step = self.with_investigation_id(step)?;
        self.driver.step(&call, step).await
    }

    /// Fills in the stream's investigation ID if it is empty, and rejects any other ID. Only the first message
    /// can start an investigation.
    fn with_investigation_id(&mut self, mut step: Step) -> Result<Step, Status> {
        let is_first = self.investigation_id.is_empty();
        let (id, field) = match &mut step {
            Step::Start(_) if !is_first => {
                return Err(errors::invalid_field(
                    "start",
                    "is allowed only as the first message; open another stream",
                ));
            }
            Step::Start(start) => {
                self.investigation_id.clone_from(&start.investigation_id);
                return Ok(step);
            }
            _ if is_first => {
                return Err(errors::invalid_field(
                    "start",
                    "is missing; the first message of a stream must be start",
                ));
            }
            Step::Turn(turn) => (&mut turn.investigation_id, "turn.investigation_id"),
            Step::Report(report) => (&mut report.investigation_id, "report.investigation_id"),
            Step::Cancel(cancel) => (&mut cancel.investigation_id, "cancel.investigation_id"),
        };
        let expected = &self.investigation_id;
        if id.is_empty() {
            id.clone_from(expected);
        }
        if id != expected {
            let description =
                format!("is `{id}`, but this stream drives `{expected}`; leave it out");
            return Err(errors::invalid_field(field, description));
        }
        Ok(step)
    }
}

fn is_finished(answer: &v1::DriveResponse) -> bool {
    let instruction =
        answer.investigation.as_ref().and_then(|investigation| investigation.instruction.as_ref());
    let due = instruction.and_then(|instruction| instruction.due.as_ref());
    matches!(due, Some(v1::instruction::Due::Finished(_)))
}
