//! Evaluates many reports over one stream. Responses arrive in the order in which they are ready.

use std::sync::Arc;

use futures_util::Stream;
use gsar_proto::v1;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use tonic::Streaming;

use crate::Client;
use crate::client::MAX_ANSWER_BYTES;
use crate::error::ClientError;
use crate::pool::Connection;

const METHOD: &str = "EvaluateStream";

impl Client {
    /// Evaluates a stream of reports. The client's deadline does not apply. The server reads `requests` only while few
    /// enough reports are in flight (`limits.stream_in_flight`), so read responses while sending requests.
    ///
    /// # Errors
    /// Returns a [`ClientError`] if the server rejects the call.
    pub async fn evaluate_stream(
        &self,
        requests: impl Stream<Item = v1::EvaluateStreamRequest> + Send + 'static,
    ) -> Result<Evaluations, ClientError> {
        let connection = self.connection();
        let mut service = GroundingServiceClient::new(connection.channel.clone())
            .max_decoding_message_size(MAX_ANSWER_BYTES);
        let answer = service.evaluate_stream(self.request(requests)).await;
        let answer = answer.map_err(|status| connection.status_error(METHOD, &status))?;
        Ok(Evaluations { connection, answers: answer.into_inner() })
    }
}

/// The responses of a stream, in no particular order. Dropping it ends the stream.
#[derive(Debug)]
pub struct Evaluations {
    connection: Arc<Connection>,
    answers: Streaming<v1::EvaluateStreamResponse>,
}

impl Evaluations {
    /// Returns the next response, which may be the error of a single report; `None` at the end of the stream.
    ///
    /// # Errors
    /// Returns a [`ClientError`] if the stream ends prematurely. Reports without a response may be sent again, safely
    /// with an idempotency key.
    pub async fn next(&mut self) -> Result<Option<v1::EvaluateStreamResponse>, ClientError> {
        self.answers.message().await.map_err(|status| self.connection.status_error(METHOD, &status))
    }
}
