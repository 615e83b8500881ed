//! Decides which evidence is attested. This depends on the configuration, the kernel's peer credentials, the
//! caller, and the checks that an investigation declared. An item cannot itself state that it is attested.

mod declared;

use std::collections::BTreeSet;
use std::sync::Arc;

use gsar_core::check::CheckRun;
use gsar_core::evidence::{EvidenceItem, EvidenceKind};
use http::Extensions;
use tonic::transport::server::UdsConnectInfo;

use crate::config::{Attested, Listen};
use crate::identity::Principal;

pub use declared::DeclaredChecks;

/// The attestation rules of a listener or of one of its connections.
#[derive(Clone, Debug, Default)]
pub struct Attestation {
    rules: Arc<[Attested]>,
    checks: Arc<DeclaredChecks>,
    /// The digests of the checks that the investigation declared when it started.
    investigation_checks: Arc<BTreeSet<String>>,
}

impl Attestation {
    /// Returns the rules of a listener.
    #[must_use]
    pub fn for_listener(rules: &[Attested], listen: &Listen, checks: &Arc<DeclaredChecks>) -> Self {
        Self {
            rules: rules.iter().filter(|rule| rule.listen == *listen).cloned().collect(),
            checks: Arc::clone(checks),
            investigation_checks: Arc::default(),
        }
    }

    pub(crate) fn for_connection(&self, request: &Extensions, principal: &Principal) -> Self {
        let peer = request.get::<UdsConnectInfo>().and_then(|peer| peer.peer_cred);
        let uid = peer.map(|peer| peer.uid());
        let is_applicable = |rule: &&Attested| {
            (rule.peer_uid.is_none() || rule.peer_uid == uid)
                && rule.principal.as_ref().is_none_or(|name| name == principal.name())
        };
        if self.rules.iter().all(|rule| is_applicable(&rule)) {
            return self.clone();
        }
        let rules = self.rules.iter().filter(is_applicable).cloned().collect();
        Self { rules, ..self.clone() }
    }

    pub(crate) fn with_checks(&self, checks: &Arc<BTreeSet<String>>) -> Self {
        Self { investigation_checks: Arc::clone(checks), ..self.clone() }
    }

    /// Marks an item as attested if a rule includes its tool and, if the item is a check run, its check was
    /// declared.
    pub(crate) fn attest(&self, item: &mut EvidenceItem) {
        item.attested =
            self.rules.iter().any(|rule| rule.includes(&item.tool)) && self.is_declared(item);
    }

    /// Returns `true` unless the item is a verification that no declaration covers. A check run must be a run of
    /// a declared check. Any other verification is covered only if no checks are declared.
    fn is_declared(&self, item: &EvidenceItem) -> bool {
        if item.kind != EvidenceKind::Verification {
            return true;
        }
        let declared = self.checks.digests();
        let Ok(Some(run)) = CheckRun::from_json(item.content.as_str()) else {
            return declared.is_empty() && self.investigation_checks.is_empty();
        };
        let digest = run.declaration.digest();
        declared.contains(&digest) || self.investigation_checks.contains(&digest)
    }
}
