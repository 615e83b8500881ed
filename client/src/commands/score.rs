//! `gsar score`: scores partitions, line by line.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _};
use gsar_client::Client;
use gsar_client::input::{InputError, STANDARD_INPUT, parse_messages, read_text};
use gsar_client::partition::{Answer, LineReader, LineRequest, Policies};
use gsar_proto::v1;
use tokio::sync::mpsc;

use super::progress::Progress;
use super::{is_json, print, print_json};
use crate::arguments::Score;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::{Explain, ReportContext, View, evaluation};
use crate::session::{until_signal, with_client};
use crate::terminal::Terminal;

/// The maximum number of concurrent calls.
const MAX_IN_FLIGHT: usize = 64;

/// The time limit for an interrupted run to flush its output.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) async fn run(arguments: &Score, terminal: &Terminal) -> Result<Status, Failure> {
    if let Some(path) = &arguments.request {
        return score_requests(arguments, path, terminal).await;
    }
    let policies = Policies::new(arguments.policy.clone());
    let input = Input::open(&arguments.file)?;
    if arguments.offline {
        return score_offline(input, policies).await;
    }
    with_client(&arguments.connection, async |client, _| {
        score_online(input, policies, &client).await
    })
    .await
}

struct Input {
    lines: LineReader<BufReader<Box<dyn Read + Send>>>,
    /// The size in bytes, if known.
    size: Option<u64>,
}

impl Input {
    fn open(path: &Path) -> Result<Self, InputError> {
        let (reader, size): (Box<dyn Read + Send>, _) = if path == Path::new(STANDARD_INPUT) {
            (Box::new(io::stdin()), None)
        } else {
            let unreadable = |source| InputError::Unreadable { path: path.to_owned(), source };
            let file = File::open(path).map_err(unreadable)?;
            let metadata = file.metadata().map_err(unreadable)?;
            if metadata.is_dir() {
                return Err(unreadable(io::ErrorKind::IsADirectory.into()));
            }
            (Box::new(file), metadata.is_file().then_some(metadata.len()))
        };
        Ok(Self { lines: LineReader::new(BufReader::with_capacity(1 << 16, reader)), size })
    }

    fn has_line(&self) -> bool {
        self.lines.input().buffer().contains(&b'\n')
    }
}

/// Scores the lines locally. A signal stops the run between two lines.
async fn score_offline(input: Input, policies: Policies) -> Result<Status, Failure> {
    let should_stop = Arc::new(AtomicBool::new(false));
    let mut run = tokio::task::spawn_blocking({
        let should_stop = Arc::clone(&should_stop);
        move || score_lines(input, &policies, &should_stop)
    });
    let result = until_signal(async { (&mut run).await.map_err(io::Error::other)? }).await;
    if matches!(result, Err(Failure::Interrupted { .. })) {
        should_stop.store(true, Ordering::Relaxed);
        // A run that waits for input has flushed its output and can be abandoned.
        let _ = tokio::time::timeout(FLUSH_TIMEOUT, run).await;
    }
    result
}

fn score_lines(
    mut input: Input,
    policies: &Policies,
    should_stop: &AtomicBool,
) -> Result<Status, Failure> {
    let mut out = BufWriter::new(io::stdout());
    let mut status = Status::Proceed;
    let mut progress = Progress::begin(input.size);
    while !should_stop.load(Ordering::Relaxed) {
        if !input.has_line() {
            out.flush()?;
        }
        let Some(line) = input.lines.next_line()? else { break };
        let answer = Answer::offline(policies, line.number, &line.text);
        status = status.max(self::status(&answer));
        answer.write(&mut out)?;
        progress.count_line(input.lines.bytes_read());
    }
    out.flush()?;
    Ok(status)
}

fn status(answer: &Answer) -> Status {
    if answer.is_refused() { Status::Error } else { Status::Proceed }
}

/// Scores the lines on the server and writes the answers in order.
async fn score_online(
    input: Input,
    policies: Policies,
    client: &Client,
) -> Result<Status, Failure> {
    let mut progress = Progress::begin(input.size);
    let requests =
        futures_util::stream::unfold(read_in_background(input, policies), async |mut lines| {
            lines.recv().await.map(|line| (line, lines))
        });
    let answers = requests
        .map(|line| async move {
            let (request, bytes) = line?;
            let answer = match request {
                Ok(request) => request.send(client).await?,
                Err(answer) => answer,
            };
            Ok::<_, Failure>((answer, bytes))
        })
        .buffered(MAX_IN_FLIGHT);
    let mut answers = std::pin::pin!(answers);
    let mut out = BufWriter::new(io::stdout());
    let mut status = Status::Proceed;
    loop {
        // Write each answer before waiting for the next one.
        let next = match answers.next().now_or_never() {
            Some(next) => next,
            None => {
                out.flush()?;
                answers.next().await
            }
        };
        let Some((answer, bytes)) = next.transpose()? else { break };
        status = status.max(self::status(&answer));
        answer.write(&mut out)?;
        progress.count_line(bytes);
    }
    out.flush()?;
    Ok(status)
}

/// The request for a line or the answer to an invalid line, and the number of bytes read so far.
type ReadLine = (Result<LineRequest, Answer>, u64);

/// Reads lines on another thread, so that slow input does not delay answers.
fn read_in_background(
    mut input: Input,
    policies: Policies,
) -> mpsc::Receiver<io::Result<ReadLine>> {
    let (sender, receiver) = mpsc::channel(MAX_IN_FLIGHT);
    std::thread::spawn(move || {
        while let Some(line) = input.lines.next_line().transpose() {
            let bytes = input.lines.bytes_read();
            let request =
                line.map(|line| (LineRequest::parse(&policies, line.number, &line.text), bytes));
            let has_failed = request.is_err();
            if sender.blocking_send(request).is_err() || has_failed {
                return;
            }
        }
    });
    receiver
}

/// Sends `ScoreRequest` messages.
async fn score_requests(
    arguments: &Score,
    path: &Path,
    terminal: &Terminal,
) -> Result<Status, Failure> {
    let requests: Vec<v1::ScoreRequest> = parse_messages(path, &read_text(path)?)?;
    let view = View { columns: terminal.columns, only: Vec::new(), explain: Explain::Briefly };
    with_client(&arguments.connection, async |client, _| {
        for (index, request) in requests.into_iter().enumerate() {
            let report = match &request.partition {
                Some(v1::score_request::Partition::Judged(judged)) => judged.report.clone(),
                _ => None,
            };
            let answer = client.score(request).await?;
            if is_json(arguments.output) {
                print_json(&answer)?;
                continue;
            }
            let context = ReportContext { report: report.as_ref(), ..ReportContext::default() };
            let gap = if index == 0 { "" } else { "\n\n" };
            print(&format!("{gap}{}", evaluation(&as_evaluation(answer), &context, &view)))?;
        }
        Ok(Status::Proceed)
    })
    .await
}

fn as_evaluation(answer: v1::ScoreResponse) -> v1::EvaluateResponse {
    let outcome = if answer.score.is_some() { v1::Outcome::Scored } else { v1::Outcome::Abstained };
    let warnings = answer.hypothetical.then(hypothetical);
    v1::EvaluateResponse {
        warnings: warnings.into_iter().collect(),
        outcome: outcome.into(),
        claims: answer.claims,
        score: answer.score,
        guarded_score: answer.guarded_score,
        terms: answer.terms,
        decision: answer.decision,
        gate: answer.gate,
        chain: answer.chain,
        cap: answer.cap,
        action: answer.action,
        corrections: answer.corrections,
        coverage: answer.coverage,
        shadow: answer.shadow,
        provenance: Some(v1::Provenance { policy: answer.policy, ..Default::default() }),
        ..Default::default()
    }
}

pub(super) fn hypothetical() -> v1::Reason {
    v1::Reason {
        code: "HYPOTHETICAL".to_owned(),
        sentence: "hypothetical: this server does not evaluate reports under this policy, which is looser than its default"
            .to_owned(),
        ..Default::default()
    }
}
