//! Renders the status of a call as a message.

use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use crate::v1;

/// Renders a status with its details.
#[must_use]
pub fn call_error(status: &Status) -> v1::CallError {
    let details = status.get_error_details();
    let violations =
        details.bad_request().map(|bad_request| bad_request.field_violations.as_slice());
    let retry_after = details.retry_info().and_then(|retry_info| retry_info.retry_delay);
    v1::CallError {
        code: status.code().into(),
        code_name: code_name(status.code()).to_owned(),
        reason: details.error_info().map(|info| info.reason.clone()).unwrap_or_default(),
        message: status.message().to_owned(),
        field_violations: violations.unwrap_or_default().iter().map(violation).collect(),
        retry_after: retry_after.and_then(|delay| prost_types::Duration::try_from(delay).ok()),
    }
}

fn violation(violation: &tonic_types::FieldViolation) -> v1::FieldViolation {
    v1::FieldViolation {
        field: violation.field.clone(),
        description: violation.description.clone(),
    }
}

/// Returns the name of a code in `google.rpc.Code`.
const fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violations::Violations;

    #[test]
    fn call_errors_include_violations_and_reason() {
        let mut violations = Violations::default();
        violations.add("a", "is missing");
        violations.add("b", "is too long");
        let error = call_error(&violations.into_status());
        assert_eq!((error.code, error.code_name.as_str()), (3, "INVALID_ARGUMENT"));
        assert_eq!(error.reason, "INVALID_FIELDS");
        let fields: Vec<&str> =
            error.field_violations.iter().map(|violation| violation.field.as_str()).collect();
        assert_eq!(fields, ["a", "b"]);
        assert_eq!(error.retry_after, None);
    }
}
