//! Tests of hypotheses end to end: the gate, the chain, the cap and the action ladder.

use crate::support::{TestServer, TestServerOptions, item};
use gsar_proto::v1;
use gsar_server::config::AllowOverrides;
use tonic::Code;
use v1::evidence_item::Content;
use v1::{Action, EvidenceLane, GateExit, GroundingStrength};

const ONSET: i64 = 1_780_000_000;
const REPORT: &str = "The connection pool of checkout has 20 connections.";

fn timestamp(seconds: i64) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds, nanos: 0 }
}

fn call_and_test(id: &str, lane: EvidenceLane, text: &str) -> (v1::ToolCall, v1::HypothesisTest) {
    let result = v1::EvidenceItem {
        lane: lane.into(),
        content: Some(Content::Text(text.to_owned())),
        ..item(id, "")
    };
    let arguments = format!("service=checkout {id}");
    let call = v1::ToolCall { tool: "query".to_owned(), arguments, result: Some(result) };
    (call, v1::HypothesisTest { evidence_id: id.to_owned(), ..v1::HypothesisTest::default() })
}

fn change(at: i64) -> v1::ChangeRecord {
    v1::ChangeRecord {
        id: "deploy-31".to_owned(),
        summary: "pool size 40 -> 20".to_owned(),
        at: Some(timestamp(at)),
        target: "checkout".to_owned(),
        ..v1::ChangeRecord::default()
    }
}

struct Driven<'a> {
    server: &'a TestServer,
    id: String,
    investigation: v1::Investigation,
}

impl<'a> Driven<'a> {
    async fn begin(server: &'a TestServer, id: &str, policy: &str) -> Self {
        let start = v1::StartInvestigationRequest {
            investigation_id: id.to_owned(),
            policy: policy.to_owned(),
            onset: Some(timestamp(ONSET)),
            onset_window: Some(v1::TimeWindow {
                start: Some(timestamp(ONSET - 3_600)),
                end: Some(timestamp(ONSET + 600)),
            }),
            ..v1::StartInvestigationRequest::default()
        };
        let answer = server.investigations().start_investigation(start).await.unwrap();
        let investigation = answer.into_inner().investigation.unwrap();
        Self { server, id: id.to_owned(), investigation }
    }

    async fn turn(
        &mut self,
        tests: Vec<(v1::ToolCall, v1::HypothesisTest)>,
        changes: Vec<v1::ChangeRecord>,
        wants_to_finish: bool,
    ) -> v1::GateVerdict {
        let (tool_calls, tests): (Vec<_>, Vec<_>) = tests.into_iter().unzip();
        self.record_turn(tool_calls, tests, changes, wants_to_finish).await
    }

    async fn record(
        &mut self,
        tool_calls: Vec<v1::ToolCall>,
        tests: Vec<v1::HypothesisTest>,
    ) -> v1::GateVerdict {
        self.record_turn(tool_calls, tests, Vec::new(), false).await
    }

    async fn record_turn(
        &mut self,
        tool_calls: Vec<v1::ToolCall>,
        tests: Vec<v1::HypothesisTest>,
        changes: Vec<v1::ChangeRecord>,
        wants_to_finish: bool,
    ) -> v1::GateVerdict {
        let hypothesis = v1::TestedHypothesis {
            id: "pool".to_owned(),
            statement: "The pool is exhausted.".to_owned(),
            target: "checkout".to_owned(),
            tests,
        };
        let hypotheses = if hypothesis.tests.is_empty() { Vec::new() } else { vec![hypothesis] };
        let turn = v1::RecordTurnRequest {
            investigation_id: self.id.clone(),
            step: self.investigation.step,
            tool_calls,
            hypotheses,
            changes,
            wants_to_finish,
            ..v1::RecordTurnRequest::default()
        };
        let answer = self.server.investigations().record_turn(turn).await.unwrap();
        self.investigation = answer.into_inner().investigation.unwrap();
        self.investigation.gate.clone().unwrap()
    }

    fn finished(&self) -> Option<&v1::Finished> {
        match self.investigation.instruction.as_ref()?.due.as_ref()? {
            v1::instruction::Due::Finished(finished) => Some(finished),
            _ => None,
        }
    }

    fn is_finished(&self) -> bool {
        self.finished().is_some()
    }

    fn cause(&self) -> &str {
        self.finished().map_or("", |finished| &finished.cause)
    }

    async fn report(&mut self, confidence: f64) -> v1::EvaluateResponse {
        let report = v1::Report {
            synthesis: REPORT.to_owned(),
            confidence: Some(confidence),
            ..v1::Report::default()
        };
        let submitted = v1::SubmitReportRequest {
            investigation_id: self.id.clone(),
            step: self.investigation.step,
            report: Some(report),
            evidence: vec![item("pool-size", "the connection pool of checkout has 20 connections")],
        };
        let answer = self.server.investigations().submit_report(submitted).await.unwrap();
        let answer = answer.into_inner();
        self.investigation = answer.investigation.unwrap();
        answer.evaluation.unwrap()
    }
}

async fn server_allowing_paper() -> TestServer {
    TestServerOptions::default()
        .start(|config| config.policies.allowed = vec!["paper".to_owned()])
        .await
}

const BAD: (&str, &str) = ("errors", "connection_errors 512");

#[tokio::test]
async fn action_depends_on_grounding_of_the_root_cause() {
    let server = TestServer::start().await;
    let before_onset = ONSET - 600;
    for (id, changes, strength, confidence_after, action) in [
        (
            "grounded",
            vec![change(before_onset)],
            GroundingStrength::Grounded,
            0.97,
            Action::PullRequest,
        ),
        ("partial", vec![], GroundingStrength::PartiallyGrounded, 0.84, Action::Patch),
        // Changes after onset or outside the window are not cited.
        (
            "late",
            vec![change(ONSET + 60)],
            GroundingStrength::PartiallyGrounded,
            0.84,
            Action::Patch,
        ),
        (
            "early",
            vec![change(ONSET - 7_200)],
            GroundingStrength::PartiallyGrounded,
            0.84,
            Action::Patch,
        ),
    ] {
        let mut driven = Driven::begin(&server, id, "reference").await;
        let tests = vec![call_and_test(BAD.0, EvidenceLane::Metrics, BAD.1)];
        let gate = driven.turn(tests, changes, false).await;
        assert_eq!((gate.exit(), gate.root_cause.as_str()), (GateExit::Confident, "pool"), "{id}");
        let answer = driven.report(0.97).await;
        let (chain, cap) = (answer.chain.unwrap(), answer.cap.unwrap());
        assert_eq!(chain.strength(), strength, "{id}");
        assert_eq!((cap.before, cap.after), (0.97, confidence_after), "{id}");
        assert_eq!(answer.action.unwrap().action(), action, "{id}");
    }
}

#[tokio::test]
async fn without_a_root_cause_the_action_is_notify() {
    let server = server_allowing_paper().await;
    for policy in ["reference", "strict", "paper"] {
        let mut driven = Driven::begin(&server, policy, policy).await;
        // A model's inferences neither validate nor invalidate.
        let tests = vec![call_and_test("guess", EvidenceLane::LlmInferred, BAD.1)];
        let gate = driven.turn(tests, Vec::new(), true).await;
        assert_eq!(gate.exit(), GateExit::NoConfidentRootCause, "{policy}");
        assert_eq!((gate.validated_count, gate.hypotheses[0].refused_inferred), (0, 1), "{policy}");
        let answer = driven.report(0.97).await;
        let action = answer.action.unwrap();
        assert_eq!(action.action(), Action::Notify, "{policy}: {action:?}");
        let hold_codes: Vec<&str> = action.held_by.iter().map(|hold| hold.code.as_str()).collect();
        assert!(hold_codes.contains(&"NO_CONFIDENT_ROOT_CAUSE"), "{policy}: {hold_codes:?}");
        if policy != "paper" {
            assert_eq!(answer.cap.unwrap().after, 0.64, "{policy}: below 0.65 without grounding");
        }
    }
}

#[tokio::test]
async fn healthy_signal_does_not_validate() {
    let server = TestServer::start().await;
    let mut driven = Driven::begin(&server, "healthy", "reference").await;
    let tests = vec![call_and_test("rate", EvidenceLane::Metrics, "error_rate: 0.00")];
    let gate = driven.turn(tests, Vec::new(), false).await;
    assert_eq!((gate.exit(), gate.validated_count), (GateExit::Unspecified, 0));
    assert_eq!(gate.hypotheses[0].state(), v1::HypothesisState::Invalidated);
}

#[tokio::test]
async fn threshold_of_the_agent_is_a_finding() {
    let server = TestServer::start().await;
    let mut driven = Driven::begin(&server, "threshold", "reference").await;
    let (call, test) = call_and_test("latency", EvidenceLane::Metrics, "latency_ms: 12");
    let test = v1::HypothesisTest { signal: "latency_ms".to_owned(), threshold: Some(1.0), ..test };
    driven.turn(vec![(call, test)], Vec::new(), false).await;
    let codes: Vec<&str> =
        driven.investigation.findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, ["CALLER_VERDICT"]);
}

#[tokio::test]
async fn conflicting_evidence_is_contested() {
    let server = server_allowing_paper().await;
    for (policy, state, exit) in [
        ("reference", v1::HypothesisState::Contested, GateExit::Unspecified),
        // The paper's precedence.
        ("paper", v1::HypothesisState::Validated, GateExit::Confident),
    ] {
        let mut driven = Driven::begin(&server, policy, policy).await;
        let tests = vec![
            call_and_test(BAD.0, EvidenceLane::Metrics, BAD.1),
            call_and_test("logs", EvidenceLane::Logs, "connection_errors 0"),
        ];
        let gate = driven.turn(tests, Vec::new(), false).await;
        assert_eq!((gate.hypotheses[0].state(), gate.exit()), (state, exit), "{policy}");
    }
}

#[tokio::test]
async fn ten_turns_end_an_investigation_unless_validated() {
    let server = TestServer::start().await;
    let mut driven = Driven::begin(&server, "turns", "reference").await;
    for turn in 1..=10 {
        let id = format!("log-{turn}");
        let tests = vec![call_and_test(
            &id,
            EvidenceLane::Logs,
            &format!("nothing of note in minute {turn}"),
        )];
        let gate = driven.turn(tests, Vec::new(), false).await;
        let expected =
            if turn < 10 { GateExit::Unspecified } else { GateExit::NoConfidentRootCause };
        assert_eq!(gate.exit(), expected, "turn {turn}: {:?}", gate.reason);
    }
    let mut driven = Driven::begin(&server, "found", "reference").await;
    for turn in 1..=9 {
        let id = format!("log-{turn}");
        let tests = vec![call_and_test(
            &id,
            EvidenceLane::Logs,
            &format!("nothing of note in minute {turn}"),
        )];
        driven.turn(tests, Vec::new(), false).await;
    }
    let gate = driven
        .turn(vec![call_and_test(BAD.0, EvidenceLane::Metrics, BAD.1)], Vec::new(), true)
        .await;
    assert_eq!(gate.exit(), GateExit::Confident, "even if the budget is exhausted");
}

#[tokio::test]
async fn investigation_ends_after_four_minutes() {
    let server = TestServer::start().await;
    for (seconds, exit) in [(239, GateExit::Unspecified), (240, GateExit::NoConfidentRootCause)] {
        let gate = v1::GateInputs {
            elapsed: Some(prost_types::Duration { seconds, nanos: 0 }),
            turns_used: 1,
            ..v1::GateInputs::default()
        };
        let request = v1::EvaluateGateRequest { gate: Some(gate), policy: "reference".to_owned() };
        let answer = server.gate().evaluate_gate(request).await.unwrap().into_inner();
        assert_eq!(answer.gate.unwrap().exit(), exit, "{seconds} s");
    }
}

#[tokio::test]
async fn without_hypotheses_there_is_no_root_cause() {
    let server = server_allowing_paper().await;
    for policy in ["reference", "strict", "paper"] {
        let mut driven = Driven::begin(&server, policy, policy).await;
        let gate = driven.turn(Vec::new(), Vec::new(), true).await;
        assert_eq!((gate.exit(), gate.validated_count), (GateExit::NoConfidentRootCause, 0));
        let answer = driven.report(0.97).await;
        assert_eq!(answer.gate.unwrap().exit(), GateExit::NoConfidentRootCause, "{policy}");
        assert_eq!(answer.action.unwrap().action(), Action::Notify, "{policy}");

        // Without any turn, too.
        let mut driven = Driven::begin(&server, &format!("{policy}-0"), policy).await;
        assert_eq!(driven.report(0.97).await.action.unwrap().action(), Action::Notify, "{policy}");
    }
}

#[tokio::test]
async fn root_cause_does_not_extend_the_limits() {
    let server = server_allowing_paper().await;
    for (policy, turns) in [("reference", 3), ("paper", 10)] {
        let mut driven = Driven::begin(&server, policy, policy).await;
        let test = || vec![call_and_test(BAD.0, EvidenceLane::Metrics, BAD.1)];
        let gate = driven.turn(test(), Vec::new(), false).await;
        assert_eq!(gate.exit(), GateExit::Confident, "{policy}");
        while !driven.is_finished() {
            driven.turn(test(), Vec::new(), false).await;
        }
        let spent = driven.investigation.spent.unwrap();
        assert_eq!((driven.cause(), spent.turns), ("QUERYING_WITHOUT_COMMITTING", turns));
    }
}

#[tokio::test]
async fn agent_may_go_on_after_an_early_end() {
    let server = TestServer::start().await;
    let mut driven = Driven::begin(&server, "early-end", "reference").await;
    let gate = driven.turn(Vec::new(), Vec::new(), true).await;
    assert_eq!(gate.reason.unwrap().code, "FINISHED_WITHOUT_EVIDENCE");
    let tests = vec![call_and_test(BAD.0, EvidenceLane::Metrics, BAD.1)];
    let gate = driven.turn(tests, Vec::new(), true).await;
    assert_eq!((driven.is_finished(), gate.exit()), (false, GateExit::Confident));
}

#[tokio::test]
async fn changes_of_other_entities_do_not_ground_a_root_cause() {
    let server = TestServer::start().await;
    let mut driven = Driven::begin(&server, "unrelated", "reference").await;
    let tests = vec![call_and_test(BAD.0, EvidenceLane::Metrics, BAD.1)];
    let unrelated = v1::ChangeRecord { target: "newsletter".to_owned(), ..change(ONSET - 600) };
    driven.turn(tests, vec![unrelated], false).await;
    let answer = driven.report(0.97).await;
    let chain = answer.chain.unwrap();
    assert_eq!((chain.change, chain.unrelated_changes), (None, vec!["deploy-31".to_owned()]));
    assert_eq!(chain.strength, i32::from(GroundingStrength::PartiallyGrounded));
    assert_eq!(answer.action.unwrap().action(), Action::Patch);
}

#[tokio::test]
async fn changes_need_an_item_in_lane_change() {
    let server = TestServer::start().await;
    let mut driven = Driven::begin(&server, "shown", "reference").await;
    let tests = vec![call_and_test(BAD.0, EvidenceLane::Metrics, BAD.1)];
    let (rollout, _) = call_and_test("rollout", EvidenceLane::Change, "deploy-31: pool 40 -> 20");
    let change_shown_by =
        |id: &str| v1::ChangeRecord { evidence_id: id.to_owned(), ..change(ONSET - 600) };
    let turn = |evidence_id: &str| v1::RecordTurnRequest {
        investigation_id: driven.id.clone(),
        step: driven.investigation.step,
        tool_calls: vec![rollout.clone(), tests[0].0.clone()],
        changes: vec![change_shown_by(evidence_id)],
        ..v1::RecordTurnRequest::default()
    };
    for (evidence_id, code) in [("absent", Code::NotFound), (BAD.0, Code::InvalidArgument)] {
        let error = server.investigations().record_turn(turn(evidence_id)).await.unwrap_err();
        assert_eq!(error.code(), code, "{error:?}");
    }
    let recorded = server.investigations().record_turn(turn("rollout")).await.unwrap();
    driven.investigation = recorded.into_inner().investigation.unwrap();
    driven.turn(tests, Vec::new(), false).await;
    let chain = driven.report(0.97).await.chain.unwrap();
    assert_eq!(chain.change.as_ref().unwrap().evidence_id, "rollout");
    assert_eq!(chain.strength(), GroundingStrength::Grounded);
}

/// A gate whose only result names an item.
fn gate_naming(evidence_id: &str, lane: EvidenceLane) -> v1::GateInputs {
    let evidence = v1::HypothesisEvidence {
        tool: "promql".to_owned(),
        verdict: v1::Verdict::Supports.into(),
        lane: lane.into(),
        evidence_id: evidence_id.to_owned(),
        // Ignored: the item decides.
        attested: true,
        ..v1::HypothesisEvidence::default()
    };
    let hypothesis = v1::Hypothesis {
        id: "pool".to_owned(),
        statement: "The pool is exhausted.".to_owned(),
        evidence: vec![evidence],
        ..v1::Hypothesis::default()
    };
    v1::GateInputs { hypotheses: vec![hypothesis], ..v1::GateInputs::default() }
}

#[tokio::test]
async fn named_item_decides_on_its_lane_and_attestation() {
    let server = server_allowing_paper().await;
    for policy in ["reference", "strict", "paper"] {
        for (evidence_id, item_lane, is_hard) in [
            ("metric", EvidenceLane::Metrics, policy != "strict"),
            ("metric", EvidenceLane::LlmInferred, false),
            ("absent", EvidenceLane::Metrics, false),
            // Without an item, it is the caller's word.
            ("", EvidenceLane::Metrics, policy != "strict"),
        ] {
            let item = v1::EvidenceItem {
                lane: item_lane.into(),
                ..item("metric", "connections of checkout: 20")
            };
            let report = v1::Report {
                synthesis: REPORT.to_owned(),
                confidence: Some(0.97),
                ..v1::Report::default()
            };
            let request = v1::EvaluateRequest {
                report: Some(report),
                evidence: vec![item],
                policy: policy.to_owned(),
                gate: Some(gate_naming(evidence_id, EvidenceLane::Metrics)),
                ..v1::EvaluateRequest::default()
            };
            let answer = server.grounding().evaluate(request).await.unwrap().into_inner();
            let gate = answer.gate.as_ref().unwrap();
            let is_confident = gate.exit() == GateExit::Confident;
            assert_eq!(is_confident, is_hard, "{policy}, {evidence_id}, {item_lane:?}: {gate:?}");
            let has_notice = answer.warnings.iter().any(|w| w.code == "NAMED_EVIDENCE_UNKNOWN");
            assert_eq!(has_notice, evidence_id == "absent");
            if !is_hard {
                assert_eq!(answer.action.unwrap().action(), Action::Notify, "{policy}");
            }
        }
    }
}

#[tokio::test]
async fn result_of_another_entity_does_not_test_a_hypothesis() {
    let server = TestServer::start().await;
    for (id, arguments, text, exit) in [
        ("other", "service=printer", "printer_errors: 31", GateExit::Unspecified),
        ("query", "service=checkout", "errors: 31", GateExit::Confident),
        ("content", "", "checkout_errors: 31", GateExit::Confident),
    ] {
        let mut driven = Driven::begin(&server, id, "reference").await;
        let (mut call, test) = call_and_test("errors", EvidenceLane::Metrics, text);
        call.arguments = arguments.to_owned();
        let gate = driven.turn(vec![(call, test)], Vec::new(), false).await;
        assert_eq!(gate.exit(), exit, "{id}");
        let mut findings = driven.investigation.findings.iter();
        let is_found = findings.any(|finding| finding.code == "UNRELATED_RESULT");
        assert_eq!(is_found, exit == GateExit::Unspecified, "{id}");
    }
}

#[tokio::test]
async fn investigation_can_have_its_own_gate_limits() {
    let server = TestServerOptions::default()
        .start(|config| config.policies.allow_overrides = AllowOverrides::Stricter)
        .await;
    let start = |id: &str, max_turns| v1::StartInvestigationRequest {
        investigation_id: id.to_owned(),
        policy: "reference".to_owned(),
        policy_overrides: Some(v1::PolicyOverrides {
            gate: Some(v1::GateLimits { max_turns: Some(max_turns), ..Default::default() }),
            ..Default::default()
        }),
        ..Default::default()
    };
    let more = server.investigations().start_investigation(start("more", 11)).await.unwrap_err();
    assert_eq!(more.code(), Code::FailedPrecondition);
    assert!(more.message().contains("gate.max_turns"), "{}", more.message());
    let none = server.investigations().start_investigation(start("none", 0)).await.unwrap_err();
    assert_eq!(none.code(), Code::InvalidArgument);
    let started = server.investigations().start_investigation(start("two", 2)).await.unwrap();
    let investigation = started.into_inner().investigation.unwrap();
    let mut driven = Driven { server: &server, id: "two".to_owned(), investigation };
    for (turn, state) in [(1, v1::GateState::Investigating), (2, v1::GateState::BudgetExhausted)] {
        let (call, _) =
            call_and_test(&format!("log-{turn}"), EvidenceLane::Logs, &format!("{turn}"));
        let gate = driven
            .turn(
                vec![(
                    call,
                    v1::HypothesisTest { evidence_id: format!("log-{turn}"), ..Default::default() },
                )],
                Vec::new(),
                false,
            )
            .await;
        assert_eq!(gate.state(), state, "{turn}");
    }
}

#[tokio::test]
async fn cost_of_the_agent_counts_towards_the_budget() {
    let server = TestServer::start().await;
    let start = v1::StartInvestigationRequest {
        investigation_id: "costs".to_owned(),
        budget: Some(v1::InvestigationBudget { tokens: 1_000, ..Default::default() }),
        ..Default::default()
    };
    server.investigations().start_investigation(start).await.unwrap();
    let turn = |step| v1::RecordTurnRequest {
        investigation_id: "costs".to_owned(),
        step,
        agent_cost: Some(v1::AgentCost { tokens: 600, cost_micros: 30 }),
        ..Default::default()
    };
    for (step, tokens) in [(0, 600), (1, 1_200)] {
        let recorded = server.investigations().record_turn(turn(step)).await.unwrap().into_inner();
        let spent = recorded.investigation.unwrap().spent.unwrap();
        assert_eq!((spent.tokens, spent.cost_micros), (tokens, tokens / 20));
    }
    let stopped = server.investigations().record_turn(turn(2)).await.unwrap().into_inner();
    let instruction = stopped.investigation.unwrap().instruction.unwrap().due.unwrap();
    let v1::instruction::Due::Finished(end) = instruction else { panic!("{instruction:?}") };
    assert_eq!(end.cause, "TOKENS_SPENT");
}

#[tokio::test]
async fn diagnosis_without_a_change_fails_at_stage_act() {
    let server = TestServer::start().await;
    for (id, changes, stage) in
        [("nothing", vec![], "ACT"), ("deploy", vec![change(ONSET - 600)], "")]
    {
        let mut driven = Driven::begin(&server, id, "reference").await;
        let test = call_and_test(BAD.0, EvidenceLane::Metrics, BAD.1);
        driven.turn(vec![test], changes, false).await;
        driven.report(0.9).await;
        let end = driven.finished().unwrap();
        assert_eq!((end.cause.as_str(), end.failed_stage.as_str()), ("PROCEED", stage), "{id}");
    }
}

#[tokio::test]
async fn arguments_of_the_first_call_count_in_later_turns() {
    let server = TestServer::start().await;
    for (id, policy, exits) in [
        ("reference", "reference", [GateExit::Unspecified, GateExit::Confident]),
        // Arguments are the agent's word.
        ("strict", "strict", [GateExit::Unspecified, GateExit::Unspecified]),
    ] {
        let mut driven = Driven::begin(&server, id, policy).await;
        let (call, _) = call_and_test("errors", EvidenceLane::Metrics, "errors: 31");
        let test = || v1::HypothesisTest { evidence_id: "errors".to_owned(), ..Default::default() };
        let gate = driven.record(vec![call], Vec::new()).await;
        assert_eq!(gate.exit(), exits[0], "{id}");
        let gate = driven.record(Vec::new(), vec![test()]).await;
        assert_eq!(gate.exit(), exits[1], "{id}");
    }
    // A repetition with other arguments does not make another entity's result a test.
    let mut driven = Driven::begin(&server, "repeated", "reference").await;
    let (call, test) = call_and_test("errors", EvidenceLane::Metrics, "errors: 31");
    let printer = v1::ToolCall { arguments: "service=printer".to_owned(), ..call.clone() };
    driven.record(vec![printer], Vec::new()).await;
    let gate = driven.record(vec![call], vec![test]).await;
    assert_eq!(gate.exit(), GateExit::Unspecified);
}
