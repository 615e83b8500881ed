//! Tests that the binaries never leak a secret, and never show text from reports or evidence to operators.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::identity::digest;
use crate::support::chat_models::{HONEST, request_for};
use crate::support::collector::start_collector;
use crate::support::corpora::{put, search};
use crate::support::grades::{grade_request, report_grade};
use crate::support::investigations::{start, submission};
use crate::support::postgres::{Kind, Postgres};
use crate::support::process::Process;
use crate::support::run::run;
use crate::support::tls::{Authority, Client};
use crate::support::tokens::{AUDIENCE, ISSUER, Issuer, seconds_ago};
use crate::support::{connect, http, item};
use gsar_chat_wire::{KEY, ScriptedReply, Server};
use gsar_proto::v1;
use gsar_proto::v1::evidence_service_client::EvidenceServiceClient;
use gsar_proto::v1::gate_service_client::GateServiceClient;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_proto::v1::investigation_service_client::InvestigationServiceClient;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient;
use rustix::process::Signal;
use serde_json::json;
use tonic::metadata::MetadataValue;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Request, Status};

const MODEL: &str = "openai:gpt-4.1";
/// Begins with `planted-secret-`, which `tests/support/leaks.sh` searches for in all test output.
const TOKEN: &str = "planted-secret-token-b7e1c0a4";
const WRONG_TOKEN: &str = "planted-secret-wrong-token-03fd";
const PASSWORD: &str = "planted-secret-password-55aa";
/// A marker in every text that the caller sends.
const TEXT: &str = "planted-text-of-a-caller";

#[derive(Clone)]
struct Header(String);

impl Interceptor for Header {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let value = MetadataValue::try_from(&self.0).unwrap();
        request.metadata_mut().insert("authorization", value);
        Ok(request)
    }
}

type Caller = InterceptedService<Channel, Header>;

#[derive(Default)]
struct Seen(BTreeMap<String, String>);

impl Seen {
    fn add(&mut self, place: &str, text: &str) {
        let all = self.0.entry(place.to_owned()).or_default();
        all.push_str(text);
        all.push('\n');
    }

    fn add_error<T: std::fmt::Debug>(&mut self, answer: Result<T, Status>) {
        if let Err(status) = answer {
            let details = String::from_utf8_lossy(status.details()).into_owned();
            self.add("errors", &format!("{status:?} {details}"));
        }
    }

    fn assert_without(&self, secret: &str, places: &[&str]) {
        for (place, text) in &self.0 {
            if places.is_empty() || places.contains(&place.as_str()) {
                let position = text.find(secret);
                let context = position.map(|position| {
                    let (start, end) =
                        (position.saturating_sub(200), (position + 200).min(text.len()));
                    String::from_utf8_lossy(text.as_bytes().get(start..end).unwrap_or_default())
                        .into_owned()
                });
                assert!(context.is_none(), "{secret} in {place}: {context:?}");
            }
        }
    }
}

fn read_files(folder: &Path) -> String {
    let mut contents = String::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => contents.push_str(&read_files(&entry.path())),
            kind if kind.is_file() => {
                contents.push_str(&String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()));
            }
            _ => {}
        }
    }
    contents
}

fn principals() -> String {
    let digest = digest(TOKEN);
    format!(
        "[ada]\ntokens = [\"{digest}\"]\nsubjects = [\"ada\"]\n\
         may = [\"evaluate\", \"override\", \"read\", \"delete\", \"grade\", \"store\", \"search\"]\n"
    )
}

async fn make_calls(caller: &Caller, seen: &mut Seen) {
    let mut grounding = GroundingServiceClient::new(caller.clone());
    let marked = || {
        let mut request = request_for("");
        request.evidence = vec![item("log", &format!("the pool size is 20 {TEXT}"))];
        request.investigation_id = "inc-7".to_owned();
        for claim in &mut request.report.as_mut().unwrap().claims {
            claim.text.push_str(TEXT);
        }
        request
    };
    let evaluated = grounding.evaluate(marked()).await.unwrap().into_inner();
    let id = evaluated.evaluation_id;
    let mut synthesis = marked();
    synthesis.report.as_mut().unwrap().claims.clear();
    synthesis.report.as_mut().unwrap().synthesis = format!("The pool size is 20. {TEXT} é");
    seen.add_error(grounding.evaluate(synthesis).await);
    seen.add_error(
        grounding.evaluate(v1::EvaluateRequest { policy: "none".to_owned(), ..marked() }).await,
    );
    let rescore = v1::RescoreRequest { evaluation_id: id.clone(), ..Default::default() };
    grounding.rescore(rescore).await.unwrap();
    let mut evidence = EvidenceServiceClient::new(caller.clone());
    let log = item("log", &format!("pool size is 20 {TEXT}\n"));
    evidence.put_evidence(put("c", [log])).await.unwrap();
    evidence.search(search("c", TEXT)).await.unwrap();
    seen.add_error(
        grounding.evaluate(v1::EvaluateRequest { corpus_id: "c".to_owned(), ..marked() }).await,
    );
    let mut ledger = LedgerServiceClient::new(caller.clone());
    let grade = v1::Grade { note: TEXT.to_owned(), ..report_grade(v1::Tier::Replan) };
    ledger.grade(grade_request(&id, "ada", [grade])).await.unwrap();
    let kinds = vec![v1::ExportKind::Partitions.into(), v1::ExportKind::Grades.into()];
    let export = v1::ExportRequest { kinds, ..Default::default() };
    let mut exported = ledger.export(export).await.unwrap().into_inner();
    while exported.message().await.unwrap().is_some() {}
    let get = v1::GetEvaluationRequest { evaluation_id: id, redact: false };
    let record = ledger.get_evaluation(get).await.unwrap().into_inner();
    seen.add("records", &format!("{record:?}"));
    let mut investigations = InvestigationServiceClient::new(caller.clone());
    investigations.start_investigation(start("i")).await.unwrap();
    let report = v1::SubmitReportRequest {
        report: marked().report,
        ..submission("i", 0, "", marked().evidence)
    };
    seen.add_error(investigations.submit_report(report).await);
    let text = v1::classify_verdict_request::Content::Text(TEXT.to_owned());
    let verdict = v1::ClassifyVerdictRequest { content: Some(text), ..Default::default() };
    seen.add_error(GateServiceClient::new(caller.clone()).classify_verdict(verdict).await);
}

async fn run_with_database(database: Option<&Postgres>) {
    let (provider, folder) = (Server::start().await.unwrap(), tempfile::tempdir().unwrap());
    let (collector, mut spans) = start_collector().await;
    let (authority, issuer) = (Authority::new("clients"), Issuer::new());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let tls = authority.sign();
    tls.write(folder.path(), "server");
    std::fs::write(path("clients.pem"), authority.pem()).unwrap();
    std::fs::write(path("principals.toml"), principals()).unwrap();
    std::fs::write(path("jwks.json"), issuer.keys()).unwrap();
    let model = provider.model_table(MODEL, folder.path()).unwrap();
    let storage = database.map_or(String::new(), |database| {
        format!("storage.url = \"{}&password={PASSWORD}\"", database.database())
    });
    let socket = path("gsar.sock");
    let config = format!(
        r#"
            listen = ["unix://{socket}", "grpcs://127.0.0.1:0"]
            admin = "127.0.0.1:0"
            evidence.embeddings = "off"
            judges.chain = ["{MODEL}", "rules/2"]
            judges.second_look = "off"
            log.level = "trace"
            traces.endpoint = "http://{collector}"
            gateway.address = "127.0.0.1:0"
            {storage}
            {model}
            attempts = 1
            canary = false
            input_price = 1
            output_price = 1
            [tls]
            certificate = "{}"
            key = "{}"
            client_ca = "{}"
            [security]
            require = true
            principals = "{}"
            jwt = {{ issuer = "{ISSUER}", audience = "{AUDIENCE}", keys = "{}" }}
        "#,
        path("server.pem"),
        path("server.key"),
        path("clients.pem"),
        path("principals.toml"),
        path("jwks.json"),
    );
    let (folder_path, text) = (folder.path().to_owned(), config.clone());
    let start = move || {
        let process = Process::with_listeners(&folder_path, &text);
        process.log_line("listening");
        let lines = ["listening", "listening for admin", "listening for HTTP"];
        let addresses = lines.map(|line| process.log_line(line)["address"].clone());
        process.log_line("ready");
        (process, addresses.map(|address| address.as_str().unwrap().to_owned()))
    };
    let (process, [grpcs, admin, gateway]) = tokio::task::spawn_blocking(start).await.unwrap();
    let mut seen = Seen::default();
    let channel = connect(Path::new(&socket)).await;
    let caller = |header: &str| InterceptedService::new(channel.clone(), Header(header.to_owned()));

    provider.always(ScriptedReply::answer(HONEST));
    make_calls(&caller(&format!("Bearer {TOKEN}")), &mut seen).await;
    let token = issuer.token("ada", json!({}));
    let bearer = format!("Bearer {token}");
    GroundingServiceClient::new(caller(&bearer)).evaluate(request_for("")).await.unwrap();
    // These providers repeat the key in errors and answers.
    let error_body = |text: &str| json!({ "error": { "message": text, "code": text } }).to_string();
    for reply in [
        ScriptedReply::Raw(
            401,
            "application/json",
            error_body(&format!("wrong key {KEY}")).into_bytes(),
        ),
        ScriptedReply::Raw(500, "text/plain", KEY.into()),
        ScriptedReply::Raw(200, "application/json", KEY.into()),
        ScriptedReply::answer(KEY),
        ScriptedReply::Redirect,
    ] {
        provider.always(reply);
        let mut grounding = GroundingServiceClient::new(caller(&bearer));
        let answer = grounding.evaluate(request_for(MODEL)).await;
        seen.add("answers", &format!("{answer:?}"));
    }
    provider.always(ScriptedReply::answer(HONEST));
    // These credentials are invalid or misplaced.
    let expired_token = issuer.token("ada", json!({ "exp": seconds_ago(3600) }));
    let unknown_token = issuer.token(TEXT, json!({}));
    let tokens =
        [WRONG_TOKEN, &expired_token, &unknown_token, token.trim_end_matches(|c| c != '.')];
    for header in tokens.iter().map(|token| format!("Bearer {token}")).chain([
        format!("Basic {WRONG_TOKEN}"),
        WRONG_TOKEN.to_owned(),
        format!("Bearer {TOKEN} {TOKEN}"),
    ]) {
        let list = v1::ListEvaluationsRequest::default();
        seen.add_error(LedgerServiceClient::new(caller(&header)).list_evaluations(list).await);
    }
    let http = http::client();
    for token in [TOKEN, WRONG_TOKEN] {
        let response = http
            .post(format!("{gateway}/v1/evaluations"))
            .header("content-type", "application/json")
            .header("authorization", format!("Bearer {token}"))
            .body(format!("{{\"{TEXT}\": 1}}"))
            .send();
        seen.add("http", &response.await.unwrap().text().await.unwrap());
    }
    let address = grpcs.trim_start_matches("grpcs://").parse().unwrap();
    let signed = authority.sign_for("spiffe://example/eve");
    let client = Client::new(&authority, Some(&signed), rustls::ALL_VERSIONS);
    let eve = client.channel(address).await.unwrap();
    let list = v1::ListEvaluationsRequest::default();
    seen.add_error(LedgerServiceClient::new(eve).list_evaluations(list).await);
    let without_certificate = Client::trusting(&authority).channel(address).await;
    if let Ok(without_certificate) = without_certificate {
        let list = v1::ListEvaluationsRequest::default();
        seen.add_error(LedgerServiceClient::new(without_certificate).list_evaluations(list).await);
    }
    // The `gsar` command, if it is built.
    let gsar = Path::new(env!("CARGO_BIN_EXE_gsar-server")).with_file_name("gsar");
    for (name, token) in
        [("right", TOKEN), ("wrong", WRONG_TOKEN), ("broken", "planted-secret-\u{7}")]
    {
        std::fs::write(path(name), token).unwrap();
        for arguments in ["doctor", "health", "ledger list"] {
            let mut command = Command::new(&gsar);
            command.args(arguments.split(' ')).args(["--endpoint", &format!("unix://{socket}")]);
            command.args(["--token-file", &path(name)]).env_clear();
            if let Ok(output) = command.output() {
                let text = [output.stdout, output.stderr].concat();
                seen.add("command", &String::from_utf8_lossy(&text));
            }
        }
    }
    // These broken files contain misplaced secrets.
    let key_body = tls.key.lines().nth(1).unwrap().to_owned();
    for (file, broken_config) in [
        ("principals.toml", format!("[ada]\ntokens = [\"{TOKEN}\"]\nmay = [\"read\"]\n")),
        ("principals.toml", format!("[ada]\ntokens = [\"{TOKEN}\nmay = [\"read\"]\n")),
        ("principals.toml", format!("[ada]\ntoken = \"{TOKEN}\"\n")),
        ("jwks.json", json!({ "keys": [{ "kty": "oct", "k": TOKEN }] }).to_string()),
        ("jwks.json", TOKEN.to_owned()),
        (
            "server.key",
            format!("-----BEGIN PRIVATE KEY-----\n{key_body}\n-----END PRIVATE KEY-----\n"),
        ),
        ("server.key", key_body.clone()),
        ("server.pem", tls.key.clone()),
    ] {
        let original = std::fs::read(path(file)).unwrap();
        std::fs::write(path(file), broken_config).unwrap();
        process.signal(Signal::HUP);
        process.log_line(match file {
            "principals.toml" | "jwks.json" => {
                "failed to reload principals and token keys; keeping the previous ones"
            }
            _ => "failed to reload certificate, key and client CA; keeping the previous ones",
        });
        let (_, checked) = run(&["--check", "--config", &path("gsar.toml")], &[]);
        seen.add("check", &checked);
        std::fs::write(path(file), original).unwrap();
    }
    if let Some(database) = database {
        database.kill();
        let mut grounding = GroundingServiceClient::new(caller(&bearer));
        seen.add_error(grounding.evaluate(request_for("")).await);
        seen.add("check", &run(&["--check", "--config", &path("gsar.toml")], &[]).1);
        database.start_and_wait();
    }
    let metrics = http.get(format!("{admin}/metrics")).send().await.unwrap();
    seen.add("metrics", &metrics.text().await.unwrap());
    seen.add("configuration", &run(&["--print-config", "--config", &path("gsar.toml")], &[]).1);
    let broken_config = config.replace("[security]", "[security]\n            colour = 1");
    std::fs::write(path("broken.toml"), broken_config).unwrap();
    seen.add("configuration", &run(&["--check", "--config", &path("broken.toml")], &[]).1);
    seen.add("configuration", &run(&["--config", &path("broken.toml")], &[]).1);
    let log = tokio::task::spawn_blocking(move || process.terminate()).await.unwrap();
    seen.add("log", &log);
    while let Ok(span) = spans.try_recv() {
        seen.add("spans", &format!("{span:?}"));
    }
    seen.add("data", &read_files(&folder.path().join("data")));
    if let Some(database) = database {
        seen.add("data", &database.dump());
    }

    for (place, expected) in [
        ("log", "evaluated"),
        ("log", "TRACE"),
        ("spans", "chat gpt-4.1"),
        ("metrics", "gsar_calls_total"),
        ("configuration", "security.colour"),
        ("check", "is not a token digest"),
        ("errors", "Unauthenticated"),
        ("answers", "PROVIDER"),
        ("records", TEXT),
        ("http", "UNIDENTIFIED"),
    ] {
        let text = seen.0.get(place).map(String::as_str).unwrap_or_default();
        assert!(text.contains(expected), "{expected} in {place}: {:.2000}", text);
    }
    let signature = token.rsplit_once('.').unwrap().1.to_owned();
    for secret in [
        "planted-secret", TOKEN, WRONG_TOKEN, PASSWORD, KEY, &token, &signature, &expired_token,
        &unknown_token, &key_body,
    ] {
        seen.assert_without(secret, &[]);
    }
    seen.assert_without(TEXT, &["log", "metrics", "spans", "configuration", "check", "command"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn does_not_leak_secrets_with_sqlite() {
    run_with_database(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn does_not_leak_secrets_with_postgresql() {
    let Some(database) = Postgres::start(Kind::System) else { return };
    run_with_database(Some(&database)).await;
}

#[test]
fn invalid_configuration_does_not_leak_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gsar.toml");
    for text in [
        // The file is truncated in the line with the password.
        format!("storage.url = \"postgres://gsar:{PASSWORD}@db/gsar\nadmin = 1"),
        format!("storage.url = \"postgres://gsar:{PASSWORD}@db/gsar?sslmode=prefer\""),
        format!("storage.url = \"postgres://gsar:{PASSWORD}@[db/gsar\""),
        format!("storage.url = \"mysql://gsar:{PASSWORD}@db/gsar\""),
        format!("storage = \"postgres://gsar:{PASSWORD}@db/gsar\""),
        format!("storage.password = \"{PASSWORD}\""),
        format!("judges.models.\"{MODEL}\".key = \"{PASSWORD}\""),
        format!(
            "judges.models.\"{MODEL}\".base_url = \"https://ada:{PASSWORD}@models.example/v1\""
        ),
        format!("traces.endpoint = \"http://ada:{PASSWORD}@collector.example:4317\""),
        format!("log.level = 3\nstorage.url = \"postgres://gsar:{PASSWORD}@db/gsar\""),
        format!("storage.url = \"postgres://gsar:{PASSWORD}@127.0.0.1:1/gsar?sslmode=disable\""),
    ] {
        std::fs::write(&file, &text).unwrap();
        let file = file.to_str().unwrap();
        let data = folder.path().join("data");
        let data = ["--data-dir", data.to_str().unwrap()];
        for flag in ["--check", "--print-config"] {
            let arguments: Vec<&str> = [flag, "--config", file].into_iter().chain(data).collect();
            let (_, printed) = run(&arguments, &[]);
            assert!(!printed.is_empty() && !printed.contains(PASSWORD), "{flag} {text}: {printed}");
        }
    }
    for variable in
        ["GSAR_STORAGE__URL", "GSAR_STORAGE", "GSAR_STORAGE__PASSWORD", "GSAR_TRACES__ENDPOINT"]
    {
        let value = format!("postgres://gsar:{PASSWORD}@db/gsar?x=y");
        for flag in ["--check", "--print-config"] {
            let (_, printed) =
                run(&[flag], &[(variable, &value), ("HOME", folder.path().to_str().unwrap())]);
            assert!(!printed.contains(PASSWORD), "{flag} {variable}: {printed}");
        }
    }
}
