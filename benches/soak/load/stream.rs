//! Evaluates several reports over one stream, and repeats unanswered ones over another.

use std::collections::BTreeMap;

use gsar_client::v1;
use gsar_client::v1::evaluate_stream_response::Result as Answered;

use super::{CallResult, Caller};
use crate::cases::Case;
use crate::invariants::acknowledged::report_id;
use crate::invariants::failures::Failure;

impl Caller {
    pub(super) async fn stream(&mut self) {
        let (principal, home) = self.draw();
        let mut open: BTreeMap<String, (u64, Case, v1::EvaluateRequest)> = BTreeMap::new();
        for _ in 0..self.random.usize(2..8) {
            let (key, case, request) = self.new_report();
            self.world.acknowledged().register(key, principal.name, home);
            open.insert(report_id(key), (key, case, request));
        }
        while !open.is_empty() && !self.world.is_over() {
            let server = self.server(home);
            let requests: Vec<_> = open
                .iter()
                .map(|(name, (_, _, request))| v1::EvaluateStreamRequest {
                    correlation_id: name.clone(),
                    request: Some(request.clone()),
                })
                .collect();
            let (from, mut answers) = (self.world.phases.now(), Vec::new());
            let result = self
                .call("EvaluateStream", server, &principal, async |client| {
                    let stream = client.evaluate_stream(tokio_stream::iter(requests));
                    let exchange = async {
                        let mut stream = stream.await?;
                        while let Some(answer) = stream.next().await? {
                            answers.push(answer);
                        }
                        Ok(())
                    };
                    // Streams have no deadline of their own.
                    match tokio::time::timeout(crate::world::DEADLINE, exchange).await {
                        Ok(ended) => ended,
                        Err(_) => Err(late()),
                    }
                })
                .await;
            for answer in answers {
                let Some((key, case, _)) = open.get(&answer.correlation_id) else {
                    let found =
                        format!("a stream answered the unknown report `{}`", answer.correlation_id);
                    self.world.record_violation("answers", found);
                    continue;
                };
                match answer.result {
                    Some(Answered::Evaluation(evaluation)) => {
                        self.world.count("EvaluateStream acknowledged");
                        self.check_answer(*key, *case, &evaluation);
                        open.remove(&answer.correlation_id);
                    }
                    Some(Answered::Error(error)) => {
                        let code = tonic::Code::from(error.code);
                        let until = self.world.phases.now();
                        match Failure::from_code(code, &error.reason) {
                            Some(failure) => self.check_failure(
                                "EvaluateStream", server, failure, &error.message, from, until,
                            ),
                            None => {
                                let found = format!("a report in a stream failed: {error:?}");
                                self.world.record_violation("failures", found);
                            }
                        }
                    }
                    None => self.world.record_violation("answers", "a stream sent an empty answer"),
                }
            }
            if let CallResult::Refused(refusal) = result {
                return self.unexpected_refusal("EvaluateStream", &refusal);
            }
            if !open.is_empty() {
                self.back_off().await;
            }
        }
    }
}

fn late() -> gsar_client::ClientError {
    let status = tonic::Status::deadline_exceeded("");
    Box::new(gsar_client::Refusal::from_status("EvaluateStream", &status)).into()
}
