//! Sends the cases in `datasets/cases` to a server over gRPC.

use crate::support::TestServer;
use gsar_datasets::{cases, differences};
use gsar_proto::json::{from_json, to_json};
use gsar_proto::v1::ScoreRequest;

#[tokio::test]
async fn every_case_has_the_expected_answer() {
    let server = TestServer::start().await;
    let mut failures = Vec::new();
    for case in cases().unwrap() {
        let request: ScoreRequest = from_json(&case.request.to_string())
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let answer = match server.grounding().score(request).await {
            Ok(answer) => answer.into_inner(),
            Err(status) => {
                failures.push(format!("{}: {status}", case.name));
                continue;
            }
        };
        let answer = serde_json::from_str(&to_json(&answer).unwrap()).unwrap();
        for difference in differences(&case.expect, &answer) {
            failures.push(format!("{}{difference} ({})", case.name, case.why));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
