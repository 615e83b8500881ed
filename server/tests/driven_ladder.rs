//! Tests end to end what the gate, the chain, the cap and the action ladder do with hypotheses.

use crate::support::investigations::{due, finished, start, submission, tool_call, turn};
use crate::support::{TestServer, codes, evaluation, item};
use gsar_proto::v1;
use gsar_server::config::AllowOverrides;
use tonic::Code;
use v1::instruction::Due;
use v1::{Action, EvidenceLane, GateExit, GroundingStrength};

const ONSET: i64 = 1_780_000_000;
const REPORT: &str = "The connection pool of checkout has 20 connections.";

fn timestamp(seconds: i64) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds, nanos: 0 }
}

fn call_and_test(id: &str, lane: EvidenceLane, text: &str) -> (v1::ToolCall, v1::HypothesisTest) {
    let result = v1::EvidenceItem { lane: lane.into(), ..item(id, text) };
    let call = tool_call("query", &format!("service=checkout {id}"), Some(result));
    (call, v1::HypothesisTest { evidence_id: id.to_owned(), ..Default::default() })
}

fn failing_pool() -> (v1::ToolCall, v1::HypothesisTest) {
    call_and_test("errors", EvidenceLane::Metrics, "connection_errors 512")
}

fn quiet_log(turn: u32) -> (v1::ToolCall, v1::HypothesisTest) {
    let text = format!("nothing of note in minute {turn}");
    call_and_test(&format!("log-{turn}"), EvidenceLane::Logs, &text)
}

fn change(at: i64) -> v1::ChangeRecord {
    v1::ChangeRecord {
        id: "deploy-31".to_owned(),
        summary: "pool size 40 -> 20".to_owned(),
        at: Some(timestamp(at)),
        target: "checkout".to_owned(),
        ..Default::default()
    }
}

struct Driver<'a> {
    server: &'a TestServer,
    id: String,
    investigation: v1::Investigation,
}

impl<'a> Driver<'a> {
    async fn begin(server: &'a TestServer, id: &str, policy: &str) -> Self {
        let start = v1::StartInvestigationRequest {
            policy: policy.to_owned(),
            onset: Some(timestamp(ONSET)),
            onset_window: Some(v1::TimeWindow {
                start: Some(timestamp(ONSET - 3_600)),
                end: Some(timestamp(ONSET + 600)),
            }),
            ..start(id)
        };
        Self { server, id: id.to_owned(), investigation: server.begin(start).await }
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
            hypotheses,
            changes,
            wants_to_finish,
            ..turn(&self.id, self.investigation.step, tool_calls)
        };
        self.investigation = self.server.record_turn(turn).await.unwrap();
        self.investigation.gate.clone().unwrap()
    }

    fn finished(&self) -> Option<&v1::Finished> {
        match due(&self.investigation) {
            Due::Finished(finished) => Some(finished),
            _ => None,
        }
    }

    fn is_finished(&self) -> bool {
        self.finished().is_some()
    }

    fn cause(&self) -> &str {
        self.finished().map_or("", |finished| &finished.cause)
    }

    async fn submit_report(&mut self, confidence: f64) -> v1::EvaluateResponse {
        let evidence =
            vec![item("pool-size", "the connection pool of checkout has 20 connections")];
        let mut submitted = submission(&self.id, self.investigation.step, REPORT, evidence);
        submitted.report.as_mut().unwrap().confidence = Some(confidence);
        let answer = self.server.submit(submitted).await.unwrap();
        self.investigation = answer.investigation.unwrap();
        answer.evaluation.unwrap()
    }
}

async fn start_server_allowing_paper() -> TestServer {
    TestServer::with(|config| config.policies.allowed = vec!["paper".to_owned()]).await
}

#[tokio::test]
async fn action_depends_on_the_grounding_of_the_root_cause() {
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
        // Changes after the onset, or outside the onset window, are not cited.
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
        let mut driver = Driver::begin(&server, id, "reference").await;
        let gate = driver.turn(vec![failing_pool()], changes, false).await;
        assert_eq!((gate.exit(), gate.root_cause.as_str()), (GateExit::Confident, "pool"), "{id}");
        let answer = driver.submit_report(0.97).await;
        let (chain, cap) = (answer.chain.unwrap(), answer.cap.unwrap());
        assert_eq!(chain.strength(), strength, "{id}");
        assert_eq!((cap.before, cap.after), (0.97, confidence_after), "{id}");
        assert_eq!(answer.action.unwrap().action(), action, "{id}");
    }
}

#[tokio::test]
async fn action_is_notify_without_a_root_cause() {
    let server = start_server_allowing_paper().await;
    for policy in ["reference", "strict", "paper"] {
        let mut driver = Driver::begin(&server, policy, policy).await;
        // Inferences by a model neither validate nor invalidate a hypothesis.
        let tests =
            vec![call_and_test("guess", EvidenceLane::LlmInferred, "connection_errors 512")];
        let gate = driver.turn(tests, Vec::new(), true).await;
        assert_eq!(gate.exit(), GateExit::NoConfidentRootCause, "{policy}");
        assert_eq!((gate.validated_count, gate.hypotheses[0].refused_inferred), (0, 1), "{policy}");
        let answer = driver.submit_report(0.97).await;
        let action = answer.action.unwrap();
        assert_eq!(action.action(), Action::Notify, "{policy}: {action:?}");
        let hold_codes = codes(&action.held_by);
        assert!(hold_codes.contains(&"NO_CONFIDENT_ROOT_CAUSE"), "{policy}: {hold_codes:?}");
        if policy != "paper" {
            assert_eq!(
                answer.cap.unwrap().after,
                0.64,
                "{policy}: capped below 0.65 without grounding"
            );
        }
    }
}

#[tokio::test]
async fn healthy_signal_does_not_validate_a_hypothesis() {
    let server = TestServer::start().await;
    let mut driver = Driver::begin(&server, "healthy", "reference").await;
    let tests = vec![call_and_test("rate", EvidenceLane::Metrics, "error_rate: 0.00")];
    let gate = driver.turn(tests, Vec::new(), false).await;
    assert_eq!((gate.exit(), gate.validated_count), (GateExit::Unspecified, 0));
    assert_eq!(gate.hypotheses[0].state(), v1::HypothesisState::Invalidated);
}

#[tokio::test]
async fn threshold_set_by_the_agent_is_reported_as_a_finding() {
    let server = TestServer::start().await;
    let mut driver = Driver::begin(&server, "threshold", "reference").await;
    let (call, test) = call_and_test("latency", EvidenceLane::Metrics, "latency_ms: 12");
    let test = v1::HypothesisTest { signal: "latency_ms".to_owned(), threshold: Some(1.0), ..test };
    driver.turn(vec![(call, test)], Vec::new(), false).await;
    assert_eq!(codes(&driver.investigation.findings), ["CALLER_VERDICT"]);
}

#[tokio::test]
async fn conflicting_evidence_makes_a_hypothesis_contested() {
    let server = start_server_allowing_paper().await;
    for (policy, state, exit) in [
        ("reference", v1::HypothesisState::Contested, GateExit::Unspecified),
        // In the paper, validating evidence takes precedence.
        ("paper", v1::HypothesisState::Validated, GateExit::Confident),
    ] {
        let mut driver = Driver::begin(&server, policy, policy).await;
        let tests =
            vec![failing_pool(), call_and_test("logs", EvidenceLane::Logs, "connection_errors 0")];
        let gate = driver.turn(tests, Vec::new(), false).await;
        assert_eq!((gate.hypotheses[0].state(), gate.exit()), (state, exit), "{policy}");
    }
}

#[tokio::test]
async fn investigation_ends_after_ten_turns_unless_a_hypothesis_is_validated() {
    let server = TestServer::start().await;
    let mut driver = Driver::begin(&server, "turns", "reference").await;
    for turn in 1..=10 {
        let gate = driver.turn(vec![quiet_log(turn)], Vec::new(), false).await;
        let expected =
            if turn < 10 { GateExit::Unspecified } else { GateExit::NoConfidentRootCause };
        assert_eq!(gate.exit(), expected, "turn {turn}: {:?}", gate.reason);
    }
    let mut driver = Driver::begin(&server, "found", "reference").await;
    for turn in 1..=9 {
        driver.turn(vec![quiet_log(turn)], Vec::new(), false).await;
    }
    let gate = driver.turn(vec![failing_pool()], Vec::new(), true).await;
    assert_eq!(gate.exit(), GateExit::Confident, "even if the budget is exhausted");
}

#[tokio::test]
async fn investigation_ends_after_four_minutes() {
    let server = TestServer::start().await;
    for (seconds, exit) in [(239, GateExit::Unspecified), (240, GateExit::NoConfidentRootCause)] {
        let gate = v1::GateInputs {
            elapsed: Some(prost_types::Duration { seconds, nanos: 0 }),
            turns_used: 1,
            ..Default::default()
        };
        let request = v1::EvaluateGateRequest { gate: Some(gate), policy: "reference".to_owned() };
        let answer = server.gate().evaluate_gate(request).await.unwrap().into_inner();
        assert_eq!(answer.gate.unwrap().exit(), exit, "{seconds} s");
    }
}

#[tokio::test]
async fn no_root_cause_is_found_without_hypotheses() {
    let server = start_server_allowing_paper().await;
    for policy in ["reference", "strict", "paper"] {
        let mut driver = Driver::begin(&server, policy, policy).await;
        let gate = driver.turn(Vec::new(), Vec::new(), true).await;
        assert_eq!((gate.exit(), gate.validated_count), (GateExit::NoConfidentRootCause, 0));
        let answer = driver.submit_report(0.97).await;
        assert_eq!(answer.gate.unwrap().exit(), GateExit::NoConfidentRootCause, "{policy}");
        assert_eq!(answer.action.unwrap().action(), Action::Notify, "{policy}");

        // The same holds if no turn was recorded.
        let mut driver = Driver::begin(&server, &format!("{policy}-0"), policy).await;
        assert_eq!(
            driver.submit_report(0.97).await.action.unwrap().action(),
            Action::Notify,
            "{policy}"
        );
    }
}

#[tokio::test]
async fn root_cause_does_not_extend_the_limits() {
    let server = start_server_allowing_paper().await;
    for (policy, turns) in [("reference", 3), ("paper", 10)] {
        let mut driver = Driver::begin(&server, policy, policy).await;
        let gate = driver.turn(vec![failing_pool()], Vec::new(), false).await;
        assert_eq!(gate.exit(), GateExit::Confident, "{policy}");
        while !driver.is_finished() {
            driver.turn(vec![failing_pool()], Vec::new(), false).await;
        }
        let spent = driver.investigation.spent.unwrap();
        assert_eq!((driver.cause(), spent.turns), ("QUERYING_WITHOUT_COMMITTING", turns));
    }
}

#[tokio::test]
async fn agent_may_continue_after_trying_to_finish_early() {
    let server = TestServer::start().await;
    let mut driver = Driver::begin(&server, "early-end", "reference").await;
    let gate = driver.turn(Vec::new(), Vec::new(), true).await;
    assert_eq!(gate.reason.unwrap().code, "FINISHED_WITHOUT_EVIDENCE");
    let gate = driver.turn(vec![failing_pool()], Vec::new(), true).await;
    assert_eq!((driver.is_finished(), gate.exit()), (false, GateExit::Confident));
}

#[tokio::test]
async fn changes_to_other_entities_do_not_ground_a_root_cause() {
    let server = TestServer::start().await;
    let mut driver = Driver::begin(&server, "unrelated", "reference").await;
    let unrelated = v1::ChangeRecord { target: "newsletter".to_owned(), ..change(ONSET - 600) };
    driver.turn(vec![failing_pool()], vec![unrelated], false).await;
    let answer = driver.submit_report(0.97).await;
    let chain = answer.chain.unwrap();
    assert_eq!((chain.change, chain.unrelated_changes), (None, vec!["deploy-31".to_owned()]));
    assert_eq!(chain.strength, i32::from(GroundingStrength::PartiallyGrounded));
    assert_eq!(answer.action.unwrap().action(), Action::Patch);
}

#[tokio::test]
async fn changes_must_cite_an_item_in_the_change_lane() {
    let server = TestServer::start().await;
    let mut driver = Driver::begin(&server, "shown", "reference").await;
    let (rollout, _) = call_and_test("rollout", EvidenceLane::Change, "deploy-31: pool 40 -> 20");
    let change_shown_by =
        |id: &str| v1::ChangeRecord { evidence_id: id.to_owned(), ..change(ONSET - 600) };
    let turn = |evidence_id: &str| v1::RecordTurnRequest {
        changes: vec![change_shown_by(evidence_id)],
        ..turn(&driver.id, driver.investigation.step, vec![rollout.clone(), failing_pool().0])
    };
    for (evidence_id, code) in [("absent", Code::NotFound), ("errors", Code::InvalidArgument)] {
        let error = server.record_turn(turn(evidence_id)).await.unwrap_err();
        assert_eq!(error.code(), code, "{error:?}");
    }
    driver.investigation = server.record_turn(turn("rollout")).await.unwrap();
    driver.turn(vec![failing_pool()], Vec::new(), false).await;
    let chain = driver.submit_report(0.97).await.chain.unwrap();
    assert_eq!(chain.change.as_ref().unwrap().evidence_id, "rollout");
    assert_eq!(chain.strength(), GroundingStrength::Grounded);
}

/// Returns gate inputs whose only piece of evidence names an item.
fn gate_inputs_naming(evidence_id: &str, lane: EvidenceLane) -> v1::GateInputs {
    let evidence = v1::HypothesisEvidence {
        tool: "promql".to_owned(),
        verdict: v1::Verdict::Supports.into(),
        lane: lane.into(),
        evidence_id: evidence_id.to_owned(),
        // This is ignored, because the item determines whether the evidence is attested.
        attested: true,
        ..Default::default()
    };
    let hypothesis = v1::Hypothesis {
        id: "pool".to_owned(),
        statement: "The pool is exhausted.".to_owned(),
        evidence: vec![evidence],
        ..Default::default()
    };
    v1::GateInputs { hypotheses: vec![hypothesis], ..Default::default() }
}

#[tokio::test]
async fn lane_and_attestation_come_from_the_named_item() {
    let server = start_server_allowing_paper().await;
    for policy in ["reference", "strict", "paper"] {
        for (evidence_id, item_lane, is_hard) in [
            ("metric", EvidenceLane::Metrics, policy != "strict"),
            ("metric", EvidenceLane::LlmInferred, false),
            ("absent", EvidenceLane::Metrics, false),
            // If no item is named, only the caller vouches for the evidence.
            ("", EvidenceLane::Metrics, policy != "strict"),
        ] {
            let item = v1::EvidenceItem {
                lane: item_lane.into(),
                ..item("metric", "connections of checkout: 20")
            };
            let mut request = v1::EvaluateRequest {
                policy: policy.to_owned(),
                gate: Some(gate_inputs_naming(evidence_id, EvidenceLane::Metrics)),
                ..evaluation(REPORT, vec![item])
            };
            request.report.as_mut().unwrap().confidence = Some(0.97);
            let answer = server.evaluate(request).await.unwrap();
            let gate = answer.gate.as_ref().unwrap();
            let is_confident = gate.exit() == GateExit::Confident;
            assert_eq!(is_confident, is_hard, "{policy}, {evidence_id}, {item_lane:?}: {gate:?}");
            let has_warning = answer.warnings.iter().any(|w| w.code == "NAMED_EVIDENCE_UNKNOWN");
            assert_eq!(has_warning, evidence_id == "absent");
            if !is_hard {
                assert_eq!(answer.action.unwrap().action(), Action::Notify, "{policy}");
            }
        }
    }
}

#[tokio::test]
async fn result_about_another_entity_does_not_test_a_hypothesis() {
    let server = TestServer::start().await;
    for (id, arguments, text, exit) in [
        ("other", "service=printer", "printer_errors: 31", GateExit::Unspecified),
        ("query", "service=checkout", "errors: 31", GateExit::Confident),
        ("content", "", "checkout_errors: 31", GateExit::Confident),
    ] {
        let mut driver = Driver::begin(&server, id, "reference").await;
        let (mut call, test) = call_and_test("errors", EvidenceLane::Metrics, text);
        call.arguments = arguments.to_owned();
        let gate = driver.turn(vec![(call, test)], Vec::new(), false).await;
        assert_eq!(gate.exit(), exit, "{id}");
        let mut findings = driver.investigation.findings.iter();
        let is_reported = findings.any(|finding| finding.code == "UNRELATED_RESULT");
        assert_eq!(is_reported, exit == GateExit::Unspecified, "{id}");
    }
}

#[tokio::test]
async fn investigation_can_set_stricter_gate_limits() {
    let server =
        TestServer::with(|config| config.policies.allow_overrides = AllowOverrides::Stricter).await;
    let start = |id: &str, max_turns| v1::StartInvestigationRequest {
        policy_overrides: Some(v1::PolicyOverrides {
            gate: Some(v1::GateLimits { max_turns: Some(max_turns), ..Default::default() }),
            ..Default::default()
        }),
        ..start(id)
    };
    let error = server.investigations().start_investigation(start("more", 11)).await.unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    assert!(error.message().contains("gate.max_turns"), "{}", error.message());
    let error = server.investigations().start_investigation(start("none", 0)).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    let investigation = server.begin(start("two", 2)).await;
    let mut driver = Driver { server: &server, id: "two".to_owned(), investigation };
    for (turn, state) in [(1, v1::GateState::Investigating), (2, v1::GateState::BudgetExhausted)] {
        let gate = driver.turn(vec![quiet_log(turn)], Vec::new(), false).await;
        assert_eq!(gate.state(), state, "{turn}");
    }
}

#[tokio::test]
async fn agent_cost_counts_towards_the_budget() {
    let server = TestServer::start().await;
    let budget = v1::InvestigationBudget { tokens: 1_000, ..Default::default() };
    server.begin(v1::StartInvestigationRequest { budget: Some(budget), ..start("costs") }).await;
    let turn = |step| v1::RecordTurnRequest {
        agent_cost: Some(v1::AgentCost { tokens: 600, cost_micros: 30 }),
        ..turn("costs", step, Vec::new())
    };
    for (step, tokens) in [(0, 600), (1, 1_200)] {
        let spent = server.record_turn(turn(step)).await.unwrap().spent.unwrap();
        assert_eq!((spent.tokens, spent.cost_micros), (tokens, tokens / 20));
    }
    let investigation = server.record_turn(turn(2)).await.unwrap();
    assert_eq!(finished(&investigation).cause, "TOKENS_SPENT");
}

#[tokio::test]
async fn diagnosis_without_a_change_fails_at_the_act_stage() {
    let server = TestServer::start().await;
    for (id, changes, stage) in
        [("nothing", vec![], "ACT"), ("deploy", vec![change(ONSET - 600)], "")]
    {
        let mut driver = Driver::begin(&server, id, "reference").await;
        driver.turn(vec![failing_pool()], changes, false).await;
        driver.submit_report(0.9).await;
        let outcome = driver.finished().unwrap();
        assert_eq!(
            (outcome.cause.as_str(), outcome.failed_stage.as_str()),
            ("PROCEED", stage),
            "{id}"
        );
    }
}

#[tokio::test]
async fn arguments_of_the_first_call_count_in_later_turns() {
    let server = TestServer::start().await;
    for (id, policy, exits) in [
        ("reference", "reference", [GateExit::Unspecified, GateExit::Confident]),
        // Under `strict`, arguments do not count, since they are only the agent's word.
        ("strict", "strict", [GateExit::Unspecified, GateExit::Unspecified]),
    ] {
        let mut driver = Driver::begin(&server, id, policy).await;
        let (call, test) = call_and_test("errors", EvidenceLane::Metrics, "errors: 31");
        let gate = driver.record(vec![call], Vec::new()).await;
        assert_eq!(gate.exit(), exits[0], "{id}");
        let gate = driver.record(Vec::new(), vec![test]).await;
        assert_eq!(gate.exit(), exits[1], "{id}");
    }
    // If a call about another entity is repeated with different arguments, its result still does not test the
    // hypothesis.
    let mut driver = Driver::begin(&server, "repeated", "reference").await;
    let (call, test) = call_and_test("errors", EvidenceLane::Metrics, "errors: 31");
    let printer = v1::ToolCall { arguments: "service=printer".to_owned(), ..call.clone() };
    driver.record(vec![printer], Vec::new()).await;
    let gate = driver.record(vec![call], vec![test]).await;
    assert_eq!(gate.exit(), GateExit::Unspecified);
}
