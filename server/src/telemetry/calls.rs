//! Logs one line per evaluated report and per rejected call. Lines contain ids, names, counts and durations,
//! but no text from reports, evidence or error messages.

use std::time::Duration;

use gsar_proto::v1::{self, ClaimClass};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// The ids from a request, for the log line of its evaluation.
#[derive(Clone, Debug, Default)]
pub struct RequestIds {
    report: String,
    investigation: String,
    /// The number of replans before the report.
    replans: Option<u32>,
}

impl RequestIds {
    /// Creates the ids for one of several reports in a request.
    #[must_use]
    pub fn new(report: String, investigation: &str) -> Self {
        Self { report, investigation: investigation.to_owned(), replans: None }
    }

    /// Reads the ids of a report that an investigation evaluated.
    #[must_use]
    pub fn from_investigation(report: String, investigation: &v1::Investigation) -> Self {
        Self {
            report,
            investigation: investigation.investigation_id.clone(),
            replans: investigation.trajectory.last().map(|report| report.plan),
        }
    }

    /// Reads the ids from a request. They may be empty.
    #[must_use]
    pub fn from_request(request: &v1::EvaluateRequest) -> Self {
        Self {
            report: request.report.as_ref().map(|report| report.id.clone()).unwrap_or_default(),
            investigation: request.investigation_id.clone(),
            replans: None,
        }
    }
}

/// Logs an evaluation. Skips dry runs, which have no id. Omits fields without a value.
pub fn log_evaluated(ids: &RequestIds, response: &v1::EvaluateResponse, duration: Duration) {
    if response.evaluation_id.is_empty() {
        return;
    }
    let non_empty = |id: &str| (!id.is_empty()).then(|| id.to_owned());
    let judges = response.provenance.iter().flat_map(|provenance| &provenance.judges);
    let policy = response.provenance.as_ref().and_then(|provenance| provenance.policy.as_ref());
    let count_class = |class| response.claims.iter().filter(|claim| claim.class() == class).count();
    tracing::info!(
        evaluation = response.evaluation_id,
        report = non_empty(&ids.report),
        investigation = non_empty(&ids.investigation),
        outcome = response.outcome().as_str_name(),
        tier = response.decision.as_ref().map(|decision| decision.tier().as_str_name()),
        score = response.score.as_ref().map(|score| score.value),
        guarded_score = response.guarded_score.as_ref().map(|score| score.value),
        judge_score = response.judge_score,
        policy = policy.map(|policy| policy.name.as_str()),
        policy_digest = policy.map(|policy| policy.digest.as_str()),
        replans = ids.replans,
        judge = judges.last().map(|link| link.judge.as_str()),
        claims = response.claims.len(),
        grounded = count_class(ClaimClass::Grounded),
        ungrounded = count_class(ClaimClass::Ungrounded),
        contradicted = count_class(ClaimClass::Contradicted),
        complementary = count_class(ClaimClass::Complementary),
        milliseconds = milliseconds(duration),
        "evaluated"
    );
}

/// Logs a failed call, at `info` if the caller must change the request, otherwise at `warn`.
pub fn log_refused(method: &'static str, status: &Status, duration: Duration) {
    let details = status.get_error_details();
    let reason = details.error_info().map(|info| info.reason.as_str());
    let code = code_name(status.code());
    let fields = details.bad_request().map(|bad_request| {
        bad_request
            .field_violations
            .iter()
            .map(|violation| violation.field.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    });
    let milliseconds = milliseconds(duration);
    match status.code() {
        Code::InvalidArgument
        | Code::NotFound
        | Code::Aborted
        | Code::FailedPrecondition
        | Code::PermissionDenied
        | Code::Unauthenticated
        | Code::Unimplemented
        | Code::Cancelled => {
            tracing::info!(method, code, reason, fields, milliseconds, "refused");
        }
        _ => tracing::warn!(method, code, reason, fields, milliseconds, "refused"),
    }
}

/// Converts a duration to milliseconds, rounded to three decimals.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// Returns the name of a code for logs, metrics and spans.
#[must_use]
pub const fn code_name(code: Code) -> &'static str {
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
