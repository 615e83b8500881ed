//! This module reads anew what can change while the server runs: policies, principals, checks and the files of TLS. Each stays as it was
//! where something is wrong with it.

use crate::attestation::DeclaredChecks;
use crate::config::{Loaded, Sources};
use crate::identity::IdentityStore;
use crate::policies::PolicyStore;
use crate::tls::TlsStore;

/// What can be read again.
pub(super) struct Reload<'a> {
    pub(super) policies: &'a PolicyStore,
    /// Where the table `policies` of the configuration is read again, where it came from anywhere.
    pub(super) sources: Option<&'a Sources>,
    pub(super) tls: Option<&'a TlsStore>,
    pub(super) identities: &'a IdentityStore,
    pub(super) checks: &'a DeclaredChecks,
}

impl Reload<'_> {
    /// Reads everything anew, and logs what is wrong.
    pub(super) fn all(&self) {
        self.policies();
        match self.identities.reload() {
            Ok(true) => tracing::info!("principals and keys of tokens were read again"),
            Ok(false) => {}
            Err(problems) => {
                for problem in problems {
                    tracing::error!(%problem, "principals and keys of tokens stay as they were");
                }
            }
        }
        match self.checks.reload() {
            Ok(Some(count)) => tracing::info!(count, "checks were read again"),
            Ok(None) => {}
            Err(problems) => {
                for problem in problems {
                    tracing::error!(%problem, "checks stay as they were");
                }
            }
        }
        match self.tls.map(TlsStore::reload) {
            None => {}
            Some(Ok(())) => tracing::info!("certificate, key and client CA were read again"),
            Some(Err(problems)) => {
                for problem in problems {
                    tracing::error!(%problem, "certificate, key and client CA stay as they were");
                }
            }
        }
    }

    fn policies(&self) {
        let config = match self.sources.map(Sources::load) {
            None => None,
            Some(Ok(loaded)) if !loaded.problems.concern(&["policies"]) => {
                Some(loaded.config.policies)
            }
            Some(Ok(Loaded { problems, .. }) | Err(problems)) => {
                tracing::error!(%problems, "policies stay as they were");
                return;
            }
        };
        match self.policies.reload(config) {
            Ok(count) => tracing::info!(count, "policies were read again"),
            Err(errors) => {
                for error in errors {
                    tracing::error!(%error, "policies stay as they were");
                }
            }
        }
    }
}
