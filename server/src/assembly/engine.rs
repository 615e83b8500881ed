//! Opens storage and builds the judges of a checked configuration.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsar_proto::parse;
use tokio::runtime::Handle;

use super::chain::{BuiltChain, JudgeStorage};
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
    /// Takes the data directory, opens the ledger and the evidence, and builds the judges. Blocks; a ledger in
    /// PostgreSQL needs a runtime.
    ///
    /// # Errors
    /// What prevents a start although the configuration is valid, such as another server in the data directory.
    pub fn build(self) -> Result<Engine, String> {
        let database = self.database();
        let Self { config, policies, chain, judges, embeddings, .. } = self;
        let config = &config;
        let storage = match config.ledger.enabled {
            true => Some(Storage::open(config, database)?),
            false => None,
        };
        let BuiltChain { judges, look, reader, redactor } =
            chain.build(&config.judges, &judges, storage.as_ref().map(Storage::of_judges))?;
        let evidence = match config.evidence.enabled {
            true => {
                let bounds = bounds(&config.evidence);
                let opened = match storage.as_ref().and_then(Storage::shared) {
                    Some(shared) => {
                        warn_of_corpora_below(&config.data_dir);
                        Evidence::shared(shared, bounds, embeddings)
                    }
                    None => Evidence::open(&config.data_dir, bounds, embeddings),
                };
                let evidence = opened.map_err(|error| error.to_string())?;
                if config.evidence.embeddings == config::EmbeddingsMode::Required {
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
        let (ledger, held) = storage.map(Storage::into_parts).unzip();
        Ok(Engine {
            principal: Principal::anonymous(),
            policies: Arc::new(policies),
            judges: judges.into(),
            look,
            reader,
            redactor,
            graded_claims: GradedClaims::default(),
            evidence_kept,
            evidence,
            ledger,
            _data_dir: held.flatten().map(Arc::new),
            limits: Arc::new(limits),
        })
    }
}

/// Says where corpora lie that were stored before there was a database to share.
fn warn_of_corpora_below(data_dir: &Path) {
    let corpora = evidence::corpora_below(data_dir);
    if corpora > 0 {
        tracing::warn!(
            corpora,
            folder = %data_dir.display(),
            "corpora below data_dir are not seen: with storage.url they stand in the database; store them again"
        );
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

/// Where the record is kept, and what judges keep.
struct Storage {
    ledger: Arc<dyn Ledger>,
    place: Place,
}

enum Place {
    /// The data directory, which the ledger holds for this process.
    Here(PathBuf),
    /// A database that servers share, and the data directory, which is held for what is not there.
    Shared { database: Database, runtime: Handle, held: DataDir },
}

impl Storage {
    fn open(config: &Config, database: Option<PostgresOptions>) -> Result<Self, String> {
        let Some(options) = database else {
            let opened = SqliteLedger::open(ledger_options(config));
            let ledger = Arc::new(opened.map_err(|error| error.to_string())?);
            return Ok(Self { ledger, place: Place::Here(config.data_dir.clone()) });
        };
        let held = DataDir::lock(&config.data_dir).map_err(|error| error.to_string())?;
        let runtime = Handle::try_current().map_err(|error| error.to_string())?;
        let max_age = config.ledger.max_age.map(|age| age.0);
        let (ledger, database) = runtime.block_on(async {
            let database = database::open(&options).await?;
            let options = PostgresLedgerOptions { database: options, max_age };
            let ledger = PostgresLedger::with_database(database.clone(), options).await;
            Ok::<_, String>((ledger.map_err(|error| error.to_string())?, database))
        })?;
        let place = Place::Shared { database, runtime, held };
        Ok(Self { ledger: Arc::new(ledger), place })
    }

    fn of_judges(&self) -> JudgeStorage<'_> {
        match &self.place {
            Place::Here(folder) => JudgeStorage::Folder(folder),
            Place::Shared { database, runtime, .. } => JudgeStorage::Database(database, runtime),
        }
    }

    /// The database that servers share, where there is one.
    fn shared(&self) -> Option<(Database, Handle)> {
        match &self.place {
            Place::Here(_) => None,
            Place::Shared { database, runtime, .. } => Some((database.clone(), runtime.clone())),
        }
    }

    /// The ledger, with what has to be held beside it.
    fn into_parts(self) -> (Arc<dyn Ledger>, Option<DataDir>) {
        match self.place {
            Place::Here(_) => (self.ledger, None),
            Place::Shared { held, .. } => (self.ledger, Some(held)),
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
