//! Tests that `server/deploy` and the documentation name only metrics and configuration keys that exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::chat_models::{HONEST, Models, request_for};
use crate::support::judges::panicking_judge;
use crate::support::tls::{self, Authority, Client};
use crate::support::{TestServer, http, request, request_for_judge};
use gsar_chat_wire::{ScriptedReply, Server};
use gsar_proto::v1;
use gsar_server::config::{Config, Sources};
use gsar_server::judge::facts::FactsJudge;
use gsar_server::judge::local::LocalJudge;
use tonic::Code;

fn list_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files_at = |path: PathBuf| if path.is_dir() { list_files(&path) } else { vec![path] };
    entries.flat_map(files_at).collect()
}

fn metric_names(text: &str) -> BTreeSet<String> {
    let is_name_char = |c: char| c.is_ascii_lowercase() || c == '_';
    let words = text.split(|c| !is_name_char(c)).filter(|word| word.starts_with("gsar_"));
    let base_name = |word: &str| {
        let suffixes = ["_bucket", "_sum", "_count"];
        suffixes.iter().find_map(|suffix| word.strip_suffix(suffix)).unwrap_or(word).to_owned()
    };
    words.map(base_name).collect()
}

fn metrics_in_sources() -> BTreeSet<String> {
    let sources = list_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    sources.iter().flat_map(|file| metric_names(&std::fs::read_to_string(file).unwrap())).collect()
}

#[test]
fn documentation_names_only_existing_metrics() {
    let known_metrics = metrics_in_sources();
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operations");
    let mut count = 0;
    for page in list_files(&pages) {
        for metric in metric_names(&std::fs::read_to_string(&page).unwrap()) {
            let is_prefix = metric.ends_with('_');
            let is_known = known_metrics.contains(&metric)
                || is_prefix && known_metrics.iter().any(|known| known.starts_with(&metric));
            assert!(is_known, "{}: {metric}", page.display());
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}

#[test]
fn fallback_alert_lists_every_judge_that_needs_no_chat_model() {
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
fn alerts_and_dashboards_use_only_existing_metrics() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let known = metrics_in_sources();
    let mut count = 0;
    for folder in ["deploy/prometheus", "deploy/grafana"] {
        for file in list_files(&root.join(folder)) {
            for metric in metric_names(&std::fs::read_to_string(&file).unwrap()) {
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
    let configurations: Vec<PathBuf> = list_files(&deploy)
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

fn configure_tls(config: &mut Config) {
    tls::configure(config, &Authority::new("the authority").sign(), None);
    config.admin = Some("127.0.0.1:0".parse().unwrap());
}

async fn trigger_every_metric() -> TestServer {
    let provider = Server::start().await.unwrap();
    provider.always(ScriptedReply::answer(HONEST));
    let model = "openai:gpt-4.1";
    let models_with_prices = || {
        Models::new().with(model, &provider, |model| {
            model.input_price = Some(1);
            model.output_price = Some(1_000_000);
        })
    };
    let server = models_with_prices().start(configure_tls).await;
    let mut grounding = server.grounding();
    let gate_with_unknown_action =
        v1::GateInputs { hypotheses: vec![v1::Hypothesis::default()], ..Default::default() };
    for request in [
        request_for(""),
        v1::EvaluateRequest { options: None, ..request_for("") },
        v1::EvaluateRequest { options: None, ..request_for("") },
        request(),
        v1::EvaluateRequest { gate: Some(gate_with_unknown_action), ..request() },
        v1::EvaluateRequest { policy: "none".to_owned(), ..request() },
    ] {
        let _answered_or_refused = grounding.evaluate(request).await;
    }
    let misquoting_answer = HONEST.replace("the pool size is 20", "the pool size is 90");
    provider.always(ScriptedReply::answer(&misquoting_answer));
    grounding.evaluate(request_for("")).await.unwrap();
    provider.always(ScriptedReply::Status(500));
    grounding.evaluate(request_for("")).await.unwrap();
    let gate =
        v1::EvaluateGateRequest { gate: Some(v1::GateInputs::default()), ..Default::default() };
    let _answered_or_refused = server.gate().evaluate_gate(gate).await;
    let untrusted = Client::trusting(&Authority::new("others"));
    assert!(untrusted.channel(server.tls.unwrap()).await.is_err());

    let server_over_budget =
        models_with_prices().start(|config| config.judges.daily_budget = Some(1)).await;
    server_over_budget.grounding().evaluate(request_for("")).await.unwrap();
    let server_with_panicking_judge =
        TestServer::with_judges(vec![Arc::new(panicking_judge())], |config| {
            config.judges.chain = vec!["rules/2".to_owned(), "panicking/0".to_owned()];
            config.limits.calls_in_flight = 1;
        })
        .await;
    let error =
        server_with_panicking_judge.evaluate(request_for_judge("panicking/0")).await.unwrap_err();
    assert_eq!(error.code(), Code::Internal);
    let server_with_principals = TestServer::with(|config| {
        let file = config.data_dir.parent().unwrap().join("principals.toml");
        std::fs::write(&file, "[a]\nuids = [4294967294]\nmay = [\"read\"]\n").unwrap();
        config.security.principals = Some(file);
    })
    .await;
    let error = server_with_principals.grounding().evaluate(request()).await.unwrap_err();
    assert_eq!(error.code(), Code::Unauthenticated);
    server
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_used_metric_is_exported() {
    let server = trigger_every_metric().await;
    let (_, exposition) = http::get(server.admin.unwrap(), "/metrics").await;
    // A `# HELP` line alone does not mean that the metric has a series.
    let exported_metrics: BTreeSet<String> =
        exposition.lines().filter(|line| !line.starts_with('#')).flat_map(metric_names).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    let used_metrics: BTreeSet<String> = ["prometheus/alerts.yaml", "grafana/gsar.json"]
        .iter()
        .flat_map(|file| metric_names(&std::fs::read_to_string(root.join(file)).unwrap()))
        .filter(|metric| *metric != "gsar_")
        .collect();
    let missing: Vec<&String> = used_metrics.difference(&exported_metrics).collect();
    assert!(missing.is_empty(), "{missing:?} not in\n{exposition}");
    assert!(exposition.contains("process_resident_memory_bytes "), "{exposition}");
}
