//! The gRPC errors that the services return.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use gsar_core::policy::LooserField;
use gsar_proto::ERROR_DOMAIN;
use gsar_proto::v1::ErrorReason;
use gsar_proto::violations::{Violations, escape_name, not_found};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, PreconditionViolation, StatusExt as _};

use crate::evidence::StoreError;
use crate::identity::{AdmissionError, IdentificationError, RateLimitExceeded, Right};

const RETRY_AFTER: Duration = Duration::from_millis(100);

/// The retry delay while all judges are busy. A chat model takes seconds to answer.
const JUDGES_RETRY_AFTER: Duration = Duration::from_secs(1);

fn status(
    code: Code,
    reason: ErrorReason,
    message: impl Into<String>,
    details: ErrorDetails,
) -> Status {
    status_with(code, reason, message, details, &[])
}

/// Creates a status whose error info has metadata.
fn status_with(
    code: Code,
    reason: ErrorReason,
    message: impl Into<String>,
    mut details: ErrorDetails,
    metadata: &[(&str, &str)],
) -> Status {
    let metadata: HashMap<String, String> =
        metadata.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    details.set_error_info(reason.code(), ERROR_DOMAIN, metadata);
    Status::with_error_details(code, message, details)
}

fn exhausted(
    limit: &str,
    reason: ErrorReason,
    message: impl Into<String>,
    retry_after: Duration,
) -> Status {
    let message = message.into();
    let mut details = ErrorDetails::with_retry_info(Some(retry_after));
    details.add_quota_failure_violation(limit, message.clone());
    status(Code::ResourceExhausted, reason, message, details)
}

/// NOT_FOUND: no resource has this name. `hint` lists the existing names, or says how to find or create one.
#[must_use]
pub fn unknown(resource: &str, name: &str, hint: &str) -> Status {
    let shown_name = escape_name(name);
    not_found(resource, name, format!("unknown {resource} `{shown_name}`; {hint}"))
}

/// UNAUTHENTICATED or PERMISSION_DENIED: the call is not admitted.
#[must_use]
pub fn not_admitted(error: &AdmissionError) -> Status {
    match error {
        AdmissionError::Unidentified(error) => unidentified(error),
        AdmissionError::NoRight { principal, right } => no_right(principal, *right),
    }
}

fn unidentified(error: &IdentificationError) -> Status {
    status(Code::Unauthenticated, ErrorReason::Unidentified, error.to_string(), ErrorDetails::new())
}

/// PERMISSION_DENIED: the principal lacks a right.
#[must_use]
pub fn no_right(principal: &str, right: Right) -> Status {
    let message =
        format!("{principal} may not {right}; add `{right}` to its `may` in security.principals");
    let metadata = [("principal", principal), ("right", &right.to_string())];
    let details = ErrorDetails::new();
    status_with(Code::PermissionDenied, ErrorReason::NoRight, message, details, &metadata)
}

/// RESOURCE_EXHAUSTED: the principal exceeds its rate limit.
#[must_use]
pub fn too_fast(principal: &str, exceeded: RateLimitExceeded) -> Status {
    let message = format!(
        "{principal} is limited to {} calls a minute; try again later",
        exceeded.per_minute
    );
    exhausted("calls_per_minute", ErrorReason::TooManyCalls, message, exceeded.retry_after)
}

/// RESOURCE_EXHAUSTED: too many calls are in flight.
#[must_use]
pub fn too_many_calls(limit: usize) -> Status {
    let message = format!(
        "{limit} calls are in flight, the maximum set by limits.calls_in_flight; try again shortly"
    );
    exhausted("limits.calls_in_flight", ErrorReason::TooManyCalls, message, RETRY_AFTER)
}

/// RESOURCE_EXHAUSTED: the principal has too many calls in flight.
#[must_use]
pub fn too_many_calls_for_principal(principal: &str, max: usize) -> Status {
    let message = format!(
        "{principal} has {max} calls in flight, the maximum set by its calls_in_flight; try again shortly"
    );
    exhausted("calls_in_flight", ErrorReason::TooManyCalls, message, RETRY_AFTER)
}

/// RESOURCE_EXHAUSTED: every judge is at its limit.
#[must_use]
pub fn judges_busy() -> Status {
    let message =
        "every judge has reached its max_concurrent or requests_per_minute limit; try again later";
    exhausted("judges.models", ErrorReason::JudgesBusy, message, JUDGES_RETRY_AFTER)
}

/// RESOURCE_EXHAUSTED: the message is larger than the limit.
#[must_use]
pub fn message_too_large(limit: u64) -> Status {
    let message = format!(
        "the message is larger than limits.message ({limit} bytes); send less evidence or raise the limit"
    );
    let details = ErrorDetails::with_quota_failure_violation("limits.message", message.clone());
    status(Code::ResourceExhausted, ErrorReason::MessageTooLarge, message, details)
}

/// RESOURCE_EXHAUSTED: the calls in flight use all memory.
#[must_use]
pub fn too_much_memory(bound: u64) -> Status {
    let message = format!(
        "the calls in flight use all {bound} bytes of limits.memory; try again shortly, or send less"
    );
    exhausted("limits.memory", ErrorReason::TooManyCalls, message, RETRY_AFTER)
}

/// RESOURCE_EXHAUSTED: the call needs more work or memory than `limit` allows. `limit_text` is the limit's value.
#[must_use]
pub fn too_much(limit: &'static str, limit_text: &str, step: &'static str) -> Status {
    let message = format!(
        "processing the report and its evidence needs more than {limit} ({limit_text}) during {step}; send less evidence or fewer claims, or raise the limit"
    );
    let details = ErrorDetails::with_quota_failure_violation(limit, message.clone());
    let metadata = [("step", step), ("limit", limit)];
    status_with(Code::ResourceExhausted, ErrorReason::TooMuchWork, message, details, &metadata)
}

/// DEADLINE_EXCEEDED: the deadline passed during `step`.
#[must_use]
pub fn deadline_exceeded(step: &'static str) -> Status {
    let message = format!("the deadline passed during {step}; allow more time or send less");
    let details = ErrorDetails::new();
    let metadata = [("step", step)];
    status_with(Code::DeadlineExceeded, ErrorReason::DeadlineExceeded, message, details, &metadata)
}

/// UNAVAILABLE: the server is starting or draining.
#[must_use]
pub fn not_serving(state: &str) -> Status {
    let details = ErrorDetails::with_retry_info(Some(RETRY_AFTER));
    status(
        Code::Unavailable,
        ErrorReason::NotServing,
        format!("the server is {state}; try again"),
        details,
    )
}

/// UNAVAILABLE: the ledger cannot store the record.
#[must_use]
pub fn ledger_unavailable(reason: &str) -> Status {
    let details = ErrorDetails::with_retry_info(Some(RETRY_AFTER));
    let message = format!("the evaluation was not recorded and is not acknowledged: {reason}");
    status(Code::Unavailable, ErrorReason::LedgerUnavailable, message, details)
}

impl From<StoreError> for Status {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        let resource = |kind: &str, name: &str| not_found(kind, name, message.clone());
        match error {
            StoreError::InvalidName { .. } => invalid_field("corpus_id", message),
            StoreError::InvalidMessage(_) => invalid_field("part", message),
            StoreError::UnknownCorpus { corpus } => resource("corpus", &corpus),
            StoreError::UnknownItem { item, .. } => resource("item", &item),
            StoreError::Full { limit, .. } => {
                let details = ErrorDetails::with_quota_failure_violation(limit, message.clone());
                status(Code::ResourceExhausted, ErrorReason::EvidenceFull, message, details)
            }
            StoreError::Damaged { .. } | StoreError::Schema { .. } => {
                let details = ErrorDetails::with_precondition_failure_violation(
                    "corpus",
                    "evidence",
                    message.clone(),
                );
                status(Code::FailedPrecondition, ErrorReason::EvidenceUnusable, message, details)
            }
            StoreError::Unavailable { .. } => {
                let details = ErrorDetails::with_retry_info(Some(RETRY_AFTER));
                status(Code::Unavailable, ErrorReason::EvidenceUnavailable, message, details)
            }
        }
    }
}

/// INVALID_ARGUMENT: one field is invalid.
#[must_use]
pub fn invalid_field(field: &str, description: impl fmt::Display) -> Status {
    let mut violations = Violations::default();
    violations.add(field, description);
    violations.into_status()
}

/// ABORTED: the idempotency key belongs to another request.
#[must_use]
pub fn key_reused() -> Status {
    let message = "idempotency_key was used with another request; use a new key";
    status(Code::Aborted, ErrorReason::IdempotencyKeyReused, message, ErrorDetails::new())
}

/// FAILED_PRECONDITION: the investigation does not expect this step now.
#[must_use]
pub fn not_due(message: &str) -> Status {
    let details =
        ErrorDetails::with_precondition_failure_violation("step", "investigation", message);
    status(Code::FailedPrecondition, ErrorReason::NotDue, message, details)
}

/// FAILED_PRECONDITION: the configuration does not allow the request.
#[must_use]
pub fn not_allowed(problem: &str, fix: &str) -> Status {
    let message = format!("{problem}; {fix}");
    let details = ErrorDetails::with_precondition_failure_violation("configuration", problem, fix);
    status(Code::FailedPrecondition, ErrorReason::NotAllowed, message, details)
}

/// FAILED_PRECONDITION: the policy is looser than allowed. The error has one violation per looser field.
#[must_use]
pub fn looser_policy(subject: &str, looser_fields: &[LooserField], fix: &str) -> Status {
    let mut message = format!("{subject} in {}", looser_fields.len());
    message.push_str(if looser_fields.len() == 1 { " field: " } else { " fields: " });
    let fields: Vec<String> = looser_fields.iter().map(ToString::to_string).collect();
    message.push_str(&fields.join("; "));
    message.push_str(&format!("; {fix}"));
    let violations = looser_fields.iter().map(|field| {
        let description = format!(
            "is {}, compared with {} in the default policy; allowed: {}; otherwise, {fix}",
            field.given, field.other, field.allowed
        );
        PreconditionViolation::new("configuration", field.field.clone(), description)
    });
    let details = ErrorDetails::with_precondition_failure(violations.collect::<Vec<_>>());
    status(Code::FailedPrecondition, ErrorReason::NotAllowed, message, details)
}

/// INTERNAL: a bug in the server. The log has an entry with this ID.
#[must_use]
pub fn internal(id: &str) -> Status {
    let details = ErrorDetails::with_request_info(id, "");
    let message = format!("internal error; the server's log has details under {id}");
    status(Code::Internal, ErrorReason::Internal, message, details)
}
