//! `gsar.v1.InvestigationService`.

use gsar_proto::v1;
use gsar_proto::v1::investigation_service_server::InvestigationService;
use gsar_proto::violations::Violations;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use super::admission::ended;
use super::services::call;
use crate::call::Call;
use crate::drive::{Investigations, Submitted};
use crate::errors;
use crate::phase::{Phase, PhaseCell};

/// The service, and the phase by which streams end when the server drains.
pub(super) struct Driver {
    pub(super) investigations: Investigations,
    pub(super) phase: PhaseCell,
}

impl Driver {
    /// The investigations of who calls.
    fn of<T>(&self, request: &Request<T>) -> Result<Investigations, Status> {
        Ok(self.investigations.of(&call(request.extensions())?.principal))
    }
}

#[tonic::async_trait]
impl InvestigationService for Driver {
    async fn start_investigation(
        &self,
        request: Request<v1::StartInvestigationRequest>,
    ) -> Result<Response<v1::StartInvestigationResponse>, Status> {
        let investigation = Some(self.of(&request)?.start(request.into_inner()).await?);
        Ok(Response::new(v1::StartInvestigationResponse { investigation }))
    }

    async fn record_turn(
        &self,
        request: Request<v1::RecordTurnRequest>,
    ) -> Result<Response<v1::RecordTurnResponse>, Status> {
        let call = call(request.extensions())?;
        let turn = request.into_inner();
        let investigation =
            Some(self.investigations.of(&call.principal).record_turn(&call, turn).await?);
        Ok(Response::new(v1::RecordTurnResponse { investigation }))
    }

    async fn submit_report(
        &self,
        request: Request<v1::SubmitReportRequest>,
    ) -> Result<Response<v1::SubmitReportResponse>, Status> {
        let call = call(request.extensions())?;
        let Submitted { investigation, evaluation } = self
            .investigations
            .of(&call.principal)
            .submit_report(&call, request.into_inner())
            .await?;
        let investigation = Some(investigation);
        Ok(Response::new(v1::SubmitReportResponse { investigation, evaluation }))
    }

    async fn get_investigation(
        &self,
        request: Request<v1::GetInvestigationRequest>,
    ) -> Result<Response<v1::GetInvestigationResponse>, Status> {
        self.of(&request)?.get(request.into_inner()).await.map(Response::new)
    }

    async fn cancel_investigation(
        &self,
        request: Request<v1::CancelInvestigationRequest>,
    ) -> Result<Response<v1::CancelInvestigationResponse>, Status> {
        let investigation = Some(self.of(&request)?.cancel(request.into_inner()).await?);
        Ok(Response::new(v1::CancelInvestigationResponse { investigation }))
    }

    async fn look_at_entity(
        &self,
        request: Request<v1::LookAtEntityRequest>,
    ) -> Result<Response<v1::LookAtEntityResponse>, Status> {
        let call = call(request.extensions())?;
        let investigations = self.investigations.of(&call.principal);
        investigations.look(&call, request.into_inner()).await.map(Response::new)
    }

    type DriveStream = ReceiverStream<Result<v1::DriveResponse, Status>>;

    async fn drive(
        &self,
        request: Request<Streaming<v1::DriveRequest>>,
    ) -> Result<Response<Self::DriveStream>, Status> {
        let call = call(request.extensions())?;
        let (answers, stream) = mpsc::channel(1);
        let session = Session {
            investigations: self.investigations.clone(),
            investigation_id: String::new(),
            call,
        };
        tokio::spawn(session.run(request.into_inner(), answers, self.phase.clone()));
        Ok(Response::new(ReceiverStream::new(stream)))
    }
}

/// The label of a stream in logs.
const METHOD: &str = "InvestigationService/Drive";

type Answers = mpsc::Sender<Result<v1::DriveResponse, Status>>;

/// One stream.
struct Session {
    investigations: Investigations,
    /// The investigation that the first message named.
    investigation_id: String,
    call: Call,
}

impl Session {
    /// Answers each message in its order, until the investigation is over, the caller goes or the server drains. What
    /// is being judged then is recorded all the same.
    async fn run(
        mut self,
        mut requests: Streaming<v1::DriveRequest>,
        answers: Answers,
        phase: PhaseCell,
    ) {
        loop {
            let message = tokio::select! {
                message = requests.message() => message,
                () = phase.reached(Phase::Draining) => Err(errors::not_serving("draining")),
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

    async fn answer(&mut self, message: v1::DriveRequest) -> Result<v1::DriveResponse, Status> {
        use v1::drive_request::Request as Kind;
        let request = message
            .request
            .ok_or_else(|| invalid("request", "is missing; give start, turn, report or cancel"))?;
        let is_first = self.investigation_id.is_empty();
        // Each message counts as a call of its own, has as much time, and the rights that its caller has by then.
        self.call.terms().wait_for_call().await.map_err(|why| ended(METHOD, &why))?;
        let call = self.call.renewed().map_err(|why| ended(METHOD, &why))?;
        let investigations = self.investigations.of(&call.principal);
        let (investigation, evaluation) = match request {
            Kind::Start(start) => {
                if !is_first {
                    return Err(invalid("start", "begins a stream; open another for another one"));
                }
                self.investigation_id.clone_from(&start.investigation_id);
                (investigations.start(*start).await?, None)
            }
            _ if is_first => {
                return Err(invalid("start", "is missing; the first message of a stream is start"));
            }
            Kind::Turn(mut turn) => {
                self.name(&mut turn.investigation_id, "turn.investigation_id")?;
                (investigations.record_turn(&call, turn).await?, None)
            }
            Kind::Report(mut report) => {
                self.name(&mut report.investigation_id, "report.investigation_id")?;
                let Submitted { investigation, evaluation } =
                    investigations.submit_report(&call, report).await?;
                (investigation, evaluation)
            }
            Kind::Cancel(mut cancel) => {
                self.name(&mut cancel.investigation_id, "cancel.investigation_id")?;
                (investigations.cancel(cancel).await?, None)
            }
        };
        Ok(v1::DriveResponse { investigation: Some(investigation), evaluation })
    }

    /// Puts the investigation of the stream where a message names none.
    fn name(&self, given: &mut String, field: &str) -> Result<(), Status> {
        if given.is_empty() {
            given.clone_from(&self.investigation_id);
        }
        if *given == self.investigation_id {
            return Ok(());
        }
        let wanted = &self.investigation_id;
        Err(invalid(field, &format!("is `{given}`; this stream drives `{wanted}`: leave it out")))
    }
}

fn is_finished(answer: &v1::DriveResponse) -> bool {
    let instruction = answer.investigation.as_ref().and_then(|of| of.instruction.as_ref());
    let due = instruction.and_then(|instruction| instruction.due.as_ref());
    matches!(due, Some(v1::instruction::Due::Finished(_)))
}

fn invalid(field: &str, description: &str) -> Status {
    let mut violations = Violations::default();
    violations.add(field, description);
    violations.into_status()
}
