//! Renders errors as problem documents (RFC 9457).

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::{Map, Value, json};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::telemetry::calls::code_name;

const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

/// Builds the problem document for an error in the HTTP request itself.
pub(super) fn problem(status: StatusCode, detail: &str) -> Response<Body> {
    document(status, json!({ "title": title(status), "status": status.as_u16(), "detail": detail }))
}

pub(super) fn from_status(error: &Status) -> Response<Body> {
    let status = http_status(error.code());
    let details = error.get_error_details();
    let mut fields = Map::new();
    fields.insert("title".to_owned(), title(status).into());
    fields.insert("status".to_owned(), status.as_u16().into());
    fields.insert("detail".to_owned(), error.message().into());
    fields.insert("code".to_owned(), code_name(error.code()).into());
    if let Some(info) = details.error_info() {
        fields.insert("reason".to_owned(), info.reason.clone().into());
        fields.insert("metadata".to_owned(), json!(info.metadata));
    }
    if let Some(bad_request) = details.bad_request() {
        let to_json = |violation: &tonic_types::FieldViolation| json!({ "field": violation.field, "description": violation.description });
        let violations: Vec<Value> = bad_request.field_violations.iter().map(to_json).collect();
        fields.insert("violations".to_owned(), violations.into());
    }
    let mut response = document(status, Value::Object(fields));
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(delay) = details.retry_info().and_then(|retry| retry.retry_delay) {
        // The header contains whole seconds.
        let seconds = delay.as_secs() + u64::from(delay.subsec_nanos() > 0);
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

fn document(status: StatusCode, document: Value) -> Response<Body> {
    let mut response = Response::new(Body::from(format!("{document}\n")));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, PROBLEM_JSON);
    response
}

fn title(status: StatusCode) -> &'static str {
    status.canonical_reason().unwrap_or("Error")
}

fn http_status(code: Code) -> StatusCode {
    match code {
        Code::Ok => StatusCode::OK,
        Code::InvalidArgument | Code::FailedPrecondition | Code::OutOfRange => {
            StatusCode::BAD_REQUEST
        }
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists | Code::Aborted => StatusCode::CONFLICT,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Cancelled | Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
        Code::Unknown | Code::Internal | Code::DataLoss => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
