//! Writes the evaluations of a call as one document: JUnit XML for continuous integration, or Markdown for a pull
//! request or a ticket.
//!
//! Pure functions from answers to text. Untrusted text cannot become markup: it goes through
//! [`gsar_client::text::one_line`] and is escaped where it is written.

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

/// A report of a call and its result.
#[derive(Debug)]
pub(crate) struct ReportResult {
    /// The request, with the report's name and the evidence.
    pub(crate) request: v1::EvaluateRequest,
    /// The evaluation, or the error.
    pub(crate) answer: Result<v1::EvaluateResponse, Rejection>,
}

/// The error of a report without an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    /// The reason in `UPPER_SNAKE_CASE`.
    pub(crate) code: String,
    /// What is wrong and how to fix it; may have several lines.
    pub(crate) message: String,
}

impl From<&ClientError> for Rejection {
    fn from(error: &ClientError) -> Self {
        let code = match error.refusal() {
            None => "UNREACHABLE".to_owned(),
            // Only GSAR servers give a reason.
            Some(refusal) if refusal.reason.is_empty() => "REFUSED".to_owned(),
            Some(refusal) => refusal.reason.clone(),
        };
        Self { code, message: error.to_string() }
    }
}

/// Returns the name of each report. Repeated names are numbered, since consumers assume that names are unique.
fn names(evaluated: &[ReportResult]) -> Vec<String> {
    let mut seen: HashMap<String, u32> = HashMap::new();
    let mut name = |one: &ReportResult| {
        let id = one.request.report.as_ref().map(|report| one_line(&report.id));
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| "report".to_owned());
        let times = seen.entry(id.clone()).or_default();
        *times += 1;
        if *times == 1 { id } else { format!("{id} ({times})") }
    };
    evaluated.iter().map(&mut name).collect()
}
