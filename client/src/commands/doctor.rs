//! `gsar doctor`: is everything in place?

use std::path::{Path, PathBuf};

use gsar_client::connection::{Environment, SERVER_BINARY, Target, TargetError, find};
use gsar_client::{Client, ClientError};
use gsar_proto::v1;
use tokio::process::Command;
use tonic::Code;

use super::print;
use crate::arguments::Doctor;
use crate::failure::Failure;
use crate::human::{Check, Health, checks};
use crate::session::{open, until_signal, wish};
use crate::status::Status;
use crate::terminal::Terminal;

/// Less free space than this wants a look.
const LITTLE_SPACE: u64 = 1 << 30;

/// Less free space than this is too little to record anything.
const NO_SPACE: u64 = 16 << 20;

pub(super) async fn run(arguments: &Doctor, terminal: &Terminal) -> Result<Status, Failure> {
    let environment = Environment::of_process();
    let target = find(&wish(&arguments.connection), &environment);
    let mut found = vec![fine("command", format!("gsar {}", env!("CARGO_PKG_VERSION")))];
    found.push(binary(&environment, &target).await);
    if let Some(directory) = &arguments.connection.data_dir {
        found.extend(configuration(&environment, directory).await);
    }
    let mut started = None;
    let asked = until_signal(async {
        Ok(server(&target, &mut started, arguments.connection.deadline()).await)
    })
    .await;
    if let Some(server) = started {
        server.stop().await;
    }
    found.extend(asked?);
    let data_dir = arguments.connection.data_dir.clone();
    if let Some(directory) = data_dir.or_else(|| private_directory(&target)) {
        found.extend(directory_checks(&directory));
    }
    print(&checks(&found, terminal.columns))?;
    let broken = found.iter().any(|check| check.health == Health::Broken);
    Ok(if broken { Status::Error } else { Status::Proceed })
}

fn fine(subject: &'static str, finding: impl Into<String>) -> Check {
    Check { subject, health: Health::Fine, finding: finding.into(), fix: String::new() }
}

fn found_wrong(
    subject: &'static str,
    health: Health,
    finding: impl Into<String>,
    fix: &str,
) -> Check {
    Check { subject, health, finding: finding.into(), fix: fix.to_owned() }
}

/// Whether a server can be started, and whether it is of this version.
async fn binary(environment: &Environment, target: &Result<Target, TargetError>) -> Check {
    let Some(path) = environment.server_binary() else {
        let needed = !matches!(target, Ok(Target::Running { .. }));
        let health = if needed { Health::Broken } else { Health::Doubtful };
        let finding = format!("{SERVER_BINARY} is not installed beside gsar");
        return found_wrong(
            "server",
            health,
            finding,
            "install both into one directory, or name a server with --endpoint",
        );
    };
    let output = Command::new(&path).arg("-V").kill_on_drop(true).output();
    let output = tokio::time::timeout(std::time::Duration::from_secs(10), output).await;
    let version = match output {
        Ok(Ok(output)) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            text.rsplit(' ').next().unwrap_or_default().to_owned()
        }
        Ok(Ok(output)) => {
            let finding =
                format!("{} does not tell its version ({})", path.display(), output.status);
            return found_wrong("server", Health::Broken, finding, "install it again");
        }
        Ok(Err(error)) => {
            let finding = format!("{} cannot be started: {error}", path.display());
            return found_wrong(
                "server",
                Health::Broken,
                finding,
                "make it executable, or install it again",
            );
        }
        Err(_) => {
            let finding = format!("{} does not tell its version", path.display());
            return found_wrong("server", Health::Broken, finding, "install it again");
        }
    };
    let finding = format!("{SERVER_BINARY} {version} at {}", path.display());
    if version == env!("CARGO_PKG_VERSION") {
        fine("server", finding)
    } else {
        found_wrong(
            "server",
            Health::Doubtful,
            finding,
            "install gsar and gsar-server of one version",
        )
    }
}

/// How long a server may take to check its configuration: it reads every page of the ledger.
const CHECK_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(300);

/// What a server would say of its configuration and of the ledger in the directory, were it started there.
async fn configuration(environment: &Environment, directory: &Path) -> Option<Check> {
    let path = environment.server_binary()?;
    let check = Command::new(path)
        .arg("--check")
        .arg("--data-dir")
        .arg(directory)
        .kill_on_drop(true)
        .output();
    let output = match tokio::time::timeout(CHECK_TIMEOUT, check).await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) => {
            let finding = format!("cannot be checked: {error}");
            return Some(found_wrong(
                "check",
                Health::Doubtful,
                finding,
                "install the server again",
            ));
        }
        Err(_) => {
            let finding = "was not checked in five minutes";
            let fix = "run gsar-server --check, which waits for as long as it takes";
            return Some(found_wrong("check", Health::Doubtful, finding, fix));
        }
    };
    if output.status.success() {
        let finding = format!("configuration and ledger of {} are sound", directory.display());
        return Some(fine("check", finding));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let problems: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("  "))
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let finding = match problems.is_empty() {
        true => said.trim().to_owned(),
        false => problems.join("; "),
    };
    let fix = "correct it and run gsar-server --check";
    Some(found_wrong("check", Health::Broken, finding, fix))
}

/// Whether the server answers, is ready, and which policies it decides by.
async fn server(
    target: &Result<Target, TargetError>,
    started: &mut Option<gsar_client::connection::OneCallServer>,
    deadline: std::time::Duration,
) -> Vec<Check> {
    let target = match target {
        Ok(target) => target,
        Err(TargetError::Endpoint { found, error }) => {
            let finding = format!("{}: {error}", found.words());
            return vec![found_wrong(
                "endpoint",
                Health::Broken,
                finding,
                "write the endpoint as it says",
            )];
        }
        Err(error @ TargetError::WithoutTls { .. }) => {
            let fix = "leave the files for TLS out, or name an endpoint with TLS";
            return vec![found_wrong("endpoint", Health::Broken, error.to_string(), fix)];
        }
        Err(error @ TargetError::Nowhere { .. }) => {
            let finding = error.to_string();
            let finding = finding.lines().next().unwrap_or_default();
            return vec![found_wrong(
                "endpoint",
                Health::Broken,
                finding,
                "start gsar-server, or install it beside gsar",
            )];
        }
    };
    let how = match target {
        Target::Running { endpoint, found, .. } => format!("{endpoint}, from {}", found.words()),
        Target::OneCall { .. } => "none runs; a server is started for each call".to_owned(),
    };
    let client = match open(target, started).await {
        Ok(client) => client.with_deadline(deadline),
        Err(failure) => {
            let text = failure.to_string();
            let fix = "start gsar-server there, or name another with --endpoint";
            let (text, fix) = match &failure {
                Failure::Call(ClientError::Tls { endpoint, reason, fix }) => {
                    (format!("no TLS with {endpoint}: {reason}"), &**fix)
                }
                _ => (text, fix),
            };
            return vec![found_wrong("endpoint", Health::Broken, text, fix)];
        }
    };
    let mut found = vec![fine("endpoint", how)];
    found.push(match client.is_serving().await {
        Ok(true) => fine("health", "serving"),
        Ok(false) => found_wrong(
            "health",
            Health::Broken,
            "the server runs and does not serve",
            "its log says what it waits for",
        ),
        Err(error) => found_wrong(
            "health",
            Health::Broken,
            error.to_string(),
            "see whether a GSAR server listens there",
        ),
    });
    found.push(policies(&client).await);
    found.push(ledger(&client).await);
    found.extend(judges(&client).await);
    found.extend(search(&client).await);
    found
}

/// The fallback for `local/1` on a server without ONNX Runtime.
const STAND_IN: &str = "rules/2";

/// What each judge makes of a small report that must proceed.
async fn judges(client: &Client) -> Vec<Check> {
    let answer = match client.try_judges(v1::TryJudgesRequest::default()).await {
        Ok(answer) => answer,
        Err(error) => {
            let fix = "the server's log says why";
            return vec![found_wrong("judge", Health::Broken, error.to_string(), fix)];
        }
    };
    let mut found: Vec<Check> = answer.trials.iter().map(trial).collect();
    found.extend(without_local(&answer.trials));
    found
}

/// Warns if the server falls back from `local/1` to rules.
fn without_local(trials: &[v1::JudgeTrial]) -> Option<Check> {
    let mut judges = trials.iter().filter_map(|trial| trial.link.as_ref()).map(|link| &*link.judge);
    judges.any(|judge| judge == STAND_IN).then(|| {
        let finding = format!(
            "{STAND_IN} judges in place of local/1: the server has no ONNX Runtime, or judges.chain names {STAND_IN}"
        );
        let fix = "install the package again, set evidence.onnxruntime of the server to libonnxruntime.so (1.24 or later), or run make onnxruntime in the sources";
        found_wrong("local/1", Health::Doubtful, finding, fix)
    })
}

fn trial(trial: &v1::JudgeTrial) -> Check {
    let link = trial.link.clone().unwrap_or_default();
    let took = trial.duration.map(|took| took.seconds * 1_000 + i64::from(took.nanos) / 1_000_000);
    let took = took.map(|took| format!(" in {took} ms")).unwrap_or_default();
    let judge = &link.judge;
    match (link.result.as_str(), trial.tier()) {
        ("judged", v1::Tier::Proceed) => fine("judge", format!("{judge} judges rightly{took}")),
        ("judged", tier) => found_wrong(
            "judge",
            Health::Doubtful,
            format!(
                "{judge} answers{took}, and a report that is borne out came to {}",
                tier.as_str_name()
            ),
            "ask a stronger model, or see its answer in provenance.judges of an evaluation",
        ),
        ("abstained", _) => found_wrong(
            "judge",
            Health::Doubtful,
            format!("{judge} abstains{took}: {}", link.detail),
            "see its answer in provenance.judges of an evaluation",
        ),
        _ => found_wrong(
            "judge",
            Health::Broken,
            format!("{judge} fails{took} ({}): {}", link.code, link.detail),
            "docs/JUDGES.md says what each code means",
        ),
    }
}

/// By what stored evidence is found; nothing where the server keeps none.
async fn search(client: &Client) -> Option<Check> {
    let answer = client.list_corpora(v1::ListCorporaRequest::default()).await.ok()?;
    if answer.degraded.is_empty() {
        return Some(fine("search", format!("{}: by words and by meaning", answer.method)));
    }
    Some(found_wrong(
        "search",
        Health::Doubtful,
        format!("{}: stored evidence is found by its words only", answer.method),
        &answer.degraded,
    ))
}

/// Whether recorded evaluations can be read.
async fn ledger(client: &Client) -> Check {
    let request = v1::ListEvaluationsRequest { page_size: 1, ..Default::default() };
    match client.list_evaluations(request).await {
        Ok(_) => fine("ledger", "evaluations are recorded and can be read"),
        Err(error)
            if error.refusal().is_some_and(|refusal| refusal.code == Code::FailedPrecondition) =>
        {
            found_wrong(
                "ledger",
                Health::Doubtful,
                "off: no evaluation is recorded",
                "set ledger.enabled in the server's configuration",
            )
        }
        Err(error) => found_wrong(
            "ledger",
            Health::Broken,
            error.to_string(),
            "run gsar-server --check with the server's configuration",
        ),
    }
}

async fn policies(client: &Client) -> Check {
    match client.list_policies().await {
        Ok(answer) => {
            let default = answer.policies.iter().find(|policy| policy.is_default);
            let names: Vec<&str> =
                answer.policies.iter().map(|policy| policy.name.as_str()).collect();
            let names = names.join(", ");
            match default {
                Some(default) => fine(
                    "policies",
                    format!("{names}; {} decides where none is named", default.name),
                ),
                None => found_wrong(
                    "policies",
                    Health::Doubtful,
                    names,
                    "set a default policy in the server's configuration",
                ),
            }
        }
        Err(error) => {
            found_wrong("policies", Health::Broken, error.to_string(), "the server's log says why")
        }
    }
}

fn private_directory(target: &Result<Target, TargetError>) -> Option<PathBuf> {
    matches!(target, Ok(Target::OneCall { .. })).then(std::env::temp_dir)
}

/// Whether a server could keep its records there.
fn directory_checks(directory: &Path) -> Vec<Check> {
    let existing = directory.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("."));
    let shown = directory.display();
    let writable = match tempfile::Builder::new().prefix(".gsar-doctor-").tempfile_in(existing) {
        Ok(_) if existing == directory => fine("data", format!("{shown} is writable")),
        Ok(_) => fine("data", format!("{shown} can be made")),
        Err(error) => {
            let finding = format!("{shown} is not writable: {error}");
            found_wrong(
                "data",
                Health::Broken,
                finding,
                "let the user of the server own the directory, or name another with --data-dir",
            )
        }
    };
    vec![writable, space(existing)]
}

fn space(directory: &Path) -> Check {
    let free = match rustix::fs::statvfs(directory) {
        Ok(system) => system.f_bavail.saturating_mul(system.f_frsize),
        Err(error) => {
            return found_wrong(
                "space",
                Health::Doubtful,
                format!("unknown: {error}"),
                "look at the file system of the data directory",
            );
        }
    };
    let finding = format!("{} MiB free under {}", free >> 20, directory.display());
    let fix = "make room: without it no evaluation can be recorded";
    if free < NO_SPACE {
        found_wrong("space", Health::Broken, finding, fix)
    } else if free < LITTLE_SPACE {
        found_wrong("space", Health::Doubtful, finding, fix)
    } else {
        fine("space", finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_may_be_there_or_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let there = directory_checks(folder.path());
        assert_eq!(there[0].health, Health::Fine);
        assert!(there[0].finding.ends_with("is writable"));
        let to_be = directory_checks(&folder.path().join("a/b"));
        assert!(to_be[0].finding.ends_with("can be made"), "{to_be:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
    }
}
