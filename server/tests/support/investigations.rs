//! Requests for investigations, and accessors for their state.

use gsar_proto::v1;
use gsar_proto::v1::instruction::Due;
use tonic::{Response, Status};

use super::TestServer;

pub fn start(id: &str) -> v1::StartInvestigationRequest {
    v1::StartInvestigationRequest {
        investigation_id: id.to_owned(),
        policy: "reference".to_owned(),
        ..Default::default()
    }
}

pub fn turn(id: &str, step: u32, tool_calls: Vec<v1::ToolCall>) -> v1::RecordTurnRequest {
    v1::RecordTurnRequest {
        investigation_id: id.to_owned(),
        step,
        tool_calls,
        ..Default::default()
    }
}

pub fn tool_call(tool: &str, arguments: &str, result: Option<v1::EvidenceItem>) -> v1::ToolCall {
    v1::ToolCall { tool: tool.to_owned(), arguments: arguments.to_owned(), result }
}

pub fn submission(
    id: &str,
    step: u32,
    synthesis: &str,
    evidence: Vec<v1::EvidenceItem>,
) -> v1::SubmitReportRequest {
    v1::SubmitReportRequest {
        investigation_id: id.to_owned(),
        step,
        report: Some(v1::Report { synthesis: synthesis.to_owned(), ..Default::default() }),
        evidence,
    }
}

pub fn due(investigation: &v1::Investigation) -> &Due {
    investigation.instruction.as_ref().unwrap().due.as_ref().unwrap()
}

pub fn finished(investigation: &v1::Investigation) -> &v1::Finished {
    match due(investigation) {
        Due::Finished(finished) => finished,
        other => panic!("the investigation is not finished: {other:?}"),
    }
}

impl TestServer {
    pub async fn begin(&self, request: v1::StartInvestigationRequest) -> v1::Investigation {
        let answer = self.investigations().start_investigation(request).await.unwrap();
        answer.into_inner().investigation.unwrap()
    }

    pub async fn record_turn(
        &self,
        request: v1::RecordTurnRequest,
    ) -> Result<v1::Investigation, Status> {
        let answer = self.investigations().record_turn(request).await?;
        Ok(answer.into_inner().investigation.unwrap())
    }

    pub async fn submit(
        &self,
        request: v1::SubmitReportRequest,
    ) -> Result<v1::SubmitReportResponse, Status> {
        self.investigations().submit_report(request).await.map(Response::into_inner)
    }

    pub async fn cancel(&self, id: &str) -> v1::Investigation {
        let request = v1::CancelInvestigationRequest { investigation_id: id.to_owned() };
        let answer = self.investigations().cancel_investigation(request).await.unwrap();
        answer.into_inner().investigation.unwrap()
    }

    /// Returns an investigation with its events.
    pub async fn investigation(&self, id: &str) -> v1::GetInvestigationResponse {
        let request =
            v1::GetInvestigationRequest { investigation_id: id.to_owned(), with_events: true };
        self.investigations().get_investigation(request).await.unwrap().into_inner()
    }
}
