//! This module says which evidence of a call is attested, from the configuration, from what the kernel says of the peer
//! and from who calls. Of a message only the name of the tool and the declaration of a check take part, and they only
//! narrow the answer.

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

/// The rules that hold: of a listener, or of one connection to it.
#[derive(Clone, Debug, Default)]
pub struct Attestation {
    rules: Arc<[Attested]>,
    /// The checks that the configuration declares.
    checks: Arc<DeclaredChecks>,
    /// The checks that the investigation at hand declared when it began, by their digests.
    of_investigation: Arc<BTreeSet<String>>,
}

impl Attestation {
    /// The rules of a listener.
    #[must_use]
    pub fn of_listener(rules: &[Attested], listen: &Listen, checks: &Arc<DeclaredChecks>) -> Self {
        Self {
            rules: rules.iter().filter(|rule| rule.listen == *listen).cloned().collect(),
            checks: Arc::clone(checks),
            of_investigation: Arc::default(),
        }
    }

    /// Those that hold for the connection over which a request came.
    pub(crate) fn of_connection(&self, request: &Extensions, principal: &Principal) -> Self {
        let peer = request.get::<UdsConnectInfo>().and_then(|peer| peer.peer_cred);
        let uid = peer.map(|peer| peer.uid());
        let holds = |rule: &&Attested| {
            (rule.peer_uid.is_none() || rule.peer_uid == uid)
                && rule.principal.as_ref().is_none_or(|name| name == principal.name())
        };
        if self.rules.iter().all(|rule| holds(&rule)) {
            return self.clone();
        }
        let rules = self.rules.iter().filter(holds).cloned().collect();
        Self { rules, ..self.clone() }
    }

    /// The same, with the checks that an investigation declared when it began.
    pub(crate) fn declaring(&self, checks: &Arc<BTreeSet<String>>) -> Self {
        Self { of_investigation: Arc::clone(checks), ..self.clone() }
    }

    /// Marks an item as attested where a rule includes its tool; the run of a check only where that check was declared
    /// before.
    pub(crate) fn attest(&self, item: &mut EvidenceItem) {
        item.attested =
            self.rules.iter().any(|rule| rule.includes(&item.tool)) && self.is_declared(item);
    }

    /// Whether an item is no check, or the run of one that was declared. Where checks are declared at all, the mere word that
    /// something was checked is none.
    fn is_declared(&self, item: &EvidenceItem) -> bool {
        if item.kind != EvidenceKind::Verification {
            return true;
        }
        let declared = self.checks.digests();
        let Ok(Some(run)) = CheckRun::from_json(item.content.as_str()) else {
            return declared.is_empty() && self.of_investigation.is_empty();
        };
        let digest = run.declaration.digest();
        declared.contains(&digest) || self.of_investigation.contains(&digest)
    }
}
