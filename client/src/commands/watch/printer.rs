//! Prints results as text, as single lines, or as JSON.

use std::io::IsTerminal as _;
use std::path::Path;

use gsar_client::text::one_line;
use gsar_client::{Client, json};
use gsar_proto::v1;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::arguments::Stream;
use crate::commands::answer_printer::AnswerPrinter;
use crate::commands::{print_raw, report};
use crate::failure::Failure;
use crate::human::{Explain, View, deciding_score, labels, verdict};
use crate::terminal::Terminal;

pub(super) struct Printer<'c> {
    stream: Stream,
    view: View,
    answer_printer: AnswerPrinter<'c>,
}

/// A line of JSON output.
#[derive(Serialize)]
struct Line<'l> {
    file: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluation: Option<&'l RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'l str>,
}

impl<'c> Printer<'c> {
    /// Creates a printer. The format defaults to human on a terminal, otherwise to lines.
    pub(super) fn new(
        format: Option<Stream>,
        terminal: &Terminal,
        client: &'c Client,
        is_recorded: bool,
    ) -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let stream = format.unwrap_or(if is_terminal { Stream::Human } else { Stream::Lines });
        let view = View { columns: terminal.columns, only: Vec::new(), explain: Explain::Briefly };
        Self { stream, view, answer_printer: AnswerPrinter::new(client, is_recorded) }
    }

    pub(super) async fn print_answer(
        &mut self,
        path: &Path,
        request: &v1::EvaluateRequest,
        answer: &v1::EvaluateResponse,
    ) -> Result<(), Failure> {
        let id = request.report.as_ref().map_or("", |report| report.id.as_str());
        match self.stream {
            Stream::Human => self.answer_printer.print(answer, request, &self.view).await,
            Stream::Lines => print_raw(&line(path, id, answer)),
            Stream::Json => {
                let evaluation = RawValue::from_string(json::to_json(answer)?).map_err(io_error)?;
                let file = path.to_string_lossy();
                let evaluation = Some(&*evaluation);
                print_line(&Line { file: &file, report: Some(id), evaluation, error: None })
            }
        }
    }

    /// Prints the failure of a file or, if `id` is given, of the report with this id in the file.
    pub(super) fn print_failure(
        &mut self,
        path: &Path,
        id: Option<&str>,
        failure: &Failure,
    ) -> Result<(), Failure> {
        match self.stream {
            Stream::Human => {
                report(failure);
                Ok(())
            }
            Stream::Lines => {
                print_raw(&failure_line(path, id.unwrap_or_default(), &failure.to_string()))
            }
            Stream::Json => {
                let (file, error) = (path.to_string_lossy(), failure.to_string());
                let error = Some(error.as_str());
                print_line(&Line { file: &file, report: id, evaluation: None, error })
            }
        }
    }
}

fn print_line(line: &Line<'_>) -> Result<(), Failure> {
    let line = serde_json::to_string(line).map_err(io_error)?;
    print_raw(&format!("{line}\n"))
}

fn io_error(error: serde_json::Error) -> Failure {
    Failure::Output(std::io::Error::other(error))
}

/// Formats the decision, the file, the score and the advice on one line.
fn line(path: &Path, id: &str, answer: &v1::EvaluateResponse) -> String {
    let (decision, advice) = verdict(answer);
    format!(
        "{decision:<10}  {}  {}  {advice}\n",
        file_and_report(path, id),
        labels::score(deciding_score(answer))
    )
}

fn failure_line(path: &Path, id: &str, failure: &str) -> String {
    let failure = failure.lines().map(one_line).collect::<Vec<_>>().join("; ");
    format!("{:<10}  {}  {failure}\n", "ERROR", file_and_report(path, id))
}

/// Returns the file name, with the report's id if it differs.
fn file_and_report(path: &Path, id: &str) -> String {
    let file = one_line(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy());
    let is_named_after_file = id.is_empty() || path.file_stem().is_some_and(|stem| *stem == *id);
    if is_named_after_file { file } else { format!("{file} ({})", one_line(id)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::samples;

    #[test]
    fn results_are_single_lines() {
        let mut hostile = samples::answer();
        hostile.decision = Some(v1::Decision {
            tier: v1::Tier::Abstain.into(),
            reasons: vec![v1::Reason {
                sentence: "two\nlines \u{1b}[31mred".to_owned(),
                ..Default::default()
            }],
            ..Default::default()
        });
        let lines = [
            line(Path::new("in/checkout-oom.md"), "checkout-oom", &samples::answer()),
            line(Path::new("in/all.jsonl"), "checkout-oom", &samples::answer()),
            line(Path::new("in/a\nb.md"), "", &hostile),
            failure_line(Path::new("in/c.json"), "", "in/c.json:1: column 3:\n  EOF"),
        ];
        insta::assert_snapshot!(lines.concat());
    }
}
