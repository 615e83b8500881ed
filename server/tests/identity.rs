//! Who may do what on the real server: every call with every credential that does not hold, and what one principal sees of
//! another's.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod support;

use std::path::Path;

use gsar_proto::v1;
use gsar_proto::v1::evidence_service_client::EvidenceServiceClient;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_proto::v1::investigation_service_client::InvestigationServiceClient;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient;
use gsar_server::config::{Attested, Config, Jwt, Tls};
use gsar_server::telemetry::metrics::recorder;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use support::tls::{Authority, Client};
use support::tokens::{AUDIENCE, ISSUER, Issuer, ago};
use support::{Running, Wanted, item, request};
use tonic::client::Grpc;
use tonic::metadata::MetadataValue;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt as _;

/// What no log, error, record or metric may hold.
const TOKENS: [&str; 5] = [
    "secret-of-ada",
    "secret-of-ben",
    "secret-of-the-auditor",
    "secret-of-a-reader",
    "secret-of-a-caller",
];

/// Brings a token with every call.
#[derive(Clone)]
struct Bearer(Option<String>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            let value = MetadataValue::try_from(format!("Bearer {token}")).unwrap();
            request.metadata_mut().insert("authorization", value);
        }
        Ok(request)
    }
}

type As = InterceptedService<Channel, Bearer>;

fn with(channel: &Channel, token: Option<&str>) -> As {
    InterceptedService::new(channel.clone(), Bearer(token.map(str::to_owned)))
}

/// How the file of principals names a token.
fn digest(token: &str) -> String {
    let digest = Sha256::digest(token.as_bytes());
    format!("sha256:{}", digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

fn principals() -> String {
    let all = r#"["evaluate", "override", "read", "delete", "grade", "store", "search"]"#;
    let [ada, ben, auditor, reader, caller] = TOKENS.map(digest);
    format!(
        "[ada]\ntokens = [\"{ada}\"]\nsubjects = [\"ada@example\"]\ncertificates = [\"spiffe://example/ada\"]\nmay = {all}\n\
         [ben]\ntokens = [\"{ben}\"]\nmay = {all}\n\
         [auditor]\ntokens = [\"{auditor}\"]\nmay = [\"audit\", \"read\", \"search\"]\n\
         [reader]\ntokens = [\"{reader}\"]\nmay = [\"read\"]\n\
         [caller]\ntokens = [\"{caller}\"]\nmay = [\"evaluate\"]\n"
    )
}

fn with_principals(config: &mut Config, issuer: &Issuer) {
    let folder = config.data_dir.parent().unwrap().to_owned();
    std::fs::write(folder.join("principals.toml"), principals()).unwrap();
    std::fs::write(folder.join("jwks.json"), issuer.keys()).unwrap();
    config.security.require = true;
    config.security.principals = Some(folder.join("principals.toml"));
    config.security.jwt = Some(Jwt {
        issuer: ISSUER.to_owned(),
        audience: AUDIENCE.to_owned(),
        keys: folder.join("jwks.json"),
    });
}

/// The server, and a channel to it over TLS with this client's certificate.
async fn started(issuer: &Issuer) -> Running {
    Wanted::default().start(|config| with_principals(config, issuer)).await
}

/// Every method of the contract as a path.
fn methods() -> Vec<String> {
    let pool = prost_reflect::DescriptorPool::decode(gsar_proto::DESCRIPTORS).unwrap();
    let ours = pool.services().filter(|service| service.package_name() == "gsar.v1");
    let methods = ours.flat_map(|service| {
        let name = service.full_name().to_owned();
        service
            .methods()
            .map(move |method| format!("/{name}/{}", method.name()))
            .collect::<Vec<_>>()
    });
    methods.collect()
}

/// What an empty message gets.
async fn asked(service: As, path: &str) -> Status {
    let mut grpc = Grpc::new(service);
    grpc.ready().await.unwrap();
    let codec: ProstCodec<(), ()> = ProstCodec::default();
    let answer = grpc.unary(Request::new(()), path.parse().unwrap(), codec).await;
    answer.err().unwrap_or_else(|| Status::new(Code::Ok, ""))
}

#[tokio::test]
async fn every_call_is_refused_with_what_does_not_hold() {
    let (issuer, other) = (Issuer::new(), Issuer::new());
    let server = started(&issuer).await;
    let good = issuer.token("ada@example", json!({}));
    let tampered = {
        let (head, rest) = good.split_at(good.len() - 6);
        format!("{head}{}", if rest.starts_with('A') { "BAAAAA" } else { "AAAAAA" })
    };
    let none = format!("{}.", good.rsplit_once('.').unwrap().0);
    let refused = [
        ("nothing", None),
        ("an unknown token", Some("guessed".to_owned())),
        ("a digest in place of the token", Some(digest(TOKENS[0]))),
        ("an expired token", Some(issuer.token("ada@example", json!({ "exp": ago(120) })))),
        (
            "one that is not valid yet",
            Some(issuer.token("ada@example", json!({ "nbf": ago(0) + 900 }))),
        ),
        ("one for another audience", Some(issuer.token("ada@example", json!({ "aud": "other" })))),
        (
            "one of another issuer",
            Some(issuer.token("ada@example", json!({ "iss": "https://other" }))),
        ),
        ("one by another key", Some(other.token("ada@example", json!({})))),
        (
            "one without an end",
            Some(issuer.sign(&json!({ "sub": "ada@example", "iss": ISSUER, "aud": AUDIENCE }))),
        ),
        ("one of an unknown subject", Some(issuer.token("eve@example", json!({})))),
        ("one that was changed", Some(tampered)),
        ("one without a signature", Some(none)),
    ];
    for path in methods() {
        for (what, token) in &refused {
            let status = asked(with(&server.channel, token.as_deref()), &path).await;
            assert_eq!(status.code(), Code::Unauthenticated, "{path} with {what}: {status:?}");
            if let Some(token) = token {
                assert!(!format!("{status:?}").contains(token.as_str()), "{status:?}");
            }
        }
        let status = asked(with(&server.channel, Some(&good)), &path).await;
        let refusals = [Code::Unauthenticated, Code::PermissionDenied, Code::Internal];
        assert!(!refusals.contains(&status.code()), "{path}: {status:?}");
    }
}

#[tokio::test]
async fn every_call_takes_its_right() {
    let server = started(&Issuer::new()).await;
    let reader = with(&server.channel, Some("secret-of-a-reader"));
    for path in methods() {
        let method = path.rsplit_once('.').unwrap().1;
        let is_open = method.starts_with("GateService/") || method.starts_with("PolicyService/");
        let reads = [
            "GroundingService/Rescore",
            "InvestigationService/GetInvestigation",
            "LedgerService/ListEvaluations",
            "LedgerService/GetEvaluation",
            "LedgerService/GetEvaluationEvidence",
            "LedgerService/Export",
        ];
        let status = asked(reader.clone(), &path).await;
        let is_refused = status.code() == Code::PermissionDenied;
        assert_eq!(is_refused, !is_open && !reads.contains(&method), "{path}: {status:?}");
        if is_refused {
            assert!(status.message().starts_with("reader may not "), "{status:?}");
        }
    }
    let overriding =
        v1::EvaluateRequest { policy_overrides: Some(v1::PolicyOverrides::default()), ..request() };
    for (token, wanted) in
        [("secret-of-ada", Code::Ok), ("secret-of-a-caller", Code::PermissionDenied)]
    {
        let mut caller = GroundingServiceClient::new(with(&server.channel, Some(token)));
        assert_eq!(code(caller.evaluate(request()).await), Code::Ok);
        assert_eq!(code(caller.evaluate(overriding.clone()).await), wanted);
    }
}

fn code<T: std::fmt::Debug>(answer: Result<T, Status>) -> Code {
    answer.err().map_or(Code::Ok, |status| status.code())
}

#[tokio::test]
async fn one_principal_sees_nothing_of_another() {
    let server = started(&Issuer::new()).await;
    let [ada, ben, auditor, ..] = TOKENS.map(|token| with(&server.channel, Some(token)));
    let grounding = |of: &As| GroundingServiceClient::new(of.clone());
    let ledger = |of: &As| LedgerServiceClient::new(of.clone());
    let evidence = |of: &As| EvidenceServiceClient::new(of.clone());
    let keyed = v1::EvaluateRequest { idempotency_key: "one".to_owned(), ..request() };
    let id = grounding(&ada).evaluate(keyed.clone()).await.unwrap().into_inner().evaluation_id;
    let of_ben = grounding(&ben).evaluate(keyed).await.unwrap().into_inner().evaluation_id;
    assert_ne!(id, of_ben, "a key is its principal's");

    // The ledger.
    let named = |id: &str| v1::GetEvaluationRequest { evaluation_id: id.to_owned() };
    for (of, id, wanted) in [
        (&ada, &id, Code::Ok),
        (&ben, &id, Code::NotFound),
        (&auditor, &id, Code::Ok),
        (&ada, &of_ben, Code::NotFound),
    ] {
        assert_eq!(code(ledger(of).get_evaluation(named(id)).await), wanted);
    }
    let read = ledger(&auditor).get_evaluation(named(&of_ben)).await.unwrap().into_inner();
    assert_eq!(read.principal, "ben");
    let listed = async |of: &As| -> Vec<String> {
        let list = v1::ListEvaluationsRequest::default();
        let page = ledger(of).list_evaluations(list).await.unwrap().into_inner();
        page.evaluations
            .into_iter()
            .map(|found| format!("{} {}", found.principal, found.evaluation_id))
            .collect()
    };
    assert_eq!(listed(&ada).await, [format!("ada {id}")]);
    assert_eq!(listed(&auditor).await, [format!("ben {of_ben}"), format!("ada {id}")]);
    let delete = v1::DeleteEvaluationRequest { evaluation_id: id.clone() };
    assert_eq!(code(ledger(&ben).delete_evaluation(delete).await), Code::NotFound);
    let rescore = v1::RescoreRequest { evaluation_id: id.clone(), ..v1::RescoreRequest::default() };
    assert_eq!(code(grounding(&ben).rescore(rescore).await), Code::NotFound);
    let grade = v1::GradeRequest {
        evaluation_id: id.clone(),
        grader: "ben".to_owned(),
        grades: vec![v1::Grade {
            subject: Some(v1::grade::Subject::Report(v1::ReportGrade {
                tier: v1::Tier::Proceed.into(),
            })),
            note: String::new(),
        }],
    };
    assert_eq!(code(ledger(&ben).grade(grade).await), Code::NotFound);
    let shown =
        v1::GetEvaluationEvidenceRequest { evaluation_id: id.clone(), evidence_id: "e".to_owned() };
    assert_eq!(code(ledger(&ben).get_evaluation_evidence(shown).await), Code::NotFound);
    let exported = async |of: &As| -> String {
        let kinds = vec![v1::ExportKind::Partitions.into(), v1::ExportKind::Grades.into()];
        let every_kind = v1::ExportRequest { kinds, ..v1::ExportRequest::default() };
        let mut chunks = ledger(of).export(every_kind).await.unwrap().into_inner();
        let mut exported = String::new();
        while let Some(chunk) = chunks.message().await.unwrap() {
            exported.push_str(&format!("{chunk:?}"));
        }
        exported
    };
    assert!(exported(&ada).await.contains(&id));
    assert!(!exported(&ben).await.contains(&id));

    // Corpora.
    let put = |text: &str| {
        use v1::put_evidence_request::Part;
        let corpus = v1::CorpusHead { corpus_id: "inc-7".to_owned(), ..v1::CorpusHead::default() };
        let parts = [Part::Corpus(corpus), Part::Item(item("of-one", text))];
        tokio_stream::iter(parts.map(|part| v1::PutEvidenceRequest { part: Some(part) }))
    };
    evidence(&ada).put_evidence(put("only ada knows this")).await.unwrap();
    evidence(&ben).put_evidence(put("only ben knows that")).await.unwrap();
    let search = |corpus: &str| v1::SearchRequest {
        corpus_id: corpus.to_owned(),
        query: "only knows".to_owned(),
        ..v1::SearchRequest::default()
    };
    for (of, corpus, text) in [
        (&ada, "inc-7", "only ada"),
        (&ben, "inc-7", "only ben"),
        (&auditor, "ada@inc-7", "only ada"),
        (&ada, "ada@inc-7", "only ada"),
    ] {
        let found = evidence(of).search(search(corpus)).await.unwrap().into_inner();
        assert!(found.hits[0].text.contains(text), "{corpus}: {found:?}");
    }
    let corpora = async |of: &As| -> Vec<String> {
        let list = v1::ListCorporaRequest::default();
        let page = evidence(of).list_corpora(list).await.unwrap().into_inner();
        page.corpora.into_iter().map(|corpus| corpus.corpus_id).collect()
    };
    assert_eq!(corpora(&ada).await, ["inc-7"]);
    assert_eq!(corpora(&auditor).await, ["ada@inc-7", "ben@inc-7"]);
    for corpus in ["ada@inc-7", "@inc-7"] {
        assert_eq!(code(evidence(&ben).search(search(corpus)).await), Code::NotFound);
        let snapshot = v1::GetSnapshotRequest {
            corpus_id: corpus.to_owned(),
            item: Some(v1::get_snapshot_request::Item::EvidenceId("of-one".to_owned())),
            ..v1::GetSnapshotRequest::default()
        };
        assert_eq!(code(evidence(&ben).get_snapshot(snapshot).await), Code::NotFound);
        let delete = v1::DeleteCorpusRequest { corpus_id: corpus.to_owned() };
        assert_eq!(code(evidence(&ben).delete_corpus(delete).await), Code::NotFound);
        let evaluate = v1::EvaluateRequest { corpus_id: corpus.to_owned(), ..request() };
        assert_eq!(code(grounding(&ben).evaluate(evaluate).await), Code::NotFound);
    }

    // Investigations.
    let investigations = |of: &As| InvestigationServiceClient::new(of.clone());
    let start = v1::StartInvestigationRequest {
        investigation_id: "i".to_owned(),
        ..v1::StartInvestigationRequest::default()
    };
    investigations(&ada).start_investigation(start.clone()).await.unwrap();
    let get = || v1::GetInvestigationRequest {
        investigation_id: "i".to_owned(),
        ..v1::GetInvestigationRequest::default()
    };
    assert_eq!(code(investigations(&ben).get_investigation(get()).await), Code::NotFound);
    let turn = v1::RecordTurnRequest {
        investigation_id: "i".to_owned(),
        step: 1,
        ..v1::RecordTurnRequest::default()
    };
    assert_eq!(code(investigations(&ben).record_turn(turn).await), Code::NotFound);
    let submit = v1::SubmitReportRequest {
        investigation_id: "i".to_owned(),
        step: 1,
        report: request().report,
        ..v1::SubmitReportRequest::default()
    };
    assert_eq!(code(investigations(&ben).submit_report(submit).await), Code::NotFound);
    let cancel = v1::CancelInvestigationRequest { investigation_id: "i".to_owned() };
    assert_eq!(code(investigations(&ben).cancel_investigation(cancel).await), Code::NotFound);
    investigations(&ben).start_investigation(start).await.unwrap();
    assert_eq!(code(investigations(&ada).get_investigation(get()).await), Code::Ok);

    let metrics = recorder().unwrap().render();
    for token in TOKENS {
        assert!(!metrics.contains(token), "{token}");
        assert!(!holds(server.folder.path(), token), "{token}");
    }
}

/// Whether any file below a folder holds a text.
fn holds(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().map(Result::unwrap).any(|entry| {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            return holds(&entry.path(), text);
        }
        kind.is_file()
            && std::fs::read(entry.path())
                .unwrap()
                .windows(text.len())
                .any(|window| window == text.as_bytes())
    })
}

#[tokio::test]
async fn a_client_is_known_by_its_certificate_and_principals_are_read_anew() {
    let (authority, issuer) = (Authority::new("clients"), Issuer::new());
    let server = Wanted::default()
        .start(|config| {
            with_principals(config, &issuer);
            let folder = config.data_dir.parent().unwrap();
            authority.sign().write(folder, "server");
            std::fs::write(folder.join("clients.pem"), authority.pem()).unwrap();
            config.listen.push("grpcs://127.0.0.1:0".parse().unwrap());
            config.tls = Tls {
                certificate: Some(folder.join("server.pem")),
                key: Some(folder.join("server.key")),
                client_ca: Some(folder.join("clients.pem")),
            };
        })
        .await;
    let versions = rustls::ALL_VERSIONS;
    let ada = authority.sign_for("spiffe://example/ada");
    let eve = authority.sign_for("spiffe://example/eve");
    let [ada, eve] = [ada, eve].map(|signed| Client::with(&authority, Some(&signed), versions));
    let address = server.tls.unwrap();
    let list = async |client: &Client, token: Option<&str>| {
        let channel = client.channel(address).await.unwrap();
        let list = v1::ListEvaluationsRequest::default();
        LedgerServiceClient::new(with(&channel, token)).list_evaluations(list).await
    };
    assert_eq!(code(list(&ada, None).await), Code::Ok);
    let refused = list(&eve, None).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    assert!(refused.message().contains("spiffe://example/eve"), "{refused:?}");
    // A token says more than a certificate, and one that does not hold is not passed over.
    assert_eq!(code(list(&eve, Some("secret-of-ben")).await), Code::Ok);
    assert_eq!(code(list(&ada, Some("guessed")).await), Code::Unauthenticated);

    let file = server.folder.path().join("principals.toml");
    std::fs::write(&file, principals().replace("/ada\"", "/eve\"")).unwrap();
    server.reload().await;
    while code(list(&eve, None).await) != Code::Ok {
        tokio::task::yield_now().await;
    }
    assert_eq!(code(list(&ada, None).await), Code::Unauthenticated);
}

#[tokio::test]
async fn evidence_is_attested_by_who_sends_it() {
    let issuer = Issuer::new();
    let server = Wanted::default()
        .start(|config| {
            with_principals(config, &issuer);
            let listen = config.listen[0].clone();
            let principal = Some("ada".to_owned());
            let rule = Attested { listen, peer_uid: None, principal, tools: Vec::new() };
            config.evidence.attested = vec![rule];
        })
        .await;
    for (token, wanted) in [("secret-of-ada", true), ("secret-of-ben", false)] {
        let mut caller = GroundingServiceClient::new(with(&server.channel, Some(token)));
        let answer = caller.evaluate(request()).await.unwrap().into_inner();
        assert_eq!(answer.provenance.unwrap().evidence[0].attested, wanted, "{token}");
    }
}

#[tokio::test]
async fn a_user_of_a_socket_is_known_and_calls_are_counted() {
    use std::os::unix::fs::MetadataExt as _;
    let server = Wanted::default()
        .start(|config| {
            let file = config.data_dir.parent().unwrap().join("principals.toml");
            let uid = std::fs::metadata(file.parent().unwrap()).unwrap().uid();
            let text = format!("[me]\nuids = [{uid}]\nmay = [\"read\"]\ncalls_per_minute = 2\n");
            std::fs::write(&file, text).unwrap();
            config.security.principals = Some(file);
        })
        .await;
    let mut ledger = server.ledger();
    for _ in 0..2 {
        ledger.list_evaluations(v1::ListEvaluationsRequest::default()).await.unwrap();
    }
    let refused = ledger.list_evaluations(v1::ListEvaluationsRequest::default()).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    let retry = refused.get_details_retry_info().unwrap().retry_delay.unwrap();
    assert!(retry > std::time::Duration::from_secs(1), "{refused:?}");
}

#[tokio::test]
async fn over_http_callers_with_a_token_may_write() {
    let issuer = Issuer::new();
    let server = Wanted::default()
        .start(|config| {
            with_principals(config, &issuer);
            config.security.require = false;
            config.gateway.address = Some("0.0.0.0:0".parse().unwrap());
        })
        .await;
    let port = server.gateway.unwrap().port();
    // reqwest wants one even where nothing is encrypted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::new();
    let post = async |path: &str, token: Option<&str>, document: serde_json::Value| {
        let mut request = http
            .post(format!("http://127.0.0.1:{port}/v1/{path}"))
            .header("content-type", "application/json")
            .header("host", "gsar.internal")
            .body(document.to_string());
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        request.send().await.unwrap()
    };
    let mut ada = GroundingServiceClient::new(with(&server.channel, Some("secret-of-ada")));
    let id = ada.evaluate(request()).await.unwrap().into_inner().evaluation_id;
    let delete = || json!({ "evaluationId": id });
    for (token, status) in [
        (None, 401),
        (Some("guessed"), 401),
        (Some("secret-of-a-reader"), 403),
        (Some("secret-of-ben"), 404),
        (Some("secret-of-ada"), 200),
        (Some("secret-of-ada"), 404),
    ] {
        let answer = post("delete-evaluation", token, delete()).await;
        assert_eq!(answer.status().as_u16(), status, "{token:?}");
    }
    let start = json!({ "investigationId": "over-http" });
    assert_eq!(post("start-investigation", Some("secret-of-ada"), start).await.status(), 200);
}
