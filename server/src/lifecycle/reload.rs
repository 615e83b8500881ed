//! Reloads policies, principals, declared checks and TLS files. If a file is invalid, its previous contents are
//! kept.

use std::fmt::Display;

use super::running::Running;
use crate::config::{Loaded, Sources};
use crate::policies::PolicyStore;

/// Reloads everything and logs all errors.
pub(super) fn reload(running: &Running) {
    reload_policies(running.engine.policies(), running.sources.as_ref());
    match running.identities.reload() {
        Ok(true) => tracing::info!("principals and token keys reloaded"),
        Ok(false) => {}
        Err(problems) => log_problems("principals and token keys", problems),
    }
    match running.checks.reload() {
        Ok(Some(count)) => tracing::info!(count, "checks reloaded"),
        Ok(None) => {}
        Err(problems) => log_problems("checks", problems),
    }
    match running.tls.as_ref().map(|tls| tls.reload()) {
        None => {}
        Some(Ok(())) => tracing::info!("certificate, key and client CA reloaded"),
        Some(Err(problems)) => log_problems("certificate, key and client CA", problems),
    }
}

fn log_problems(what: &str, problems: Vec<impl Display>) {
    for problem in problems {
        tracing::error!(%problem, "failed to reload {what}; keeping the previous ones");
    }
}

fn reload_policies(policies: &PolicyStore, sources: Option<&Sources>) {
    let config = match sources.map(Sources::load) {
        None => None,
        Some(Ok(loaded)) if !loaded.problems.has_errors_at(&["policies"]) => {
            Some(loaded.config.policies)
        }
        Some(Ok(Loaded { problems, .. }) | Err(problems)) => {
            tracing::error!(%problems, "failed to reload policies; keeping the previous ones");
            return;
        }
    };
    match policies.reload(config) {
        Ok(count) => tracing::info!(count, "policies reloaded"),
        Err(errors) => {
            for error in errors {
                tracing::error!(%error, "failed to reload policies; keeping the previous ones");
            }
        }
    }
}
