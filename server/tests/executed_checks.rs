//! Tests executed checks: how their results are derived, which of them are attested, and when they contradict reports.

use std::os::unix::fs::MetadataExt as _;

use crate::support::chat_models::evaluate;
use crate::support::investigations::{finished, start, submission, tool_call, turn};
use crate::support::{self, TestServer, connect, evaluation, invalid_fields};
use gsar_proto::v1;
use gsar_server::config::{Attested, Config, Listen};
use tonic::Code;
use v1::VerificationResult::{Failed, Passed};
use v1::evidence_item::Content;

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
        ..Default::default()
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
        ..Default::default()
    }
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
        let run = declared_run(exit_status, output);
        let answer = server.evaluate(evaluation("The cart answers.", vec![run])).await.unwrap();
        let record = server.get_evaluation(&answer.evaluation_id).await;
        let item = &record.evidence[0];
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
        let request = evaluation("The cart answers.", vec![item]);
        let error = server.evaluate(request).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{field}");
        let fields = invalid_fields(&error);
        assert!(fields.iter().any(|invalid| invalid == field), "{field}: {fields:?}");
    }
}

async fn start_attesting_server() -> TestServer {
    let configure = |config: &mut Config| {
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
    TestServer::with(configure).await
}

async fn is_attested(server: &TestServer, socket: &str, item: v1::EvidenceItem) -> bool {
    let channel = connect(&server.folder.path().join(socket)).await;
    let answer = evaluate(&channel, evaluation("The cart answers.", vec![item])).await.unwrap();
    answer.provenance.unwrap().evidence[0].attested
}

#[tokio::test]
async fn only_declared_checks_are_attested() {
    let server = start_attesting_server().await;
    // The agent itself declared the first check, which cannot fail. The second item lacks a pass condition, and the
    // third lacks a declaration.
    let always_passing = v1::CheckDeclaration { command: vec!["true".to_owned()], ..declaration() };
    let always_passing = check_run_item(always_passing, Some(0), "ok");
    let without_condition = v1::CheckDeclaration { pass: None, ..declaration() };
    let text_item = v1::EvidenceItem {
        content: Some(Content::Text("the cart answers".to_owned())),
        verification_result: Passed.into(),
        ..declared_run(None, "")
    };
    for (socket, item, attested) in [
        ("agents.sock", declared_run(Some(0), "ok"), true),
        ("gsar.sock", declared_run(Some(0), "ok"), false),
        ("agents.sock", always_passing.clone(), false),
        ("agents.sock", check_run_item(without_condition, Some(0), ""), false),
        ("agents.sock", text_item, false),
    ] {
        let case = format!("{socket}: {item:?}");
        assert_eq!(is_attested(&server, socket, item).await, attested, "{case}");
    }

    // Operators can change the declared checks without a restart.
    let file = server.folder.path().join("checks.toml");
    let replaced_declaration = "[[check]]\nname = \"cart-serves\"\ncommand = [\"true\"]\n[check.pass]\ncontains = \"ok\"\n";
    std::fs::write(&file, replaced_declaration).unwrap();
    server.reload().await;
    assert!(is_attested(&server, "agents.sock", always_passing).await);
    assert!(!is_attested(&server, "agents.sock", declared_run(Some(0), "ok")).await);
}

#[tokio::test]
async fn checks_declared_at_the_start_of_an_investigation_are_attested() {
    let server = start_attesting_server().await;
    let channel = connect(&server.folder.path().join("agents.sock")).await;
    let mut client =
        v1::investigation_service_client::InvestigationServiceClient::new(channel.clone());
    let own_check = v1::CheckDeclaration { name: "cart-pays".to_owned(), ..declaration() };
    let start = v1::StartInvestigationRequest { checks: vec![own_check.clone()], ..start("i1") };
    let investigation =
        client.start_investigation(start).await.unwrap().into_inner().investigation.unwrap();
    let undeclared_check = v1::CheckDeclaration { name: "cart-sells".to_owned(), ..declaration() };
    let check = |id: &str, item: v1::EvidenceItem| {
        tool_call("gsar check", id, Some(v1::EvidenceItem { id: id.to_owned(), ..item }))
    };
    let calls = vec![
        check("pays", check_run_item(own_check, Some(22), "refused")),
        check("serves", declared_run(Some(0), "ok")),
        check("sells", check_run_item(undeclared_check, Some(0), "ok")),
    ];
    let turn = turn("i1", investigation.step, calls);
    let investigation = client.record_turn(turn).await.unwrap().into_inner().investigation.unwrap();
    let findings: Vec<&str> =
        investigation.findings.iter().map(|finding| finding.sentence.as_str()).collect();
    assert_eq!(findings, ["these checks failed in their last run: cart-pays"]);

    let mut evidence = v1::evidence_service_client::EvidenceServiceClient::new(channel);
    for (id, attested) in [("pays", true), ("serves", true), ("sells", false)] {
        let snapshot = v1::GetSnapshotRequest {
            corpus_id: investigation.corpus_id.clone(),
            item: Some(v1::get_snapshot_request::Item::EvidenceId(id.to_owned())),
            range: None,
        };
        let item = evidence.get_snapshot(snapshot).await.unwrap().into_inner();
        assert_eq!(item.attested, attested, "{id}");
    }
}

#[tokio::test]
async fn failed_stage_is_reported() {
    let server = TestServer::start().await;
    let run = |exit_status| {
        vec![tool_call("gsar check", "run", Some(declared_run(Some(exit_status), "ok")))]
    };
    for (id, checks, calls, stage) in [
        ("i1", vec![], vec![], "COLLECT"),
        ("i2", vec![declaration()], run(0), "REPORT"),
        ("i3", vec![], run(1), "REPORT"),
    ] {
        server.begin(v1::StartInvestigationRequest { checks, ..start(id) }).await;
        if !calls.is_empty() {
            server.record_turn(turn(id, 0, calls)).await.unwrap();
        }
        let investigation = server.cancel(id).await;
        let outcome = finished(&investigation);
        assert_eq!(
            (outcome.cause.as_str(), outcome.failed_stage.as_str()),
            ("CANCELLED", stage),
            "{id}"
        );
    }

    // In the first case, the declared check is not run. In the second, it fails. In the third, it fails and then
    // passes.
    let text = "The connection pool of checkout has 20 connections.";
    for (id, results, stage) in [
        ("a1", vec![], "ACT"),
        ("a2", vec![Some(22)], "VERIFY"),
        ("a3", vec![Some(22), Some(0)], ""),
    ] {
        let checks = vec![declaration()];
        server.begin(v1::StartInvestigationRequest { checks, ..start(id) }).await;
        let mut step = 0;
        for (index, exit_status) in results.into_iter().enumerate() {
            let result =
                v1::EvidenceItem { id: format!("run-{index}"), ..declared_run(exit_status, "ok") };
            let calls = vec![tool_call("gsar check", &index.to_string(), Some(result))];
            step = server.record_turn(turn(id, step, calls)).await.unwrap().step;
        }
        let pool = support::item("pool", "the connection pool of checkout has 20 connections");
        let answer = server.submit(submission(id, step, text, vec![pool])).await.unwrap();
        let investigation = answer.investigation.unwrap();
        let outcome = finished(&investigation);
        assert_eq!(
            (outcome.cause.as_str(), outcome.failed_stage.as_str()),
            ("PROCEED", stage),
            "{id}"
        );
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
    let evidence = vec![change(), declared_run(Some(22), "refused")];
    let failed = server.evaluate(evaluation(synthesis, evidence)).await.unwrap();
    let contradicted = contradicted_claims(&failed);
    assert_eq!(contradicted, ["The check cart-serves passed"], "{:?}", failed.claims);
    assert_ne!(failed.decision.unwrap().tier(), v1::Tier::Proceed);
    let evidence = vec![change(), declared_run(Some(0), "ok")];
    let passed = server.evaluate(evaluation(synthesis, evidence)).await.unwrap();
    assert!(contradicted_claims(&passed).is_empty(), "{:?}", passed.claims);

    let rolled_back = "Cart was rolled back to revision 30.";
    let empty = change_item("{\"diagnosis\": \"the limit is too low\", \"files_changed\": []}");
    let answer = server.evaluate(evaluation(rolled_back, vec![empty])).await.unwrap();
    assert_eq!(contradicted_claims(&answer), ["Cart was rolled back to revision 30"]);
}
