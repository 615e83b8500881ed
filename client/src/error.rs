//! Errors from calls.

use std::fmt;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::endpoint::Endpoint;
use crate::text::width;
use crate::tls::TlsFileError;
use crate::token::TokenError;

/// An error from a call.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection failed.
    #[error(
        "no sidecar is responding at {endpoint}: {reason}\n  start gsar-server there, or specify another server with --endpoint"
    )]
    Unreachable {
        /// The endpoint.
        endpoint: Endpoint,
        /// The reason.
        reason: String,
    },
    /// The TLS handshake failed.
    #[error("TLS handshake with {endpoint} failed: {reason}\n  {fix}")]
    Tls {
        /// The endpoint.
        endpoint: Endpoint,
        /// What is wrong.
        reason: String,
        /// How to fix it.
        fix: String,
    },
    /// A TLS file is invalid.
    #[error(transparent)]
    TlsFile(#[from] TlsFileError),
    /// The token is invalid.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The server returned an error, or the deadline was exceeded.
    #[error(transparent)]
    Refused(#[from] Box<Refusal>),
}

impl ClientError {
    /// Returns the server's error, if the server returned an error.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Unreachable { .. } | Self::Tls { .. } | Self::TlsFile(_) | Self::Token(_) => None,
        }
    }
}

/// An invalid field of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The field, such as `report.claims[0].text`.
    pub field: String,
    /// The given value, the allowed values, and the fix.
    pub description: String,
}

/// An error returned by a server, with its `google.rpc` details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The name of the method.
    pub method: &'static str,
    /// The gRPC code.
    pub code: Code,
    /// The stable reason in `UPPER_SNAKE_CASE`. Empty if the peer is not a GSAR server.
    pub reason: String,
    /// The server's message.
    pub message: String,
    /// The invalid fields.
    pub violations: Vec<Violation>,
    /// The type and the name of the unknown resource.
    pub resource: Option<(String, String)>,
    /// The limits that were exceeded.
    pub limits: Vec<String>,
    /// The delay before a retry, or `None` if the call should not be retried.
    pub retry_after: Option<Duration>,
    /// The id of the request in the server's log.
    pub request_id: Option<String>,
    /// Additional metadata, sorted by name.
    pub metadata: Vec<(String, String)>,
}

/// Returns the code of a status, corrected if tonic created the status itself. Such a status has a source. tonic sets
/// its code to unknown or cancelled if the connection broke, and to cancelled if the deadline was exceeded.
fn code(status: &Status) -> Code {
    let Some(source) = std::error::Error::source(status) else { return status.code() };
    let mut causes = std::iter::successors(Some(source), |cause| cause.source());
    match status.code() {
        Code::Cancelled if causes.any(|cause| cause.is::<tonic::TimeoutExpired>()) => {
            Code::DeadlineExceeded
        }
        Code::Unknown | Code::Cancelled => Code::Unavailable,
        code => code,
    }
}

/// Returns the message of a status, with a hint if the peer is an HTTP server without gRPC.
fn message_of(status: &Status, is_from_gsar: bool) -> String {
    let message = status.message();
    let is_http = ["HTTP status code", "invalid compression flag"]
        .iter()
        .any(|marker| message.contains(marker));
    if is_from_gsar || !is_http {
        return message.to_owned();
    }
    format!(
        "the peer is an HTTP server without gRPC, such as the gateway or the admin port; use one of the addresses in `listen` ({message})"
    )
}

impl Refusal {
    /// Extracts the details of a status.
    #[must_use]
    pub fn from_status(method: &'static str, status: &Status) -> Self {
        let details = status.get_error_details();
        let info = details.error_info();
        let mut metadata: Vec<_> =
            info.map(|info| info.metadata.clone().into_iter().collect()).unwrap_or_default();
        metadata.sort();
        let violations = details.bad_request().map(|bad| &bad.field_violations[..]);
        let limits = details.quota_failure().map(|quota| &quota.violations[..]);
        Self {
            method,
            code: code(status),
            reason: info.map(|info| info.reason.clone()).unwrap_or_default(),
            message: message_of(status, info.is_some()),
            violations: violations
                .unwrap_or_default()
                .iter()
                .map(|violation| Violation {
                    field: violation.field.clone(),
                    description: violation.description.clone(),
                })
                .collect(),
            resource: details
                .resource_info()
                .map(|resource| (resource.resource_type.clone(), resource.resource_name.clone())),
            limits: limits
                .unwrap_or_default()
                .iter()
                .map(|limit| format!("{} {}", limit.subject, limit.description))
                .collect(),
            retry_after: details.retry_info().and_then(|retry| retry.retry_delay),
            request_id: details.request_info().map(|request| request.request_id.clone()),
            metadata,
        }
    }

    /// Formats the error on one line: all violations, or the message.
    #[must_use]
    pub fn one_line(&self) -> String {
        if self.violations.is_empty() {
            return self.summary();
        }
        let violations = self.violations.iter();
        let texts =
            violations.map(|violation| format!("{}: {}", violation.field, violation.description));
        texts.collect::<Vec<_>>().join("; ")
    }

    fn summary(&self) -> String {
        match (self.code, self.violations.len()) {
            (_, 1) => "the server rejected 1 field".to_owned(),
            (_, count @ 2..) => format!("the server rejected {count} fields"),
            (Code::DeadlineExceeded, _) => "deadline exceeded".to_owned(),
            (code, _) if self.message.is_empty() => format!("the server returned {code:?}"),
            _ => self.message.clone(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.method, self.summary())?;
        let names = self.violations.iter().map(|violation| width(&violation.field));
        let column = names.max().unwrap_or(0).min(40);
        for Violation { field, description } in &self.violations {
            write!(f, "\n  {field:column$}  {description}")?;
        }
        for limit in &self.limits {
            write!(f, "\n  {limit}")?;
        }
        if let Some((kind, name)) = &self.resource
            && !self.message.contains(name)
        {
            write!(f, "\n  {kind} `{name}`")?;
        }
        for (name, value) in &self.metadata {
            write!(f, "\n  {name}  {value}")?;
        }
        if let Some(delay) = self.retry_after {
            write!(f, "\n  retry in {} s", delay.as_millis().div_ceil(1000).max(1))?;
        }
        if let Some(id) = &self.request_id {
            write!(f, "\n  see request {id} in the server's log")?;
        }
        if !self.reason.is_empty() {
            write!(f, "\n  reason {}", self.reason)?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::task::Poll;
    use tonic_types::{ErrorDetails, FieldViolation, QuotaViolation};

    fn format_refusal(code: Code, message: &str, details: ErrorDetails) -> String {
        Refusal::from_status("Evaluate", &Status::with_error_details(code, message, details))
            .to_string()
    }

    #[test]
    fn recognizes_an_http_server_without_grpc() {
        for message in [
            "grpc-status header missing, mapped from HTTP status code 404",
            "protocol error: received message with invalid compression flag: 123 (valid flags are 0 and 1)",
        ] {
            let status = Status::new(Code::Unimplemented, message);
            let formatted = Refusal::from_status("Evaluate", &status).to_string();
            assert!(formatted.contains("use one of the addresses in `listen`"), "{formatted}");
        }
    }

    #[test]
    fn exceeded_deadline_is_not_a_cancellation() {
        let late = Status::from_error(Box::new(tonic::TimeoutExpired(())));
        assert_eq!(late.code(), Code::Cancelled);
        let refusal = Refusal::from_status("Evaluate", &late);
        assert_eq!(refusal.code, Code::DeadlineExceeded);
        assert_eq!(refusal.one_line(), "deadline exceeded");
        let cancelled = Refusal::from_status("Evaluate", &Status::cancelled("by the server"));
        assert_eq!(cancelled.code, Code::Cancelled);
    }

    #[tokio::test]
    async fn connection_closed_before_the_call_is_unavailable() {
        let (near, _far) = tokio::io::duplex(1_024);
        let executor = hyper_util::rt::TokioExecutor::new();
        let (mut calls, connection) = hyper::client::conn::http2::Builder::new(executor)
            .handshake::<_, String>(hyper_util::rt::TokioIo::new(near))
            .await
            .unwrap();
        let call = calls.send_request(hyper::Request::new(String::new()));
        drop(connection);
        let ended = Status::from_error(Box::new(call.await.unwrap_err()));
        assert_eq!(ended.code(), Code::Cancelled);
        assert_eq!(Refusal::from_status("Evaluate", &ended).code, Code::Unavailable);
    }

    #[tokio::test]
    async fn connection_closed_during_the_response_is_unavailable() {
        let (near, far) = tokio::io::duplex(1_024);
        let server = tokio::spawn(async move {
            let mut server = h2::server::handshake(far).await.unwrap();
            let (_, mut respond) = server.accept().await.unwrap().unwrap();
            let mut body = respond.send_response(hyper::Response::new(()), false).unwrap();
            body.send_data("half of".into(), false).unwrap();
            // Flush the data, then close the connection.
            std::future::poll_fn(|cx| Poll::Ready(server.poll_accept(cx).is_pending())).await;
        });
        let executor = hyper_util::rt::TokioExecutor::new();
        let (mut calls, connection) = hyper::client::conn::http2::Builder::new(executor)
            .handshake::<_, String>(hyper_util::rt::TokioIo::new(near))
            .await
            .unwrap();
        tokio::spawn(connection);
        let answer = calls.send_request(hyper::Request::new(String::new())).await.unwrap();
        server.await.unwrap();
        let mut body = tonic::body::Body::new(answer.into_body());
        let broken = loop {
            let frame = std::future::poll_fn(|cx| {
                hyper::body::Body::poll_frame(std::pin::Pin::new(&mut body), cx)
            });
            match frame.await {
                Some(Ok(_)) => {}
                Some(Err(status)) => break status,
                None => panic!("the response is complete"),
            }
        };
        assert_eq!(broken.code(), Code::Unknown, "{broken:?}");
        assert_eq!(Refusal::from_status("EvaluateStream", &broken).code, Code::Unavailable);
    }

    #[test]
    fn formats_all_details() {
        let domain = gsar_proto::ERROR_DOMAIN;
        let mut fields = ErrorDetails::with_bad_request(vec![
            FieldViolation::new("report.claims[0].text", "is empty; state the claim"),
            FieldViolation::new("evidence[3].id", "duplicate id `pods`"),
        ]);
        fields.set_error_info("INVALID_FIELDS", domain, HashMap::new());
        let mut resource = ErrorDetails::with_resource_info("policy", "night-shift", "", "");
        resource.set_error_info("UNKNOWN_RESOURCE", domain, HashMap::new());
        let mut overload = ErrorDetails::with_retry_info(Some(Duration::from_millis(1500)));
        overload.set_error_info("TOO_MANY_CALLS", domain, HashMap::new());
        let mut quota = ErrorDetails::with_quota_failure(vec![QuotaViolation::new(
            "message",
            "has 70000000 bytes; at most 67108864 are allowed: send less evidence",
        )]);
        quota.set_error_info("MESSAGE_TOO_LARGE", domain, HashMap::new());
        let mut timeout = ErrorDetails::new();
        timeout.set_error_info(
            "DEADLINE_EXCEEDED",
            domain,
            HashMap::from([("step".to_owned(), "judge".to_owned())]),
        );
        let mut defect = ErrorDetails::with_request_info("0198-77", "");
        defect.set_error_info("INTERNAL", domain, HashMap::new());
        insta::assert_snapshot!(
            [
                format_refusal(Code::InvalidArgument, "2 fields", fields),
                format_refusal(
                    Code::NotFound,
                    "unknown policy `night-shift`; expected one of paper, reference, strict",
                    resource
                ),
                format_refusal(Code::ResourceExhausted, "too many calls in flight", overload),
                format_refusal(Code::ResourceExhausted, "the request is too large", quota),
                format_refusal(Code::DeadlineExceeded, "", timeout),
                format_refusal(Code::Internal, "internal error", defect),
                format_refusal(Code::Unknown, "", ErrorDetails::new()),
            ]
            .map(|text| format!("error: {text}"))
            .join("\n\n")
        );
    }
}
