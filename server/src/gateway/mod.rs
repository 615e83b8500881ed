//! Serves part of the API as JSON over HTTP. Calls pass the same admission and services as gRPC calls.
//!
//! Web pages can make a browser send requests to this machine. The gateway therefore refuses requests from pages
//! of unknown origins. If no principals are configured, it also refuses requests whose host is not a loopback
//! address, and serves no methods that store, grade or delete.

mod console;
mod methods;
mod origin;
mod problem;
mod transcode;

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use bytes::Bytes;
use tower::Service;
use tower_http::cors::CorsLayer;

use crate::config::Config;
use crate::identity::IdentityStore;
use crate::memory::Memory;
use crate::server_phase::{Phase, PhaseCell};
use methods::{METHODS, WRITING_METHODS};
use origin::Origins;
use problem::problem;
use transcode::{DocumentLimits, Transcoder};

const REQUEST_HEADERS: [&str; 5] =
    ["authorization", "content-type", "grpc-timeout", "traceparent", "tracestate"];

/// Builds the gateway's routes in front of a gRPC service.
///
/// # Errors
/// A message if the API's descriptors are invalid, which is a bug.
pub(crate) fn router<S>(
    service: S,
    phase: PhaseCell,
    identities: &Arc<IdentityStore>,
    config: &Config,
    memory: &Memory,
) -> Result<Router, String>
where
    S: Service<
            Request<tonic::body::Body>,
            Response = Response<tonic::body::Body>,
            Error = Infallible,
        > + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
{
    let document_limits = DocumentLimits::new(&config.limits, memory);
    let has_principals = config.security.principals.is_some();
    let writing_methods = WRITING_METHODS.into_iter().filter(|_| has_principals);
    let mut router = Router::new();
    for (path, rpc) in METHODS.into_iter().chain(writing_methods) {
        let transcoder = Transcoder::new(rpc, document_limits.clone(), Arc::clone(identities))?;
        let service = service.clone();
        let handler = move |uri: Uri, headers: HeaderMap, body: Body| async move {
            transcoder.answer(service, uri.query(), &headers, body).await
        };
        router = router.route(path, post(handler));
    }
    if config.gateway.console {
        router = router.merge(console::routes()?);
    }
    let openapi: Bytes = document()?.into();
    let origins = Origins::new(&config.gateway.allowed_origins, !has_principals);
    let max_message = usize::try_from(config.limits.message.0).unwrap_or(usize::MAX);
    Ok(router
        .route("/v1/health", get(health).with_state(phase))
        .route("/openapi.json", get(|| async { ([(CONTENT_TYPE, "application/json")], openapi) }))
        .fallback(|| async { not_found() })
        .method_not_allowed_fallback(|| async { method_not_allowed() })
        .layer(DefaultBodyLimit::max(max_message))
        .layer(cors(&origins))
        .layer(from_fn_with_state(origins, origin::check)))
}

/// Returns the gateway's OpenAPI document.
///
/// # Errors
/// A message if the API's descriptors are invalid, which is a bug.
pub fn document() -> Result<String, String> {
    let methods = METHODS.into_iter().chain(WRITING_METHODS);
    gsar_proto::openapi::document(methods).map_err(|error| error.to_string())
}

async fn health(State(phase): State<PhaseCell>) -> impl IntoResponse {
    let json = [(CONTENT_TYPE, "application/json")];
    match phase.current() {
        Phase::Ready => (StatusCode::OK, json, "{\"status\":\"SERVING\"}\n"),
        Phase::Starting | Phase::Draining | Phase::Stopped => {
            (StatusCode::SERVICE_UNAVAILABLE, json, "{\"status\":\"NOT_SERVING\"}\n")
        }
    }
}

fn cors(origins: &Origins) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(origins.allowed())
        .allow_methods([Method::GET, Method::POST])
        .allow_headers(REQUEST_HEADERS.map(axum::http::HeaderName::from_static))
        .expose_headers([RETRY_AFTER])
}

fn not_found() -> Response<Body> {
    problem(StatusCode::NOT_FOUND, "unknown path; /openapi.json lists the paths")
}

fn method_not_allowed() -> Response<Body> {
    let detail = "method not allowed; /openapi.json lists the methods";
    problem(StatusCode::METHOD_NOT_ALLOWED, detail)
}
