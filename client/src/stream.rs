//! Evaluates many reports over one stream.

use std::sync::Arc;

use futures_util::Stream;
use gsar_proto::v1;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use tonic::Streaming;

use crate::Client;
use crate::client::MAX_RESPONSE_BYTES;
use crate::error::ClientError;
use crate::pool::Connection;

const METHOD: &str = "EvaluateStream";

impl Client {
    /// Evaluates a stream of reports. The client's deadline does not apply.
    ///
    /// Read responses while sending requests: the server stops reading `requests` while `limits.stream_in_flight`
    /// reports are in flight.
    pub async fn evaluate_stream(
        &self,
        requests: impl Stream<Item = v1::EvaluateStreamRequest> + Send + 'static,
    ) -> Result<Evaluations, ClientError> {
        let connection = self.connection();
        let mut service = GroundingServiceClient::new(connection.channel.clone())
            .max_decoding_message_size(MAX_RESPONSE_BYTES);
        let answer = service.evaluate_stream(self.request(requests)).await;
        let answer = answer.map_err(|status| connection.status_error(METHOD, &status))?;
        Ok(Evaluations { connection, answers: answer.into_inner() })
    }
}

/// The responses of a stream, in the order of completion. Dropping it ends the stream.
#[derive(Debug)]
pub struct Evaluations {
    connection: Arc<Connection>,
    answers: Streaming<v1::EvaluateStreamResponse>,
}

impl Evaluations {
    /// Returns the next response, or `None` at the end of the stream. A response can be the error of a single report.
    ///
    /// # Errors
    /// Returns a [`ClientError`] if the stream breaks. Reports without a response can be sent again; an idempotency
    /// key prevents a second evaluation.
    pub async fn next(&mut self) -> Result<Option<v1::EvaluateStreamResponse>, ClientError> {
        self.answers.message().await.map_err(|status| self.connection.status_error(METHOD, &status))
    }
}
