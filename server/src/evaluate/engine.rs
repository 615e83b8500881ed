//! What a server needs to evaluate: policies, judges, the ledger, stored evidence, limits.

use std::sync::Arc;

use gsar_proto::parse;
use gsar_redaction::Redactor;

use super::examples::GradedClaims;
use super::reader::Reader;
use crate::config::EvidenceRetention;
use crate::evidence::Evidence;
use crate::identity::Principal;
use crate::judge::Judge;
use crate::judge::model::ModelJudge;
use crate::ledger::{DataDir, Ledger};
use crate::policies::PolicyStore;

/// What a server needs to evaluate, for one who calls. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) principal: Arc<Principal>,
    pub(crate) policies: Arc<PolicyStore>,
    pub(crate) judges: Arc<[Arc<dyn Judge>]>,
    /// The chat model that looks at entities.
    pub(crate) look: Option<Arc<ModelJudge>>,
    /// Who reads what judges support a second time.
    pub(crate) reader: Reader,
    /// What takes secrets and personal data out of answers that leave for others.
    pub(crate) redactor: Redactor,
    /// What people graded, for judges that are shown examples.
    pub(crate) graded_claims: GradedClaims,
    pub(crate) ledger: Option<Arc<dyn Ledger>>,
    pub(crate) evidence_kept: EvidenceRetention,
    pub(crate) evidence: Option<Evidence>,
    /// Held until the server ends, where the ledger does not hold it.
    pub(crate) _data_dir: Option<Arc<DataDir>>,
    pub(crate) limits: Arc<parse::Limits>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let judges: Vec<&str> = self.judges.iter().map(|judge| judge.name()).collect();
        f.debug_struct("Engine").field("judges", &judges).finish_non_exhaustive()
    }
}

impl Engine {
    /// The same for a principal: what it keeps is its own, and it finds what it sees.
    #[must_use]
    pub(crate) fn for_principal(self: &Arc<Self>, principal: &Arc<Principal>) -> Arc<Self> {
        if principal.is_anonymous() {
            return Arc::clone(self);
        }
        let owner = principal.owner();
        Arc::new(Self {
            principal: Arc::clone(principal),
            ledger: self.ledger.as_ref().map(|ledger| ledger.of(owner)),
            evidence: self.evidence.as_ref().map(|evidence| evidence.of(owner)),
            ..Self::clone(self)
        })
    }

    /// Who calls.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The policies in force.
    #[must_use]
    pub fn policies(&self) -> &PolicyStore {
        &self.policies
    }

    /// The ledger, where evaluations are recorded.
    #[must_use]
    pub fn ledger(&self) -> Option<&Arc<dyn Ledger>> {
        self.ledger.as_ref()
    }

    /// Evidence that outlives one call, where it is kept.
    #[must_use]
    pub fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
    }

    /// The chat model that looks at entities, where one is named.
    #[must_use]
    pub(crate) fn look(&self) -> Option<&ModelJudge> {
        self.look.as_deref()
    }

    /// Bounds on requests.
    #[must_use]
    pub fn limits(&self) -> &parse::Limits {
        &self.limits
    }

    /// Flushes and closes what is open.
    pub async fn close(&self) {
        if let Some(ledger) = self.ledger.clone() {
            let _ = tokio::task::spawn_blocking(move || ledger.close()).await;
        }
    }
}
