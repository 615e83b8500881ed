//! Tests that `server/deploy` and the documentation name existing metrics and configuration keys.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::chat_models::{HONEST, Models, request_for};
use crate::support::tls::{Authority, Client};
use crate::support::{TestServer, TestServerOptions, request};
use async_trait::async_trait;
use gsar_chat_wire::{ScriptedReply, Server};
use gsar_core::Class;
use gsar_proto::v1;
use gsar_server::config::{Config, Sources, Tls};
use gsar_server::judge::facts::FactsJudge;
use gsar_server::judge::local::LocalJudge;
use gsar_server::judge::{Capabilities, Judge, JudgeError, Judgement, Question};
use tonic::Code;

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files_at = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flat_map(files_at).collect()
}

fn metrics(text: &str) -> BTreeSet<String> {
    let is_name_char = |c: char| c.is_ascii_lowercase() || c == '_';
    let words = text.split(|c| !is_name_char(c)).filter(|word| word.starts_with("gsar_"));
    let base_name = |word: &str| {
        let parts = ["_bucket", "_sum", "_count"];
        parts.iter().find_map(|part| word.strip_suffix(part)).unwrap_or(word).to_owned()
    };
    words.map(base_name).collect()
}

fn all_metrics() -> BTreeSet<String> {
    let sources = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    sources.iter().flat_map(|file| metrics(&std::fs::read_to_string(file).unwrap())).collect()
}

#[test]
fn documentation_names_existing_metrics() {
    let known = all_metrics();
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operations");
    let mut count = 0;
    for page in files(&pages) {
        for metric in metrics(&std::fs::read_to_string(&page).unwrap()) {
            let is_family = metric.ends_with('_');
            let is_known = known.contains(&metric)
                || is_family && known.iter().any(|known| known.starts_with(&metric));
            assert!(is_known, "{}: {metric}", page.display());
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}

#[test]
fn fallback_alert_lists_judges_without_a_chat_model() {
    let read_rules = |file: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/prometheus");
        std::fs::read_to_string(folder.join(file)).unwrap()
    };
    let (alerts, tests) = (read_rules("alerts.yaml"), read_rules("alerts_test.yaml"));
    for name in [LocalJudge::NAME, FactsJudge::NAME] {
        let (family, _) = name.split_once('/').unwrap();
        let alert = alerts.lines().find(|line| line.contains("judge=~")).unwrap();
        assert!(alert.contains(&format!("{family}/.*")), "{name}: {alert}");
    }
    assert!(tests.contains(&format!("judge=\"{}\"", LocalJudge::NAME)));
}

#[test]
fn alerts_and_dashboards_use_existing_metrics() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let known = all_metrics();
    let mut count = 0;
    for folder in ["deploy/prometheus", "deploy/grafana"] {
        for file in files(&root.join(folder)) {
            for metric in metrics(&std::fs::read_to_string(&file).unwrap()) {
                assert!(known.contains(&metric), "{}: {metric}", file.display());
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn shipped_configurations_are_valid() {
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    let configurations: Vec<PathBuf> = files(&deploy)
        .into_iter()
        .filter(|file| file.file_name().is_some_and(|name| name == "gsar.toml"))
        .collect();
    assert!(configurations.len() > 1, "{configurations:?}");
    for file in configurations {
        let sources = Sources { file: Some(file.clone()), ..Sources::default() };
        let loaded = sources.load().unwrap();
        assert!(loaded.problems.is_empty(), "{}: {}", file.display(), loaded.problems);
    }
}

struct Panicking;

#[async_trait]
impl Judge for Panicking {
    fn name(&self) -> &'static str {
        "panicking/0"
    }

    fn is_local(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        let classes = Class::ALL.to_vec();
        Capabilities { classes, languages: vec!["en"], max_evidence_bytes: None }
    }

    async fn judge(&self, _: &Question) -> Result<Judgement, JudgeError> {
        panic!("a defect of a judge")
    }
}

fn configure_tls(config: &mut Config) {
    let folder = config.data_dir.parent().unwrap();
    Authority::new("the authority").sign().write(folder, "server");
    config.listen.push("grpcs://127.0.0.1:0".parse().unwrap());
    config.tls = Tls {
        certificate: Some(folder.join("server.pem")),
        key: Some(folder.join("server.key")),
        client_ca: None,
    };
    config.admin = Some("127.0.0.1:0".parse().unwrap());
}

async fn run_mixed_events() -> TestServer {
    let provider = Server::start().await.unwrap();
    provider.always(ScriptedReply::answer(HONEST));
    let model = "openai:gpt-4.1";
    let with_prices = || {
        Models::new().with(model, &provider, |model| {
            model.input_price = Some(1);
            model.output_price = Some(1_000_000);
        })
    };
    let server = with_prices().start(configure_tls).await;
    let mut grounding = server.grounding();
    let gate_with_unknown_action =
        v1::GateInputs { hypotheses: vec![v1::Hypothesis::default()], ..Default::default() };
    for question in [
        request_for(""),
        v1::EvaluateRequest { options: None, ..request_for("") },
        v1::EvaluateRequest { options: None, ..request_for("") },
        request(),
        v1::EvaluateRequest { gate: Some(gate_with_unknown_action), ..request() },
        v1::EvaluateRequest { policy: "none".to_owned(), ..request() },
    ] {
        let _answered_or_refused = grounding.evaluate(question).await;
    }
    let misquoted = HONEST.replace("the pool size is 20", "the pool size is 90");
    provider.always(ScriptedReply::answer(&misquoted));
    grounding.evaluate(request_for("")).await.unwrap();
    provider.always(ScriptedReply::Status(500));
    grounding.evaluate(request_for("")).await.unwrap();
    let gate =
        v1::EvaluateGateRequest { gate: Some(v1::GateInputs::default()), ..Default::default() };
    let _answered_or_refused = server.gate().evaluate_gate(gate).await;
    let untrusted = Client::trusting(&Authority::new("others"));
    assert!(untrusted.channel(server.tls.unwrap()).await.is_err());

    let over_budget = with_prices().start(|config| config.judges.daily_budget = Some(1)).await;
    over_budget.grounding().evaluate(request_for("")).await.unwrap();
    let defective = TestServerOptions::default()
        .judge(Panicking)
        .start(|config| {
            config.judges.chain = vec!["rules/2".to_owned(), "panicking/0".to_owned()];
            config.limits.calls_in_flight = 1;
        })
        .await;
    let mut panicking = request();
    panicking.options =
        Some(v1::EvaluateOptions { judge: "panicking/0".to_owned(), ..Default::default() });
    let error = defective.grounding().evaluate(panicking).await.unwrap_err();
    assert_eq!(error.code(), Code::Internal);
    let requiring_principals = TestServerOptions::default()
        .start(|config| {
            let file = config.data_dir.parent().unwrap().join("principals.toml");
            std::fs::write(&file, "[a]\nuids = [4294967294]\nmay = [\"read\"]\n").unwrap();
            config.security.principals = Some(file);
        })
        .await;
    let error = requiring_principals.grounding().evaluate(request()).await.unwrap_err();
    assert_eq!(error.code(), Code::Unauthenticated);
    server
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_used_metric_is_exported() {
    let server = run_mixed_events().await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let exposition =
        reqwest::get(format!("http://{}/metrics", server.admin.unwrap())).await.unwrap();
    let exposition = exposition.text().await.unwrap();
    // `# HELP` alone is not a series.
    let exported: BTreeSet<String> =
        exposition.lines().filter(|line| !line.starts_with('#')).flat_map(metrics).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    let used: BTreeSet<String> = ["prometheus/alerts.yaml", "grafana/gsar.json"]
        .iter()
        .flat_map(|file| metrics(&std::fs::read_to_string(root.join(file)).unwrap()))
        .filter(|metric| *metric != "gsar_")
        .collect();
    let missing: Vec<&String> = used.difference(&exported).collect();
    assert!(missing.is_empty(), "{missing:?} in\n{exposition}");
    assert!(exposition.contains("process_resident_memory_bytes "), "{exposition}");
}
