//! Tests the binary's startup: log lines, configuration checks and signals.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use gsar_proto::v1;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_proto::v1::policy_service_client::PolicyServiceClient;
use rustix::process::Signal;

use crate::support::process::Process;
use crate::support::run::run;
use crate::support::{self, http, request};

fn spawn_server(folder: &Path, toml: &str) -> Process {
    let config = folder.join("gsar.toml");
    std::fs::write(&config, toml).unwrap();
    let socket = format!("unix://{}", folder.join("gsar.sock").display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsar-server"));
    command.arg("--config").arg(config).args(["--listen", &socket]).arg("--data-dir");
    Process::spawn(command.arg(folder.join("data")).env_clear())
}

fn create_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

const RULES_JUDGE: &str = "judges.chain = [\"rules/2\"]\n";

async fn default_policy(folder: &Path) -> String {
    let channel = support::connect(&folder.join("gsar.sock")).await;
    let response = PolicyServiceClient::new(channel)
        .list_policies(v1::ListPoliciesRequest::default())
        .await
        .unwrap()
        .into_inner();
    let default_policy = response.policies.into_iter().find(|policy| policy.is_default).unwrap();
    default_policy.name
}

#[tokio::test]
async fn reloads_after_a_sighup_during_startup() {
    let folder = tempfile::tempdir().unwrap();
    let policies = folder.path().join("policies");
    std::fs::create_dir(&policies).unwrap();
    let night = policies.join("night.toml");
    create_pipe(&night);
    let toml = format!("policies.dir = \"{}\"\n{RULES_JUDGE}", policies.display());
    let process = spawn_server(folder.path(), &toml);

    // Opening the pipe blocks until the server reads from it.
    let mut pipe = File::options().write(true).open(&night).unwrap();
    let new_config =
        format!("{RULES_JUDGE}[policies]\ndefault = \"strict\"\nallowed = [\"paper\"]\n");
    std::fs::write(folder.path().join("gsar.toml"), new_config).unwrap();
    process.signal(Signal::HUP);
    pipe.write_all(b"name = \"night\"\ntau_proceed = 0.9\n").unwrap();
    drop(pipe);

    process.log_line("ready");
    let reloaded = process.log_line("policies reloaded");
    assert_eq!(
        reloaded["count"], 3,
        "only the presets, because the new configuration has no policy directory"
    );
    assert_eq!(default_policy(folder.path()).await, "strict");
    let looser_request = v1::EvaluateRequest { policy: "paper".to_owned(), ..request() };
    let channel = support::connect(&folder.path().join("gsar.sock")).await;
    let answer = GroundingServiceClient::new(channel).evaluate(looser_request).await;
    answer.expect("the reloaded policy must be allowed");
}

#[tokio::test]
async fn reload_with_invalid_policies_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let process = spawn_server(folder.path(), RULES_JUDGE);
    process.log_line("ready");
    for invalid in ["[policies]\ndefault = \"unknown\"\n", "[policies]\nallowed = 1\n", "[policies"]
    {
        let config = format!("{RULES_JUDGE}{invalid}");
        std::fs::write(folder.path().join("gsar.toml"), config).unwrap();
        process.signal(Signal::HUP);
        process.log_line("failed to reload policies; keeping the previous ones");
        assert_eq!(default_policy(folder.path()).await, "reference", "{invalid}");
    }
}

#[test]
fn configuration_is_checked_before_models_are_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    std::fs::create_dir(&model).unwrap();
    // Loading a model would block on a pipe without a writer.
    for file in ["model.onnx", "tokenizer.json", "config.json"] {
        create_pipe(&model.join(file));
    }
    let config = folder.path().join("gsar.toml");
    let toml = format!(
        "policies.default = \"strickt\"\njudges.chain = [\"local/1\", \"rulez/2\"]\njudges.local.model = \"{}\"\n",
        model.display()
    );
    std::fs::write(&config, toml).unwrap();
    let (status, stderr) = run(&["--config", config.to_str().unwrap()], &[]);
    assert_eq!(status, Some(2), "{stderr}");
    assert!(stderr.contains("strickt") && stderr.contains("rulez/2"), "{stderr}");
}

#[tokio::test]
async fn logs_every_listener() {
    let folder = tempfile::tempdir().unwrap();
    let toml = format!(
        "admin = \"127.0.0.1:0\"\ngateway.address = \"127.0.0.1:0\"\ngateway.console = true\n{RULES_JUDGE}"
    );
    let process = spawn_server(folder.path(), &toml);
    let listening = process.log_line("listening");
    assert!(listening["address"].as_str().unwrap().ends_with("gsar.sock"), "{listening}");
    let listeners = [
        ("listening for admin", "/livez", "ok"),
        ("listening for HTTP", "/openapi.json", "openapi"),
        ("serving the console", "", "<!doctype html>"),
    ];
    let addresses = listeners.map(|(message, ..)| process.log_line(message)["address"].clone());
    process.log_line("ready");
    for ((message, path, expected), address) in listeners.into_iter().zip(addresses) {
        let url = format!("{}{path}", address.as_str().unwrap());
        let answer = http::client().get(url).send().await.unwrap().text().await.unwrap();
        assert!(answer.contains(expected), "{message}: {answer}");
    }
}

#[tokio::test]
async fn metrics_have_no_counts_before_the_first_call() {
    let folder = tempfile::tempdir().unwrap();
    let process = spawn_server(folder.path(), &format!("admin = \"127.0.0.1:0\"\n{RULES_JUDGE}"));
    let line = process.log_line("listening for admin");
    process.log_line("ready");
    let url = format!("{}/metrics", line["address"].as_str().unwrap());
    let metrics = http::client().get(url).send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("gsar_build_info"), "{metrics}");
    for counter in ["gsar_decisions_total{", "gsar_claims_total{", "gsar_rules_total{"] {
        assert!(!metrics.contains(counter), "{counter} in {metrics}");
    }
}
