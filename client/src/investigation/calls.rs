//! The calls of the investigation service. They are safe to retry, since each request names the step that it responds
//! to.

use gsar_proto::v1;
use gsar_proto::v1::investigation_service_client::InvestigationServiceClient as Service;

use crate::Client;
use crate::client::Retry;
use crate::error::ClientError;

impl Client {
    /// Starts an investigation, or returns the state of an existing one.
    pub async fn start_investigation(
        &self,
        request: v1::StartInvestigationRequest,
    ) -> Result<v1::StartInvestigationResponse, ClientError> {
        self.call("StartInvestigation", Retry::Safe, request, |channel, request| async move {
            Service::new(channel).start_investigation(request).await
        })
        .await
    }

    /// Records an agent's turn.
    pub async fn record_turn(
        &self,
        request: v1::RecordTurnRequest,
    ) -> Result<v1::RecordTurnResponse, ClientError> {
        self.call("RecordTurn", Retry::Safe, request, |channel, request| async move {
            Service::new(channel).record_turn(request).await
        })
        .await
    }

    /// Submits a report for evaluation. A failed judge is part of the response.
    pub async fn submit_report(
        &self,
        request: v1::SubmitReportRequest,
    ) -> Result<v1::SubmitReportResponse, ClientError> {
        self.call("SubmitReport", Retry::Safe, request, |channel, request| async move {
            Service::new(channel).submit_report(request).await
        })
        .await
    }

    /// Returns the state of an investigation.
    pub async fn get_investigation(
        &self,
        request: v1::GetInvestigationRequest,
    ) -> Result<v1::GetInvestigationResponse, ClientError> {
        self.call("GetInvestigation", Retry::Safe, request, |channel, request| async move {
            Service::new(channel).get_investigation(request).await
        })
        .await
    }

    /// Returns the stored evidence about an entity that is due, and, if requested, a model's classification of it. A
    /// failed model is part of the response.
    pub async fn look_at_entity(
        &self,
        request: v1::LookAtEntityRequest,
    ) -> Result<v1::LookAtEntityResponse, ClientError> {
        self.call("LookAtEntity", Retry::Safe, request, |channel, request| async move {
            Service::new(channel).look_at_entity(request).await
        })
        .await
    }

    /// Cancels an investigation.
    pub async fn cancel_investigation(
        &self,
        request: v1::CancelInvestigationRequest,
    ) -> Result<v1::CancelInvestigationResponse, ClientError> {
        self.call("CancelInvestigation", Retry::Safe, request, |channel, request| async move {
            Service::new(channel).cancel_investigation(request).await
        })
        .await
    }
}
