//! The calls of the ledger service.

use std::sync::Arc;
use std::time::Duration;

use gsar_proto::v1;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient as Service;
use tonic::transport::Channel;
use tonic::{Status, Streaming};

use crate::Client;
use crate::client::{MAX_RESPONSE_BYTES, Retry, deadline_exceeded};
use crate::error::ClientError;
use crate::pool::Connection;

const EXPORT: &str = "Export";

fn service(channel: Channel) -> Service<Channel> {
    Service::new(channel).max_decoding_message_size(MAX_RESPONSE_BYTES)
}

impl Client {
    /// Lists recorded evaluations, newest first. The response is one page.
    pub async fn list_evaluations(
        &self,
        request: v1::ListEvaluationsRequest,
    ) -> Result<v1::ListEvaluationsResponse, ClientError> {
        self.call("ListEvaluations", Retry::Safe, request, |channel, request| async move {
            service(channel).list_evaluations(request).await
        })
        .await
    }

    /// Counts recorded evaluations by time interval and decision.
    pub async fn count_evaluations(
        &self,
        request: v1::CountEvaluationsRequest,
    ) -> Result<v1::CountEvaluationsResponse, ClientError> {
        self.call("CountEvaluations", Retry::Safe, request, |channel, request| async move {
            service(channel).count_evaluations(request).await
        })
        .await
    }

    /// Rescores many recorded evaluations under another policy.
    pub async fn rescore_evaluations(
        &self,
        request: v1::RescoreEvaluationsRequest,
    ) -> Result<v1::RescoreEvaluationsResponse, ClientError> {
        self.call("RescoreEvaluations", Retry::Safe, request, |channel, request| async move {
            service(channel).rescore_evaluations(request).await
        })
        .await
    }

    /// Returns a recorded evaluation in full.
    pub async fn evaluation(&self, id: &str) -> Result<v1::GetEvaluationResponse, ClientError> {
        self.read_evaluation(id, false).await
    }

    /// Returns a recorded evaluation with secrets and personal data replaced by placeholders.
    pub async fn redacted_evaluation(
        &self,
        id: &str,
    ) -> Result<v1::GetEvaluationResponse, ClientError> {
        self.read_evaluation(id, true).await
    }

    async fn read_evaluation(
        &self,
        id: &str,
        redact: bool,
    ) -> Result<v1::GetEvaluationResponse, ClientError> {
        let request = v1::GetEvaluationRequest { evaluation_id: id.to_owned(), redact };
        self.call("GetEvaluation", Retry::Safe, request, |channel, request| async move {
            service(channel).get_evaluation(request).await
        })
        .await
    }

    /// Returns an evidence item of a recorded evaluation exactly as it was sent. Fails if its content is not stored in
    /// full.
    pub async fn evaluation_evidence(
        &self,
        id: &str,
        evidence_id: &str,
    ) -> Result<v1::EvidenceItem, ClientError> {
        let request = v1::GetEvaluationEvidenceRequest {
            evaluation_id: id.to_owned(),
            evidence_id: evidence_id.to_owned(),
        };
        let answer =
            self.call(
                "GetEvaluationEvidence",
                Retry::Safe,
                request,
                |channel, request| async move {
                    service(channel).get_evaluation_evidence(request).await
                },
            );
        Ok(answer.await?.item.unwrap_or_default())
    }

    /// Deletes a recorded evaluation, along with evidence that no other evaluation uses.
    pub async fn delete_evaluation(
        &self,
        id: &str,
    ) -> Result<v1::DeleteEvaluationResponse, ClientError> {
        let request = v1::DeleteEvaluationRequest { evaluation_id: id.to_owned() };
        self.call("DeleteEvaluation", Retry::Never, request, |channel, request| async move {
            service(channel).delete_evaluation(request).await
        })
        .await
    }

    /// Records grades for an evaluation.
    pub async fn grade(&self, request: v1::GradeRequest) -> Result<v1::GradeResponse, ClientError> {
        self.call("Grade", Retry::Safe, request, |channel, request| async move {
            service(channel).grade(request).await
        })
        .await
    }

    /// Starts an export. The deadline applies to each response. To resume after a failure, send the same request with
    /// the `after` of the last response.
    pub async fn export(&self, request: v1::ExportRequest) -> Result<Export, ClientError> {
        let deadline = self.deadline();
        let connection = self.connection();
        let mut service = service(connection.channel.clone());
        let mut request = self.request(request);
        request.set_timeout(deadline);
        let stream = match tokio::time::timeout(deadline, service.export(request)).await {
            Ok(Ok(answer)) => answer.into_inner(),
            Ok(Err(status)) => return Err(connection.status_error(EXPORT, &status)),
            Err(_) => return Err(deadline_exceeded(EXPORT)),
        };
        Ok(Export { connection, stream, deadline })
    }
}

/// A running export. Dropping it cancels the export.
#[derive(Debug)]
pub struct Export {
    connection: Arc<Connection>,
    stream: Streaming<v1::ExportResponse>,
    deadline: Duration,
}

impl Export {
    /// Returns the next response, or `None` at the end of the export.
    pub async fn next(&mut self) -> Result<Option<v1::ExportResponse>, ClientError> {
        let answer: Result<Result<_, Status>, _> =
            tokio::time::timeout(self.deadline, self.stream.message()).await;
        match answer {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(status)) => Err(self.connection.status_error(EXPORT, &status)),
            Err(_) => Err(deadline_exceeded(EXPORT)),
        }
    }
}
