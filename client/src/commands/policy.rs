//! `gsar policy`: lists, shows, checks and compares policies.

use std::path::Path;

use gsar_client::connection::{Environment, Target, select_target};
use gsar_client::input::{STANDARD_INPUT, read_text};
use gsar_core::policy::{Policy as Checked, Preset, preset_file, to_toml};
use gsar_core::preset;
use gsar_proto::v1;

use super::{note, print, print_answer, report};
use crate::arguments::{Call, Connection, Policy};
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::human::{differences, policies, problems, warnings};
use crate::session::{connect_options, with_client};
use crate::terminal::Terminal;

pub(super) async fn run(arguments: &Policy, terminal: &Terminal) -> Result<Status, Failure> {
    match arguments {
        Policy::List { call } => list(call, terminal).await,
        Policy::Show { name, connection } => {
            print(&policy_text(name, connection).await?)?;
            Ok(Status::Proceed)
        }
        Policy::Check { files } => check(files.iter().map(|path| &**path)),
        Policy::Diff { before, after, connection } => {
            let before = load_policy(before, connection).await?;
            let after = load_policy(after, connection).await?;
            print(&differences(&to_toml(&before), &to_toml(&after)))?;
            Ok(Status::Proceed)
        }
    }
}

async fn list(call: &Call, terminal: &Terminal) -> Result<Status, Failure> {
    let Call { output, connection } = call;
    let is_server_running = matches!(
        select_target(&connect_options(connection), &Environment::from_env()),
        Ok(Target::Running { .. }) | Err(gsar_client::connection::TargetError::Endpoint { .. })
    );
    let answer = if is_server_running || connection.data_dir.is_some() {
        with_client(connection, async |client, _| Ok(client.list_policies().await?)).await?
    } else {
        note("no server is running; listing the presets");
        v1::ListPoliciesResponse { policies: Preset::ALL.map(summary).into() }
    };
    print_answer(*output, &answer, || policies(&answer.policies, terminal.columns))?;
    Ok(Status::Proceed)
}

fn summary(base: Preset) -> v1::PolicySummary {
    let policy = preset(base);
    v1::PolicySummary {
        name: policy.name.clone(),
        description: policy.description.clone(),
        digest: policy.digest().to_string(),
        origin: "preset".to_owned(),
        is_default: base == Preset::Reference,
    }
}

/// Returns a policy as TOML: a preset's file with its comments, a file completed with its base, or a policy on the
/// server.
async fn policy_text(name: &str, connection: &Connection) -> Result<String, Failure> {
    if let Some(base) = Preset::from_name(name) {
        return Ok(preset_file(base).to_owned());
    }
    if is_file_name(name) {
        return Ok(to_toml(&read_file(Path::new(name))?));
    }
    with_client(connection, async |client, _| Ok(client.policy(name).await?.toml)).await
}

async fn load_policy(name: &str, connection: &Connection) -> Result<Checked, Failure> {
    if let Some(base) = Preset::from_name(name) {
        return Ok(preset(base));
    }
    if is_file_name(name) {
        return read_file(Path::new(name));
    }
    let text = policy_text(name, connection).await?;
    Checked::from_toml(&text).map_err(|error| Failure::Policy(problems(name, &error)))
}

fn is_file_name(name: &str) -> bool {
    name == STANDARD_INPUT
        || name.contains('/')
        || Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

fn read_file(path: &Path) -> Result<Checked, Failure> {
    let text = read_text(path)?;
    Checked::from_toml(&text)
        .map_err(|error| Failure::Policy(problems(&path.display().to_string(), &error)))
}

fn check<'p>(files: impl Iterator<Item = &'p Path>) -> Result<Status, Failure> {
    let mut last_failure: Option<Failure> = None;
    for path in files {
        match read_file(path) {
            Ok(policy) => {
                let path = path.display().to_string();
                let warning_text = warnings(&path, policy.warnings());
                let remark =
                    if warning_text.is_empty() { "is valid" } else { "is valid, with warnings:" };
                print(&format!("policy `{}` {remark}{warning_text}\n", policy.name))?;
            }
            Err(failure) => {
                if let Some(previous) = last_failure.replace(failure) {
                    report(&previous);
                }
            }
        }
    }
    match last_failure {
        Some(failure) => Err(failure),
        None => Ok(Status::Proceed),
    }
}
