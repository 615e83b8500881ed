//! `gsar evaluate`: evaluates reports.

use futures_util::StreamExt as _;

use super::answer_printer::AnswerPrinter;
use super::{
    check_explained, check_redacted, explain, note, print_json, print_raw, report, requests,
    shown_classes,
};
use crate::arguments::{Evaluate, Format};
use crate::documents::{Rejection, ReportResult, junit, markdown};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::View;
use crate::session::{Server, with_judge};
use crate::terminal::Terminal;

/// The maximum number of concurrent evaluations.
pub(super) const MAX_IN_FLIGHT: usize = 8;

pub(super) async fn run(arguments: &Evaluate, terminal: &Terminal) -> Result<Status, Failure> {
    if arguments.unredacted && !arguments.output.is_document() {
        let message = "--unredacted requires --output junit or markdown";
        return Err(Failure::Usage(message.to_owned()));
    }
    let (requests, notes) = requests::from_reports(arguments)?;
    for text in notes {
        note(&text);
    }
    let view = View {
        columns: terminal.columns,
        only: shown_classes(&arguments.only),
        explain: explain(arguments.explain.as_deref()),
    };
    with_judge(&arguments.connection, arguments.judge.spec(), async |client, server| {
        let is_recorded = server == Server::Running || arguments.connection.data_dir.is_some();
        let mut printer = AnswerPrinter::new(&client, is_recorded);
        let mut results = Vec::new();
        let mut status = Status::Proceed;
        let mut answers = futures_util::stream::iter(requests)
            .map(|request| {
                let client = client.clone();
                async move { (client.evaluate(request.clone()).await, request) }
            })
            .buffered(MAX_IN_FLIGHT);
        let mut last_failure = None;
        // All reports are evaluated even if the reader closes the pipe, since they determine the exit status.
        let mut is_output_open = true;
        while let Some((answer, request)) = answers.next().await {
            let answer = match answer {
                Err(error) => {
                    if arguments.output.is_document() {
                        results
                            .push(ReportResult { request, answer: Err(Rejection::from(&error)) });
                    }
                    if let Some(previous) = last_failure.replace(Failure::from(error)) {
                        report(&previous);
                    }
                    status = status.max(Status::Error);
                    continue;
                }
                Ok(answer) => answer,
            };
            status = status.max(Status::from_evaluation(&answer));
            if !is_output_open {
                continue;
            }
            let print_result = match arguments.output {
                Format::Json => print_json(&answer),
                Format::Human => {
                    check_explained(&view.explain, &answer.claims)?;
                    printer.print(&answer, &request, &view).await
                }
                Format::Junit | Format::Markdown => {
                    check_explained(&view.explain, &answer.claims)?;
                    if !arguments.unredacted {
                        check_redacted(Some(&answer))?;
                    }
                    let mut answer = answer;
                    if !is_recorded {
                        // The record does not outlive the command.
                        answer.evaluation_id.clear();
                    }
                    results.push(ReportResult { request, answer: Ok(answer) });
                    Ok(())
                }
            };
            match print_result {
                Err(failure) if failure.is_closed_pipe() => is_output_open = false,
                print_result => print_result?,
            }
        }
        let print_result = match arguments.output {
            Format::Human | Format::Json => Ok(()),
            Format::Junit => print_raw(&junit(&results, &view, arguments.strict)?),
            Format::Markdown => print_raw(&markdown(&results, &view)),
        };
        print_result
            .or_else(|failure| if failure.is_closed_pipe() { Ok(()) } else { Err(failure) })?;
        match last_failure {
            Some(failure) => Err(failure),
            None => Ok(status),
        }
    })
    .await
}
