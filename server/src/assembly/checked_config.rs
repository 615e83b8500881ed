//! Checks a whole configuration and reports every problem. Neither binds addresses nor locks the data
//! directory, so that the check can run while a server is running.

use std::sync::Arc;

use super::judge_chain::{BuiltIn, CheckedChain};
use super::{database, embedded_judge};
use crate::attestation::DeclaredChecks;
use crate::config::{Config, EmbeddingsMode, Problems, Sources};
use crate::evidence::Embeddings;
use crate::identity::IdentityStore;
use crate::judge::Judge;
use crate::judge::facts::{FactsCache, FactsJudge};
use crate::judge::local::{LocalJudge, LocalOptions};
use crate::ledger::{self, LedgerError, LedgerLocation, PostgresOptions};
use crate::policies::PolicyStore;
use crate::tls::TlsStore;

/// A valid configuration, with everything that the check loaded.
pub struct CheckedConfig {
    pub(super) config: Config,
    pub(super) policies: PolicyStore,
    pub(super) chain: CheckedChain,
    pub(super) judges: Vec<Arc<dyn Judge>>,
    pub(super) embeddings: Embeddings,
    tls: Option<Arc<TlsStore>>,
    identities: Arc<IdentityStore>,
    checks: Arc<DeclaredChecks>,
    sources: Option<Sources>,
}

const MAX_WORKERS: usize = 64;

impl std::fmt::Debug for CheckedConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckedConfig").field("config", &self.config).finish_non_exhaustive()
    }
}

impl CheckedConfig {
    /// Checks the policies, judges, TLS files, search model, data directory and ledger. Blocks, since it
    /// reads the whole ledger. The chain may also name the judges in `judges`. `problems` contains the
    /// errors found so far.
    ///
    /// # Errors
    /// All problems, including earlier ones.
    pub fn check(
        mut config: Config,
        mut judges: Vec<Arc<dyn Judge>>,
        mut problems: Problems,
    ) -> Result<Self, Problems> {
        embedded_judge::resolve(&mut config);
        let facts = FactsCache::new(config.evidence.kept_in_memory.0);
        judges.push(Arc::new(FactsJudge::new(facts.clone())));
        let local_options = local_options(&config, &mut problems);
        let mut built_in: Vec<BuiltIn> = judges.iter().map(BuiltIn::from_judge).collect();
        built_in.extend(local_options.as_ref().map(|_| BuiltIn::new(LocalJudge::NAME)));
        let policies = PolicyStore::check(&config.policies, &mut problems);
        let ledger_is_enabled = config.ledger.enabled;
        let chain =
            CheckedChain::check(&config.judges, &built_in, ledger_is_enabled, &mut problems);
        let tls = TlsStore::check(&config.tls, &config.listen, &mut problems).map(Arc::new);
        let identities = IdentityStore::check(&config.security, &mut problems).map(Arc::new);
        let checks = DeclaredChecks::check(&config.evidence.checks, &mut problems).map(Arc::new);
        // `judges.daily_budget` has already required prices.
        if config.judges.daily_budget.is_none()
            && let Some(chain) = &chain
            && let Some(principal) =
                identities.as_ref().and_then(|identities| identities.principal_with_budget())
        {
            chain.require_prices(&principal, &mut problems);
        }
        problems.note(&["data_dir"], data_dir(&config));
        if let Some(database) = config.storage.options(config.ledger.durable) {
            problems.note(&["storage"], database.check_files());
        }
        // Models are slow to load, so they are loaded last and only if there are no problems.
        let embeddings = embeddings(&config, &mut problems);
        if let Some(options) = local_options.filter(|_| problems.is_empty()) {
            let judge = problems.note(&["judges", "local"], LocalJudge::open(&options, facts));
            judges.extend(judge.map(|judge| Arc::new(judge) as Arc<dyn Judge>));
        }
        match (policies, chain, identities, checks) {
            (Some(policies), Some(chain), Some(identities), Some(checks))
                if problems.is_empty() =>
            {
                Ok(Self {
                    config,
                    policies,
                    chain,
                    judges,
                    embeddings,
                    tls,
                    identities,
                    checks,
                    sources: None,
                })
            }
            _ => Err(problems),
        }
    }

    /// Adds the sources of the configuration, which allows reloading parts of it.
    #[must_use]
    pub fn with_sources(self, sources: Sources) -> Self {
        Self { sources: Some(sources), ..self }
    }

    pub(crate) fn take_sources(&mut self) -> Option<Sources> {
        self.sources.take()
    }

    /// Returns the certificate for `grpcs://` listeners, if there are any.
    #[must_use]
    pub fn tls(&self) -> Option<Arc<TlsStore>> {
        self.tls.clone()
    }

    /// Returns the principals.
    #[must_use]
    pub fn identities(&self) -> Arc<IdentityStore> {
        Arc::clone(&self.identities)
    }

    /// Returns the declared checks.
    #[must_use]
    pub fn checks(&self) -> Arc<DeclaredChecks> {
        Arc::clone(&self.checks)
    }

    /// Connects to the configured database, if any, and checks its schema.
    ///
    /// # Errors
    /// A message if the database cannot be used.
    pub async fn reach_database(&self) -> Result<(), String> {
        match self.database() {
            Some(options) => database::check(&options).await,
            None => Ok(()),
        }
    }

    /// Creates missing tables of the ledger. Locks the data directory if the ledger is in SQLite.
    ///
    /// # Errors
    /// A message if the ledger cannot be opened.
    pub async fn migrate_ledger(&self) -> Result<(), String> {
        match self.database() {
            Some(options) => {
                let options = PostgresOptions { migrate: true, ..options };
                database::open(&options).await.map(drop)
            }
            None => {
                let result = LedgerLocation::Sqlite(self.config.data_dir.clone()).open().await;
                result.map(drop).map_err(|error| error.to_string())
            }
        }
    }

    pub(super) fn database(&self) -> Option<PostgresOptions> {
        self.config.storage.options(self.config.ledger.durable)
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }
}

fn local_options(config: &Config, problems: &mut Problems) -> Option<LocalOptions> {
    let judges = &config.judges;
    let is_named = embedded_judge::names(judges).any(|name| name == LocalJudge::NAME);
    if !is_named {
        return None;
    }
    let workers = judges.local.workers;
    if !(1..=MAX_WORKERS).contains(&workers) {
        let description = format!("{workers} is not allowed; expected 1 to {MAX_WORKERS}");
        problems.add(&["judges", "local", "workers"], description);
        return None;
    }
    Some(LocalOptions {
        model: judges.local.model.clone(),
        onnxruntime: config.evidence.onnxruntime.clone(),
        workers,
    })
}

fn embeddings(config: &Config, problems: &mut Problems) -> Embeddings {
    let evidence = &config.evidence;
    let embeddings = match evidence.embeddings {
        EmbeddingsMode::Off => Embeddings::Off,
        EmbeddingsMode::Auto | EmbeddingsMode::Required => Embeddings::Model {
            folder: evidence.model.clone(),
            runtime: evidence.onnxruntime.clone(),
            workers: evidence.embedding_workers,
        },
    };
    if !evidence.enabled {
        return embeddings;
    }
    for (key, description) in &embeddings.check_files() {
        problems.add(&["evidence", key], description);
    }
    if evidence.embeddings == EmbeddingsMode::Required && problems.is_empty() {
        let result = embeddings.try_model().map_err(|reason| format!("is required: {reason}"));
        problems.note(&["evidence", "embeddings"], result);
    }
    embeddings
}

fn data_dir(config: &Config) -> Result<(), LedgerError> {
    let is_ledger_local = config.ledger.enabled && config.storage.url.is_none();
    match (is_ledger_local, config.ledger.enabled || config.evidence.enabled) {
        (true, _) => ledger::check(&config.data_dir),
        (false, true) => ledger::check_directory(&config.data_dir),
        (false, false) => Ok(()),
    }
}
