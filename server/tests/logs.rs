//! Tests the log lines of calls.

use crate::support::investigations::start;
use crate::support::process::Process;
use crate::support::{self, request};
use gsar_proto::v1;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_proto::v1::investigation_service_client::InvestigationServiceClient;

#[tokio::test(flavor = "multi_thread")]
async fn evaluation_log_line_contains_ids_and_counts() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let channel = support::connect(&folder.path().join("gsar.sock")).await;
    let mut client = GroundingServiceClient::new(channel);
    let with_investigation =
        v1::EvaluateRequest { investigation_id: "inc-7".to_owned(), ..request() };
    let answer = client.evaluate(with_investigation).await.unwrap().into_inner();
    let line = process.log_line("evaluated");
    assert_eq!(line["level"], "INFO");
    assert_eq!(line["evaluation"], answer.evaluation_id);
    assert_eq!((&line["report"], &line["investigation"]), (&"r1".into(), &"inc-7".into()));
    assert_eq!((&line["judge"], &line["tier"]), (&"rules/2".into(), &"TIER_PROCEED".into()));
    assert_eq!((&line["outcome"], &line["score"]), (&"OUTCOME_SCORED".into(), &1.0.into()));
    assert_eq!((&line["guarded_score"], &line["policy"]), (&1.0.into(), &"reference".into()));
    assert_eq!(line["policy_digest"].as_str().unwrap().len(), 64);
    assert!(line.get("replans").is_none(), "{line}");
    let counts = ["claims", "grounded", "ungrounded", "contradicted", "complementary"];
    assert_eq!(counts.map(|count| line[count].as_u64().unwrap()), [1, 1, 0, 0, 0]);
    assert!(line["milliseconds"].as_f64().unwrap() > 0.0, "{line}");
    assert!(!line.to_string().contains("pool"), "log lines must not contain report text: {line}");

    client
        .evaluate(v1::EvaluateRequest { report: request().report, ..Default::default() })
        .await
        .unwrap();
    let line = process.log_line("evaluated");
    assert!(line.get("investigation").is_none(), "an absent id must be omitted: {line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn investigation_logs_its_evaluations() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let channel = support::connect(&folder.path().join("gsar.sock")).await;
    let mut client = InvestigationServiceClient::new(channel);
    client.start_investigation(start("inc-8")).await.unwrap();
    let v1::EvaluateRequest { report, evidence, .. } = request();
    let submitted =
        v1::SubmitReportRequest { investigation_id: "inc-8".to_owned(), step: 0, report, evidence };
    client.submit_report(submitted).await.unwrap();
    let line = process.log_line("evaluated");
    assert_eq!((&line["report"], &line["investigation"]), (&"r1".into(), &"inc-8".into()));
    assert_eq!((&line["replans"], &line["tier"]), (&0.into(), &"TIER_PROCEED".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn rejected_call_is_logged_with_code_and_reason() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::with_config(folder.path(), "[limits]\nmessage = \"4KiB\"\n");
    let channel = support::connect(&folder.path().join("gsar.sock")).await;
    let mut client = GroundingServiceClient::new(channel);

    let with_unknown_policy = v1::EvaluateRequest { policy: "secret-name".to_owned(), ..request() };
    client.evaluate(with_unknown_policy.clone()).await.unwrap_err();
    let line = process.log_line("refused");
    assert_eq!(
        (&line["level"], &line["method"]),
        (&"INFO".into(), &"GroundingService/Evaluate".into())
    );
    assert_eq!((&line["code"], &line["reason"]), (&"NOT_FOUND".into(), &"UNKNOWN_RESOURCE".into()));
    assert!(line["milliseconds"].as_f64().unwrap() > 0.0, "{line}");
    assert!(!line.to_string().contains("secret-name"), "{line}");

    client.evaluate(v1::EvaluateRequest { report: None, ..with_unknown_policy }).await.unwrap_err();
    let line = process.log_line("refused");
    assert_eq!(
        (&line["code"], &line["reason"]),
        (&"INVALID_ARGUMENT".into(), &"INVALID_FIELDS".into())
    );
    assert_eq!(line["fields"], "policy report");

    let mut long_report = request();
    long_report.report.as_mut().unwrap().synthesis = "x".repeat(8 << 10);
    client.evaluate(long_report).await.unwrap_err();
    let line = process.log_line("refused");
    assert_eq!((&line["level"], &line["reason"]), (&"WARN".into(), &"MESSAGE_TOO_LARGE".into()));
    assert!(!line.to_string().contains("xxx"), "{line}");
}
