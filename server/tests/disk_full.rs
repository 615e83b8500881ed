//! Tests that a full disk rejects evaluations and evidence with a clear error, and that the server recovers.

use crate::support::skip::skipped;
use crate::support::small_disk::SmallDisk;
use crate::support::{TestServerOptions, item, request};
use gsar_proto::v1;
use gsar_proto::v1::put_evidence_request::Part;
use tonic::Code;
use tonic_types::StatusExt as _;

#[tokio::test]
async fn h30_full_disk_is_reported_and_recovered_from() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::new(folder.path()) else {
        skipped("mount", "this process may not mount a file system");
        return;
    };
    let data = disk.0.join("data");
    let server = TestServerOptions::default().start(|config| config.data_dir = data).await;
    server.grounding().evaluate(request()).await.unwrap();

    let filler = disk.0.join("filler");
    let full = std::fs::write(&filler, vec![0; 8 << 20]).unwrap_err();
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    let mut error = None;
    for _ in 0..200 {
        if let Err(status) = server.grounding().evaluate(request()).await {
            error = Some(status);
            break;
        }
    }
    let status = error.expect("a full disk rejects records");
    assert_eq!(status.code(), Code::Unavailable);
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().reason, "LEDGER_UNAVAILABLE");
    assert!(status.message().contains("full"), "{}", status.message());

    std::fs::remove_file(&filler).unwrap();
    let answer = server
        .grounding()
        .evaluate(request())
        .await
        .expect("the server recovers after space is freed");
    let evaluation_id = answer.into_inner().evaluation_id;
    let query = gsar_proto::v1::GetEvaluationRequest { evaluation_id, redact: false };
    assert!(server.ledger().get_evaluation(query).await.is_ok());
    server.stopped().await.unwrap();
}

#[tokio::test]
async fn full_disk_keeps_acknowledged_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::new(folder.path()) else {
        skipped("mount", "this process may not mount a file system");
        return;
    };
    let data = disk.0.join("data");
    let server = TestServerOptions::default().start(|config| config.data_dir = data).await;
    let mut evidence = server.evidence();
    let head = |corpus: &str| {
        let head = v1::CorpusHead { corpus_id: corpus.to_owned(), ..Default::default() };
        v1::PutEvidenceRequest { part: Some(Part::Corpus(head)) }
    };
    let messages = |corpus: &str, text: &str| {
        let item = v1::PutEvidenceRequest { part: Some(Part::Item(item("log", text))) };
        tokio_stream::iter(vec![head(corpus), item])
    };
    evidence.put_evidence(messages("before", "the pool size is 20")).await.unwrap();
    let text: String = (0..150_000).map(|line| format!("line {line} of a log\n")).collect();
    let error = evidence.put_evidence(messages("large", &text)).await.unwrap_err();
    assert_eq!(error.code(), Code::Unavailable, "{error}");
    assert_eq!(error.get_error_details().error_info().unwrap().reason, "EVIDENCE_UNAVAILABLE");
    assert!(error.message().contains("full") && error.message().contains("make room"));
    let search = |corpus: &str| v1::SearchRequest {
        corpus_id: corpus.to_owned(),
        query: "pool size".to_owned(),
        ..Default::default()
    };
    let results = evidence.search(search("before")).await.unwrap().into_inner();
    assert_eq!(results.hits[0].text, "the pool size is 20");
    let deletion = v1::DeleteCorpusRequest { corpus_id: "large".to_owned() };
    evidence.delete_corpus(deletion).await.unwrap();
    evidence
        .put_evidence(messages("after", "the pool size is 30"))
        .await
        .expect("the server recovers after space is freed");
    let results = evidence.search(search("after")).await.unwrap().into_inner();
    assert_eq!(results.hits[0].text, "the pool size is 30");
    server.stopped().await.unwrap();
}
