//! Tests investigations: instructions, budgets, the gate, repeated steps and resumption.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::support::investigations::{due, finished, start, submission, tool_call, turn};
use crate::support::judges::{failure, judge, ungrounded};
use crate::support::{TestServer, codes, invalid_fields, item, reason};
use gsar_core::fixed_point::Millionths;
use gsar_proto::v1;
use gsar_proto::v1::drive_request::Request as Message;
use gsar_proto::v1::instruction::Due;
use gsar_server::config::Config;
use gsar_server::judge::{JudgeError, Judgement, Question};
use tonic::Code;

const POOL: &str = r#"[{"name": "checkout", "pool_size": 20}, {"name": "stock", "pool_size": 30}]"#;
const TRUE: &str = "The pool size of checkout is 20.";
const FALSE: &str = "The pool size of checkout is 50.";
const ALSO_FALSE: &str = "The pool size of stock is 7.";

fn report(id: &str, step: u32, synthesis: &str) -> v1::SubmitReportRequest {
    submission(id, step, synthesis, vec![item("settings", POOL)])
}

#[tokio::test]
async fn false_report_leads_to_a_replan_and_true_report_proceeds() {
    let server = TestServer::start().await;
    let started = server.begin(start("i1")).await;
    assert_eq!((started.step, started.plan, started.max_replans), (0, 0, 2));
    assert!(matches!(due(&started), Due::Synthesize(_)));

    let answer = server.submit(report("i1", 0, FALSE)).await.unwrap();
    let (investigation, evaluation) = (answer.investigation.unwrap(), answer.evaluation.unwrap());
    let Due::Replan(replan) = due(&investigation) else { panic!("{investigation:?}") };
    assert_eq!((replan.cause.as_str(), investigation.plan), ("REPLAN", 1));
    let [fault] = replan.faults.as_slice() else { panic!("{replan:?}") };
    assert_eq!(fault.claim.as_ref().unwrap().class(), v1::ClaimClass::Contradicted);
    assert!(!fault.shows.is_empty(), "the fault must state what the evidence shows");
    assert!(evaluation.provenance.unwrap().recorded);

    let answer = server.submit(report("i1", investigation.step, TRUE)).await.unwrap();
    let investigation = answer.investigation.unwrap();
    let end = finished(&investigation);
    assert_eq!((end.degraded, end.cause.as_str()), (false, "PROCEED"));
    assert_eq!(end.best, answer.evaluation.unwrap().evaluation_id);
    let tiers: Vec<v1::Tier> =
        investigation.trajectory.iter().map(v1::JudgedReport::tier).collect();
    assert_eq!(tiers, [v1::Tier::Replan, v1::Tier::Proceed]);

    let list =
        v1::ListEvaluationsRequest { investigation_id: "i1".to_owned(), ..Default::default() };
    let evaluations = server.list_evaluations(list).await;
    assert_eq!(evaluations.len(), 2);
    let stored = server.investigation("i1").await;
    assert_eq!(
        stored.investigation,
        Some(investigation),
        "the stored state must equal the returned state"
    );
    assert_eq!(stored.events.len(), 2);

    let error = server.submit(report("i1", 2, TRUE)).await.unwrap_err();
    assert_eq!((error.code(), reason(&error).as_str()), (Code::FailedPrecondition, "NOT_DUE"));
}

#[tokio::test]
async fn partly_grounded_report_is_rewritten_then_replanned() {
    let server = TestServer::start().await;
    server.begin(start("i1")).await;
    let mut mixed = report("i1", 0, &format!("{TRUE} The max connections is 100. {ALSO_FALSE}"));
    mixed.evidence.push(item("limits", "max connections is 100"));
    let investigation = server.submit(mixed.clone()).await.unwrap().investigation.unwrap();
    let Due::Regenerate(rewrite) = due(&investigation) else { panic!("{investigation:?}") };
    assert_eq!(rewrite.faults.len(), 1);
    assert_eq!(rewrite.faults[0].claim.as_ref().unwrap().text, ALSO_FALSE.trim_end_matches('.'));

    // This rewrite adds a claim and keeps the faulty one.
    mixed.step = investigation.step;
    mixed.report.as_mut().unwrap().synthesis =
        format!("{TRUE} The max connections is 100. {ALSO_FALSE} The pool size of stock is 8.");
    let investigation = server.submit(mixed).await.unwrap().investigation.unwrap();
    let report = &investigation.trajectory[1];
    assert!(report.is_rewrite);
    assert_eq!(report.added, ["The pool size of stock is 8"]);
    match due(&investigation) {
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
    server.begin(start("i1")).await;
    let first = server.submit(report("i1", 0, FALSE)).await.unwrap();
    let repeated = server.submit(report("i1", 0, FALSE)).await.unwrap();
    assert_eq!(repeated, first, "a repeated step must return the same answer");
    assert_eq!(server.begin(start("i1")).await, first.investigation.clone().unwrap());

    let error = server.submit(report("i1", 0, TRUE)).await.unwrap_err();
    assert_eq!(reason(&error), "NOT_DUE");
    let error = server.submit(report("i1", 7, TRUE)).await.unwrap_err();
    assert_eq!(reason(&error), "NOT_DUE");
    let error = server.submit(report("i2", 0, TRUE)).await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    let policy = v1::StartInvestigationRequest { policy: "strict".to_owned(), ..start("i1") };
    let error = server.investigations().start_investigation(policy).await.unwrap_err();
    assert_eq!(reason(&error), "NOT_DUE");
    assert_eq!(server.investigation("i1").await.events.len(), 1);
}

#[tokio::test]
async fn resubmitting_an_unchanged_report_ends_degraded() {
    let server = TestServer::start().await;
    let mut investigation = server.begin(start("i1")).await;
    let mut judged_count = 0;
    while !matches!(due(&investigation), Due::Finished(_)) {
        let answer = server.submit(report("i1", investigation.step, FALSE)).await.unwrap();
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
    server.begin(start("i1")).await;
    let (good, bad) = (format!("{TRUE} {ALSO_FALSE} {FALSE}"), format!("{ALSO_FALSE} {FALSE}"));
    let mut investigation = server.investigation("i1").await.investigation.unwrap();
    for synthesis in [bad.as_str(), good.as_str(), FALSE] {
        let answer = server.submit(report("i1", investigation.step, synthesis)).await.unwrap();
        investigation = answer.investigation.unwrap();
    }
    let end = finished(&investigation);
    assert_eq!(end.best, investigation.trajectory[1].evaluation_id);
    assert_eq!(end.last, investigation.trajectory[2].evaluation_id);
    assert_eq!(end.action, None, "the best report must not trigger an action");
}

#[tokio::test]
async fn cause_names_the_exhausted_budget() {
    let server = TestServer::start().await;
    let budget = v1::InvestigationBudget {
        wall_clock: Some(prost_types::Duration { seconds: 0, nanos: 1_000 }),
        ..Default::default()
    };
    let request = v1::StartInvestigationRequest { budget: Some(budget), ..start("i1") };
    server.begin(request).await;
    let answer = server.submit(report("i1", 0, TRUE)).await.unwrap();
    assert!(answer.evaluation.is_none(), "no report may be judged once the budget is exhausted");
    let investigation = answer.investigation.unwrap();
    let end = finished(&investigation);
    assert_eq!((end.degraded, end.cause.as_str(), end.best.as_str()), (true, "TIME_SPENT", ""));
}

/// Starts a server whose judge fails the given number of times and then finds all claims ungrounded.
async fn start_flaky_server(failures: u32) -> TestServer {
    let failures = AtomicU32::new(failures);
    let flaky = judge("flaky/1", move |question| {
        let failures_left = failures.load(Ordering::SeqCst);
        failures.store(failures_left.saturating_sub(1), Ordering::SeqCst);
        async move {
            match failures_left {
                0 => Ok(ungrounded(&question)),
                _ => Err(failure("flaky/1", "TIMEOUT", "it is scripted to fail")),
            }
        }
    });
    let chain = |config: &mut Config| config.judges.chain = vec!["flaky/1".to_owned()];
    TestServer::with_judges(vec![Arc::new(flaky)], chain).await
}

/// Abstains and states what is missing.
async fn abstain(_: Question) -> Result<Judgement, JudgeError> {
    Ok(Judgement {
        abstained: Some("the evidence is from another cluster".to_owned()),
        explanation: "All items name cluster b.".to_owned(),
        gaps: vec!["the pool settings of cluster a".to_owned()],
        score: Some(Millionths::new(100_000)),
        ..Judgement::default()
    })
}

#[tokio::test]
async fn abstaining_judge_tells_the_planner_what_is_missing() {
    let server =
        TestServer::with_judges(vec![Arc::new(judge("abstaining/1", abstain))], |config| {
            config.judges.chain = vec!["abstaining/1".to_owned()]
        })
        .await;
    server.begin(start("i1")).await;
    let answer = server.submit(report("i1", 0, TRUE)).await.unwrap();
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
    let server = start_flaky_server(2).await;
    server.begin(start("i1")).await;
    let answer = server.submit(report("i1", 0, TRUE)).await.unwrap();
    let investigation = answer.investigation.unwrap();
    assert_eq!(investigation.spent.as_ref().unwrap().judge_failures, 2);
    assert_eq!((investigation.step, investigation.trajectory.len()), (1, 1));
    assert!(matches!(due(&investigation), Due::Replan(_)));

    let server = start_flaky_server(3).await;
    server.begin(start("i1")).await;
    let answer = server.submit(report("i1", 0, TRUE)).await.unwrap();
    let investigation = answer.investigation.unwrap();
    let end = finished(&investigation);
    assert_eq!((end.degraded, end.cause.as_str()), (true, "JUDGE_FAILED"));
    assert!(investigation.trajectory.is_empty() && investigation.plan == 0);
}

#[tokio::test]
async fn stored_tool_results_are_the_evidence_for_reports() {
    let server = TestServer::start().await;
    server.begin(start("i1")).await;
    let hypothesis_with = |verdict: v1::Verdict| v1::TestedHypothesis {
        id: "pool".to_owned(),
        statement: "The pool is exhausted.".to_owned(),
        tests: vec![v1::HypothesisTest {
            evidence_id: "metrics".to_owned(),
            signal: "connection_errors".to_owned(),
            verdict: verdict.into(),
            ..Default::default()
        }],
        ..Default::default()
    };
    let calls = vec![
        tool_call("psql", "show settings", Some(item("settings", POOL))),
        tool_call("promtool", "errors", Some(item("metrics", "connection_errors 512"))),
    ];
    let with_verdict = v1::RecordTurnRequest {
        hypotheses: vec![hypothesis_with(v1::Verdict::Supports)],
        ..turn("i1", 0, calls.clone())
    };
    let error = server.record_turn(with_verdict).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("investigation.caller_verdicts"), "{}", error.message());

    let without_verdict = v1::RecordTurnRequest {
        hypotheses: vec![hypothesis_with(v1::Verdict::Unspecified)],
        ..turn("i1", 0, calls)
    };
    let investigation = server.record_turn(without_verdict).await.unwrap();
    let gate = investigation.gate.as_ref().unwrap();
    assert_eq!((gate.exit(), gate.root_cause.as_str()), (v1::GateExit::Confident, "pool"));
    let Due::Synthesize(synthesize) = due(&investigation) else { panic!("{investigation:?}") };
    assert_eq!(synthesize.reasons[0].code, "HYPOTHESIS_VALIDATED");

    let report_without_evidence =
        v1::SubmitReportRequest { evidence: Vec::new(), ..report("i1", investigation.step, TRUE) };
    let answer = server.submit(report_without_evidence).await.unwrap();
    let (investigation, evaluation) = (answer.investigation.unwrap(), answer.evaluation.unwrap());
    assert_eq!(finished(&investigation).cause, "PROCEED");
    assert_eq!(evaluation.gate.unwrap().root_cause, "pool");
    let codes = codes(&investigation.findings);
    assert_eq!(
        codes,
        ["EMPTY_CHANGE_SET"],
        "the only finding must be that the diagnosis has neither a change nor a check"
    );
}

#[tokio::test]
async fn agent_querying_without_committing_is_stopped() {
    let server = TestServer::start().await;
    let mut investigation = server.begin(start("i1")).await;
    let repeated_calls = || vec![tool_call("psql", "show settings", Some(item("settings", POOL)))];
    let mut turns = 0;
    loop {
        investigation =
            server.record_turn(turn("i1", investigation.step, repeated_calls())).await.unwrap();
        turns += 1;
        match due(&investigation) {
            Due::Synthesize(_) => assert!(turns < 20),
            _ => break,
        }
    }
    let end = finished(&investigation);
    assert_eq!((end.cause.as_str(), end.degraded), ("QUERYING_WITHOUT_COMMITTING", true));
    assert_eq!(
        turns, 4,
        "three identical calls must close the gate, and the next turn must end the investigation"
    );
    let codes = codes(&investigation.findings);
    assert!(codes.contains(&"REPEATED_IDENTICAL_CALLS"), "{codes:?}");
}

#[tokio::test]
async fn call_with_trivial_input_is_reported_as_a_finding() {
    let server = TestServer::start().await;
    server.begin(start("i1")).await;
    let settings = || Some(item("settings", POOL));
    let first = vec![tool_call("psql", "{}", settings()), tool_call("logs", "error", None)];
    let investigation = server.record_turn(turn("i1", 0, first)).await.unwrap();
    assert!(investigation.findings.is_empty(), "calls with new results must not produce findings");
    let trivial_call = vec![tool_call("logs", r#"{"query": "*", "limit": 100}"#, None)];
    let investigation =
        server.record_turn(turn("i1", investigation.step, trivial_call)).await.unwrap();
    assert_eq!(codes(&investigation.findings), ["TRIVIAL_INPUT"]);
    assert!(investigation.findings[0].sentence.contains("nothing new: logs;"));
}

#[tokio::test]
async fn at_most_six_reports_are_judged() {
    let server = TestServer::start().await;
    let mut random = fastrand::Rng::with_seed(3);
    let mut longest = 0;
    for number in 0..40 {
        let id = format!("i{number}");
        let mut investigation = server.begin(start(&id)).await;
        for report_count in 0.. {
            if matches!(due(&investigation), Due::Finished(_)) {
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
            investigation = server.submit(next_report).await.unwrap().investigation.unwrap();
        }
        assert!(finished(&investigation).degraded);
        longest = longest.max(investigation.trajectory.len());
    }
    assert!(longest > 3, "the longest investigation has only {longest} reports");
}

#[tokio::test]
async fn change_with_a_failed_check_is_reported_as_a_finding() {
    let server = TestServer::start().await;
    server.begin(start("i1")).await;
    let check = v1::EvidenceItem {
        kind: v1::EvidenceKind::Verification.into(),
        lane: v1::EvidenceLane::Verification.into(),
        verification_result: v1::VerificationResult::Failed.into(),
        ..item("check", "smoke test failed: checkout returns 500")
    };
    let calls = vec![tool_call("smoke-test", "", Some(check))];
    let investigation = server.record_turn(turn("i1", 0, calls)).await.unwrap();
    assert_eq!(codes(&investigation.findings), ["CHANGE_FAILED_ITS_CHECK"]);
}

#[tokio::test]
async fn investigation_resumes_after_an_interrupted_drive_stream() {
    let server = TestServer::start().await;
    let unnamed = |step, synthesis| v1::SubmitReportRequest {
        investigation_id: String::new(),
        ..report("", step, synthesis)
    };
    let message = |request| v1::DriveRequest { request: Some(request) };
    let first_messages =
        [Message::Start(Box::new(start("i1"))), Message::Report(unnamed(0, FALSE))].map(message);
    let stream = tokio_stream::iter(first_messages);
    let mut answers = server.investigations().drive(stream).await.unwrap().into_inner();
    assert_eq!(answers.message().await.unwrap().unwrap().investigation.unwrap().step, 0);
    let first_answer = answers.message().await.unwrap().unwrap();
    assert!(first_answer.evaluation.is_some());
    assert_eq!(
        answers.message().await.unwrap(),
        None,
        "the stream must end after the caller stops sending"
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
    server.begin(start("i1")).await;
    server.submit(report("i1", 0, FALSE)).await.unwrap();
    let investigation = server.cancel("i1").await;
    assert_eq!(finished(&investigation).cause, "CANCELLED");
    assert_eq!(finished(&investigation).best, investigation.trajectory[0].evaluation_id);
    assert_eq!(server.cancel("i1").await, investigation);
}

#[tokio::test]
async fn only_one_of_several_concurrent_reports_is_judged() {
    let server = TestServer::start().await;
    server.begin(start("i1")).await;
    let texts: Vec<String> = (0..8).map(|number| format!("{FALSE} Attempt {number}.")).collect();
    let attempts = texts.iter().map(|text| server.submit(report("i1", 0, text)));
    let answers = futures_util::future::join_all(attempts).await;
    let (accepted, rejected): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!((accepted.len(), rejected.len()), (1, 7));
    assert!(rejected.iter().all(|rejected| reason(rejected.as_ref().unwrap_err()) == "NOT_DUE"));
    assert_eq!(server.investigation("i1").await.events.len(), 1);
}

#[tokio::test]
async fn rejections_name_the_invalid_fields() {
    let server = TestServer::start().await;
    let invalid = v1::StartInvestigationRequest {
        corpus_id: "../x".to_owned(),
        budget: Some(v1::InvestigationBudget {
            wall_clock: Some(prost_types::Duration { seconds: -1, nanos: 0 }),
            ..Default::default()
        }),
        ..start("")
    };
    let error = server.investigations().start_investigation(invalid).await.unwrap_err();
    assert_eq!(invalid_fields(&error), ["investigation_id", "corpus_id", "budget.wall_clock"]);
    let without_ledger = TestServer::with(|config| config.ledger.enabled = false).await;
    let error = without_ledger.investigations().start_investigation(start("i1")).await.unwrap_err();
    assert_eq!(reason(&error), "NOT_ALLOWED");
}
