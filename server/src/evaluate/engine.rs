//! What a server needs to evaluate: policies, judges, the ledger, stored evidence, limits.

use std::sync::Arc;

use gsar_proto::parse;

use super::CheckedConfig;
use crate::config::{self, Config, EvidenceKept};
use crate::evidence::{Bounds, Evidence};
use crate::judge::Judge;
use crate::judge::local::LocalJudge;
use crate::ledger::{Durability, Ledger, Options, SqliteLedger};
use crate::policies::PolicyStore;

/// What a server needs to evaluate.
pub struct Engine {
    pub(super) policies: PolicyStore,
    pub(super) judges: Vec<Arc<dyn Judge>>,
    /// Who gives second opinions on what judges that are not local ground.
    pub(super) second_opinion: Option<Arc<LocalJudge>>,
    pub(super) ledger: Option<Arc<dyn Ledger>>,
    pub(super) evidence_kept: EvidenceKept,
    evidence: Option<Evidence>,
    pub(super) limits: parse::Limits,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let judges: Vec<&str> = self.judges.iter().map(|judge| judge.name()).collect();
        f.debug_struct("Engine").field("judges", &judges).finish_non_exhaustive()
    }
}

impl Engine {
    /// Takes the data directory, opens the ledger and the evidence, and puts the judges together. Blocks.
    ///
    /// # Errors
    /// What stands in the way although the configuration is sound, such as another server in the data directory.
    pub fn load(checked: CheckedConfig) -> Result<Self, String> {
        let CheckedConfig { config, policies, chain, second_opinion, embeddings, .. } = checked;
        let config = &config;
        let ledger = match config.ledger.enabled {
            true => Some(open_ledger(config)?),
            false => None,
        };
        // The ledger holds the data directory for this process.
        let data_dir = ledger.as_ref().map(|_| config.data_dir.as_path());
        let judges = chain.build(&config.judges, data_dir)?;
        let evidence = match config.evidence.enabled {
            true => {
                let opened = Evidence::open(&config.data_dir, bounds(&config.evidence), embeddings);
                let evidence = opened.map_err(|error| error.to_string())?;
                if config.evidence.embeddings == config::EmbeddingsWanted::Required {
                    evidence
                        .start_model()
                        .map_err(|reason| format!("evidence.embeddings is required: {reason}"))?;
                }
                Some(evidence)
            }
            false => None,
        };
        let bytes = |size: config::Bytes| usize::try_from(size.0).unwrap_or(usize::MAX);
        let limits = parse::Limits {
            max_claims: config.limits.claims,
            max_evidence_items: config.limits.evidence_items,
            max_text_bytes: bytes(config.limits.text),
            max_claim_bytes: bytes(config.limits.claim_text),
            ..parse::Limits::default()
        };
        let evidence_kept = config.ledger.evidence;
        Ok(Self { policies, judges, second_opinion, ledger, evidence_kept, evidence, limits })
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

fn bounds(wanted: &config::Evidence) -> Bounds {
    Bounds {
        max_corpus_size: wanted.max_corpus_size.0,
        max_size: wanted.max_size.0,
        time_to_live: wanted.time_to_live.map(|lives| lives.0),
        kept_in_memory: wanted.kept_in_memory.0,
    }
}

fn open_ledger(config: &Config) -> Result<Arc<dyn Ledger>, String> {
    let opened = SqliteLedger::open(ledger_options(config));
    Ok(Arc::new(opened.map_err(|error| error.to_string())?))
}

fn ledger_options(config: &Config) -> Options {
    let durability = if config.ledger.durable { Durability::Durable } else { Durability::Relaxed };
    Options {
        durability,
        max_age: config.ledger.max_age.map(|age| age.0),
        max_bytes: config.ledger.max_size.map(|size| size.0),
        ..Options::new(config.data_dir.clone())
    }
}
