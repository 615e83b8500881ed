//! Opens the storage and builds the engine of a checked configuration.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsar_proto::parse;
use tokio::runtime::Handle;

use super::judge_chain::{BuiltChain, JudgeStorage};
use super::{CheckedConfig, database};
use crate::config::{self, Config};
use crate::evaluate::{Engine, GradedClaims};
use crate::evidence::{self, Bounds, Evidence};
use crate::identity::Principal;
use crate::ledger::{
    DataDir, Durability, Ledger, Options, PostgresLedger, PostgresLedgerOptions, PostgresOptions,
    SqliteLedger,
};
use crate::storage::postgres::Database;

impl CheckedConfig {
    /// Locks the data directory, opens the ledger and the evidence store, and builds the judges. Blocks.
    /// PostgreSQL needs a tokio runtime.
    ///
    /// # Errors
    /// A message if the server cannot start, for example because another server uses the data directory.
    pub fn build(self) -> Result<Engine, String> {
        let database = self.database();
        let Self { config, policies, chain, judges, embeddings, .. } = self;
        let config = &config;
        let storage = match config.ledger.enabled {
            true => Some(Storage::open(config, database)?),
            false => None,
        };
        let BuiltChain { judges, look_model, second_reader, redactor } =
            chain.build(&config.judges, &judges, storage.as_ref().map(Storage::for_judges))?;
        let evidence = match config.evidence.enabled {
            true => {
                let bounds = bounds(&config.evidence);
                let result = match storage.as_ref().and_then(Storage::shared_database) {
                    Some(shared_database) => {
                        warn_about_local_corpora(&config.data_dir);
                        Evidence::open_shared(shared_database, bounds, embeddings)
                    }
                    None => Evidence::open(&config.data_dir, bounds, embeddings),
                };
                let evidence = result.map_err(|error| error.to_string())?;
                if config.evidence.embeddings == config::EmbeddingsMode::Required {
                    evidence
                        .start_model()
                        .map_err(|reason| format!("evidence.embeddings is required: {reason}"))?;
                }
                Some(evidence)
            }
            false => None,
        };
        let to_usize = |size: config::Bytes| usize::try_from(size.0).unwrap_or(usize::MAX);
        let limits = parse::Limits {
            max_claims: config.limits.claims,
            max_evidence_items: config.limits.evidence_items,
            max_text_bytes: to_usize(config.limits.text),
            max_claim_bytes: to_usize(config.limits.claim_text),
            ..parse::Limits::default()
        };
        let evidence_retention = config.ledger.evidence;
        let (ledger, data_dir) = storage.map(Storage::into_parts).unzip();
        Ok(Engine {
            principal: Principal::anonymous(),
            policies: Arc::new(policies),
            judges: judges.into(),
            look_model,
            second_reader,
            redactor,
            graded_claims: GradedClaims::default(),
            evidence_retention,
            evidence,
            ledger,
            _data_dir: data_dir.flatten().map(Arc::new),
            limits: Arc::new(limits),
        })
    }
}

fn warn_about_local_corpora(data_dir: &Path) {
    let corpora = evidence::count_corpora(data_dir);
    if corpora > 0 {
        tracing::warn!(
            corpora,
            folder = %data_dir.display(),
            "corpora in data_dir are ignored, since storage.url is set and corpora are stored in the database; upload them again"
        );
    }
}

fn bounds(config: &config::Evidence) -> Bounds {
    Bounds {
        max_corpus_size: config.max_corpus_size.0,
        max_size: config.max_size.0,
        time_to_live: config.time_to_live.map(|time| time.0),
        max_cached_size: config.kept_in_memory.0,
    }
}

struct Storage {
    ledger: Arc<dyn Ledger>,
    backend: Backend,
}

enum Backend {
    /// The data directory, locked by the ledger.
    Local(PathBuf),
    /// A database that several servers share, and the locked data directory.
    Shared { database: Database, runtime: Handle, data_dir: DataDir },
}

impl Storage {
    fn open(config: &Config, database: Option<PostgresOptions>) -> Result<Self, String> {
        let Some(options) = database else {
            let result = SqliteLedger::open(ledger_options(config));
            let ledger = Arc::new(result.map_err(|error| error.to_string())?);
            return Ok(Self { ledger, backend: Backend::Local(config.data_dir.clone()) });
        };
        let data_dir = DataDir::lock(&config.data_dir).map_err(|error| error.to_string())?;
        let runtime = Handle::try_current().map_err(|error| error.to_string())?;
        let max_age = config.ledger.max_age.map(|age| age.0);
        let (ledger, database) = runtime.block_on(async {
            let database = database::open(&options).await?;
            let options = PostgresLedgerOptions { database: options, max_age };
            let ledger = PostgresLedger::with_database(database.clone(), options).await;
            Ok::<_, String>((ledger.map_err(|error| error.to_string())?, database))
        })?;
        let backend = Backend::Shared { database, runtime, data_dir };
        Ok(Self { ledger: Arc::new(ledger), backend })
    }

    fn for_judges(&self) -> JudgeStorage<'_> {
        match &self.backend {
            Backend::Local(folder) => JudgeStorage::Folder(folder),
            Backend::Shared { database, runtime, .. } => JudgeStorage::Database(database, runtime),
        }
    }

    fn shared_database(&self) -> Option<(Database, Handle)> {
        match &self.backend {
            Backend::Local(_) => None,
            Backend::Shared { database, runtime, .. } => Some((database.clone(), runtime.clone())),
        }
    }

    /// Returns the ledger, and the lock on the data directory unless the ledger owns it.
    fn into_parts(self) -> (Arc<dyn Ledger>, Option<DataDir>) {
        match self.backend {
            Backend::Local(_) => (self.ledger, None),
            Backend::Shared { data_dir, .. } => (self.ledger, Some(data_dir)),
        }
    }
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
