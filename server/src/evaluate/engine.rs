//! The engine that evaluates reports.

use std::sync::Arc;

use gsar_proto::parse;
use gsar_redaction::Redactor;
use tonic::Status;

use super::examples::GradedClaims;
use super::second_look_judge::SecondReader;
use crate::config::EvidenceRetention;
use crate::errors;
use crate::evidence::Evidence;
use crate::identity::Principal;
use crate::judge::Judge;
use crate::judge::model::ModelJudge;
use crate::ledger::{DataDir, Ledger};
use crate::policies::PolicyStore;

/// The policies, judges, stores and limits for one principal. An engine is cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) principal: Arc<Principal>,
    pub(crate) policies: Arc<PolicyStore>,
    pub(crate) judges: Arc<[Arc<dyn Judge>]>,
    /// The chat model for LookAtEntity.
    pub(crate) look_model: Option<Arc<ModelJudge>>,
    pub(crate) second_reader: SecondReader,
    pub(crate) redactor: Redactor,
    pub(crate) graded_claims: GradedClaims,
    pub(crate) ledger: Option<Arc<dyn Ledger>>,
    pub(crate) evidence_retention: EvidenceRetention,
    pub(crate) evidence: Option<Evidence>,
    /// The lock on the data directory, if the ledger does not own it.
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
    #[must_use]
    pub(crate) fn for_principal(self: &Arc<Self>, principal: &Arc<Principal>) -> Arc<Self> {
        if principal.is_anonymous() {
            return Arc::clone(self);
        }
        let owner = principal.owner();
        Arc::new(Self {
            principal: Arc::clone(principal),
            ledger: self.ledger.as_ref().map(|ledger| ledger.for_owner(owner)),
            evidence: self.evidence.as_ref().map(|evidence| evidence.for_owner(owner)),
            ..Self::clone(self)
        })
    }

    /// Returns the calling principal.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Returns the current policies.
    #[must_use]
    pub fn policies(&self) -> &PolicyStore {
        &self.policies
    }

    /// Returns the ledger, if evaluations are recorded.
    #[must_use]
    pub fn ledger(&self) -> Option<&Arc<dyn Ledger>> {
        self.ledger.as_ref()
    }

    /// Returns the evidence store, if it is enabled.
    #[must_use]
    pub fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
    }

    /// Returns the evidence store.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if this server stores no evidence.
    pub(crate) fn stored_evidence(&self) -> Result<Evidence, Status> {
        self.evidence.clone().ok_or_else(|| {
            errors::not_allowed(
                "this server stores no evidence",
                "set evidence.enabled to true in its configuration",
            )
        })
    }

    #[must_use]
    pub(crate) fn look_model(&self) -> Option<&ModelJudge> {
        self.look_model.as_deref()
    }

    /// Returns the limits on requests.
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
