//! This module answers a JSON document by a service that answers gRPC: the document becomes a message, the answer or the
//! error a document again.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_TYPE, TE};
use axum::http::{Extensions, HeaderMap, HeaderValue, Request, Response, StatusCode};
use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use gsar_proto::json::{Defaults, Transcoding};
use http_body_util::{BodyExt as _, Full};
use tokio::sync::Semaphore;
use tonic::{Code, Status};
use tower::{Service, ServiceExt as _};

use super::methods::ServedMethod;
use super::problem::{of_status, problem};
use crate::config::Limits;
use crate::errors;
use crate::identity::{IdentityStore, Standing};
use crate::memory::{Arrived, Memory};
use crate::weigh::WeighedBody;

/// A compression flag and a length in front of every message.
const FRAME_HEADER: usize = 5;
/// Headers that go on to the service.
const PASSED_ON: [&str; 4] = ["authorization", "grpc-timeout", "traceparent", "tracestate"];

/// One method as documents.
#[derive(Clone, Debug)]
pub(super) struct Transcoder {
    rpc: &'static str,
    messages: Transcoding,
    documents: Documents,
    identities: Arc<IdentityStore>,
}

/// Bounds on documents that are read; all methods share them. Calls are admitted behind that.
#[derive(Clone, Debug)]
pub(super) struct Documents {
    reading: Arc<Semaphore>,
    max_reading: usize,
    max_bytes: usize,
    /// How long a document may take to come.
    patience: Duration,
    memory: Memory,
}

impl Documents {
    /// As many at once as calls may be in progress, each as large as a message may be.
    pub(super) fn new(limits: &Limits, memory: &Memory) -> Self {
        Self {
            reading: Arc::new(Semaphore::new(limits.calls_in_flight)),
            max_reading: limits.calls_in_flight,
            max_bytes: usize::try_from(limits.message.0).unwrap_or(usize::MAX),
            patience: limits.default_deadline.0,
            memory: memory.clone(),
        }
    }
}

impl Transcoder {
    /// The transcoder of a method.
    ///
    /// # Errors
    /// A sentence when the contract has no such method.
    pub(super) fn new(
        method: ServedMethod,
        documents: Documents,
        identities: Arc<IdentityStore>,
    ) -> Result<Self, String> {
        let messages = Transcoding::of(method.rpc).map_err(|error| error.to_string())?;
        Ok(Self { rpc: method.rpc, messages, documents, identities })
    }

    /// The answer to a document.
    pub(super) async fn answer<S>(
        self,
        service: S,
        query: Option<&str>,
        headers: &HeaderMap,
        body: Body,
    ) -> Response<Body>
    where
        S: Service<
                Request<tonic::body::Body>,
                Response = Response<tonic::body::Body>,
                Error = Infallible,
            > + Send,
        S::Future: Send,
    {
        let message = match self.is_identified(headers) {
            true => self.message(headers, body).await,
            // Nothing of it is read; the service refuses the call as it refuses others.
            false => Ok(Vec::new()),
        };
        let message = match message {
            Ok(message) => message,
            Err(refused) => return *refused,
        };
        let Ok(response) = service.oneshot(self.request(headers, &message)).await;
        let defaults = defaults(query);
        match answered(response).await.and_then(|message| self.document(&message, defaults)) {
            Ok(document) => {
                let mut response = Response::new(Body::from(document));
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(CONTENT_TYPE, json);
                response
            }
            Err(status) => of_status(&status),
        }
    }

    /// Whether a request is a principal's, or everybody is the same.
    fn is_identified(&self, headers: &HeaderMap) -> bool {
        Standing::of_call(&self.identities, headers, &Extensions::new(), None).is_ok()
    }

    /// The message of a request's document.
    async fn message(
        &self,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Vec<u8>, Box<Response<Body>>> {
        let refused = |status, detail: &str| Err(Box::new(problem(status, detail)));
        if !is_json(headers) {
            let detail = "give the document with Content-Type: application/json";
            return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail);
        }
        let Documents { reading, max_reading, max_bytes, patience, memory } = &self.documents;
        let Ok(_permit) = reading.try_acquire() else {
            return Err(Box::new(of_status(&errors::too_many_calls(*max_reading))));
        };
        let arrived = Arc::new(Arrived::nothing(memory));
        let body = Body::new(WeighedBody::of(body, Arc::clone(&arrived)));
        let text = match tokio::time::timeout(*patience, to_bytes(body, *max_bytes)).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) if arrived.is_full() => {
                return Err(Box::new(of_status(&errors::too_much_memory(memory.total()))));
            }
            Ok(Err(_)) => {
                let detail = format!(
                    "the document is larger than limits.message, {} bytes, or ended early; send less evidence or raise the limit",
                    max_bytes
                );
                return refused(StatusCode::PAYLOAD_TOO_LARGE, &detail);
            }
            Err(_) => {
                let detail = "the document did not come within limits.default_deadline";
                return refused(StatusCode::REQUEST_TIMEOUT, detail);
            }
        };
        let Ok(text) = std::str::from_utf8(&text) else {
            return refused(StatusCode::BAD_REQUEST, "the document is no UTF-8");
        };
        self.messages.encoded(text).map_err(|error| {
            let detail = format!("the document is no {}: {error}", self.messages.request_name());
            Box::new(problem(StatusCode::BAD_REQUEST, &detail))
        })
    }

    fn request(&self, headers: &HeaderMap, message: &[u8]) -> Request<tonic::body::Body> {
        let mut frame = BytesMut::with_capacity(FRAME_HEADER + message.len());
        frame.put_u8(0);
        // The limit of a message is below 4 GiB, which the configuration checks.
        frame.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
        frame.put_slice(message);
        let mut request = Request::new(tonic::body::Body::new(Full::new(frame.freeze())));
        *request.method_mut() = axum::http::Method::POST;
        *request.version_mut() = axum::http::Version::HTTP_2;
        if let Ok(uri) = format!("/{}", self.rpc).parse() {
            *request.uri_mut() = uri;
        }
        let head = request.headers_mut();
        head.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        head.insert(TE, HeaderValue::from_static("trailers"));
        for name in PASSED_ON {
            for value in headers.get_all(name) {
                head.append(name, value.clone());
            }
        }
        request
    }

    fn document(&self, message: &[u8], defaults: Defaults) -> Result<String, Status> {
        let unreadable = |error| Status::internal(format!("the answer has no document: {error}"));
        Ok(self.messages.document(message, defaults).map_err(unreadable)? + "\n")
    }
}

/// Whether the query of a request asks for the fields alone that have a value: `compact`.
fn defaults(query: Option<&str>) -> Defaults {
    let mut parameters = query.unwrap_or_default().split('&');
    match parameters.any(|parameter| matches!(parameter, "compact" | "compact=true" | "compact=1"))
    {
        true => Defaults::Omitted,
        false => Defaults::Printed,
    }
}

/// The message of an answer.
async fn answered(response: Response<tonic::body::Body>) -> Result<Bytes, Status> {
    let (head, body) = response.into_parts();
    if let Some(status) = Status::from_header_map(&head.headers) {
        return if status.code() == Code::Ok { Ok(Bytes::new()) } else { Err(status) };
    }
    let collected = body.collect().await?;
    let status = collected.trailers().and_then(Status::from_header_map);
    match status {
        Some(status) if status.code() != Code::Ok => return Err(status),
        Some(_) => {}
        None => return Err(Status::internal("the answer ended without a status")),
    }
    let mut message = collected.to_bytes();
    message.advance(FRAME_HEADER.min(message.len()));
    Ok(message)
}

fn is_json(headers: &HeaderMap) -> bool {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = given.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}
