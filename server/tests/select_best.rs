//! Tests ranking several reports on the same evidence.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::corpora::put;
use crate::support::judges::{failure, judge, ungrounded};
use crate::support::{self, TestServer, invalid_fields, item, request};
use gsar_proto::v1;
use gsar_proto::v1::ranked_candidate::Result as Ranked;
use gsar_server::config::Config;
use gsar_server::judge::Judge;
use tokio::sync::Semaphore;
use tonic::{Code, Status};

const TRUE: &str = "The pool size of checkout is 20.";
const FALSE: &str = "The pool size of checkout is 50.";

/// Waits for a release permit. Then it fails on reports that contain `fails`, and finds all claims of other reports
/// ungrounded.
#[derive(Clone)]
struct CountingJudge {
    started: Arc<Semaphore>,
    release: Arc<Semaphore>,
    running: Arc<AtomicUsize>,
    max_running: Arc<AtomicUsize>,
    evidence: Arc<Mutex<BTreeSet<usize>>>,
}

impl CountingJudge {
    fn new(release: usize) -> Self {
        Self {
            started: Arc::new(Semaphore::new(0)),
            release: Arc::new(Semaphore::new(release)),
            running: Arc::default(),
            max_running: Arc::default(),
            evidence: Arc::default(),
        }
    }

    fn judge(&self) -> impl Judge + 'static {
        let counting = self.clone();
        judge("counting/0", move |question| {
            let counting = counting.clone();
            async move {
                let evidence = Arc::as_ptr(&question.evidence).addr();
                counting.evidence.lock().unwrap().insert(evidence);
                let running = counting.running.fetch_add(1, Ordering::SeqCst) + 1;
                counting.max_running.fetch_max(running, Ordering::SeqCst);
                counting.started.add_permits(1);
                counting.release.acquire().await.unwrap().forget();
                counting.running.fetch_sub(1, Ordering::SeqCst);
                if question.synthesis.contains("fails") {
                    return Err(failure("counting/0", "BROKEN", "it is broken"));
                }
                Ok(ungrounded(&question))
            }
        })
    }
}

fn report(synthesis: &str) -> v1::Report {
    v1::Report { synthesis: synthesis.to_owned(), ..Default::default() }
}

fn candidates(syntheses: &[&str]) -> v1::SelectBestRequest {
    v1::SelectBestRequest {
        candidates: syntheses.iter().map(|synthesis| report(synthesis)).collect(),
        evidence: vec![item("pool", r#"{"name": "checkout", "pool_size": 20}"#)],
        policy: "reference".to_owned(),
        ..Default::default()
    }
}

fn judged_by(judge: &str, request: v1::SelectBestRequest) -> v1::SelectBestRequest {
    let options = v1::EvaluateOptions { judge: judge.to_owned(), ..Default::default() };
    v1::SelectBestRequest { options: Some(options), ..request }
}

async fn select(
    server: &TestServer,
    request: v1::SelectBestRequest,
) -> Result<Vec<v1::RankedCandidate>, Status> {
    let answer = server.grounding().select_best(request).await?;
    Ok(answer.into_inner().ranking)
}

fn evaluation(ranked: &v1::RankedCandidate) -> &v1::EvaluateResponse {
    match ranked.result.as_ref().unwrap() {
        Ranked::Evaluation(evaluation) => evaluation,
        Ranked::Error(error) => panic!("{error:?}"),
    }
}

fn candidates_and_ranks(ranking: &[v1::RankedCandidate]) -> Vec<(u32, u32)> {
    ranking.iter().map(|ranked| (ranked.index, ranked.rank)).collect()
}

async fn start_server(judge: &CountingJudge, change: impl FnOnce(&mut Config)) -> TestServer {
    let configure = |config: &mut Config| {
        config.judges.chain = vec!["rules/2".to_owned(), "counting/0".to_owned()];
        change(config);
    };
    TestServer::with_judges(vec![Arc::new(judge.judge())], configure).await
}

#[tokio::test]
async fn best_candidate_is_first_and_all_are_recorded() {
    let server = TestServer::start().await;
    let mixed = format!("{TRUE} {FALSE}");
    let ranking = select(&server, candidates(&[FALSE, TRUE, &mixed, TRUE])).await.unwrap();
    assert_eq!(candidates_and_ranks(&ranking), [(1, 1), (3, 1), (2, 3), (0, 4)]);
    assert_eq!((ranking[0].tied_with.as_slice(), ranking[0].reasons.as_str()), (&[3][..], ""));
    assert!(ranking[1].reasons.contains("candidate 1"), "{}", ranking[1].reasons);
    assert!(ranking[2].reasons.contains("tier is"), "{}", ranking[2].reasons);

    let mut ids = BTreeSet::new();
    for ranked in &ranking {
        let answer = evaluation(ranked);
        assert!(ids.insert(answer.evaluation_id.clone()));
        let index = usize::try_from(ranked.index).unwrap();
        let synthesis = [FALSE, TRUE, &mixed, TRUE][index];
        let evidence = candidates(&[]).evidence;
        let single = v1::EvaluateRequest { report: Some(report(synthesis)), evidence, ..request() };
        let single = server.evaluate(single).await.unwrap();
        assert_eq!(answer.claims, single.claims);
        assert_eq!((answer.score, &answer.decision), (single.score, &single.decision));
        let (candidate_provenance, single_provenance) =
            (answer.provenance.as_ref().unwrap(), single.provenance.unwrap());
        assert_eq!(candidate_provenance.report_digest, single_provenance.report_digest);
        assert_eq!(candidate_provenance.evidence, single_provenance.evidence);
        let stored = server.get_evaluation(&answer.evaluation_id).await;
        assert_eq!(stored.evaluation.as_ref(), Some(answer));
        assert_eq!(stored.report.unwrap().synthesis, synthesis);
        assert!(stored.evidence[0].is_whole);
    }
}

#[tokio::test]
async fn candidate_with_a_failed_judge_is_last() {
    let judge = CountingJudge::new(16);
    let server = start_server(&judge, |_| {}).await;
    let request = judged_by("counting/0", candidates(&["It fails.", FALSE, "This fails."]));
    let ranking = select(&server, request).await.unwrap();
    assert_eq!(candidates_and_ranks(&ranking), [(1, 1), (0, 2), (2, 2)]);
    assert!(ranking[1].reasons.contains("it is broken"), "{}", ranking[1].reasons);
    assert_eq!(evaluation(&ranking[2]).outcome(), v1::Outcome::Failed);
}

#[tokio::test]
async fn four_candidates_are_evaluated_concurrently_under_one_permit() {
    let judge = CountingJudge::new(0);
    let server = start_server(&judge, |config| config.limits.calls_in_flight = 1).await;
    let request = judged_by("counting/0", candidates(&[FALSE; 9]));
    let mut client = server.grounding();
    let call = tokio::spawn(async move { client.select_best(request).await });
    judge.started.acquire_many(4).await.unwrap().forget();
    let error = server.grounding().evaluate(support::request()).await.unwrap_err();
    assert_eq!(error.code(), Code::ResourceExhausted);
    judge.release.add_permits(9);
    let ranking = call.await.unwrap().unwrap().into_inner().ranking;
    assert_eq!(candidates_and_ranks(&ranking).last(), Some(&(8, 1)));
    assert_eq!(ranking[0].tied_with, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(judge.max_running.load(Ordering::SeqCst), 4);
    assert_eq!(judge.evidence.lock().unwrap().len(), 1, "the evidence must be loaded once");
}

#[tokio::test]
async fn corpus_is_loaded_once_for_all_candidates() {
    let judge = CountingJudge::new(16);
    let server = start_server(&judge, |_| {}).await;
    let items = [item("limits", "max connections is 100")];
    server.evidence().put_evidence(put("c", items)).await.unwrap();
    let request = v1::SelectBestRequest {
        corpus_id: "c".to_owned(),
        ..judged_by("counting/0", candidates(&[TRUE, FALSE]))
    };
    let ranking = select(&server, request).await.unwrap();
    for ranked in &ranking {
        let provenance = evaluation(ranked).provenance.as_ref().unwrap();
        let items: Vec<&str> =
            provenance.evidence.iter().map(|item| item.evidence_id.as_str()).collect();
        assert_eq!(items, ["pool", "limits"]);
        assert_eq!(provenance.retrieval.as_ref().unwrap().method, "whole");
    }
    assert_eq!(judge.evidence.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn violations_name_the_candidate() {
    let server = TestServer::start().await;
    let fields = |status: Status| {
        assert_eq!(status.code(), Code::InvalidArgument);
        invalid_fields(&status)
    };
    let error = select(&server, candidates(&[TRUE, ""])).await.unwrap_err();
    assert_eq!(fields(error), ["candidates[1].synthesis"]);
    assert_eq!(fields(select(&server, candidates(&[])).await.unwrap_err()), ["candidates"]);
    assert_eq!(fields(select(&server, candidates(&[TRUE; 17])).await.unwrap_err()), ["candidates"]);
    let mut invalid = candidates(&[TRUE]);
    invalid.evidence[0].kind = 99;
    assert_eq!(fields(select(&server, invalid).await.unwrap_err()), ["evidence[0].kind"]);
    let evaluations = server.list_evaluations(v1::ListEvaluationsRequest::default()).await;
    assert!(evaluations.is_empty(), "nothing must be evaluated");
}

#[tokio::test]
async fn failed_candidate_is_last_or_fails_the_call() {
    let server = TestServer::with(|config| config.limits.claims = 1).await;
    let long_report = format!("{TRUE} {FALSE}");
    let ranking = select(&server, candidates(&[&long_report, FALSE])).await.unwrap();
    assert_eq!(candidates_and_ranks(&ranking), [(1, 1), (0, 2)]);
    let Some(Ranked::Error(error)) = &ranking[1].result else { panic!("{ranking:?}") };
    assert_eq!(error.field_violations[0].field, "report.synthesis");
    assert!(ranking[1].reasons.contains("limits.claims"), "{}", ranking[1].reasons);
    let status = select(&server, candidates(&[&long_report])).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
}
