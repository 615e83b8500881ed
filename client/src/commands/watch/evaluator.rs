//! Evaluates the requests in a file.

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

#[derive(Debug)]
pub(super) enum FileOutcome {
    /// The file changed while it was read.
    Changing,
    /// The file is invalid, perhaps because it is incomplete.
    Unreadable(Failure),
    /// The file and its evidence have not changed since the last evaluation.
    Unchanged,
    /// The requests were sent, up to the first transient error.
    Answered {
        /// The digest of the requests.
        digest: u64,
        answers: Answers,
    },
}

/// Evaluates files. The digests are comparable only within one run.
#[derive(Debug, Default)]
pub(super) struct Evaluator {
    digests: RandomState,
}

impl Evaluator {
    /// Evaluates the requests in a file, one after another.
    pub(super) async fn evaluate(
        &self,
        arguments: &Watch,
        client: &Client,
        file: &DueFile,
    ) -> FileOutcome {
        let parsed = requests::from_reports(&evaluate_arguments(arguments, &file.path));
        if stamp(&file.path) != Some(file.stamp) {
            return FileOutcome::Changing;
        }
        let requests = match parsed {
            Ok((requests, _)) => requests,
            Err(failure) => return FileOutcome::Unreadable(failure),
        };
        let encoded: Vec<Vec<u8>> =
            requests.iter().map(v1::EvaluateRequest::encode_to_vec).collect();
        let digest = self.digests.hash_one(&encoded);
        if file.digest == Some(digest) {
            return FileOutcome::Unchanged;
        }
        let mut answers = Vec::with_capacity(requests.len());
        for (index, mut request) in requests.into_iter().enumerate() {
            // If the response is lost, the key prevents a second record.
            if request.idempotency_key.is_empty() {
                let key = self.digests.hash_one((&file.path, file.evaluation_count, index, digest));
                request.idempotency_key = format!("gsar-watch-{key:016x}");
            }
            let answer = client.evaluate(request.clone()).await;
            let is_transient = answer.as_ref().is_err_and(super::backoff::is_transient);
            answers.push((request, answer));
            if is_transient {
                break;
            }
        }
        FileOutcome::Answered { digest, answers }
    }
}

/// Returns the arguments of `gsar evaluate` for a file.
fn evaluate_arguments(arguments: &Watch, path: &Path) -> Evaluate {
    let is_report = kind(path) == Some(Kind::Report);
    let report_option = |value: &Option<String>| value.clone().filter(|_| is_report);
    Evaluate {
        reports: if is_report { vec![path.to_owned()] } else { Vec::new() },
        evidence: if is_report { arguments.evidence.clone() } else { Vec::new() },
        corpus: report_option(&arguments.corpus),
        samples: None,
        policy: report_option(&arguments.policy),
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
