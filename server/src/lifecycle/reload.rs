//! This module reads anew what can change while the server runs: policies, principals and the files of TLS. Each stays as it was
//! where something is wrong with it.

use crate::identity::IdentityStore;
use crate::policies::PolicyStore;
use crate::tls::TlsStore;

/// What can be read anew.
pub(super) struct Reload<'a> {
    pub(super) policies: &'a PolicyStore,
    pub(super) tls: Option<&'a TlsStore>,
    pub(super) identities: &'a IdentityStore,
}

impl Reload<'_> {
    /// Reads everything anew, and logs what is wrong.
    pub(super) fn all(&self) {
        match self.policies.reload() {
            Ok(count) => tracing::info!(count, "policies were read anew"),
            Err(errors) => {
                for error in errors {
                    tracing::error!(%error, "policies stay as they were");
                }
            }
        }
        match self.identities.reload() {
            Ok(true) => tracing::info!("principals and keys of tokens were read anew"),
            Ok(false) => {}
            Err(problems) => {
                for problem in problems {
                    tracing::error!(%problem, "principals and keys of tokens stay as they were");
                }
            }
        }
        match self.tls.map(TlsStore::reload) {
            None => {}
            Some(Ok(())) => tracing::info!("certificate, key and client CA were read anew"),
            Some(Err(problems)) => {
                for problem in problems {
                    tracing::error!(%problem, "certificate, key and client CA stay as they were");
                }
            }
        }
    }
}
