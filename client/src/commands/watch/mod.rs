//! `gsar watch`: evaluates reports as they are written.

mod backoff;
mod directory;
mod evaluator;
mod files;
mod printer;
mod tally;

use std::cell::RefCell;
use std::path::Path;

use futures_util::StreamExt as _;
use gsar_client::{Client, ClientError};
use gsar_proto::v1;

use super::evaluate::MAX_IN_FLIGHT;
use super::note;
use crate::arguments::Watch;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::session::{Server, with_client};
use crate::terminal::Terminal;

use backoff::Backoff;
use evaluator::{Answers, Evaluator, FileOutcome};
use files::{Existing, Files};
use printer::Printer;
use tally::Tally;

pub(super) async fn run(arguments: &Watch, terminal: &Terminal) -> Result<Status, Failure> {
    // Reports an unreadable directory before a server is started.
    directory::list(&arguments.directory)?;
    let tally = RefCell::new(Tally::default());
    let result = with_client(&arguments.connection, async |client, server| {
        let is_recorded = server == Server::Running || arguments.connection.data_dir.is_some();
        let printer = Printer::new(arguments.output, terminal, &client, is_recorded);
        let watcher = Watcher { arguments, client: &client, server, tally: &tally };
        watcher.run(printer).await
    })
    .await;
    let is_interrupted = matches!(result, Err(Failure::Interrupted { .. }));
    if result.is_ok() || is_interrupted {
        note(&tally.borrow().to_string());
    }
    match result {
        // Ctrl-C is the normal way to stop `gsar watch`.
        Err(Failure::Interrupted { .. }) if !arguments.once => Ok(Status::Proceed),
        result => result,
    }
}

struct Watcher<'w> {
    arguments: &'w Watch,
    client: &'w Client,
    server: Server,
    tally: &'w RefCell<Tally>,
}

impl Watcher<'_> {
    /// Polls and evaluates. Returns only with `--once` or on a permanent error.
    async fn run(&self, mut printer: Printer<'_>) -> Result<Status, Failure> {
        let mut files = Files::new(match (self.arguments.once, self.arguments.existing) {
            (true, _) => Existing::Only,
            (false, true) => Existing::Include,
            (false, false) => Existing::Skip,
        });
        let evaluator = Evaluator::default();
        let mut backoff = Backoff::new(self.arguments.every);
        let mut status = Status::Proceed;
        let mut is_first_poll = true;
        let mut is_listed = true;
        loop {
            match directory::list(&self.arguments.directory) {
                Ok(stamps) => {
                    files.update(stamps);
                    is_listed = true;
                }
                Err(error) if self.arguments.once => return Err(error.into()),
                Err(error) => {
                    if std::mem::take(&mut is_listed) {
                        note(&format!("{error}; retrying"));
                    }
                }
            }
            if std::mem::take(&mut is_first_poll) && !self.arguments.once {
                note(&format!(
                    "watching {}; press Ctrl-C to stop",
                    self.arguments.directory.display()
                ));
            }
            // A signal can interrupt the evaluation. The summary then counts the remaining files.
            self.tally.borrow_mut().pending = files.pending_count();
            let due_status =
                self.evaluate_due(&mut files, &evaluator, &mut backoff, &mut printer).await?;
            status = status.max(due_status);
            self.tally.borrow_mut().pending = files.pending_count();
            if self.arguments.once && is_listed && files.pending_count() == 0 {
                return Ok(status);
            }
            tokio::time::sleep(backoff.delay()).await;
        }
    }

    /// Evaluates the due files concurrently and prints the results in order.
    async fn evaluate_due(
        &self,
        files: &mut Files,
        evaluator: &Evaluator,
        backoff: &mut Backoff,
        printer: &mut Printer<'_>,
    ) -> Result<Status, Failure> {
        let due_files = files.due_files();
        let mut outcomes = futures_util::stream::iter(due_files)
            .map(|file| async move {
                let outcome = evaluator.evaluate(self.arguments, self.client, &file).await;
                (file, outcome)
            })
            .buffered(MAX_IN_FLIGHT);
        let mut status = Status::Proceed;
        while let Some((file, outcome)) = outcomes.next().await {
            let path = file.path.as_path();
            match outcome {
                FileOutcome::Changing => files.mark_changing(path),
                FileOutcome::Unreadable(failure) => {
                    if files.mark_unreadable(path) {
                        status = status.max(failure.status());
                        self.tally.borrow_mut().add_failure();
                        printer.print_failure(path, None, &failure)?;
                    }
                }
                FileOutcome::Unchanged => files.mark_done(path, file.digest),
                FileOutcome::Answered { digest, answers } => {
                    if let Some(error) = self.transient_error(&answers) {
                        if self.server == Server::Temporary && error.refusal().is_none() {
                            // A temporary server is not restarted.
                            return Err(Failure::ServerExited(error.to_string()));
                        }
                        if let Some(text) = backoff.record_failure(error) {
                            note(&text);
                        }
                        return Ok(status);
                    }
                    if let Some(text) = backoff.record_success() {
                        note(text);
                    }
                    let is_answered = answers.iter().all(|(_, answer)| answer.is_ok());
                    for (request, answer) in answers {
                        status = status
                            .max(self.count_and_print(path, &request, answer, printer).await?);
                    }
                    files.mark_done(path, is_answered.then_some(digest));
                }
            }
        }
        Ok(status)
    }

    async fn count_and_print(
        &self,
        path: &Path,
        request: &v1::EvaluateRequest,
        answer: Result<v1::EvaluateResponse, ClientError>,
        printer: &mut Printer<'_>,
    ) -> Result<Status, Failure> {
        match answer {
            Ok(answer) => {
                self.tally.borrow_mut().add_evaluation(&answer);
                printer.print_answer(path, request, &answer).await?;
                Ok(Status::from_evaluation(&answer))
            }
            Err(error) => {
                self.tally.borrow_mut().add_failure();
                let id = request.report.as_ref().map(|report| report.id.as_str());
                printer.print_failure(path, id, &Failure::from(error))?;
                Ok(Status::Error)
            }
        }
    }

    /// Returns the first transient error. With `--once`, all errors are final.
    fn transient_error<'a>(&self, answers: &'a Answers) -> Option<&'a ClientError> {
        let errors = answers.iter().filter_map(|(_, answer)| answer.as_ref().err());
        errors.into_iter().find(|error| !self.arguments.once && backoff::is_transient(error))
    }
}
