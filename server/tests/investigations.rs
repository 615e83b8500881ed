//! Tests of investigations: instructions, budgets, the gate, repetition and resumption.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::support::{TestServer, TestServerOptions, wrong_fields};
use async_trait::async_trait;
use gsar_core::fixed_point::Millionths;
use gsar_core::{Class, EvidenceType, JudgedClaim};
use gsar_proto::v1;
use gsar_proto::v1::drive_request::Request as Message;
use gsar_proto::v1::instruction::Due;
use gsar_server::judge::{Capabilities, Judge, JudgeError, Judgement, Question};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

const POOL: &str = r#"[{"name": "checkout", "pool_size": 20}, {"name": "stock", "pool_size": 30}]"#;
const TRUE: &str = "The pool size of checkout is 20.";
const FALSE: &str = "The pool size of checkout is 50.";
const ALSO_FALSE: &str = "The pool size of stock is 7.";

fn item(id: &str, text: &str) -> v1::EvidenceItem {
    v1::EvidenceItem {
        id: id.to_owned(),
        kind: v1::EvidenceKind::ToolOutput.into(),
        lane: v1::EvidenceLane::StaticInfra.into(),
        tool: "psql".to_owned(),
        content: Some(v1::evidence_item::Content::Text(text.to_owned())),
        ..v1::EvidenceItem::default()
    }
}

fn start(id: &str) -> v1::StartInvestigationRequest {
    v1::StartInvestigationRequest {
        investigation_id: id.to_owned(),
        policy: "reference".to_owned(),
        ..v1::StartInvestigationRequest::default()
    }
}

fn report(id: &str, step: u32, synthesis: &str) -> v1::SubmitReportRequest {
    v1::SubmitReportRequest {
        investigation_id: id.to_owned(),
        step,
        report: Some(v1::Report { synthesis: synthesis.to_owned(), ..v1::Report::default() }),
        evidence: vec![item("settings", POOL)],
    }
}

fn turn(id: &str, step: u32, calls: Vec<v1::ToolCall>) -> v1::RecordTurnRequest {
    v1::RecordTurnRequest {
        investigation_id: id.to_owned(),
        step,
        tool_calls: calls,
        ..v1::RecordTurnRequest::default()
    }
}

fn call_of(tool: &str, arguments: &str, result: Option<v1::EvidenceItem>) -> v1::ToolCall {
    v1::ToolCall { tool: tool.to_owned(), arguments: arguments.to_owned(), result }
}

async fn begin(server: &TestServer, request: v1::StartInvestigationRequest) -> v1::Investigation {
    let answer = server.investigations().start_investigation(request).await.unwrap();
    answer.into_inner().investigation.unwrap()
}

async fn submit(
    server: &TestServer,
    request: v1::SubmitReportRequest,
) -> Result<v1::SubmitReportResponse, Status> {
    server.investigations().submit_report(request).await.map(tonic::Response::into_inner)
}

async fn record_turn(
    server: &TestServer,
    request: v1::RecordTurnRequest,
) -> Result<v1::Investigation, Status> {
    let answer = server.investigations().record_turn(request).await?;
    Ok(answer.into_inner().investigation.unwrap())
}

async fn get_investigation(server: &TestServer, id: &str) -> v1::GetInvestigationResponse {
    let request =
        v1::GetInvestigationRequest { investigation_id: id.to_owned(), with_events: true };
    server.investigations().get_investigation(request).await.unwrap().into_inner()
}

fn due_instruction(investigation: &v1::Investigation) -> &Due {
    investigation.instruction.as_ref().unwrap().due.as_ref().unwrap()
}

fn finished(investigation: &v1::Investigation) -> &v1::Finished {
    match due_instruction(investigation) {
        Due::Finished(finished) => finished,
        other => panic!("not finished: {other:?}"),
    }
}

fn reason_of(status: &Status) -> String {
    status.get_error_details().error_info().unwrap().reason.clone()
}

#[tokio::test]
async fn false_report_leads_to_a_replan_and_true_report_proceeds() {
    let server = TestServer::start().await;
    let begun = begin(&server, start("i1")).await;
    assert_eq!((begun.step, begun.plan, begun.max_replans), (0, 0, 2));
    assert!(matches!(due_instruction(&begun), Due::Synthesize(_)));

    let answer = submit(&server, report("i1", 0, FALSE)).await.unwrap();
    let (investigation, evaluation) = (answer.investigation.unwrap(), answer.evaluation.unwrap());
    let Due::Replan(replan) = due_instruction(&investigation) else { panic!("{investigation:?}") };
    assert_eq!((replan.cause.as_str(), investigation.plan), ("REPLAN", 1));
    let [fault] = replan.faults.as_slice() else { panic!("{replan:?}") };
    assert_eq!(fault.claim.as_ref().unwrap().class(), v1::ClaimClass::Contradicted);
    assert!(!fault.shows.is_empty(), "the fault says what the evidence shows");
    assert!(evaluation.provenance.unwrap().recorded);

    let answer = submit(&server, report("i1", investigation.step, TRUE)).await.unwrap();
    let investigation = answer.investigation.unwrap();
    let end = finished(&investigation);
    assert_eq!((end.degraded, end.cause.as_str()), (false, "PROCEED"));
    assert_eq!(end.best, answer.evaluation.unwrap().evaluation_id);
    let tiers: Vec<v1::Tier> =
        investigation.trajectory.iter().map(v1::JudgedReport::tier).collect();
    assert_eq!(tiers, [v1::Tier::Replan, v1::Tier::Proceed]);

    let list = v1::ListEvaluationsRequest {
        investigation_id: "i1".to_owned(),
        ..v1::ListEvaluationsRequest::default()
    };
    let evaluations =
        server.ledger().list_evaluations(list).await.unwrap().into_inner().evaluations;
    assert_eq!(evaluations.len(), 2);
    let stored = get_investigation(&server, "i1").await;
    assert_eq!(stored.investigation, Some(investigation), "the stored state is equal");
    assert_eq!(stored.events.len(), 2);

    let error = submit(&server, report("i1", 2, TRUE)).await.unwrap_err();
    assert_eq!((error.code(), reason_of(&error).as_str()), (Code::FailedPrecondition, "NOT_DUE"));
}

#[tokio::test]
async fn partly_grounded_report_is_rewritten_then_replanned() {
    let server = TestServer::start().await;
    begin(&server, start("i1")).await;
    let mut mixed = report("i1", 0, &format!("{TRUE} The max connections is 100. {ALSO_FALSE}"));
    mixed.evidence.push(item("limits", "max connections is 100"));
    let investigation = submit(&server, mixed.clone()).await.unwrap().investigation.unwrap();
    let Due::Regenerate(rewrite) = due_instruction(&investigation) else {
        panic!("{investigation:?}")
    };
    assert_eq!(rewrite.faults.len(), 1);
    assert_eq!(rewrite.faults[0].claim.as_ref().unwrap().text, ALSO_FALSE.trim_end_matches('.'));

    // Adds a claim and keeps the faulty one.
    mixed.step = investigation.step;
    mixed.report.as_mut().unwrap().synthesis =
        format!("{TRUE} The max connections is 100. {ALSO_FALSE} The pool size of stock is 8.");
    let investigation = submit(&server, mixed).await.unwrap().investigation.unwrap();
    let report = &investigation.trajectory[1];
    assert!(report.is_rewrite);
    assert_eq!(report.added, ["The pool size of stock is 8"]);
    match due_instruction(&investigation) {
        Due::Replan(replan) if report.tier() == v1::Tier::Regenerate => {
            assert_eq!(replan.cause, "SECOND_REGENERATE");
        }
        Due::Replan(replan) => assert_eq!(replan.cause, "REPLAN"),
        Due::Finished(end) => assert_eq!(report.tier(), v1::Tier::Proceed, "{end:?}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn repeated_steps_change_nothing() {
    let server = TestServer::start().await;
    begin(&server, start("i1")).await;
    let first = submit(&server, report("i1", 0, FALSE)).await.unwrap();
    let repeated = submit(&server, report("i1", 0, FALSE)).await.unwrap();
    assert_eq!(repeated, first, "a repeated step returns the same answer");
    assert_eq!(begin(&server, start("i1")).await, first.investigation.clone().unwrap());

    let error = submit(&server, report("i1", 0, TRUE)).await.unwrap_err();
    assert_eq!(reason_of(&error), "NOT_DUE");
    let error = submit(&server, report("i1", 7, TRUE)).await.unwrap_err();
    assert_eq!(reason_of(&error), "NOT_DUE");
    let error = submit(&server, report("i2", 0, TRUE)).await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    let policy = v1::StartInvestigationRequest { policy: "strict".to_owned(), ..start("i1") };
    let error = server.investigations().start_investigation(policy).await.unwrap_err();
    assert_eq!(reason_of(&error), "NOT_DUE");
    assert_eq!(get_investigation(&server, "i1").await.events.len(), 1);
}

#[tokio::test]
async fn unchanged_report_ends_degraded() {
    let server = TestServer::start().await;
    let mut investigation = begin(&server, start("i1")).await;
    let mut judged_count = 0;
    while !matches!(due_instruction(&investigation), Due::Finished(_)) {
        let answer = submit(&server, report("i1", investigation.step, FALSE)).await.unwrap();
        judged_count += usize::from(answer.evaluation.is_some());
        investigation = answer.investigation.unwrap();
    }
    assert_eq!((judged_count, investigation.step, investigation.plan), (1, 3, 2));
    let end = finished(&investigation);
    assert_eq!((end.degraded, end.cause.as_str()), (true, "REPLANS_SPENT"));
    assert_eq!(end.best, investigation.trajectory[0].evaluation_id);
    assert!(end.sentence.contains("banner"), "{}", end.sentence);
}

#[tokio::test]
async fn response_names_the_best_report() {
    let server = TestServer::start().await;
    begin(&server, start("i1")).await;
    let (good, bad) = (format!("{TRUE} {ALSO_FALSE} {FALSE}"), format!("{ALSO_FALSE} {FALSE}"));
    let mut investigation = get_investigation(&server, "i1").await.investigation.unwrap();
    for synthesis in [bad.as_str(), good.as_str(), FALSE] {
        let answer = submit(&server, report("i1", investigation.step, synthesis)).await.unwrap();
        investigation = answer.investigation.unwrap();
    }
    let end = finished(&investigation);
    assert_eq!(end.best, investigation.trajectory[1].evaluation_id);
    assert_eq!(end.last, investigation.trajectory[2].evaluation_id);
    assert_eq!(end.action, None, "the best report has no action");
}

#[tokio::test]
async fn exhausted_budget_is_named() {
    let server = TestServer::start().await;
    let budget = v1::InvestigationBudget {
        wall_clock: Some(prost_types::Duration { seconds: 0, nanos: 1_000 }),
        ..v1::InvestigationBudget::default()
    };
    let request = v1::StartInvestigationRequest { budget: Some(budget), ..start("i1") };
    begin(&server, request).await;
    let answer = submit(&server, report("i1", 0, TRUE)).await.unwrap();
    assert!(answer.evaluation.is_none(), "nothing is judged after the end");
    let investigation = answer.investigation.unwrap();
    let end = finished(&investigation);
    assert_eq!((end.degraded, end.cause.as_str(), end.best.as_str()), (true, "TIME_SPENT", ""));
}

/// Fails a number of times, and then grounds nothing.
struct Flaky {
    failures: AtomicU32,
}

#[async_trait]
impl Judge for Flaky {
    fn name(&self) -> &'static str {
        "flaky/1"
    }

    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        let classes = Class::ALL.to_vec();
        Capabilities { classes, languages: vec!["en"], max_evidence_bytes: None }
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let failures_left = self.failures.load(Ordering::SeqCst);
        self.failures.store(failures_left.saturating_sub(1), Ordering::SeqCst);
        let judged = question.claims.iter().map(|claim| JudgedClaim {
            claim: claim.clone(),
            class: Class::Ungrounded,
            evidence_type: EvidenceType::Inference,
            citations: Vec::new(),
            note: String::new(),
            role: gsar_core::Role::default(),
            rules: Vec::new(),
            undecided: None,
        });
        match failures_left {
            0 => Ok(Judgement { judged: judged.collect(), ..Judgement::default() }),
            _ => Err(JudgeError::Failed {
                judge: "flaky/1".to_owned(),
                code: "TIMEOUT",
                reason: "it is scripted to fail".to_owned(),
                calls: Vec::new(),
            }),
        }
    }
}

async fn flaky(failures: u32) -> TestServer {
    let judge = Flaky { failures: AtomicU32::new(failures) };
    let chain = |config: &mut gsar_server::config::Config| {
        config.judges.chain = vec!["flaky/1".to_owned()];
    };
    TestServerOptions::default().judge(judge).start(chain).await
}

/// Abstains, and says what is missing.
struct Abstaining;

#[async_trait]
impl Judge for Abstaining {
    fn name(&self) -> &'static str {
        "abstaining/1"
    }

    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        let classes = Class::ALL.to_vec();
        Capabilities { classes, languages: vec!["en"], max_evidence_bytes: None }
    }

    async fn judge(&self, _question: &Question) -> Result<Judgement, JudgeError> {
        Ok(Judgement {
            abstained: Some("the evidence is of another cluster".to_owned()),
            explanation: "All items name cluster b.".to_owned(),
            gaps: vec!["the pool settings of cluster a".to_owned()],
            score: Some(Millionths::new(100_000)),
            ..Judgement::default()
        })
    }
}

#[tokio::test]
async fn abstaining_judge_tells_the_planner_what_is_missing() {
    let server = TestServerOptions::default()
        .judge(Abstaining)
        .start(|config| config.judges.chain = vec!["abstaining/1".to_owned()])
        .await;
    begin(&server, start("i1")).await;
    let answer = submit(&server, report("i1", 0, TRUE)).await.unwrap();
    let evaluation = answer.evaluation.unwrap();
    assert_eq!(evaluation.judge_status(), v1::JudgeStatus::Abstained);
    assert_eq!((evaluation.judge_score, evaluation.score), (Some(0.1), None));
    assert_eq!(evaluation.explanation, "All items name cluster b.");
    let Some(Due::GatherEvidence(due)) = answer.investigation.unwrap().instruction.unwrap().due
    else {
        panic!("expected gather_evidence");
    };
    assert_eq!(due.gaps, ["the pool settings of cluster a"]);
    assert!(due.reason.contains("another cluster"), "{}", due.reason);
}

#[tokio::test]
async fn judge_failure_does_not_use_up_a_replan() {
    let server = flaky(2).await;
    begin(&server, start("i1")).await;
    let answer = submit(&server, report("i1", 0, TRUE)).await.unwrap();
    let investigation = answer.investigation.unwrap();
    assert_eq!(investigation.spent.as_ref().unwrap().judge_failures, 2);
    assert_eq!((investigation.step, investigation.trajectory.len()), (1, 1));
    assert!(matches!(due_instruction(&investigation), Due::Replan(_)));

    let server = flaky(3).await;
    begin(&server, start("i1")).await;
    let answer = submit(&server, report("i1", 0, TRUE)).await.unwrap();
    let investigation = answer.investigation.unwrap();
    let end = finished(&investigation);
    assert_eq!((end.degraded, end.cause.as_str()), (true, "JUDGE_FAILED"));
    assert!(investigation.trajectory.is_empty() && investigation.plan == 0);
}

#[tokio::test]
async fn stored_tool_results_are_the_evidence_for_reports() {
    let server = TestServer::start().await;
    begin(&server, start("i1")).await;
    let tested = |verdict: v1::Verdict| v1::TestedHypothesis {
        id: "pool".to_owned(),
        statement: "The pool is exhausted.".to_owned(),
        tests: vec![v1::HypothesisTest {
            evidence_id: "metrics".to_owned(),
            signal: "connection_errors".to_owned(),
            verdict: verdict.into(),
            ..v1::HypothesisTest::default()
        }],
        ..v1::TestedHypothesis::default()
    };
    let calls = vec![
        call_of("psql", "show settings", Some(item("settings", POOL))),
        call_of("promtool", "errors", Some(item("metrics", "connection_errors 512"))),
    ];
    let with_verdict = v1::RecordTurnRequest {
        hypotheses: vec![tested(v1::Verdict::Supports)],
        ..turn("i1", 0, calls.clone())
    };
    let error = record_turn(&server, with_verdict).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("investigation.caller_verdicts"), "{}", error.message());

    let read = v1::RecordTurnRequest {
        hypotheses: vec![tested(v1::Verdict::Unspecified)],
        ..turn("i1", 0, calls)
    };
    let investigation = record_turn(&server, read).await.unwrap();
    let gate = investigation.gate.as_ref().unwrap();
    assert_eq!((gate.exit(), gate.root_cause.as_str()), (v1::GateExit::Confident, "pool"));
    let Due::Synthesize(synthesize) = due_instruction(&investigation) else {
        panic!("{investigation:?}")
    };
    assert_eq!(synthesize.reasons[0].code, "HYPOTHESIS_VALIDATED");

    let report_with_corpus =
        v1::SubmitReportRequest { evidence: Vec::new(), ..report("i1", investigation.step, TRUE) };
    let answer = submit(&server, report_with_corpus).await.unwrap();
    let (investigation, evaluation) = (answer.investigation.unwrap(), answer.evaluation.unwrap());
    assert_eq!(finished(&investigation).cause, "PROCEED");
    assert_eq!(evaluation.gate.unwrap().root_cause, "pool");
    let codes: Vec<&str> = investigation.findings.iter().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["EMPTY_CHANGE_SET"], "a diagnosis without a change or a check");
}

#[tokio::test]
async fn agent_querying_without_committing_is_stopped() {
    let server = TestServer::start().await;
    let mut investigation = begin(&server, start("i1")).await;
    let asks = || vec![call_of("psql", "show settings", Some(item("settings", POOL)))];
    let mut turns = 0;
    loop {
        investigation = record_turn(&server, turn("i1", investigation.step, asks())).await.unwrap();
        turns += 1;
        match due_instruction(&investigation) {
            Due::Synthesize(_) => assert!(turns < 20),
            _ => break,
        }
    }
    let end = finished(&investigation);
    assert_eq!((end.cause.as_str(), end.degraded), ("QUERYING_WITHOUT_COMMITTING", true));
    assert_eq!(
        turns, 4,
        "three identical calls close the gate, and the next turn ends the investigation"
    );
    let codes: Vec<&str> = investigation.findings.iter().map(|found| found.code.as_str()).collect();
    assert!(codes.contains(&"REPEATED_IDENTICAL_CALLS"), "{codes:?}");
}

#[tokio::test]
async fn call_with_trivial_input_is_a_finding() {
    let server = TestServer::start().await;
    begin(&server, start("i1")).await;
    let codes = |investigation: &v1::Investigation| -> Vec<String> {
        investigation.findings.iter().map(|found| found.code.clone()).collect()
    };
    let settings = || Some(item("settings", POOL));
    let first = vec![call_of("psql", "{}", settings()), call_of("logs", "error", None)];
    let investigation = record_turn(&server, turn("i1", 0, first)).await.unwrap();
    assert!(codes(&investigation).is_empty(), "calls with new results are not findings");
    let empty = vec![call_of("logs", r#"{"query": "*", "limit": 100}"#, None)];
    let investigation = record_turn(&server, turn("i1", investigation.step, empty)).await.unwrap();
    assert_eq!(codes(&investigation), ["TRIVIAL_INPUT"]);
    assert!(investigation.findings[0].sentence.starts_with("logs was called"));
}

#[tokio::test]
async fn at_most_six_reports_are_judged() {
    let server = TestServer::start().await;
    let mut random = fastrand::Rng::with_seed(3);
    let mut longest = 0;
    for number in 0..40 {
        let id = format!("i{number}");
        let mut investigation = begin(&server, start(&id)).await;
        for report_count in 0.. {
            if matches!(due_instruction(&investigation), Due::Finished(_)) {
                break;
            }
            assert!(report_count < 6, "{investigation:?}");
            let false_sentence = format!("The pool size of stock is {}.", 40 + report_count);
            let text = match random.u8(..3) {
                0 => format!("{FALSE} {false_sentence}"),
                1 => format!("{TRUE} {false_sentence}"),
                _ => format!("{TRUE} The max connections is 100. {false_sentence}"),
            };
            let mut next_report = report(&id, investigation.step, &text);
            next_report.evidence.push(item("limits", "max connections is 100"));
            investigation = submit(&server, next_report).await.unwrap().investigation.unwrap();
        }
        assert!(finished(&investigation).degraded);
        longest = longest.max(investigation.trajectory.len());
    }
    assert!(longest > 3, "the longest has {longest} reports");
}

#[tokio::test]
async fn change_with_a_failed_check_is_a_finding() {
    let server = TestServer::start().await;
    begin(&server, start("i1")).await;
    let check = v1::EvidenceItem {
        kind: v1::EvidenceKind::Verification.into(),
        lane: v1::EvidenceLane::Verification.into(),
        verification_result: v1::VerificationResult::Failed.into(),
        ..item("check", "smoke test failed: checkout returns 500")
    };
    let calls = vec![call_of("smoke-test", "", Some(check))];
    let investigation = record_turn(&server, turn("i1", 0, calls)).await.unwrap();
    let codes: Vec<&str> = investigation.findings.iter().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["CHANGE_FAILED_ITS_CHECK"]);
}

#[tokio::test]
async fn interrupted_drive_stream_resumes() {
    let server = TestServer::start().await;
    let unnamed = |step, synthesis| v1::SubmitReportRequest {
        investigation_id: String::new(),
        ..report("", step, synthesis)
    };
    let message = |request| v1::DriveRequest { request: Some(request) };
    let first =
        [Message::Start(Box::new(start("i1"))), Message::Report(unnamed(0, FALSE))].map(message);
    let stream = tokio_stream::iter(first);
    let mut answers = server.investigations().drive(stream).await.unwrap().into_inner();
    assert_eq!(answers.message().await.unwrap().unwrap().investigation.unwrap().step, 0);
    let first_answer = answers.message().await.unwrap().unwrap();
    assert!(first_answer.evaluation.is_some());
    assert_eq!(
        answers.message().await.unwrap(),
        None,
        "the stream ends after the caller stops sending"
    );

    let later_messages =
        [Message::Start(Box::new(start("i1"))), Message::Report(unnamed(1, TRUE))].map(message);
    let stream = tokio_stream::iter(later_messages);
    let mut answers = server.investigations().drive(stream).await.unwrap().into_inner();
    let resumed = answers.message().await.unwrap().unwrap().investigation;
    assert_eq!(resumed, first_answer.investigation);
    let end = answers.message().await.unwrap().unwrap().investigation.unwrap();
    assert_eq!(finished(&end).cause, "PROCEED");
    assert_eq!(answers.message().await.unwrap(), None);

    let report_without_start = tokio_stream::iter([message(Message::Report(unnamed(0, TRUE)))]);
    let mut answers =
        server.investigations().drive(report_without_start).await.unwrap().into_inner();
    assert_eq!(answers.message().await.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test]
async fn cancelling_returns_the_best_report() {
    let server = TestServer::start().await;
    begin(&server, start("i1")).await;
    submit(&server, report("i1", 0, FALSE)).await.unwrap();
    let cancel = v1::CancelInvestigationRequest { investigation_id: "i1".to_owned() };
    let answer = server.investigations().cancel_investigation(cancel.clone()).await.unwrap();
    let investigation = answer.into_inner().investigation.unwrap();
    assert_eq!(finished(&investigation).cause, "CANCELLED");
    assert_eq!(finished(&investigation).best, investigation.trajectory[0].evaluation_id);
    let repeated = server.investigations().cancel_investigation(cancel).await.unwrap().into_inner();
    assert_eq!(repeated.investigation, Some(investigation));
}

#[tokio::test]
async fn one_of_concurrent_reports_is_judged() {
    let server = TestServer::start().await;
    begin(&server, start("i1")).await;
    let texts: Vec<String> = (0..8).map(|number| format!("{FALSE} Attempt {number}.")).collect();
    let attempts = texts.iter().map(|text| submit(&server, report("i1", 0, text)));
    let answers = futures_util::future::join_all(attempts).await;
    let (accepted, rejected): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!((accepted.len(), rejected.len()), (1, 7));
    assert!(rejected.iter().all(|rejected| reason_of(rejected.as_ref().unwrap_err()) == "NOT_DUE"));
    assert_eq!(get_investigation(&server, "i1").await.events.len(), 1);
}

#[tokio::test]
async fn rejections_name_the_invalid_fields() {
    let server = TestServer::start().await;
    let invalid = v1::StartInvestigationRequest {
        corpus_id: "../x".to_owned(),
        budget: Some(v1::InvestigationBudget {
            wall_clock: Some(prost_types::Duration { seconds: -1, nanos: 0 }),
            ..v1::InvestigationBudget::default()
        }),
        ..start("")
    };
    let error = server.investigations().start_investigation(invalid).await.unwrap_err();
    assert_eq!(wrong_fields(&error), ["investigation_id", "corpus_id", "budget.wall_clock"]);
    let without_ledger =
        TestServerOptions::default().start(|config| config.ledger.enabled = false).await;
    let error = without_ledger.investigations().start_investigation(start("i1")).await.unwrap_err();
    assert_eq!(reason_of(&error), "NOT_ALLOWED");
}
