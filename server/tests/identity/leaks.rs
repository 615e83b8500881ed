//! Tests that no method lets principals find each other's data by its name, or infer that it exists.

use std::collections::BTreeSet;

use gsar_proto::v1;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient;
use prost_reflect::{DescriptorPool, Kind, MessageDescriptor};
use tonic::Code;

use crate::identity::calls::{call, methods};
use crate::identity::{TOKENS, configure_principals, principals_toml, start_server, with_token};
use crate::support::chat_models::{HONEST, Models, request_for};
use crate::support::tokens::Issuer;
use crate::support::{TestServer, evaluation, item};

/// Request fields that name stored data.
const NAME_FIELDS: [&str; 7] = [
    "evaluation_id",
    "corpus_id",
    "investigation_id",
    "idempotency_key",
    "page_token",
    "after",
    "report_id",
];

/// A word that occurs in all of ada's data and in none of ben's requests.
const MARK: &str = "xylophone";

/// Ben's requests to each method, with the expected status. The placeholders EVALUATION, CORPUS, KEY, INVESTIGATION,
/// PAGE and AFTER are replaced with the names of ada's data. If the status is Ok, the method responds as if ada's data
/// did not exist.
const REQUESTS: &[(&str, &[&str], Code)] = &[
    (
        "GroundingService/Evaluate",
        &[r#"{"report": {"synthesis": "A."}, "corpusId": "CORPUS"}"#],
        Code::NotFound,
    ),
    // This request creates a key and an investigation of ben's with the same names as ada's.
    (
        "GroundingService/Evaluate",
        &[
            r#"{"report": {"synthesis": "A."}, "idempotencyKey": "of-ada", "investigationId": "INVESTIGATION"}"#,
        ],
        Code::Ok,
    ),
    (
        "GroundingService/EvaluateStream",
        &[
            r#"{"correlationId": "a", "request": {"report": {"synthesis": "A."}, "corpusId": "CORPUS"}}"#,
        ],
        Code::Ok,
    ),
    (
        "GroundingService/SelectBest",
        &[r#"{"candidates": [{"synthesis": "A."}, {"synthesis": "B."}], "corpusId": "CORPUS"}"#],
        Code::NotFound,
    ),
    ("GroundingService/Rescore", &[r#"{"evaluationId": "EVALUATION"}"#], Code::NotFound),
    (
        "InvestigationService/RecordTurn",
        &[r#"{"investigationId": "INVESTIGATION"}"#],
        Code::NotFound,
    ),
    (
        "InvestigationService/SubmitReport",
        &[r#"{"investigationId": "INVESTIGATION", "report": {"synthesis": "A."}}"#],
        Code::NotFound,
    ),
    (
        "InvestigationService/GetInvestigation",
        &[r#"{"investigationId": "INVESTIGATION", "withEvents": true}"#],
        Code::NotFound,
    ),
    (
        "InvestigationService/CancelInvestigation",
        &[r#"{"investigationId": "INVESTIGATION"}"#],
        Code::NotFound,
    ),
    (
        "InvestigationService/LookAtEntity",
        &[r#"{"investigationId": "INVESTIGATION", "entity": "e"}"#],
        Code::NotFound,
    ),
    ("LedgerService/ListEvaluations", &[r#"{}"#], Code::Ok),
    ("LedgerService/ListEvaluations", &[r#"{"principal": "ada"}"#], Code::Ok),
    ("LedgerService/CountEvaluations", &[r#"{}"#], Code::Ok),
    ("LedgerService/CountEvaluations", &[r#"{"evaluations": {"principal": "ada"}}"#], Code::Ok),
    ("LedgerService/RescoreEvaluations", &[r#"{"policyOverrides": {"tauProceed": 1}}"#], Code::Ok),
    (
        "LedgerService/RescoreEvaluations",
        &[r#"{"evaluations": {"principal": "ada"}, "policyOverrides": {"tauProceed": 1}}"#],
        Code::Ok,
    ),
    ("LedgerService/ListEvaluations", &[r#"{"investigationId": "INVESTIGATION"}"#], Code::Ok),
    ("LedgerService/ListEvaluations", &[r#"{"reportId": "r-of-ada"}"#], Code::Ok),
    ("LedgerService/ListEvaluations", &[r#"{"pageSize": 1, "pageToken": "PAGE"}"#], Code::Ok),
    ("LedgerService/GetEvaluation", &[r#"{"evaluationId": "EVALUATION"}"#], Code::NotFound),
    (
        "LedgerService/GetEvaluationEvidence",
        &[r#"{"evaluationId": "EVALUATION", "evidenceId": "e"}"#],
        Code::NotFound,
    ),
    ("LedgerService/DeleteEvaluation", &[r#"{"evaluationId": "EVALUATION"}"#], Code::NotFound),
    (
        "LedgerService/Grade",
        &[
            r#"{"evaluationId": "EVALUATION", "grader": "g", "grades": [{"report": {"tier": "TIER_REPLAN"}}]}"#,
        ],
        Code::NotFound,
    ),
    (
        "LedgerService/Export",
        &[
            r#"{"kinds": ["EXPORT_KIND_PARTITIONS", "EXPORT_KIND_GRADES", "EXPORT_KIND_PREFERENCES", "EXPORT_KIND_CLAIM_REWARDS"]}"#,
        ],
        Code::Ok,
    ),
    (
        "LedgerService/Export",
        &[r#"{"kinds": ["EXPORT_KIND_PARTITIONS"], "after": "AFTER"}"#],
        Code::Ok,
    ),
    (
        "LedgerService/Export",
        &[r#"{"kinds": ["EXPORT_KIND_PARTITIONS"], "investigationId": "INVESTIGATION"}"#],
        Code::Ok,
    ),
    (
        "EvidenceService/PutEvidence",
        &[
            r#"{"corpus": {"corpusId": "CORPUS"}}"#,
            r#"{"item": {"id": "e", "kind": "EVIDENCE_KIND_TOOL_OUTPUT", "lane": "EVIDENCE_LANE_LOGS", "text": "mine"}}"#,
        ],
        Code::NotFound,
    ),
    (
        "EvidenceService/GetSnapshot",
        &[r#"{"corpusId": "CORPUS", "evidenceId": "e"}"#],
        Code::NotFound,
    ),
    ("EvidenceService/GetSnapshot", &[r#"{"corpusId": "CORPUS", "key": "KEY"}"#], Code::NotFound),
    ("EvidenceService/GetSnapshot", &[r#"{"corpusId": "of-ben", "key": "KEY"}"#], Code::NotFound),
    ("EvidenceService/Search", &[r#"{"corpusId": "CORPUS", "query": "pool"}"#], Code::NotFound),
    ("EvidenceService/ListCorpora", &[r#"{}"#], Code::Ok),
    ("EvidenceService/ListCorpora", &[r#"{"pageToken": "ada@a"}"#], Code::Ok),
    ("EvidenceService/DeleteCorpus", &[r#"{"corpusId": "CORPUS"}"#], Code::NotFound),
    (
        "InvestigationService/StartInvestigation",
        &[r#"{"investigationId": "INVESTIGATION", "corpusId": "CORPUS"}"#],
        Code::Ok,
    ),
    (
        "InvestigationService/Drive",
        &[
            r#"{"start": {"investigationId": "driven", "corpusId": "CORPUS"}}"#,
            r#"{"report": {"report": {"synthesis": "A."}}}"#,
        ],
        Code::NotFound,
    ),
];

fn names_owned_data(message: &MessageDescriptor, visited: &mut BTreeSet<String>) -> bool {
    if !visited.insert(message.full_name().to_owned()) {
        return false;
    }
    message.fields().any(|field| {
        let nested = match field.kind() {
            Kind::Message(nested) => names_owned_data(&nested, visited),
            _ => false,
        };
        nested || NAME_FIELDS.contains(&field.name())
    })
}

#[test]
fn every_method_whose_request_names_owned_data_is_tested() {
    let pool = DescriptorPool::decode(gsar_proto::DESCRIPTORS).unwrap();
    for method in methods() {
        let (service, name) = method.split_once('/').unwrap();
        let service = pool.get_service_by_name(&format!("gsar.v1.{service}")).unwrap();
        let descriptor = service.methods().find(|descriptor| descriptor.name() == name).unwrap();
        let is_tested = REQUESTS.iter().any(|(tested, ..)| *tested == method);
        let names_data = names_owned_data(&descriptor.input(), &mut BTreeSet::new());
        assert_eq!(
            is_tested, names_data,
            "{method} must be in REQUESTS if and only if its request names owned data"
        );
    }
}

#[tokio::test]
async fn data_of_other_principals_is_not_found_by_name() {
    let server = start_server(&Issuer::new()).await;
    let [ada, ben, ..] = TOKENS.map(|token| with_token(&server.channel, Some(token)));
    let marked_request = format!(
        r#"{{"report": {{"id": "r-of-ada", "synthesis": "The {MARK} pool size is 20."}}, "idempotencyKey": "of-ada",
             "investigationId": "i", "evidence": [{{"id": "e", "kind": "EVIDENCE_KIND_TOOL_OUTPUT",
             "lane": "EVIDENCE_LANE_LOGS", "text": "{MARK} pool size is 20"}}]}}"#
    );
    let evaluate = "GroundingService/Evaluate";
    let first = call(ada.clone(), evaluate, &[marked_request.as_str()]).await;
    assert_eq!(first.code(), Code::Ok, "{first:?}");
    let second = marked_request.replace("of-ada", "second");
    call(ada.clone(), evaluate, &[second.as_str()]).await;
    let field = |documents: &[String], name: &str| -> String {
        let document: serde_json::Value = serde_json::from_str(&documents[0]).unwrap();
        document[name]
            .as_str()
            .unwrap_or_else(|| panic!("no string {name} in {document}"))
            .to_owned()
    };
    let evaluation = field(&first.documents, "evaluationId");
    let page = call(ada.clone(), "LedgerService/ListEvaluations", &[r#"{"pageSize": 1}"#]).await;
    let page = field(&page.documents, "nextPageToken");
    let partitions = r#"{"kinds": ["EXPORT_KIND_PARTITIONS"]}"#;
    let exported = call(ada.clone(), "LedgerService/Export", &[partitions]).await;
    let position = field(&exported.documents, "after");
    let put_documents = |corpus: &str, text: &str| {
        [
            format!(r#"{{"corpus": {{"corpusId": "{corpus}"}}}}"#),
            format!(
                r#"{{"item": {{"id": "e", "kind": "EVIDENCE_KIND_TOOL_OUTPUT", "lane": "EVIDENCE_LANE_LOGS", "text": "{text}"}}}}"#
            ),
        ]
    };
    let text = format!("{MARK} pool size is 20");
    let key = blake3::hash(text.as_bytes()).to_hex();
    for (caller, corpus, text) in
        [(&ada, "inc-7", text.as_str()), (&ben, "of-ben", "pool size is 30")]
    {
        let parts = put_documents(corpus, text);
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let answer = call(caller.clone(), "EvidenceService/PutEvidence", &parts).await;
        assert_eq!(answer.code(), Code::Ok, "{answer:?}");
    }
    let start = r#"{"investigationId": "i"}"#;
    call(ada.clone(), "InvestigationService/StartInvestigation", &[start]).await;

    let fill_in = |document: &str, corpus: &str| {
        [
            ("EVALUATION", evaluation.as_str()),
            ("CORPUS", corpus),
            ("KEY", &key),
            ("INVESTIGATION", "i"),
            ("PAGE", &page),
            ("AFTER", &position),
        ]
        .iter()
        .fold(document.to_owned(), |text, (name, value)| text.replace(name, value))
    };
    for corpus in ["ada@inc-7", "inc-7", "@inc-7"] {
        for (method, documents, expected) in REQUESTS {
            let documents: Vec<String> =
                documents.iter().map(|document| fill_in(document, corpus)).collect();
            let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
            if corpus != "ada@inc-7" && !documents.concat().contains(corpus) {
                continue;
            }
            let is_own = *expected == Code::Ok && method.starts_with("InvestigationService")
                || *method == "InvestigationService/Drive"
                || *method == "EvidenceService/PutEvidence" && corpus == "inc-7";
            if corpus != "ada@inc-7" && is_own {
                continue;
            }
            let answer = call(ben.clone(), method, &documents).await;
            let case = format!("{method} {documents:?}: {answer:?}");
            assert_eq!(answer.code(), *expected, "{case}");
            assert!(!case.contains(MARK), "{case}");
            let response = answer.documents.concat();
            assert!(!response.contains(&evaluation) && !response.contains("\"ada\""), "{case}");
            if *method == "GroundingService/EvaluateStream" {
                assert!(response.contains("NOT_FOUND"), "{case}");
            }
            let details = String::from_utf8_lossy(answer.status.details()).into_owned();
            assert!(!details.contains(MARK), "{case}");
        }
    }
    for (method, document) in [
        ("LedgerService/GetEvaluation", r#"{"evaluationId": "EVALUATION"}"#),
        ("EvidenceService/GetSnapshot", r#"{"corpusId": "inc-7", "key": "KEY"}"#),
        ("InvestigationService/GetInvestigation", r#"{"investigationId": "i"}"#),
    ] {
        let document = fill_in(document, "inc-7");
        let answer = call(ada.clone(), method, &[document.as_str()]).await;
        assert_eq!(answer.code(), Code::Ok, "{method}: {answer:?}");
    }
    let listed = call(ada, "LedgerService/ListEvaluations", &["{}"]).await;
    assert_eq!(listed.documents.concat().matches("\"evaluationId\"").count(), 2, "{listed:?}");
}

#[tokio::test]
async fn full_storage_does_not_disclose_other_principals_usage() {
    let issuer = Issuer::new();
    let server = TestServer::with(|config| {
        configure_principals(config, &issuer);
        let principals_with_limits = principals_toml()
            .replace(r#"may = ["audit", "read", "search"]"#, r#"may = ["audit", "store"]"#);
        std::fs::write(config.security.principals.clone().unwrap(), principals_with_limits)
            .unwrap();
        config.evidence.max_size = "4KiB".parse().unwrap();
        config.evidence.max_corpus_size = "4KiB".parse().unwrap();
    })
    .await;
    let put_text = async |token: &str, size: usize| {
        let text = "line of a log\n".repeat(size / 14);
        let parts = [
            r#"{"corpus": {"corpusId": "c"}}"#.to_owned(),
            serde_json::json!({"item": {"id": "e", "kind": "EVIDENCE_KIND_TOOL_OUTPUT",
                "lane": "EVIDENCE_LANE_LOGS", "text": text}})
            .to_string(),
        ];
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        call(with_token(&server.channel, Some(token)), "EvidenceService/PutEvidence", &parts).await
    };
    assert_eq!(put_text("secret-of-ada", 3000).await.code(), Code::Ok);
    let error = put_text("secret-of-ben", 2000).await.status;
    assert_eq!(error.code(), Code::ResourceExhausted);
    let message = "evidence.max_size is 4096 bytes, but more would be needed";
    assert!(error.message().starts_with(message), "{error:?}");
    let disclosed = put_text("secret-of-the-auditor", 2000).await.status;
    assert!(
        disclosed.message().contains("bytes, but 4"),
        "the auditor may see the total: {disclosed:?}"
    );
    let error = put_text("secret-of-ben", 6000).await.status;
    assert!(error.message().contains("evidence.max_corpus_size is 4096 bytes, but "));
    assert!(!error.message().contains("more would"), "{error:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn model_answers_are_cached_per_principal() {
    use gsar_chat_wire::{ScriptedReply, Server};
    let (issuer, provider) = (Issuer::new(), Server::start().await.unwrap());
    provider.always(ScriptedReply::answer(HONEST));
    let models = Models::new().with("openai:gpt-4.1", &provider, |_| {});
    let server = models.start(|config| configure_principals(config, &issuer)).await;
    let from_cache = async |token: &str| {
        let mut request = request_for("");
        request.options = None;
        let mut caller = GroundingServiceClient::new(with_token(&server.channel, Some(token)));
        let answer = caller.evaluate(request).await.unwrap().into_inner();
        let judges = answer.provenance.unwrap().judges;
        judges.iter().flat_map(|link| &link.calls).map(|call| call.from_cache).collect::<Vec<_>>()
    };
    for (token, expected) in [
        ("secret-of-ada", false),
        ("secret-of-ada", true),
        ("secret-of-ben", false),
        ("secret-of-ben", true),
    ] {
        assert_eq!(from_cache(token).await, [expected], "{token}");
    }
}

#[tokio::test]
async fn principals_do_not_see_pairs_with_reports_of_others() {
    // Both reports have the same evidence. Ada's report is true, and ben's is false.
    let server = start_server(&Issuer::new()).await;
    for (token, synthesis) in [
        ("secret-of-ada", "The pool size of checkout is 20."),
        ("secret-of-ben", "The pool size of checkout is 50."),
    ] {
        let evidence = vec![item("pool", r#"{"name": "checkout", "pool_size": 20}"#)];
        let mut caller = GroundingServiceClient::new(with_token(&server.channel, Some(token)));
        caller.evaluate(evaluation(synthesis, evidence)).await.unwrap();
    }
    let count_exported_pairs = async |token: &str| {
        let kinds = vec![v1::ExportKind::Preferences.into()];
        let pairs = v1::ExportRequest { kinds, ..Default::default() };
        let mut ledger = LedgerServiceClient::new(with_token(&server.channel, Some(token)));
        let mut answers = ledger.export(pairs).await.unwrap().into_inner();
        let mut records = 0;
        while let Some(answer) = answers.message().await.unwrap() {
            records += answer.records.len();
        }
        records
    };
    assert_eq!(count_exported_pairs("secret-of-the-auditor").await, 1, "the auditor sees the pair");
    assert_eq!(
        count_exported_pairs("secret-of-ada").await + count_exported_pairs("secret-of-ben").await,
        0
    );
}
