//! This module drives investigations over a connection. Every request names the step that it answers, so each may be sent
//! again without harm.

use gsar_proto::v1;
use gsar_proto::v1::investigation_service_client::InvestigationServiceClient as Service;

use crate::Client;
use crate::client::Repeat;
use crate::error::ClientError;

impl Client {
    /// Begins an investigation, or says where it stands.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer.
    pub async fn start_investigation(
        &self,
        request: v1::StartInvestigationRequest,
    ) -> Result<v1::StartInvestigationResponse, ClientError> {
        self.call("StartInvestigation", Repeat::Harmless, request, |channel, request| async move {
            Service::new(channel).start_investigation(request).await
        })
        .await
    }

    /// Hands over one turn of the agent.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer.
    pub async fn record_turn(
        &self,
        request: v1::RecordTurnRequest,
    ) -> Result<v1::RecordTurnResponse, ClientError> {
        self.call("RecordTurn", Repeat::Harmless, request, |channel, request| async move {
            Service::new(channel).record_turn(request).await
        })
        .await
    }

    /// Has a report judged.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer. A judge that failed is an answer.
    pub async fn submit_report(
        &self,
        request: v1::SubmitReportRequest,
    ) -> Result<v1::SubmitReportResponse, ClientError> {
        self.call("SubmitReport", Repeat::Harmless, request, |channel, request| async move {
            Service::new(channel).submit_report(request).await
        })
        .await
    }

    /// Says where an investigation stands.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer.
    pub async fn get_investigation(
        &self,
        request: v1::GetInvestigationRequest,
    ) -> Result<v1::GetInvestigationResponse, ClientError> {
        self.call("GetInvestigation", Repeat::Harmless, request, |channel, request| async move {
            Service::new(channel).get_investigation(request).await
        })
        .await
    }

    /// Gives what is stored of an entity that is due to be looked at, and what a model believes of it where that is asked for.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer. A model that failed is an answer.
    pub async fn look_at_entity(
        &self,
        request: v1::LookAtEntityRequest,
    ) -> Result<v1::LookAtEntityResponse, ClientError> {
        self.call("LookAtEntity", Repeat::Harmless, request, |channel, request| async move {
            Service::new(channel).look_at_entity(request).await
        })
        .await
    }

    /// Gives an investigation up.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer.
    pub async fn cancel_investigation(
        &self,
        request: v1::CancelInvestigationRequest,
    ) -> Result<v1::CancelInvestigationResponse, ClientError> {
        self.call("CancelInvestigation", Repeat::Harmless, request, |channel, request| async move {
            Service::new(channel).cancel_investigation(request).await
        })
        .await
    }
}
