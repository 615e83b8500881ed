//! This module says which evidence of a call is attested, from the configuration, from what the kernel says of the peer
//! and from who calls. Of a message only the name of the tool takes part, and it only narrows the answer.

use std::sync::Arc;

use gsar_core::evidence::EvidenceItem;
use http::Extensions;
use tonic::transport::server::UdsConnectInfo;

use crate::config::{Attested, Listen};
use crate::identity::Principal;

/// The rules that hold: of a listener, or of one connection to it.
#[derive(Clone, Debug, Default)]
pub struct Attestation(Arc<[Attested]>);

impl Attestation {
    /// The rules of a listener.
    #[must_use]
    pub fn of_listener(rules: &[Attested], listen: &Listen) -> Self {
        Self(rules.iter().filter(|rule| rule.listen == *listen).cloned().collect())
    }

    /// Those that hold for the connection over which a request came.
    pub(crate) fn of_connection(&self, request: &Extensions, principal: &Principal) -> Self {
        let peer = request.get::<UdsConnectInfo>().and_then(|peer| peer.peer_cred);
        let uid = peer.map(|peer| peer.uid());
        let holds = |rule: &&Attested| {
            (rule.peer_uid.is_none() || rule.peer_uid == uid)
                && rule.principal.as_ref().is_none_or(|name| name == principal.name())
        };
        if self.0.iter().all(|rule| holds(&rule)) {
            return self.clone();
        }
        Self(self.0.iter().filter(holds).cloned().collect())
    }

    /// Marks an item as attested where a rule includes its tool.
    pub(crate) fn attest(&self, item: &mut EvidenceItem) {
        item.attested = self.0.iter().any(|rule| rule.includes(&item.tool));
    }
}
