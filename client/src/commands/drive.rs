//! `gsar drive`: runs an investigation with an orchestrator. The orchestrator is a child process that exchanges JSON
//! documents with this command, one per line.

use std::process::Stdio;

use gsar_client::{ActiveInvestigation, json, v1};
use gsar_proto::render;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use v1::drive_request::Request as Answer;

use super::{check, instant, print, print_answer, requests};
use crate::arguments::{Drive, Output};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::{Step, progress_end, progress_look, progress_start, progress_step};
use crate::session::with_client;
use crate::terminal::Terminal;

pub(super) async fn run(arguments: &Drive, terminal: &Terminal) -> Result<Status, Failure> {
    let request = start_request(arguments)?;
    with_client(&arguments.call.connection, async |client, _| {
        let printer = ProgressPrinter { output: arguments.call.output, columns: terminal.columns };
        let mut investigation = ActiveInvestigation::start(&client, request).await?;
        printer.print_start(investigation.state())?;
        let mut orchestrator = Orchestrator::start(&arguments.command)?;
        loop {
            while arguments.explore
                && let Some(look) = investigation.explore_next().await?
            {
                printer.print_look(&look, investigation.state())?;
            }
            orchestrator.send_state(investigation.state()).await?;
            if investigation.due().is_none() {
                break;
            }
            let answer = orchestrator.read_answer().await?;
            let before = investigation.state().clone();
            let evaluation = send(&mut investigation, answer).await?;
            printer.print_step(&before, investigation.state(), evaluation.as_ref())?;
        }
        orchestrator.wait().await?;
        if !investigation.is_finished() {
            let sentence =
                "the server's instruction is unknown to this version of gsar; update gsar";
            return Err(Failure::Usage(sentence.to_owned()));
        }
        printer.print_end(investigation.state())?;
        let outcome = investigation.into_outcome();
        Ok(if outcome.end.degraded { Status::Replan } else { Status::Proceed })
    })
    .await
}

fn start_request(arguments: &Drive) -> Result<v1::StartInvestigationRequest, Failure> {
    let new_id = || {
        let now = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S");
        format!("{now}-{}", std::process::id())
    };
    let wall_clock = arguments.wall_clock().and_then(|limit| limit.try_into().ok());
    let budget = v1::InvestigationBudget {
        judge_calls: arguments.judge_calls.unwrap_or(0),
        tokens: arguments.tokens.unwrap_or(0),
        cost_micros: arguments.cost_micros.unwrap_or(0),
        wall_clock,
    };
    let graph = arguments.graph.as_deref().map(requests::graph).transpose()?;
    let checks =
        arguments.checks.as_deref().map(check::read_declarations).transpose()?.unwrap_or_default();
    Ok(v1::StartInvestigationRequest {
        graph,
        checks: checks.iter().map(render::check_declaration).collect(),
        investigation_id: arguments.id.clone().unwrap_or_else(new_id),
        policy: arguments.policy.clone().unwrap_or_default(),
        budget: (budget != v1::InvestigationBudget::default()).then_some(budget),
        corpus_id: arguments.corpus.clone().unwrap_or_default(),
        onset: arguments.onset.map(instant),
        onset_window: arguments.onset_window().map(|(start, end)| v1::TimeWindow {
            start: Some(instant(start)),
            end: Some(instant(end)),
        }),
        options: arguments
            .samples
            .map(|samples| v1::EvaluateOptions { samples, ..Default::default() }),
        ..v1::StartInvestigationRequest::default()
    })
}

/// Sends the orchestrator's response to the server. Returns the evaluation if the response is a report.
async fn send(
    investigation: &mut ActiveInvestigation,
    answer: Answer,
) -> Result<Option<v1::EvaluateResponse>, Failure> {
    match answer {
        Answer::Turn(turn) => investigation.record_turn(turn).await?,
        Answer::Report(report) => return Ok(investigation.submit_report(report).await?),
        Answer::Cancel(_) => investigation.cancel().await?,
        Answer::Start(_) => {
            let expected = "`start` is not allowed; respond with turn, report or cancel";
            return Err(Failure::Usage(format!(
                "invalid response from the orchestrator: {expected}"
            )));
        }
    }
    Ok(None)
}

/// The child process, which is killed on drop.
struct Orchestrator {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    name: String,
}

impl Orchestrator {
    fn start(command: &[String]) -> Result<Self, Failure> {
        let (name, arguments) = command.split_first().ok_or_else(|| {
            Failure::Usage("missing COMMAND; usage: gsar drive -- COMMAND ARGUMENTS".to_owned())
        })?;
        let spawned = Command::new(name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn();
        let mut child = spawned.map_err(|error| {
            Failure::Usage(format!("failed to start `{name}`: {error}; specify an executable"))
        })?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let output =
            output.ok_or_else(|| Failure::Usage(format!("`{name}` has no standard output")))?;
        let output = BufReader::new(output).lines();
        Ok(Self { child, input, output, name: name.clone() })
    }

    async fn send_state(&mut self, investigation: &v1::Investigation) -> Result<(), Failure> {
        let line = format!("{}\n", json::to_json(investigation)?);
        if let Some(input) = &mut self.input {
            // Fails if the child has exited, which `read_answer` reports.
            let _ = input.write_all(line.as_bytes()).await;
        }
        Ok(())
    }

    async fn read_answer(&mut self) -> Result<Answer, Failure> {
        loop {
            let Some(line) = self.output.next_line().await? else {
                let status = self.child.wait().await?;
                let name = &self.name;
                return Err(Failure::Usage(format!(
                    "`{name}` exited ({status}) before the investigation ended; resume the investigation with the same --id"
                )));
            };
            if line.trim().is_empty() {
                continue;
            }
            let request: v1::DriveRequest = json::from_json(&line).map_err(|error| {
                let excerpt: String = line.chars().take(80).collect();
                Failure::Usage(format!(
                    "invalid line from `{}`: {error}\n  {excerpt}\n  expected one JSON document per line: {{\"turn\": …}}, {{\"report\": …}} or {{\"cancel\": {{}}}}; write logs to standard error",
                    self.name
                ))
            })?;
            if let Some(answer) = request.request {
                return Ok(answer);
            }
        }
    }

    /// Closes standard input and waits for the process to exit.
    async fn wait(mut self) -> Result<(), Failure> {
        drop(self.input.take());
        while self.output.next_line().await?.is_some() {}
        self.child.wait().await?;
        Ok(())
    }
}

struct ProgressPrinter {
    output: Output,
    columns: usize,
}

impl ProgressPrinter {
    fn print_start(&self, investigation: &v1::Investigation) -> Result<(), Failure> {
        print_answer(self.output, investigation, || progress_start(investigation, self.columns))
    }

    fn print_step(
        &self,
        before: &v1::Investigation,
        after: &v1::Investigation,
        evaluation: Option<&v1::EvaluateResponse>,
    ) -> Result<(), Failure> {
        let step = Step { before, after, evaluation };
        print_answer(self.output, after, || progress_step(&step, self.columns))
    }

    fn print_look(
        &self,
        look: &v1::LookAtEntityResponse,
        after: &v1::Investigation,
    ) -> Result<(), Failure> {
        print_answer(self.output, after, || progress_look(look, after, self.columns))
    }

    fn print_end(&self, investigation: &v1::Investigation) -> Result<(), Failure> {
        match self.output {
            Output::Json => Ok(()),
            Output::Human => print(&progress_end(investigation, self.columns)),
        }
    }
}
