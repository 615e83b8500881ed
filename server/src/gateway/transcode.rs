//! Transcodes between JSON documents and gRPC messages.

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

use super::problem::{from_status, problem};
use crate::config::Limits;
use crate::errors;
use crate::identity::{AdmittedIdentity, IdentityStore};
use crate::memory::{Memory, ReceivedBytes};
use crate::metered_body::MeteredBody;

/// The size of the header before a message, which contains the compression flag and the message's length.
const FRAME_HEADER: usize = 5;
const FORWARDED_HEADERS: [&str; 4] = ["authorization", "grpc-timeout", "traceparent", "tracestate"];

#[derive(Clone, Debug)]
pub(super) struct Transcoder {
    rpc: &'static str,
    messages: Transcoding,
    document_limits: DocumentLimits,
    identities: Arc<IdentityStore>,
}

/// The limits on request documents. They are shared by all methods, since a document is read before its
/// call is admitted.
#[derive(Clone, Debug)]
pub(super) struct DocumentLimits {
    permits: Arc<Semaphore>,
    max_concurrent: usize,
    max_bytes: usize,
    timeout: Duration,
    memory: Memory,
}

impl DocumentLimits {
    pub(super) fn new(limits: &Limits, memory: &Memory) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(limits.calls_in_flight)),
            max_concurrent: limits.calls_in_flight,
            max_bytes: usize::try_from(limits.message.0).unwrap_or(usize::MAX),
            timeout: limits.default_deadline.0,
            memory: memory.clone(),
        }
    }
}

impl Transcoder {
    /// Creates the transcoder for a method.
    ///
    /// # Errors
    /// A message if the API has no such method.
    pub(super) fn new(
        rpc: &'static str,
        document_limits: DocumentLimits,
        identities: Arc<IdentityStore>,
    ) -> Result<Self, String> {
        let messages = Transcoding::for_method(rpc).map_err(|error| error.to_string())?;
        Ok(Self { rpc, messages, document_limits, identities })
    }

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
            true => self.read_message(headers, body).await,
            // Do not read the body of an unidentified caller. The service refuses the call.
            false => Ok(Vec::new()),
        };
        let message = match message {
            Ok(message) => message,
            Err(response) => return *response,
        };
        let Ok(response) = service.oneshot(self.build_request(headers, &message)).await;
        let defaults = defaults(query);
        match read_response(response).await.and_then(|message| self.document(&message, defaults)) {
            Ok(document) => {
                let mut response = Response::new(Body::from(document));
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(CONTENT_TYPE, json);
                response
            }
            Err(status) => from_status(&status),
        }
    }

    fn is_identified(&self, headers: &HeaderMap) -> bool {
        AdmittedIdentity::admit(&self.identities, headers, &Extensions::new(), None).is_ok()
    }

    async fn read_message(
        &self,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Vec<u8>, Box<Response<Body>>> {
        let refuse = |status, detail: &str| Err(Box::new(problem(status, detail)));
        if !is_json(headers) {
            let detail = "send the document with Content-Type: application/json";
            return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail);
        }
        let DocumentLimits { permits, max_concurrent, max_bytes, timeout, memory } =
            &self.document_limits;
        let Ok(_permit) = permits.try_acquire() else {
            return Err(Box::new(from_status(&errors::too_many_calls(*max_concurrent))));
        };
        let received = Arc::new(ReceivedBytes::new(memory));
        let body = Body::new(MeteredBody::new(body, Arc::clone(&received)));
        let text = match tokio::time::timeout(*timeout, to_bytes(body, *max_bytes)).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) if received.is_full() => {
                return Err(Box::new(from_status(&errors::too_much_memory(memory.total()))));
            }
            Ok(Err(_)) => {
                let detail = format!(
                    "the document is larger than limits.message ({} bytes) or ended early; send less evidence or raise the limit",
                    max_bytes
                );
                return refuse(StatusCode::PAYLOAD_TOO_LARGE, &detail);
            }
            Err(_) => {
                let detail = "the document did not arrive within limits.default_deadline";
                return refuse(StatusCode::REQUEST_TIMEOUT, detail);
            }
        };
        let Ok(text) = std::str::from_utf8(&text) else {
            return refuse(StatusCode::BAD_REQUEST, "the document is not UTF-8");
        };
        self.messages.encode(text).map_err(|error| {
            let detail =
                format!("the document is not a valid {}: {error}", self.messages.request_name());
            Box::new(problem(StatusCode::BAD_REQUEST, &detail))
        })
    }

    fn build_request(&self, headers: &HeaderMap, message: &[u8]) -> Request<tonic::body::Body> {
        let mut frame = BytesMut::with_capacity(FRAME_HEADER + message.len());
        frame.put_u8(0);
        // The maximum message size is below 4 GiB, as the configuration check ensures.
        frame.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
        frame.put_slice(message);
        let mut request = Request::new(tonic::body::Body::new(Full::new(frame.freeze())));
        *request.method_mut() = axum::http::Method::POST;
        *request.version_mut() = axum::http::Version::HTTP_2;
        if let Ok(uri) = format!("/{}", self.rpc).parse() {
            *request.uri_mut() = uri;
        }
        let request_headers = request.headers_mut();
        request_headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        request_headers.insert(TE, HeaderValue::from_static("trailers"));
        for name in FORWARDED_HEADERS {
            for value in headers.get_all(name) {
                request_headers.append(name, value.clone());
            }
        }
        request
    }

    fn document(&self, message: &[u8], defaults: Defaults) -> Result<String, Status> {
        let to_status =
            |error| Status::internal(format!("the response cannot be rendered as JSON: {error}"));
        Ok(self.messages.decode(message, defaults).map_err(to_status)? + "\n")
    }
}

fn defaults(query: Option<&str>) -> Defaults {
    let mut parameters = query.unwrap_or_default().split('&');
    match parameters.any(|parameter| matches!(parameter, "compact" | "compact=true" | "compact=1"))
    {
        true => Defaults::Omitted,
        false => Defaults::Printed,
    }
}

async fn read_response(response: Response<tonic::body::Body>) -> Result<Bytes, Status> {
    let (head, body) = response.into_parts();
    if let Some(status) = Status::from_header_map(&head.headers) {
        return if status.code() == Code::Ok { Ok(Bytes::new()) } else { Err(status) };
    }
    let body = body.collect().await?;
    let status = body.trailers().and_then(Status::from_header_map);
    match status {
        Some(status) if status.code() != Code::Ok => return Err(status),
        Some(_) => {}
        None => return Err(Status::internal("the response ended without a status")),
    }
    let mut message = body.to_bytes();
    message.advance(FRAME_HEADER.min(message.len()));
    Ok(message)
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type =
        headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}
