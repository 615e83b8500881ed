//! Tests that a server whose disk is full rejects evaluations and evidence with a clear error, and that it recovers.

use crate::support::corpora::{put, search};
use crate::support::small_disk::SmallDisk;
use crate::support::{TestServer, item, reason, request};
use gsar_proto::v1;
use tonic::Code;

#[tokio::test]
async fn h30_server_reports_a_full_disk_and_recovers() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::new(folder.path()) else { return };
    let data = disk.0.join("data");
    let server = TestServer::with(|config| config.data_dir = data).await;
    let mut acknowledged_ids = vec![server.evaluate(request()).await.unwrap().evaluation_id];

    let filler = disk.0.join("filler");
    let error = std::fs::write(&filler, vec![0; 8 << 20]).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    let mut failure = None;
    for _ in 0..200 {
        match server.evaluate(request()).await {
            Ok(answer) => acknowledged_ids.push(answer.evaluation_id),
            Err(status) => {
                failure = Some(status);
                break;
            }
        }
    }
    let status = failure.expect("the server rejects an evaluation when its disk is full");
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(reason(&status), "LEDGER_UNAVAILABLE");
    assert!(status.message().contains("full"), "{}", status.message());

    std::fs::remove_file(&filler).unwrap();
    let answer =
        server.evaluate(request()).await.expect("the server recovers after space is freed");
    acknowledged_ids.push(answer.evaluation_id);
    for evaluation_id in acknowledged_ids {
        server.get_evaluation(&evaluation_id).await;
    }
    server.wait_until_stopped().await.unwrap();
}

#[tokio::test]
async fn server_with_a_full_disk_keeps_acknowledged_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::new(folder.path()) else { return };
    let data = disk.0.join("data");
    let server = TestServer::with(|config| config.data_dir = data).await;
    let mut evidence = server.evidence();
    let upload = |corpus: &str, text: &str| put(corpus, [item("log", text)]);
    evidence.put_evidence(upload("before", "the pool size is 20")).await.unwrap();
    let text: String = (0..150_000).map(|line| format!("line {line} of a log\n")).collect();
    let error = evidence.put_evidence(upload("large", &text)).await.unwrap_err();
    assert_eq!(error.code(), Code::Unavailable, "{error}");
    assert_eq!(reason(&error), "EVIDENCE_UNAVAILABLE");
    assert!(error.message().contains("full") && error.message().contains("free disk space"));
    let search = |corpus: &str| search(corpus, "pool size");
    let results = evidence.search(search("before")).await.unwrap().into_inner();
    assert_eq!(results.hits[0].text, "the pool size is 20");
    let deletion = v1::DeleteCorpusRequest { corpus_id: "large".to_owned() };
    evidence.delete_corpus(deletion).await.unwrap();
    evidence
        .put_evidence(upload("after", "the pool size is 30"))
        .await
        .expect("the server recovers after space is freed");
    let results = evidence.search(search("after")).await.unwrap().into_inner();
    assert_eq!(results.hits[0].text, "the pool size is 30");
    server.wait_until_stopped().await.unwrap();
}
