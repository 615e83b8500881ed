//! Reads a file and evaluates its requests. Prints nothing and does not wait for a server.

use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;

use gsar_client::{Client, ClientError};
use gsar_proto::v1;
use prost::Message as _;

use super::directory::{Kind, kind, stamp};
use super::files::DueFile;
use crate::arguments::{Evaluate, Format, JudgeChoice, Watch};
use crate::commands::requests;
use crate::failure::Failure;

/// The requests of a file and their results.
pub(super) type Answers = Vec<(v1::EvaluateRequest, Result<v1::EvaluateResponse, ClientError>)>;

/// The outcome of a file.
#[derive(Debug)]
pub(super) enum FileOutcome {
    /// The file changed while it was read.
    Changing,
    /// The file is invalid, possibly because it is incomplete.
    Unreadable(Failure),
    /// The file and its evidence have not changed since the last evaluation.
    Unchanged,
    /// The requests were sent, up to the first transient error.
    Answered {
        /// The digest of the requests.
        digest: u64,
        /// The results.
        answers: Answers,
    },
}

/// Evaluates files. Equal content has the same digest within one run.
#[derive(Debug, Default)]
pub(super) struct Evaluator {
    digests: RandomState,
}

impl Evaluator {
    /// Reads a file and evaluates its requests, one after another.
    pub(super) async fn ask(
        &self,
        arguments: &Watch,
        client: &Client,
        due: &DueFile,
    ) -> FileOutcome {
        let read = requests::from_reports(&evaluate(arguments, &due.path));
        if stamp(&due.path) != Some(due.stamp) {
            return FileOutcome::Changing;
        }
        let requests = match read {
            Ok((requests, _)) => requests,
            Err(failure) => return FileOutcome::Unreadable(failure),
        };
        let contents: Vec<Vec<u8>> =
            requests.iter().map(v1::EvaluateRequest::encode_to_vec).collect();
        let digest = self.digests.hash_one(&contents);
        if due.digest == Some(digest) {
            return FileOutcome::Unchanged;
        }
        let mut answers = Vec::with_capacity(requests.len());
        for (number, mut request) in requests.into_iter().enumerate() {
            // If a response is lost with the connection, the key keeps the server from recording the request twice.
            if request.idempotency_key.is_empty() {
                let key = self.digests.hash_one((&due.path, due.times, number, digest));
                request.idempotency_key = format!("gsar-watch-{key:016x}");
            }
            let answer = client.evaluate(request.clone()).await;
            let is_passing = answer.as_ref().is_err_and(super::backoff::is_transient);
            answers.push((request, answer));
            if is_passing {
                break;
            }
        }
        FileOutcome::Answered { digest, answers }
    }
}

/// The arguments of `gsar evaluate` for one file.
fn evaluate(arguments: &Watch, path: &Path) -> Evaluate {
    let is_report = kind(path) == Some(Kind::Report);
    let of_report = |given: &Option<String>| given.clone().filter(|_| is_report);
    Evaluate {
        reports: if is_report { vec![path.to_owned()] } else { Vec::new() },
        evidence: if is_report { arguments.evidence.clone() } else { Vec::new() },
        corpus: of_report(&arguments.corpus),
        samples: None,
        policy: of_report(&arguments.policy),
        id: None,
        claims: None,
        gate: None,
        confidence: None,
        explain: None,
        only: Vec::new(),
        request: (!is_report).then(|| path.to_owned()),
        output: Format::Json,
        strict: false,
        unredacted: false,
        judge: JudgeChoice::default(),
        connection: arguments.connection.clone(),
    }
}
