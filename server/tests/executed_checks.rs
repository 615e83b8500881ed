//! Tests of executed checks: derived results, attestation of declared checks, and contradictions of reports.

use std::os::unix::fs::MetadataExt as _;

use crate::support::{self, TestServer, TestServerOptions, connect, wrong_fields};
use gsar_proto::v1;
use gsar_server::config::{Attested, Config, Listen};
use tonic::Code;
use v1::VerificationResult::{Failed, Passed};
use v1::evidence_item::Content;
use v1::grounding_service_client::GroundingServiceClient;

const DECLARED: &str = "[[check]]\nname = \"cart-serves\"\ncommand = [\"curl\", \"-fsS\", \"http://cart/health\"]\n\
                        [check.pass]\ncontains = \"ok\"\n";

fn declaration() -> v1::CheckDeclaration {
    v1::CheckDeclaration {
        name: "cart-serves".to_owned(),
        command: ["curl", "-fsS", "http://cart/health"].map(str::to_owned).to_vec(),
        timeout_seconds: None,
        pass: Some(v1::PassCondition { contains: "ok".to_owned(), ..Default::default() }),
    }
}

fn check_run_item(
    declaration: v1::CheckDeclaration,
    exit_status: Option<i32>,
    output: &str,
) -> v1::EvidenceItem {
    let check_run =
        v1::CheckRun { declaration: Some(declaration), exit_status, output: output.to_owned() };
    v1::EvidenceItem {
        id: "run".to_owned(),
        kind: v1::EvidenceKind::Verification.into(),
        lane: v1::EvidenceLane::Verification.into(),
        content: Some(Content::CheckRun(Box::new(check_run))),
        ..v1::EvidenceItem::default()
    }
}

fn declared_run(exit_status: Option<i32>, output: &str) -> v1::EvidenceItem {
    check_run_item(declaration(), exit_status, output)
}

fn change_item(document: &str) -> v1::EvidenceItem {
    v1::EvidenceItem {
        id: "patch".to_owned(),
        kind: v1::EvidenceKind::Change.into(),
        lane: v1::EvidenceLane::Change.into(),
        content: Some(Content::Json(document.to_owned())),
        ..v1::EvidenceItem::default()
    }
}

fn request(synthesis: &str, evidence: Vec<v1::EvidenceItem>) -> v1::EvaluateRequest {
    v1::EvaluateRequest {
        report: Some(v1::Report { synthesis: synthesis.to_owned(), ..v1::Report::default() }),
        evidence,
        policy: "reference".to_owned(),
        ..v1::EvaluateRequest::default()
    }
}

async fn evaluate(server: &TestServer, request: v1::EvaluateRequest) -> v1::EvaluateResponse {
    server.grounding().evaluate(request).await.unwrap().into_inner()
}

#[tokio::test]
async fn check_result_follows_from_the_declaration() {
    let server = TestServer::start().await;
    for (exit_status, output, result) in [
        (Some(0), "ok", Passed),
        (Some(0), "degraded", Failed),
        (Some(22), "ok", Failed),
        (None, "ok", Failed),
    ] {
        let answer = evaluate(
            &server,
            request("The cart answers.", vec![declared_run(exit_status, output)]),
        )
        .await;
        let query = v1::GetEvaluationRequest { evaluation_id: answer.evaluation_id, redact: false };
        let recorded = server.ledger().get_evaluation(query).await.unwrap().into_inner();
        let item = &recorded.evidence[0];
        assert_eq!(item.verification_result(), result, "{exit_status:?} {output}");
        assert_eq!((item.tool.as_str(), item.is_json), ("check cart-serves", true));
        assert!(item.head.starts_with("{\"check_run\":{\"command\":[\"curl\""), "{}", item.head);
    }
}

#[tokio::test]
async fn rejects_runs_that_contradict_their_declaration() {
    let server = TestServer::start().await;
    type Change = fn(&mut v1::EvidenceItem);
    let cases: [(Change, &str); 6] = [
        (|item| item.set_verification_result(Passed), "evidence[0].verification_result"),
        (|item| item.set_kind(v1::EvidenceKind::ToolOutput), "evidence[0].kind"),
        (|item| item.set_lane(v1::EvidenceLane::Logs), "evidence[0].lane"),
        (|item| item.tool = "curl".to_owned(), "evidence[0].tool"),
        (
            |item| {
                let Some(Content::CheckRun(check_run)) = &mut item.content else { return };
                check_run.declaration.as_mut().unwrap().command.clear();
            },
            "evidence[0].check_run.declaration.command",
        ),
        (
            |item| {
                item.content =
                    Some(Content::Json("{\"check_run\": {\"name\": \"a b\"}}".to_owned()))
            },
            "evidence[0].json.check_run.name",
        ),
    ];
    for (change, field) in cases {
        let mut item = declared_run(Some(22), "no");
        change(&mut item);
        let error = server.grounding().evaluate(request("The cart answers.", vec![item])).await;
        let error = error.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{field}");
        let fields = wrong_fields(&error);
        assert!(fields.iter().any(|invalid| invalid == field), "{field}: {fields:?}");
    }
}

async fn start_attesting_server() -> TestServer {
    let change = |config: &mut Config| {
        let folder = config.data_dir.parent().unwrap().to_owned();
        let listen = Listen::Unix(folder.join("agents.sock"));
        let uid = std::fs::metadata(&folder).unwrap().uid();
        config.listen.push(listen.clone());
        config.evidence.attested =
            vec![Attested { listen, peer_uid: Some(uid), principal: None, tools: Vec::new() }];
        let file = folder.join("checks.toml");
        std::fs::write(&file, DECLARED).unwrap();
        config.evidence.checks = vec![file];
    };
    TestServerOptions::default().start(change).await
}

async fn is_attested(server: &TestServer, socket: &str, item: v1::EvidenceItem) -> bool {
    let mut client = GroundingServiceClient::new(connect(&server.folder.path().join(socket)).await);
    let answer = client.evaluate(request("The cart answers.", vec![item])).await;
    let answer = answer.unwrap().into_inner();
    answer.provenance.unwrap().evidence[0].attested
}

#[tokio::test]
async fn only_declared_checks_are_attested() {
    let server = start_attesting_server().await;
    assert!(is_attested(&server, "agents.sock", declared_run(Some(0), "ok")).await);
    let plain_socket = server.socket();
    let plain_socket = plain_socket.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(
        !is_attested(&server, &plain_socket, declared_run(Some(0), "ok")).await,
        "the plain socket does not attest"
    );
    // The agent's own declaration, which cannot fail, and a run without one.
    let always_passing = v1::CheckDeclaration { command: vec!["true".to_owned()], ..declaration() };
    assert!(
        !is_attested(&server, "agents.sock", check_run_item(always_passing.clone(), Some(0), "ok"))
            .await
    );
    let without_condition = v1::CheckDeclaration { pass: None, ..declaration() };
    assert!(
        !is_attested(&server, "agents.sock", check_run_item(without_condition, Some(0), "")).await
    );
    let text_item = v1::EvidenceItem {
        content: Some(Content::Text("the cart answers".to_owned())),
        verification_result: Passed.into(),
        ..declared_run(None, "")
    };
    assert!(!is_attested(&server, "agents.sock", text_item).await);

    // Operators can declare checks without a restart.
    let file = server.folder.path().join("checks.toml");
    let replaced_declaration = "[[check]]\nname = \"cart-serves\"\ncommand = [\"true\"]\n[check.pass]\ncontains = \"ok\"\n";
    std::fs::write(&file, replaced_declaration).unwrap();
    server.reload().await;
    assert!(
        is_attested(&server, "agents.sock", check_run_item(always_passing, Some(0), "ok")).await
    );
    assert!(!is_attested(&server, "agents.sock", declared_run(Some(0), "ok")).await);
}

#[tokio::test]
async fn investigation_declares_checks_before_reports() {
    let server = start_attesting_server().await;
    let channel = connect(&server.folder.path().join("agents.sock")).await;
    let mut client =
        v1::investigation_service_client::InvestigationServiceClient::new(channel.clone());
    let own_check = v1::CheckDeclaration { name: "cart-pays".to_owned(), ..declaration() };
    let start = v1::StartInvestigationRequest {
        investigation_id: "i1".to_owned(),
        policy: "reference".to_owned(),
        checks: vec![own_check.clone()],
        ..v1::StartInvestigationRequest::default()
    };
    let investigation =
        client.start_investigation(start).await.unwrap().into_inner().investigation.unwrap();
    let undeclared_check = v1::CheckDeclaration { name: "cart-sells".to_owned(), ..declaration() };
    let tool_call = |id: &str, item: v1::EvidenceItem| v1::ToolCall {
        tool: "gsar check".to_owned(),
        arguments: id.to_owned(),
        result: Some(v1::EvidenceItem { id: id.to_owned(), ..item }),
    };
    let turn = v1::RecordTurnRequest {
        investigation_id: "i1".to_owned(),
        step: investigation.step,
        tool_calls: vec![
            tool_call("pays", check_run_item(own_check, Some(22), "refused")),
            tool_call("serves", declared_run(Some(0), "ok")),
            tool_call("sells", check_run_item(undeclared_check, Some(0), "ok")),
        ],
        ..v1::RecordTurnRequest::default()
    };
    let investigation = client.record_turn(turn).await.unwrap().into_inner().investigation.unwrap();
    let findings: Vec<&str> =
        investigation.findings.iter().map(|finding| finding.sentence.as_str()).collect();
    assert_eq!(findings, ["the last check of cart-pays failed"]);

    let mut evidence = v1::evidence_service_client::EvidenceServiceClient::new(channel);
    for (id, attested) in [("pays", true), ("serves", true), ("sells", false)] {
        let snapshot = v1::GetSnapshotRequest {
            corpus_id: investigation.corpus_id.clone(),
            item: Some(v1::get_snapshot_request::Item::EvidenceId(id.to_owned())),
            range: None,
        };
        let recorded = evidence.get_snapshot(snapshot).await.unwrap().into_inner();
        assert_eq!(recorded.attested, attested, "{id}");
    }
}

fn expect_finished(investigation: Option<v1::Investigation>) -> v1::Finished {
    match investigation.unwrap().instruction.unwrap().due.unwrap() {
        v1::instruction::Due::Finished(end) => end,
        other => panic!("not finished: {other:?}"),
    }
}

#[tokio::test]
async fn failed_stage_is_reported() {
    let server = TestServer::start().await;
    let runs = |exit_status| vec![(declared_run(Some(exit_status), "ok"), "run")];
    for (id, checks, results, stage) in [
        ("i1", vec![], vec![], "COLLECT"),
        ("i2", vec![declaration()], runs(0), "REPORT"),
        ("i3", vec![], runs(1), "REPORT"),
    ] {
        let mut client = server.investigations();
        let start = v1::StartInvestigationRequest {
            investigation_id: id.to_owned(),
            checks,
            ..v1::StartInvestigationRequest::default()
        };
        client.start_investigation(start).await.unwrap();
        if !results.is_empty() {
            let call = |(item, id): (v1::EvidenceItem, &str)| v1::ToolCall {
                tool: "gsar check".to_owned(),
                arguments: id.to_owned(),
                result: Some(item),
            };
            let turn = v1::RecordTurnRequest {
                investigation_id: id.to_owned(),
                tool_calls: results.into_iter().map(call).collect(),
                ..v1::RecordTurnRequest::default()
            };
            client.record_turn(turn).await.unwrap();
        }
        let cancel = v1::CancelInvestigationRequest { investigation_id: id.to_owned() };
        let ended = client.cancel_investigation(cancel).await.unwrap().into_inner();
        let end = expect_finished(ended.investigation);
        assert_eq!((end.cause.as_str(), end.failed_stage.as_str()), ("CANCELLED", stage), "{id}");
    }

    // The declared check is missing, then fails, and then passes.
    let text = "The connection pool of checkout has 20 connections.";
    for (id, results, stage) in [
        ("a1", vec![], "ACT"),
        ("a2", vec![Some(22)], "VERIFY"),
        ("a3", vec![Some(22), Some(0)], ""),
    ] {
        let mut client = server.investigations();
        let start = v1::StartInvestigationRequest {
            investigation_id: id.to_owned(),
            checks: vec![declaration()],
            ..v1::StartInvestigationRequest::default()
        };
        client.start_investigation(start).await.unwrap();
        let mut step = 0;
        for (number, exit_status) in results.into_iter().enumerate() {
            let result =
                v1::EvidenceItem { id: format!("run-{number}"), ..declared_run(exit_status, "ok") };
            let turn = v1::RecordTurnRequest {
                investigation_id: id.to_owned(),
                step,
                tool_calls: vec![v1::ToolCall {
                    tool: "gsar check".to_owned(),
                    arguments: number.to_string(),
                    result: Some(result),
                }],
                ..v1::RecordTurnRequest::default()
            };
            step = client.record_turn(turn).await.unwrap().into_inner().investigation.unwrap().step;
        }
        let report = v1::SubmitReportRequest {
            investigation_id: id.to_owned(),
            step,
            report: Some(v1::Report { synthesis: text.to_owned(), ..v1::Report::default() }),
            evidence: vec![support::item(
                "pool",
                "the connection pool of checkout has 20 connections",
            )],
        };
        let ended = client.submit_report(report).await.unwrap().into_inner();
        let end = expect_finished(ended.investigation);
        assert_eq!((end.cause.as_str(), end.failed_stage.as_str()), ("PROCEED", stage), "{id}");
    }
}

#[tokio::test]
async fn failed_check_contradicts_the_report() {
    let server = TestServer::start().await;
    let synthesis = "The memory limit of cart was raised to 1Gi. The check cart-serves passed.";
    let change = || {
        change_item(
            "{\"files_changed\": [\"cart.yaml\"], \"diff\": \"memory limit of cart was raised to 1Gi\"}",
        )
    };
    let contradicted_claims = |answer: &v1::EvaluateResponse| -> Vec<String> {
        let claims = answer.claims.iter();
        claims
            .filter(|claim| claim.class() == v1::ClaimClass::Contradicted)
            .map(|claim| claim.text.clone())
            .collect()
    };
    let failed =
        evaluate(&server, request(synthesis, vec![change(), declared_run(Some(22), "refused")]))
            .await;
    assert_eq!(
        contradicted_claims(&failed),
        ["The check cart-serves passed"],
        "{:?}",
        failed.claims
    );
    assert_ne!(failed.decision.unwrap().tier(), v1::Tier::Proceed);
    let passed =
        evaluate(&server, request(synthesis, vec![change(), declared_run(Some(0), "ok")])).await;
    assert!(contradicted_claims(&passed).is_empty(), "{:?}", passed.claims);

    let rolled_back = "Cart was rolled back to revision 30.";
    let empty = change_item("{\"diagnosis\": \"the limit is too low\", \"files_changed\": []}");
    let answer = evaluate(&server, request(rolled_back, vec![empty])).await;
    assert_eq!(contradicted_claims(&answer), ["Cart was rolled back to revision 30"]);
}
