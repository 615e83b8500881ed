//! The engine: policies, judges, ledger, stored evidence and limits for evaluations.

use std::sync::Arc;

use gsar_proto::parse;
use gsar_redaction::Redactor;

use super::examples::GradedClaims;
use super::second_reader::SecondReader;
use crate::config::EvidenceRetention;
use crate::evidence::Evidence;
use crate::identity::Principal;
use crate::judge::Judge;
use crate::judge::model::ModelJudge;
use crate::ledger::{DataDir, Ledger};
use crate::policies::PolicyStore;

/// Everything needed to evaluate for one principal. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) principal: Arc<Principal>,
    pub(crate) policies: Arc<PolicyStore>,
    pub(crate) judges: Arc<[Arc<dyn Judge>]>,
    /// The chat model that investigates entities.
    pub(crate) look: Option<Arc<ModelJudge>>,
    /// The judge that takes second looks.
    pub(crate) second_reader: SecondReader,
    /// Redacts secrets and personal data in answers.
    pub(crate) redactor: Redactor,
    /// Claims graded by people, for judges that are shown examples.
    pub(crate) graded_claims: GradedClaims,
    pub(crate) ledger: Option<Arc<dyn Ledger>>,
    pub(crate) evidence_retention: EvidenceRetention,
    pub(crate) evidence: Option<Evidence>,
    /// Keeps the lock on the data directory if the ledger does not.
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
    /// Returns an engine for `principal`, limited to the records and evidence that it may access.
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

    /// The principal that calls.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The policies in force.
    #[must_use]
    pub fn policies(&self) -> &PolicyStore {
        &self.policies
    }

    /// The ledger, if evaluations are recorded.
    #[must_use]
    pub fn ledger(&self) -> Option<&Arc<dyn Ledger>> {
        self.ledger.as_ref()
    }

    /// The evidence store, if enabled.
    #[must_use]
    pub fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
    }

    /// The chat model that investigates entities, if configured.
    #[must_use]
    pub(crate) fn look(&self) -> Option<&ModelJudge> {
        self.look.as_deref()
    }

    /// Limits on requests.
    #[must_use]
    pub fn limits(&self) -> &parse::Limits {
        &self.limits
    }

    /// Flushes and closes the ledger.
    pub async fn close(&self) {
        if let Some(ledger) = self.ledger.clone() {
            let _ = tokio::task::spawn_blocking(move || ledger.close()).await;
        }
    }
}
