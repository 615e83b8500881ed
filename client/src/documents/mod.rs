//! This module writes the evaluations of one call as one document for another program: JUnit XML for continuous
//! integration, Markdown for a pull request or a ticket.
//!
//! Plain functions from answers to text: no files, no calls, no terminal, no styles. Nothing that comes from a report,
//! evidence or a server becomes markup: texts go through [`gsar_client::text::one_line`] and are escaped where they
//! are written.

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

/// One report of a call with what came of it.
#[derive(Debug)]
pub(crate) struct Evaluated {
    /// The request, for the report's name and the lines of quotes.
    pub(crate) request: v1::EvaluateRequest,
    /// The answer, or why there is none.
    pub(crate) answer: Result<v1::EvaluateResponse, Refused>,
}

/// Why a report has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The reason in `UPPER_SNAKE_CASE`.
    pub(crate) code: String,
    /// What is wrong and the fix; several lines.
    pub(crate) message: String,
}

impl From<&ClientError> for Refused {
    fn from(error: &ClientError) -> Self {
        let code = match error.refusal() {
            None => "UNREACHABLE".to_owned(),
            // Only servers of GSAR give a reason.
            Some(refusal) if refusal.reason.is_empty() => "REFUSED".to_owned(),
            Some(refusal) => refusal.reason.clone(),
        };
        Self { code, message: error.to_string() }
    }
}

/// The name of each report, in order. A name that comes again gets a number: readers of documents take equal names for
/// the same report.
fn names(evaluated: &[Evaluated]) -> Vec<String> {
    let mut seen: HashMap<String, u32> = HashMap::new();
    let mut name = |one: &Evaluated| {
        let id = one.request.report.as_ref().map(|report| one_line(&report.id));
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| "report".to_owned());
        let times = seen.entry(id.clone()).or_default();
        *times += 1;
        if *times == 1 { id } else { format!("{id} ({times})") }
    };
    evaluated.iter().map(&mut name).collect()
}
