//! Tests that a report is not evidence for itself.

use crate::support::{TestServer, evaluation, item};
use gsar_proto::v1;

#[tokio::test]
async fn report_is_not_its_own_evidence() {
    let server = TestServer::start().await;
    let report = "The connection pool of checkout was exhausted by a leak.";
    let evaluate = async |evidence: Vec<v1::EvidenceItem>| {
        server.evaluate(evaluation(report, evidence)).await.unwrap()
    };
    let log = item("log", "10:04:05 ERROR request failed\n10:04:06 INFO retried\n");
    let answer = evaluate(vec![log.clone(), item("draft", report)]).await;
    let warnings: Vec<&v1::Reason> =
        answer.warnings.iter().filter(|warning| warning.code == "REPORT_IN_EVIDENCE").collect();
    assert_eq!(warnings.len(), 1, "{:?}", answer.warnings);
    assert!(warnings[0].sentence.contains("draft"), "{warnings:?}");
    assert_ne!(answer.claims[0].class(), v1::ClaimClass::Grounded, "{answer:?}");

    let answer = evaluate(vec![log]).await;
    assert!(answer.warnings.iter().all(|warning| warning.code != "REPORT_IN_EVIDENCE"));
}
