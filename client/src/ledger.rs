//! This module reads the record of evaluations, keeps grades, and deletes, over a connection.

use std::sync::Arc;
use std::time::Duration;

use gsar_proto::v1;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient as Service;
use tonic::{Status, Streaming};

use crate::Client;
use crate::client::{MAX_ANSWER_BYTES, Repeat, late};
use crate::error::ClientError;
use crate::pool::Connection;

const EXPORT: &str = "Export";

impl Client {
    /// Lists recorded evaluations, newest first, a page at a time.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer.
    pub async fn list_evaluations(
        &self,
        request: v1::ListEvaluationsRequest,
    ) -> Result<v1::ListEvaluationsResponse, ClientError> {
        self.call("ListEvaluations", Repeat::Harmless, request, |channel, request| async move {
            Service::new(channel).list_evaluations(request).await
        })
        .await
    }

    /// Counts recorded evaluations, in intervals of time and by what was decided.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer.
    pub async fn count_evaluations(
        &self,
        request: v1::CountEvaluationsRequest,
    ) -> Result<v1::CountEvaluationsResponse, ClientError> {
        self.call("CountEvaluations", Repeat::Harmless, request, |channel, request| async move {
            Service::new(channel)
                .max_decoding_message_size(MAX_ANSWER_BYTES)
                .count_evaluations(request)
                .await
        })
        .await
    }

    /// Decides many recorded evaluations anew under another policy.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer or no such policy.
    pub async fn rescore_evaluations(
        &self,
        request: v1::RescoreEvaluationsRequest,
    ) -> Result<v1::RescoreEvaluationsResponse, ClientError> {
        self.call("RescoreEvaluations", Repeat::Harmless, request, |channel, request| async move {
            Service::new(channel)
                .max_decoding_message_size(MAX_ANSWER_BYTES)
                .rescore_evaluations(request)
                .await
        })
        .await
    }

    /// Returns one recorded evaluation in full.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer or no such evaluation.
    pub async fn evaluation(&self, id: &str) -> Result<v1::GetEvaluationResponse, ClientError> {
        self.read_evaluation(id, false).await
    }

    /// The same with placeholders in place of secrets and personal data.
    ///
    /// # Errors
    /// As [`Client::evaluation`].
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
        self.call("GetEvaluation", Repeat::Harmless, request, |channel, request| async move {
            Service::new(channel)
                .max_decoding_message_size(MAX_ANSWER_BYTES)
                .get_evaluation(request)
                .await
        })
        .await
    }

    /// Returns an evidence item of a recorded evaluation as it came with the request.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer, no such evaluation or item, or its content is not kept whole.
    pub async fn evaluation_evidence(
        &self,
        id: &str,
        evidence_id: &str,
    ) -> Result<v1::EvidenceItem, ClientError> {
        let request = v1::GetEvaluationEvidenceRequest {
            evaluation_id: id.to_owned(),
            evidence_id: evidence_id.to_owned(),
        };
        let answer = self.call(
            "GetEvaluationEvidence",
            Repeat::Harmless,
            request,
            |channel, request| async move {
                Service::new(channel)
                    .max_decoding_message_size(MAX_ANSWER_BYTES)
                    .get_evaluation_evidence(request)
                    .await
            },
        );
        Ok(answer.await?.item.unwrap_or_default())
    }

    /// Deletes a recorded evaluation, with the contents of evidence that no other evaluation has.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer or no such evaluation.
    pub async fn delete_evaluation(
        &self,
        id: &str,
    ) -> Result<v1::DeleteEvaluationResponse, ClientError> {
        let request = v1::DeleteEvaluationRequest { evaluation_id: id.to_owned() };
        self.call("DeleteEvaluation", Repeat::Forbidden, request, |channel, request| async move {
            Service::new(channel).delete_evaluation(request).await
        })
        .await
    }

    /// Keeps what a person says of an evaluation. Saying it again changes nothing, so it is repeated on the server's word.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer, no such evaluation, or one of the grades is refused.
    pub async fn grade(&self, request: v1::GradeRequest) -> Result<v1::GradeResponse, ClientError> {
        self.call("Grade", Repeat::Harmless, request, |channel, request| async move {
            Service::new(channel).grade(request).await
        })
        .await
    }

    /// Begins an export. The deadline is that of each response; behind a failure the export goes on with `after` of the
    /// last response in the same request.
    ///
    /// # Errors
    /// [`ClientError`] when the server refuses or does not answer.
    pub async fn export(&self, request: v1::ExportRequest) -> Result<Export, ClientError> {
        let deadline = self.deadline();
        let connection = self.connection();
        let mut service =
            Service::new(connection.channel.clone()).max_decoding_message_size(MAX_ANSWER_BYTES);
        let mut request = self.request(request);
        request.set_timeout(deadline);
        let stream = match tokio::time::timeout(deadline, service.export(request)).await {
            Ok(Ok(answer)) => answer.into_inner(),
            Ok(Err(status)) => return Err(connection.refused(EXPORT, &status)),
            Err(_) => return Err(late(EXPORT)),
        };
        Ok(Export { connection, stream, deadline })
    }
}

/// An export in progress. Dropping it ends it.
#[derive(Debug)]
pub struct Export {
    connection: Arc<Connection>,
    stream: Streaming<v1::ExportResponse>,
    deadline: Duration,
}

impl Export {
    /// The next response; `None` where the export is complete.
    ///
    /// # Errors
    /// [`ClientError`] when the export ended before it was complete.
    pub async fn next(&mut self) -> Result<Option<v1::ExportResponse>, ClientError> {
        let answer: Result<Result<_, Status>, _> =
            tokio::time::timeout(self.deadline, self.stream.message()).await;
        match answer {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(status)) => Err(self.connection.refused(EXPORT, &status)),
            Err(_) => Err(late(EXPORT)),
        }
    }
}
