//! Reloads policies, principals, declared checks and TLS files. If a file is invalid, its previous contents are
//! kept.

use crate::attestation::DeclaredChecks;
use crate::config::{Loaded, Sources};
use crate::identity::IdentityStore;
use crate::policies::PolicyStore;
use crate::tls::TlsStore;

/// The stores to reload.
pub(super) struct Reload<'a> {
    pub(super) policies: &'a PolicyStore,
    /// The configuration sources, for reloading its `policies` table.
    pub(super) sources: Option<&'a Sources>,
    pub(super) tls: Option<&'a TlsStore>,
    pub(super) identities: &'a IdentityStore,
    pub(super) checks: &'a DeclaredChecks,
}

impl Reload<'_> {
    /// Reloads everything and logs all errors.
    pub(super) fn run(&self) {
        self.policies();
        match self.identities.reload() {
            Ok(true) => tracing::info!("principals and token keys reloaded"),
            Ok(false) => {}
            Err(problems) => {
                for problem in problems {
                    tracing::error!(%problem, "failed to reload principals and token keys; keeping the previous ones");
                }
            }
        }
        match self.checks.reload() {
            Ok(Some(count)) => tracing::info!(count, "checks reloaded"),
            Ok(None) => {}
            Err(problems) => {
                for problem in problems {
                    tracing::error!(%problem, "failed to reload checks; keeping the previous ones");
                }
            }
        }
        match self.tls.map(TlsStore::reload) {
            None => {}
            Some(Ok(())) => tracing::info!("certificate, key and client CA reloaded"),
            Some(Err(problems)) => {
                for problem in problems {
                    tracing::error!(%problem, "failed to reload certificate, key and client CA; keeping the previous ones");
                }
            }
        }
    }

    fn policies(&self) {
        let config = match self.sources.map(Sources::load) {
            None => None,
            Some(Ok(loaded)) if !loaded.problems.has_errors_at(&["policies"]) => {
                Some(loaded.config.policies)
            }
            Some(Ok(Loaded { problems, .. }) | Err(problems)) => {
                tracing::error!(%problems, "failed to reload policies; keeping the previous ones");
                return;
            }
        };
        match self.policies.reload(config) {
            Ok(count) => tracing::info!(count, "policies reloaded"),
            Err(errors) => {
                for error in errors {
                    tracing::error!(%error, "failed to reload policies; keeping the previous ones");
                }
            }
        }
    }
}
