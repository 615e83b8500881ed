//! This module evaluates many reports over one call. It neither repeats nor orders: answers come as the server gives them.

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
    /// Evaluates reports over one call, for as long as there are any: the deadline of the client does not apply. The server
    /// takes the next report from `requests` only while few enough are unanswered or unread
    /// (`limits.stream_in_flight`), so read answers while requests are made.
    ///
    /// # Errors
    /// [`ClientError`] when the server does not take the call.
    pub async fn evaluate_stream(
        &self,
        requests: impl Stream<Item = v1::EvaluateStreamRequest> + Send + 'static,
    ) -> Result<Evaluations, ClientError> {
        let connection = self.connection();
        let mut service = GroundingServiceClient::new(connection.channel.clone())
            .max_decoding_message_size(MAX_ANSWER_BYTES);
        let answer = service.evaluate_stream(self.request(requests)).await;
        let answer = answer.map_err(|status| connection.refused(METHOD, &status))?;
        Ok(Evaluations { connection, answers: answer.into_inner() })
    }
}

/// The answers of a stream, in no order. Dropping it ends the stream.
#[derive(Debug)]
pub struct Evaluations {
    connection: Arc<Connection>,
    answers: Streaming<v1::EvaluateStreamResponse>,
}

impl Evaluations {
    /// The next answer, which may be the error of one report; `None` where all reports are answered.
    ///
    /// # Errors
    /// [`ClientError`] when the stream ended before that. Reports without an answer may be sent again; with an
    /// idempotency key that does no harm.
    pub async fn next(&mut self) -> Result<Option<v1::EvaluateStreamResponse>, ClientError> {
        self.answers.message().await.map_err(|status| self.connection.refused(METHOD, &status))
    }
}
