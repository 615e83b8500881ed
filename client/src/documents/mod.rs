//! Writes evaluations as one document: JUnit XML for continuous integration, or Markdown for a pull request or a
//! ticket.
//!
//! Untrusted text is sanitized by [`gsar_client::text::one_line`] and escaped where it is written.

mod junit;
mod markdown;
mod safe_markdown;
mod suite;

#[cfg(test)]
mod samples;

use std::collections::HashMap;

use gsar_client::ClientError;
use gsar_client::text::one_line;
use gsar_proto::v1;

pub(crate) use junit::junit;
pub(crate) use markdown::markdown;

/// An evaluated report.
#[derive(Debug)]
pub(crate) struct ReportResult {
    pub(crate) request: v1::EvaluateRequest,
    pub(crate) answer: Result<v1::EvaluateResponse, Rejection>,
}

/// The error for a report that was not evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    /// The reason in `UPPER_SNAKE_CASE`.
    pub(crate) code: String,
    /// The problem and the fix, on one or several lines.
    pub(crate) message: String,
}

impl From<&ClientError> for Rejection {
    fn from(error: &ClientError) -> Self {
        let code = match error.refusal() {
            None => "UNREACHABLE".to_owned(),
            // Only GSAR servers state a reason.
            Some(refusal) if refusal.reason.is_empty() => "REFUSED".to_owned(),
            Some(refusal) => refusal.reason.clone(),
        };
        Self { code, message: error.to_string() }
    }
}

/// Returns the names of the reports. Numbers repeated names, since consumers require unique ones.
fn names(evaluated: &[ReportResult]) -> Vec<String> {
    let mut occurrences: HashMap<String, u32> = HashMap::new();
    let mut name = |result: &ReportResult| {
        let id = result.request.report.as_ref().map(|report| one_line(&report.id));
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| "report".to_owned());
        let times = occurrences.entry(id.clone()).or_default();
        *times += 1;
        if *times == 1 { id } else { format!("{id} ({times})") }
    };
    evaluated.iter().map(&mut name).collect()
}
