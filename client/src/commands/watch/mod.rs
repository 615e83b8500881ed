//! This module runs `gsar watch`: reports are evaluated as they are written. It looks at the directory, asks the server,
//! and prints; which files are due is decided in [`files`].

mod asked;
mod backoff;
mod files;
mod folder;
mod printed;
mod tally;

use std::cell::RefCell;
use std::path::Path;

use futures_util::StreamExt as _;
use gsar_client::{Client, ClientError};
use gsar_proto::v1;

use super::evaluate::IN_FLIGHT;
use super::note;
use crate::arguments::Watch;
use crate::failure::Failure;
use crate::session::{Server, with_client};
use crate::status::Status;
use crate::terminal::Terminal;

use asked::{Asked, Asker};
use backoff::Backoff;
use files::{Existing, Files};
use printed::Printer;
use tally::Tally;

pub(super) async fn run(arguments: &Watch, terminal: &Terminal) -> Result<Status, Failure> {
    // The directory is looked at before a server is started for it.
    folder::listed(&arguments.directory)?;
    let tally = RefCell::new(Tally::default());
    let result = with_client(&arguments.connection, async |client, server| {
        let is_kept = server == Server::Running || arguments.connection.data_dir.is_some();
        let printer = Printer::new(arguments.output, terminal, &client, is_kept);
        let watching = Watching { arguments, client: &client, server, tally: &tally };
        watching.run(printer).await
    })
    .await;
    let is_interrupted = matches!(result, Err(Failure::Interrupted { .. }));
    if result.is_ok() || is_interrupted {
        note(&tally.borrow().to_string());
    }
    match result {
        // A watch has no other end.
        Err(Failure::Interrupted { .. }) if !arguments.once => Ok(Status::Proceed),
        result => result,
    }
}

/// What a watch is made of.
struct Watching<'w> {
    arguments: &'w Watch,
    client: &'w Client,
    server: Server,
    tally: &'w RefCell<Tally>,
}

impl Watching<'_> {
    /// Looks, evaluates and waits; ends only with `--once`, or where nothing more can be done.
    async fn run(&self, mut printer: Printer<'_>) -> Result<Status, Failure> {
        let mut files = Files::new(match (self.arguments.once, self.arguments.existing) {
            (true, _) => Existing::Only,
            (false, true) => Existing::Included,
            (false, false) => Existing::LeftOut,
        });
        let asker = Asker::default();
        let mut backoff = Backoff::new(self.arguments.every);
        let mut status = Status::Proceed;
        let mut is_first = true;
        let mut is_listed = true;
        loop {
            match folder::listed(&self.arguments.directory) {
                Ok(found) => {
                    files.look(found);
                    is_listed = true;
                }
                Err(error) if self.arguments.once => return Err(error.into()),
                Err(error) => {
                    if std::mem::take(&mut is_listed) {
                        note(&format!("{error}; it is looked for again"));
                    }
                }
            }
            if std::mem::take(&mut is_first) && !self.arguments.once {
                note(&format!("watching {}; Ctrl-C ends it", self.arguments.directory.display()));
            }
            // A signal may end the evaluation; what it leaves is counted then.
            self.tally.borrow_mut().pending = files.pending();
            let came = self.evaluate_due(&mut files, &asker, &mut backoff, &mut printer).await?;
            status = status.max(came);
            self.tally.borrow_mut().pending = files.pending();
            if self.arguments.once && is_listed && files.pending() == 0 {
                return Ok(status);
            }
            tokio::time::sleep(backoff.wait()).await;
        }
    }

    /// Evaluates what is due, some at once, and prints in the order of the names.
    async fn evaluate_due(
        &self,
        files: &mut Files,
        asker: &Asker,
        backoff: &mut Backoff,
        printer: &mut Printer<'_>,
    ) -> Result<Status, Failure> {
        let due = files.due();
        let mut asked = futures_util::stream::iter(due)
            .map(|due| async move {
                let asked = asker.ask(self.arguments, self.client, &due).await;
                (due, asked)
            })
            .buffered(IN_FLIGHT);
        let mut status = Status::Proceed;
        while let Some((due, asked)) = asked.next().await {
            let path = due.path.as_path();
            match asked {
                Asked::Changing => files.changing(path),
                Asked::Unreadable(failure) => {
                    if files.unreadable(path) {
                        status = status.max(failure.status());
                        self.tally.borrow_mut().failed();
                        printer.failure(path, None, &failure)?;
                    }
                }
                Asked::Unchanged => files.done(path, due.digest),
                Asked::Answered { digest, answers } => {
                    if let Some(error) = self.passing(&answers) {
                        if self.server == Server::OneCall && error.refusal().is_none() {
                            // A server that was started for this command does not come back.
                            return Err(Failure::Lost(error.to_string()));
                        }
                        if let Some(said) = backoff.lost(error) {
                            note(&said);
                        }
                        return Ok(status);
                    }
                    if let Some(said) = backoff.found() {
                        note(said);
                    }
                    let is_answered = answers.iter().all(|(_, answer)| answer.is_ok());
                    for (request, answer) in answers {
                        status = status
                            .max(self.count_and_print(path, &request, answer, printer).await?);
                    }
                    files.done(path, is_answered.then_some(digest));
                }
            }
        }
        Ok(status)
    }

    /// Counts and prints what came of one report.
    async fn count_and_print(
        &self,
        path: &Path,
        request: &v1::EvaluateRequest,
        answer: Result<v1::EvaluateResponse, ClientError>,
        printer: &mut Printer<'_>,
    ) -> Result<Status, Failure> {
        match answer {
            Ok(answer) => {
                self.tally.borrow_mut().evaluated(&answer);
                printer.answer(path, request, &answer).await?;
                Ok(Status::of(&answer))
            }
            Err(error) => {
                self.tally.borrow_mut().failed();
                let id = request.report.as_ref().map(|report| report.id.as_str());
                printer.failure(path, id, &Failure::from(error))?;
                Ok(Status::Error)
            }
        }
    }

    /// The first error that passes; none with `--once`, which does not wait for a server.
    fn passing<'a>(&self, answers: &'a asked::Answers) -> Option<&'a ClientError> {
        let errors = answers.iter().filter_map(|(_, answer)| answer.as_ref().err());
        errors.into_iter().find(|error| !self.arguments.once && backoff::passes(error))
    }
}
