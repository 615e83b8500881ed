//! `gsar doctor`: diagnoses the installation and the server.

use std::path::{Path, PathBuf};

use gsar_client::connection::{Environment, SERVER_BINARY, Target, TargetError, select_target};
use gsar_client::{Client, ClientError};
use gsar_proto::v1;
use tokio::process::Command;
use tonic::Code;

use super::print;
use crate::arguments::Doctor;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::{Finding, Health, findings};
use crate::session::{connect, connect_options, until_signal};
use crate::terminal::Terminal;

/// The free space below which `gsar doctor` warns, in bytes.
const LOW_SPACE: u64 = 1 << 30;

/// The free space below which evaluations cannot be recorded, in bytes.
const MIN_SPACE: u64 = 16 << 20;

pub(super) async fn run(arguments: &Doctor, terminal: &Terminal) -> Result<Status, Failure> {
    let environment = Environment::from_env();
    let target = select_target(&connect_options(&arguments.connection), &environment);
    let mut results = vec![healthy("command", format!("gsar {}", env!("CARGO_PKG_VERSION")))];
    results.push(check_binary(&environment, &target).await);
    if let Some(directory) = &arguments.connection.data_dir {
        results.extend(check_configuration(&environment, directory).await);
    }
    let mut temporary_server = None;
    let server_findings = until_signal(async {
        Ok(check_server(&target, &mut temporary_server, arguments.connection.deadline()).await)
    })
    .await;
    if let Some(server) = temporary_server {
        server.stop().await;
    }
    results.extend(server_findings?);
    let data_dir = arguments.connection.data_dir.clone();
    if let Some(directory) = data_dir.or_else(|| private_directory(&target)) {
        results.extend(check_directory(&directory));
    }
    print(&findings(&results, terminal.columns))?;
    let has_broken_finding = results.iter().any(|finding| finding.health == Health::Broken);
    Ok(if has_broken_finding { Status::Error } else { Status::Proceed })
}

fn healthy(subject: &'static str, details: impl Into<String>) -> Finding {
    Finding { subject, health: Health::Good, details: details.into(), fix: String::new() }
}

fn problem(
    subject: &'static str,
    health: Health,
    details: impl Into<String>,
    fix: &str,
) -> Finding {
    Finding { subject, health, details: details.into(), fix: fix.to_owned() }
}

fn broken(subject: &'static str, details: impl Into<String>, fix: &str) -> Finding {
    problem(subject, Health::Broken, details, fix)
}

fn doubtful(subject: &'static str, details: impl Into<String>, fix: &str) -> Finding {
    problem(subject, Health::Doubtful, details, fix)
}

/// Checks that the server's binary starts and has the same version as this command.
async fn check_binary(environment: &Environment, target: &Result<Target, TargetError>) -> Finding {
    let Some(path) = environment.server_binary() else {
        let is_required = !matches!(target, Ok(Target::Running { .. }));
        let health = if is_required { Health::Broken } else { Health::Doubtful };
        let details = format!("{SERVER_BINARY} is not installed next to gsar");
        return problem(
            "server",
            health,
            details,
            "install both into one directory, or specify a server with --endpoint",
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
            let details =
                format!("{} failed to report its version ({})", path.display(), output.status);
            return broken("server", details, "reinstall it");
        }
        Ok(Err(error)) => {
            let details = format!("{} failed to start: {error}", path.display());
            return broken("server", details, "make it executable, or reinstall it");
        }
        Err(_) => {
            let details = format!("{} did not report its version within 10 s", path.display());
            return broken("server", details, "reinstall it");
        }
    };
    let details = format!("{SERVER_BINARY} {version} at {}", path.display());
    if version == env!("CARGO_PKG_VERSION") {
        healthy("server", details)
    } else {
        doubtful("server", details, "install the same version of gsar and gsar-server")
    }
}

/// The timeout of `gsar-server --check`, which reads every page of the ledger.
const CHECK_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(300);

/// Runs `gsar-server --check` on the data directory.
async fn check_configuration(environment: &Environment, directory: &Path) -> Option<Finding> {
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
            let details = format!("failed to run gsar-server --check: {error}");
            return Some(doubtful("check", details, "reinstall the server"));
        }
        Err(_) => {
            let details = "timed out after five minutes";
            let fix = "run gsar-server --check, which has no timeout";
            return Some(doubtful("check", details, fix));
        }
    };
    if output.status.success() {
        let details = format!("configuration and ledger in {} are valid", directory.display());
        return Some(healthy("check", details));
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let problems: Vec<&str> = stderr
        .lines()
        .filter(|line| line.starts_with("  "))
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let details = match problems.is_empty() {
        true => stderr.trim().to_owned(),
        false => problems.join("; "),
    };
    let fix = "fix the problem, then run gsar-server --check";
    Some(broken("check", details, fix))
}

/// Checks that the server is reachable and ready, then its services.
async fn check_server(
    target: &Result<Target, TargetError>,
    temporary_server: &mut Option<gsar_client::connection::TemporaryServer>,
    deadline: std::time::Duration,
) -> Vec<Finding> {
    let target = match target {
        Ok(target) => target,
        Err(TargetError::Endpoint { origin, error }) => {
            let details = format!("{}: {error}", origin.name());
            return vec![broken("endpoint", details, "correct the endpoint")];
        }
        Err(error @ TargetError::WithoutTls { .. }) => {
            let fix = "remove the TLS files, or specify a grpcs:// endpoint";
            return vec![broken("endpoint", error.to_string(), fix)];
        }
        Err(error @ TargetError::NotFound { .. }) => {
            let details = error.to_string();
            let details = details.lines().next().unwrap_or_default();
            return vec![broken(
                "endpoint",
                details,
                "start gsar-server, or install it next to gsar",
            )];
        }
    };
    let details = match target {
        Target::Running { endpoint, origin, .. } => format!("{endpoint}, from {}", origin.name()),
        Target::Temporary { .. } => {
            "no server is running; a temporary one is started for each command".to_owned()
        }
    };
    let client = match connect(target, temporary_server).await {
        Ok(client) => client.with_deadline(deadline),
        Err(failure) => {
            let text = failure.to_string();
            let fix = "start gsar-server there, or specify another server with --endpoint";
            let (text, fix) = match &failure {
                Failure::Call(ClientError::Tls { endpoint, reason, fix }) => {
                    (format!("TLS handshake with {endpoint} failed: {reason}"), &**fix)
                }
                _ => (text, fix),
            };
            return vec![broken("endpoint", text, fix)];
        }
    };
    let mut findings = vec![healthy("endpoint", details)];
    findings.push(match client.is_serving().await {
        Ok(true) => healthy("health", "serving"),
        Ok(false) => {
            broken("health", "the server is running but not serving", "see the server's log")
        }
        Err(error) => {
            broken("health", error.to_string(), "check that a GSAR server is listening there")
        }
    });
    findings.push(check_policies(&client).await);
    findings.push(check_ledger(&client).await);
    findings.extend(check_judges(&client).await);
    findings.extend(check_search(&client).await);
    findings
}

/// The judge that replaces `local/1` on a server without ONNX Runtime.
const FALLBACK_JUDGE: &str = "rules/2";

async fn check_judges(client: &Client) -> Vec<Finding> {
    let answer = match client.try_judges(v1::TryJudgesRequest::default()).await {
        Ok(answer) => answer,
        Err(error) => {
            let fix = "see the server's log";
            return vec![broken("judge", error.to_string(), fix)];
        }
    };
    let mut findings: Vec<Finding> = answer.trials.iter().map(trial).collect();
    findings.extend(missing_local_judge(&answer.trials));
    findings
}

fn missing_local_judge(trials: &[v1::JudgeTrial]) -> Option<Finding> {
    let mut judges = trials.iter().filter_map(|trial| trial.link.as_ref()).map(|link| &*link.judge);
    judges.any(|judge| judge == FALLBACK_JUDGE).then(|| {
        let details = format!(
            "{FALLBACK_JUDGE} is used instead of local/1: ONNX Runtime is missing, or judges.chain lists {FALLBACK_JUDGE}"
        );
        let fix = "reinstall the package, set evidence.onnxruntime in the server's configuration to the path of libonnxruntime.so (1.24 or later), or run make onnxruntime in the source tree";
        doubtful("local/1", details, fix)
    })
}

fn trial(trial: &v1::JudgeTrial) -> Finding {
    let link = trial.link.clone().unwrap_or_default();
    let duration = trial
        .duration
        .map(|duration| duration.seconds * 1_000 + i64::from(duration.nanos) / 1_000_000);
    let duration = duration.map(|duration| format!(" in {duration} ms")).unwrap_or_default();
    let judge = &link.judge;
    match (link.result.as_str(), trial.tier()) {
        ("judged", v1::Tier::Proceed) => {
            healthy("judge", format!("{judge} judged the test report correctly{duration}"))
        }
        ("judged", tier) => doubtful(
            "judge",
            format!(
                "{judge} responded{duration}, but the decision for a correct report was {}",
                tier.as_str_name()
            ),
            "use a stronger model, or inspect its answer in provenance.judges of an evaluation",
        ),
        ("abstained", _) => doubtful(
            "judge",
            format!("{judge} abstained{duration}: {}", link.detail),
            "inspect its answer in provenance.judges of an evaluation",
        ),
        _ => broken(
            "judge",
            format!("{judge} failed{duration} ({}): {}", link.code, link.detail),
            "see docs/JUDGES.md for the meaning of each code",
        ),
    }
}

/// Reports the search method, unless the server stores no evidence.
async fn check_search(client: &Client) -> Option<Finding> {
    let answer = client.list_corpora(v1::ListCorporaRequest::default()).await.ok()?;
    if answer.degraded.is_empty() {
        return Some(healthy(
            "search",
            format!("{}: stored evidence is searched by words and meaning", answer.method),
        ));
    }
    Some(doubtful(
        "search",
        format!("{}: stored evidence is searched by words only", answer.method),
        &answer.degraded,
    ))
}

async fn check_ledger(client: &Client) -> Finding {
    let request = v1::ListEvaluationsRequest { page_size: 1, ..Default::default() };
    match client.list_evaluations(request).await {
        Ok(_) => healthy("ledger", "evaluations are recorded and readable"),
        Err(error)
            if error.refusal().is_some_and(|refusal| refusal.code == Code::FailedPrecondition) =>
        {
            doubtful(
                "ledger",
                "disabled: evaluations are not recorded",
                "set ledger.enabled in the server's configuration",
            )
        }
        Err(error) => broken(
            "ledger",
            error.to_string(),
            "run gsar-server --check with the server's configuration",
        ),
    }
}

async fn check_policies(client: &Client) -> Finding {
    match client.list_policies().await {
        Ok(answer) => {
            let default = answer.policies.iter().find(|policy| policy.is_default);
            let names: Vec<&str> =
                answer.policies.iter().map(|policy| policy.name.as_str()).collect();
            let names = names.join(", ");
            match default {
                Some(default) => healthy("policies", format!("{names}; default: {}", default.name)),
                None => doubtful(
                    "policies",
                    names,
                    "set a default policy in the server's configuration",
                ),
            }
        }
        Err(error) => broken("policies", error.to_string(), "see the server's log"),
    }
}

fn private_directory(target: &Result<Target, TargetError>) -> Option<PathBuf> {
    matches!(target, Ok(Target::Temporary { .. })).then(std::env::temp_dir)
}

fn check_directory(directory: &Path) -> Vec<Finding> {
    let existing = directory.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("."));
    let path = directory.display();
    let write_finding = match tempfile::Builder::new().prefix(".gsar-doctor-").tempfile_in(existing)
    {
        Ok(_) if existing == directory => healthy("data", format!("{path} is writable")),
        Ok(_) => healthy("data", format!("{path} can be created")),
        Err(error) => {
            let details = format!("{path} is not writable: {error}");
            broken(
                "data",
                details,
                "give the server's user write access, or specify another directory with --data-dir",
            )
        }
    };
    vec![write_finding, check_space(existing)]
}

fn check_space(directory: &Path) -> Finding {
    let free_bytes = match rustix::fs::statvfs(directory) {
        Ok(statistics) => statistics.f_bavail.saturating_mul(statistics.f_frsize),
        Err(error) => {
            return doubtful(
                "space",
                format!("unknown: {error}"),
                "check the file system of the data directory",
            );
        }
    };
    let details = format!("{} MiB free under {}", free_bytes >> 20, directory.display());
    let fix = "free some space; otherwise evaluations cannot be recorded";
    if free_bytes < MIN_SPACE {
        broken("space", details, fix)
    } else if free_bytes < LOW_SPACE {
        doubtful("space", details, fix)
    } else {
        healthy("space", details)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_existing_and_new_data_directories() {
        let folder = tempfile::tempdir().unwrap();
        let existing = check_directory(folder.path());
        assert_eq!(existing[0].health, Health::Good);
        assert!(existing[0].details.ends_with("is writable"));
        let missing = check_directory(&folder.path().join("a/b"));
        assert!(missing[0].details.ends_with("can be created"), "{missing:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no file remains");
    }
}
