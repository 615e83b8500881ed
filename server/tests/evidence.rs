//! Tests stored evidence: upload, search, judging, and recovery after the server was killed.

use std::sync::Arc;

use crate::support::corpora::{head, part, put, search};
use crate::support::process::Process;
use crate::support::skip::report_skip;
use crate::support::{TestServer, connect, evaluation, invalid_fields, item};
use async_trait::async_trait;
use gsar_proto::v1;
use gsar_proto::v1::put_evidence_request::Part;
use gsar_server::judge::facts::{FactsCache, FactsJudge};
use gsar_server::judge::{Capabilities, Judge, JudgeError, Judgement, Question};
use prost::Message as _;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Code;
use tonic::transport::Channel;
use tonic_types::StatusExt as _;
use v1::evidence_service_client::EvidenceServiceClient;

fn log(lines: u32) -> String {
    (1..=lines)
        .map(|line| {
            format!("2026-03-12T14:02:17Z INFO order ORD-{line} was paid with card {}\n", line * 31)
        })
        .collect()
}

fn report(synthesis: &str, corpus: &str) -> v1::EvaluateRequest {
    let corpus_id = corpus.to_owned();
    v1::EvaluateRequest { corpus_id, ..evaluation(synthesis, Vec::new()) }
}

#[tokio::test]
async fn text_is_searchable_while_it_is_uploaded() {
    let server = TestServer::start().await;
    let mut evidence = server.evidence();
    let (send, messages) = mpsc::channel(1);
    let upload = tokio::spawn({
        let mut evidence = server.evidence();
        async move { evidence.put_evidence(ReceiverStream::new(messages)).await }
    });
    send.send(head("day")).await.unwrap();
    send.send(part(Part::Item(item("app", "")))).await.unwrap();
    let text = log(40_000);
    let (early, late) = text.as_bytes().split_at(text.len() - 100_000);
    for piece in early.chunks(50_000) {
        send.send(part(Part::More(piece.to_vec()))).await.unwrap();
    }
    let query = search("day", "order ORD-17");
    loop {
        // The corpus and its first passages become visible during the upload.
        match evidence.search(query.clone()).await {
            Ok(results) if !results.get_ref().hits.is_empty() => break,
            Ok(_) => {}
            Err(status) => assert_eq!(status.code(), Code::NotFound),
        }
        tokio::task::yield_now().await;
    }
    assert!(!upload.is_finished());
    send.send(part(Part::More(late.to_vec()))).await.unwrap();
    drop(send);
    let response = upload.await.unwrap().unwrap().into_inner();
    assert_eq!(response.items[0].key, blake3::hash(text.as_bytes()).to_hex().as_str());
    assert_eq!((response.items[0].lines, response.items[0].repeated_lines), (40_000, 39_999));
    let results =
        evidence.search(search("day", "order ORD-39999 was paid")).await.unwrap().into_inner();
    let hit = &results.hits[0];
    assert!(hit.text.contains("ORD-39999 "), "{}", hit.text);
    let range = hit.bytes.unwrap();
    assert_eq!(text.get(range.start as usize..range.end as usize), Some(hit.text.as_str()));
    let lines = hit.lines.unwrap();
    let request = v1::GetSnapshotRequest {
        corpus_id: "day".to_owned(),
        item: Some(v1::get_snapshot_request::Item::EvidenceId("app".to_owned())),
        range: Some(v1::get_snapshot_request::Range::Lines(lines)),
    };
    assert_eq!(evidence.get_snapshot(request).await.unwrap().into_inner().content, hit.text);
}

#[tokio::test]
async fn upload_response_stays_small_for_many_items() {
    const ITEMS: usize = 6_000;
    let server = TestServer::start().await;
    let mut evidence = server.evidence();
    let items = (0..ITEMS).map(|number| item(&format!("{number:0>100}"), "the pool is full"));
    let items: Vec<v1::EvidenceItem> = items.collect();
    let first = evidence.put_evidence(put("many", items.clone())).await.unwrap().into_inner();
    assert!(first.encoded_len() < 2 << 20, "{} bytes", first.encoded_len());
    assert_eq!(first.items.len() as u64 + first.more_items, ITEMS as u64);
    assert!(first.more_items > 0);
    assert_eq!((first.unchanged_items, first.duplicate_items), (0, ITEMS as u64 - 1));
    let repeated = evidence.put_evidence(put("many", items)).await.unwrap().into_inner();
    assert_eq!((repeated.unchanged_items, repeated.duplicate_items), (1, ITEMS as u64 - 1));
}

#[tokio::test]
async fn report_is_judged_against_a_corpus() {
    let server = TestServer::start().await;
    let pool = item("pool", "connection pool size is 20");
    server.evidence().put_evidence(put("inc-7", vec![pool.clone()])).await.unwrap();
    let answer = server.evaluate(report("The connection pool size is 20.", "inc-7")).await.unwrap();
    assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed);
    let provenance = answer.provenance.unwrap();
    assert_eq!(provenance.evidence[0].evidence_id, "pool");
    let retrieval = provenance.retrieval.unwrap();
    assert_eq!((retrieval.method.as_str(), retrieval.items), ("whole", 1));

    let mut with_other_evidence = report("The connection pool size is 20.", "inc-7");
    with_other_evidence.evidence = vec![item("queue", "queue length is 4")];
    let answer = server.evaluate(with_other_evidence.clone()).await.unwrap();
    assert_eq!(answer.provenance.unwrap().evidence.len(), 2);
    with_other_evidence.evidence = vec![pool];
    let error = server.evaluate(with_other_evidence).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(invalid_fields(&error), ["evidence[0].id"]);
    let error = server.evaluate(report("It is so.", "inc-8")).await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
}

fn cart_restarts(restarts: u32) -> v1::EvidenceItem {
    let pods = format!("NAME    READY  STATUS   RESTARTS\ncart-1  1/1    Running  {restarts}\n");
    item("pods", &pods)
}

#[tokio::test]
async fn cached_corpus_is_never_stale() {
    let server = TestServer::start().await;
    let mut evidence = server.evidence();
    for (stored, class) in [
        (Some(20), v1::ClaimClass::Grounded),
        (None, v1::ClaimClass::Grounded),
        (Some(50), v1::ClaimClass::Contradicted),
        (None, v1::ClaimClass::Contradicted),
        (Some(20), v1::ClaimClass::Grounded),
    ] {
        if let Some(restarts) = stored {
            evidence.put_evidence(put("inc-7", vec![cart_restarts(restarts)])).await.unwrap();
        }
        let request = report("Pod cart-1 has restarted 20 times.", "inc-7");
        let answer = server.evaluate(request).await.unwrap();
        assert_eq!(answer.claims[0].class(), class, "{stored:?}");
    }
    let deletion = v1::DeleteCorpusRequest { corpus_id: "inc-7".to_owned() };
    evidence.delete_corpus(deletion).await.unwrap();
    evidence.put_evidence(put("inc-7", vec![cart_restarts(50)])).await.unwrap();
    let request = report("Pod cart-1 has restarted 20 times.", "inc-7");
    let answer = server.evaluate(request).await.unwrap();
    assert_eq!(answer.claims[0].class(), v1::ClaimClass::Contradicted);
}

/// The judge `rules/2` with a low limit on the size of the evidence.
struct NarrowJudge(FactsJudge);

#[async_trait]
impl Judge for NarrowJudge {
    fn name(&self) -> &'static str {
        "narrow/1"
    }

    fn is_local(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { max_evidence_bytes: Some(64 << 10), ..self.0.capabilities() }
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        self.0.judge(question).await
    }
}

async fn start_server_with_narrow_judge() -> TestServer {
    let judge = NarrowJudge(FactsJudge::new(FactsCache::new(1 << 20)));
    TestServer::with_judges(vec![Arc::new(judge)], |config| {
        config.judges.chain = vec!["narrow/1".to_owned()];
    })
    .await
}

#[tokio::test]
async fn judge_receives_the_relevant_passages_of_a_large_corpus() {
    let server = start_server_with_narrow_judge().await;
    let log = log(9_000).replace("ORD-4711 was paid with card 146041", "ORD-4711 was refunded");
    let pods: String = (0..900)
        .map(|pod| {
            format!(
                r#"{{"pod": "cart-{pod}", "phase": "{}"}},"#,
                if pod == 417 { "Pending" } else { "Running" }
            )
        })
        .collect();
    let pods = v1::EvidenceItem {
        content: Some(v1::evidence_item::Content::Json(format!(
            "{{\"items\": [{}]}}",
            pods.trim_end_matches(',')
        ))),
        ..item("pods", "")
    };
    server.evidence().put_evidence(put("day", vec![item("app", &log), pods])).await.unwrap();
    let text = "Order ORD-4711 was refunded. Pod cart-417 is Pending.";
    let answer = server.evaluate(report(text, "day")).await.unwrap();
    for claim in &answer.claims {
        assert_eq!(claim.class(), v1::ClaimClass::Grounded, "{claim:?}");
    }
    let cited: Vec<&str> =
        answer.claims.iter().map(|claim| claim.citations[0].evidence_id.as_str()).collect();
    assert!(cited[0].starts_with("app#L") && cited[1] == "pods#/items/417", "{cited:?}");
    let retrieval = answer.provenance.unwrap().retrieval.unwrap();
    assert_eq!(
        (retrieval.method.as_str(), retrieval.queries, retrieval.dropped),
        ("lexical", 2, 0)
    );
    assert!(retrieval.passages >= 2 && retrieval.budget == 64 << 10);
    let first = &retrieval.claims[0];
    assert_eq!((first.claim_id.as_str(), first.passages.len()), (answer.claims[0].id.as_str(), 12));
    let cited = first.passages.iter().position(|passage| passage.label == cited[0]);
    assert_eq!(cited, Some(0), "{first:?}");
    assert!(first.passages.iter().all(|passage| passage.given && passage.score > 0.0));
}

#[tokio::test]
async fn claims_with_omitted_evidence_are_reported() {
    let server = start_server_with_narrow_judge().await;
    server.evidence().put_evidence(put("day", vec![item("app", &log(3_000))])).await.unwrap();
    let text: String = (0..40).map(|order| format!("ORD-{} was lost. ", order * 70)).collect();
    let answer = server.evaluate(report(&text, "day")).await.unwrap();
    let retrieval = answer.provenance.unwrap().retrieval.unwrap();
    assert!(retrieval.dropped > 0);
    let has_omissions =
        |claim: &&v1::ClaimRetrieval| claim.passages.iter().any(|passage| !passage.given);
    let count = retrieval.claims.iter().filter(has_omissions).count();
    assert!(0 < count && count <= 40);
    let warning =
        answer.warnings.iter().find(|warning| warning.code == "INSUFFICIENT_RETRIEVAL").unwrap();
    assert!(warning.sentence.contains("65536 bytes"), "{}", warning.sentence);
}

#[tokio::test]
async fn rejects_invalid_evidence_requests() {
    let server = TestServer::start().await;
    let mut evidence = server.evidence();
    let continuation = || part(Part::More(b"x".to_vec()));
    let json = v1::EvidenceItem {
        content: Some(v1::evidence_item::Content::Json("{}".to_owned())),
        ..item("j", "")
    };
    for (case, messages) in [
        ("no message", vec![]),
        ("no corpus", vec![part(Part::Item(item("a", "b")))]),
        ("no corpus name", vec![head("")]),
        ("a path as a corpus name", vec![head("../x")]),
        ("a continuation before an item", vec![head("c"), continuation()]),
        ("a continuation of JSON", vec![head("c"), part(Part::Item(json)), continuation()]),
        (
            "not UTF-8",
            vec![head("c"), part(Part::Item(item("t", ""))), part(Part::More(vec![0xff]))],
        ),
        ("two corpora", vec![head("c"), head("d")]),
        ("an item without an id", vec![head("c"), part(Part::Item(item("", "b")))]),
        ("an empty message", vec![head("c"), v1::PutEvidenceRequest { part: None }]),
    ] {
        let error = evidence.put_evidence(tokio_stream::iter(messages)).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{case}: {error}");
    }
    for request in
        [search("", "x"), search("c", ""), v1::SearchRequest { most: 999, ..search("c", "x") }]
    {
        assert_eq!(evidence.search(request).await.unwrap_err().code(), Code::InvalidArgument);
    }
    assert_eq!(evidence.search(search("nowhere", "x")).await.unwrap_err().code(), Code::NotFound);
    let deletion = v1::DeleteCorpusRequest { corpus_id: "nowhere".to_owned() };
    assert_eq!(evidence.delete_corpus(deletion).await.unwrap_err().code(), Code::NotFound);

    let server_without_evidence = TestServer::with(|config| config.evidence.enabled = false).await;
    let error = server_without_evidence.evidence().search(search("c", "x")).await.unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    let server_with_small_limit =
        TestServer::with(|config| config.evidence.max_corpus_size.0 = 1_000).await;
    let error = server_with_small_limit
        .evidence()
        .put_evidence(put("c", vec![item("t", &log(99))]))
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::ResourceExhausted);
    assert_eq!(
        error.get_details_quota_failure().unwrap().violations[0].subject,
        "evidence.max_corpus_size"
    );
}

#[tokio::test]
async fn corpora_are_listed_in_pages() {
    let server = TestServer::start().await;
    let mut evidence = server.evidence();
    for corpus in ["c", "a", "b"] {
        evidence.put_evidence(put(corpus, vec![item("x", corpus)])).await.unwrap();
    }
    let mut request = v1::ListCorporaRequest { page_size: 2, ..Default::default() };
    let first = evidence.list_corpora(request.clone()).await.unwrap().into_inner();
    assert_eq!(
        first.corpora.iter().map(|corpus| corpus.corpus_id.as_str()).collect::<Vec<_>>(),
        ["a", "b"]
    );
    request.page_token = first.next_page_token;
    let second = evidence.list_corpora(request).await.unwrap().into_inner();
    assert_eq!((second.corpora[0].corpus_id.as_str(), second.next_page_token.as_str()), ("c", ""));
}

async fn start_process(folder: &std::path::Path) -> (Process, EvidenceServiceClient<Channel>) {
    let process = Process::with_config(folder, "evidence.embeddings = \"off\"\n");
    (process, EvidenceServiceClient::new(connect(&folder.join("gsar.sock")).await))
}

#[tokio::test]
async fn acknowledged_evidence_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let (process, mut evidence) = start_process(folder.path()).await;
    evidence.put_evidence(put("day", vec![item("kept", "the volume is full")])).await.unwrap();
    let (send, messages) = mpsc::channel(1);
    let interrupted_upload = tokio::spawn({
        let mut evidence = evidence.clone();
        async move { evidence.put_evidence(ReceiverStream::new(messages)).await }
    });
    send.send(head("day")).await.unwrap();
    send.send(part(Part::Item(item("torn", &log(40_000))))).await.unwrap();
    while evidence.search(search("day", "order ORD-17")).await.unwrap().get_ref().hits.is_empty() {
        tokio::task::yield_now().await;
    }
    drop(process);
    interrupted_upload.await.unwrap().unwrap_err();

    let (process, mut evidence) = start_process(folder.path()).await;
    let kept_results =
        evidence.search(search("day", "is the volume full")).await.unwrap().into_inner();
    assert_eq!(kept_results.hits[0].label, "kept#L1-1");
    let lost_results = evidence.search(search("day", "order ORD-17")).await.unwrap().into_inner();
    assert!(lost_results.hits.is_empty());
    let items = vec![item("kept", "the volume is full"), item("torn", &log(40_000))];
    let repeated = evidence.put_evidence(put("day", items)).await.unwrap().into_inner();
    assert!(repeated.items[0].unchanged && !repeated.items[1].unchanged);
    assert_eq!(repeated.corpus.unwrap().items, 2);
    drop(process);
}

#[tokio::test]
async fn evidence_is_found_by_meaning() {
    let enable_embeddings = |config: &mut gsar_server::config::Config| {
        config.evidence.embeddings = gsar_server::config::EmbeddingsMode::Auto;
    };
    let server = TestServer::with(enable_embeddings).await;
    let mut evidence = server.evidence();
    let texts = [
        ("volume", "No space is left on the device /dev/vdb1."),
        ("certificate", "The TLS chain of the gateway ran out at midnight."),
        ("rollout", "Deployment cart was updated to image 4.2."),
    ];
    let items = texts.map(|(id, text)| item(id, text));
    evidence.put_evidence(put("inc-7", items)).await.unwrap();
    let vector_search = |query: &str| v1::SearchRequest {
        method: v1::SearchMethod::Vector.into(),
        ..search("inc-7", query)
    };
    let results = evidence.search(vector_search("disk full")).await.unwrap().into_inner();
    if !results.degraded.is_empty() && !results.degraded.contains("vector yet") {
        assert_eq!(results.method, "lexical");
        report_skip("sentence_model", results.degraded);
        return;
    }
    let request = || v1::ListCorporaRequest::default();
    while !evidence.list_corpora(request()).await.unwrap().into_inner().corpora[0].embedded {
        tokio::task::yield_now().await;
    }
    for (query, id) in [("the disk is full", "volume"), ("an expired certificate", "certificate")] {
        let results = evidence.search(vector_search(query)).await.unwrap().into_inner();
        assert_eq!((results.method.as_str(), results.degraded.as_str()), ("vector", ""));
        assert_eq!(results.hits[0].evidence_id, id, "{query}");
        assert_eq!((results.hits[0].vector_rank, results.hits[0].lexical_rank), (1, 0));
    }
    let hybrid = evidence.search(search("inc-7", "the disk is full")).await.unwrap().into_inner();
    assert_eq!((hybrid.method.as_str(), hybrid.hits[0].evidence_id.as_str()), ("hybrid", "volume"));
}
