//! A ledger in PostgreSQL, shared by any number of servers.
//!
//! Constraints in the database make ids, idempotency keys and investigation steps unique across servers. If
//! a connection breaks before the outcome of a record is known, the record is written again, which has no
//! effect if it already exists.

mod fault;
mod grades;
mod investigations;
mod maintenance;
mod options;
mod partitions;
mod read;
mod record;
mod retention;
mod shared_rows;
mod visibility;
mod watch;

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use async_trait::async_trait;

pub use options::PostgresLedgerOptions;

use super::error::LedgerError;
use super::evidence_content::Content;
use super::fault::{Fault, FaultKind};
use super::grades::NewGrades;
use super::health::Health;
use super::investigations::{InvestigationStart, NewEvent, StoredInvestigation};
use super::metrics::LedgerMetrics;
use super::record::{Record, Recorded, StoredEvaluation, Summary};
use super::selection::{Count, Entry, Page, PageRequest, Reports, Selection};
use super::store::Ledger;
use crate::data_owner::Owner;
use crate::storage::postgres::{Database, Failure, PostgresOptions, PostgresSchema, Work};
use fault::fault;
use retention::Walk;
use shared_rows::RowCache;
use watch::Watch;

pub(crate) const SCHEMA: PostgresSchema =
    PostgresSchema { part: "ledger", sql: include_str!("schema.sql") };

/// The maximum size of a record in bytes; PostgreSQL limits a value to one gibibyte.
const MAX_RECORD_BYTES: usize = 1_000_000_000;

/// A handle to a ledger in PostgreSQL. Cheap to clone.
#[derive(Clone, Debug)]
pub struct PostgresLedger {
    shared: Arc<Shared>,
    owner: Owner,
}

#[derive(Debug)]
struct Shared {
    database: Database,
    cache: Arc<RowCache>,
    watch: Watch,
    walk: Mutex<Walk>,
    metrics: LedgerMetrics,
}

impl PostgresLedger {
    /// Connects, creates missing tables if `migrate` is set, and starts the background maintenance.
    ///
    /// Metrics are registered with the current recorder.
    ///
    /// # Errors
    /// Returns [`LedgerError::InvalidOption`], [`LedgerError::Schema`] or [`LedgerError::Unavailable`].
    pub async fn open(options: PostgresLedgerOptions) -> Result<Self, LedgerError> {
        options.check()?;
        let database = connect(&options.database)?;
        Self::with_database(database, options).await
    }

    /// Opens a ledger like [`open`](Self::open), but on an existing connection pool.
    pub(crate) async fn with_database(
        database: Database,
        options: PostgresLedgerOptions,
    ) -> Result<Self, LedgerError> {
        SCHEMA
            .create(&database, options.database.migrate)
            .await
            .map_err(|error| fault::schema_error(error, database.display_url()))?;
        partitions::create(&database).await.map_err(|failure| fault(&failure).error)?;
        let shared = Shared {
            watch: Watch::start(database.clone()),
            walk: Mutex::default(),
            metrics: LedgerMetrics::register(),
            cache: Arc::default(),
            database,
        };
        let shared = Arc::new(shared);
        maintenance::start(&shared, options.max_age);
        Ok(Self { shared, owner: Owner::default() })
    }

    /// Immediately deletes evaluations older than `max_age`, unless another server is already doing so.
    ///
    /// # Errors
    /// Returns [`LedgerError::Unavailable`] or [`LedgerError::Closed`].
    pub async fn apply_retention(&self, max_age: std::time::Duration) -> Result<(), LedgerError> {
        let result = maintenance::apply(&self.shared, Some(max_age)).await;
        self.shared.track(result)
    }
}

impl Shared {
    async fn run<A, T>(&self, arguments: A, work: Work<A, T>) -> Result<T, LedgerError>
    where
        A: Send + Sync + 'static,
        T: Send + 'static,
    {
        self.track(self.database.run(arguments, work).await)
    }

    fn track<T>(&self, result: Result<T, Failure>) -> Result<T, LedgerError> {
        match result {
            Ok(value) => {
                self.watch.mark_healthy();
                Ok(value)
            }
            Err(failure) => {
                let Fault { kind, error } = fault(&failure);
                if self.watch.is_closed() {
                    return Err(LedgerError::Closed);
                }
                self.metrics.count_failed_batch(kind);
                if !matches!(kind, FaultKind::Busy | FaultKind::Other) {
                    self.watch.mark_failed(&failure);
                }
                Err(error)
            }
        }
    }
}

fn connect(options: &PostgresOptions) -> Result<Database, LedgerError> {
    Database::new(options).map_err(|reason| LedgerError::Unavailable {
        reason,
        fix: "check the table [storage] in the configuration".to_owned(),
    })
}

/// Returns `false` for text with U+0000, which PostgreSQL cannot store.
fn is_storable(text: &str) -> bool {
    !text.contains('\0')
}

fn can_match(selection: &Selection) -> bool {
    selection.texts().into_iter().flatten().all(|text| is_storable(text))
}

#[async_trait]
impl Ledger for PostgresLedger {
    fn for_owner(&self, owner: &Owner) -> Arc<dyn Ledger> {
        Arc::new(Self { shared: Arc::clone(&self.shared), owner: owner.clone() })
    }

    async fn record(&self, record: Record) -> Result<Recorded, LedgerError> {
        let bytes = record.byte_count();
        if bytes > MAX_RECORD_BYTES {
            return Err(LedgerError::TooLarge { evaluation_id: record.evaluation_id, bytes });
        }
        let arguments = (self.owner.clone(), record, Arc::clone(&self.shared.cache));
        let started_at = Instant::now();
        let work = self.shared.run(arguments, |client, (owner, record, cache), attempt| {
            Box::pin(record::write(client, cache, owner.name(), record, attempt))
        });
        let outcome = work.await?;
        if matches!(outcome, Ok(Recorded::New)) {
            self.shared.watch.note_commit();
            self.shared.metrics.record_commit(started_at.elapsed(), 1, 1);
        }
        outcome
    }

    async fn find_by_key(
        &self,
        key: &str,
        request_digest: [u8; 32],
    ) -> Result<Option<Vec<u8>>, LedgerError> {
        if !is_storable(key) {
            return Ok(None);
        }
        let arguments = (self.owner.clone(), key.to_owned(), request_digest);
        let recorded = self.shared.run(arguments, |client, (owner, key, digest), _| {
            Box::pin(record::find_by_key(client, owner.name(), key, digest))
        });
        let recorded = recorded.await?;
        recorded.map(|result| result.map(|evaluation| evaluation.response)).transpose()
    }

    async fn list(&self, request: PageRequest) -> Result<Page<Summary>, LedgerError> {
        if !can_match(&request.selection) {
            return Ok(Page { evaluations: Vec::new(), next: None });
        }
        let page = self.shared.run((self.owner.clone(), request), |client, (owner, request), _| {
            Box::pin(read::list(client, owner, request))
        });
        page.await
    }

    async fn entries(
        &self,
        request: PageRequest,
        reports: Reports,
    ) -> Result<Page<Entry>, LedgerError> {
        if !can_match(&request.selection) {
            return Ok(Page { evaluations: Vec::new(), next: None });
        }
        let arguments = (self.owner.clone(), request, reports);
        let page = self.shared.run(arguments, |client, (owner, request, reports), _| {
            Box::pin(read::entries(client, owner, request, *reports))
        });
        page.await
    }

    async fn counts(
        &self,
        selection: Selection,
        interval_micros: Option<NonZeroU64>,
    ) -> Result<Vec<Count>, LedgerError> {
        if !can_match(&selection) {
            return Ok(Vec::new());
        }
        let arguments = (self.owner.clone(), selection, interval_micros);
        let counts = self.shared.run(arguments, |client, (owner, selection, interval), _| {
            Box::pin(read::counts(client, owner, selection, *interval))
        });
        counts.await
    }

    async fn read(&self, evaluation_id: &str) -> Result<Option<StoredEvaluation>, LedgerError> {
        if !is_storable(evaluation_id) {
            return Ok(None);
        }
        let arguments = (self.owner.clone(), evaluation_id.to_owned());
        let evaluation = self
            .shared
            .run(arguments, |client, (owner, id), _| Box::pin(read::evaluation(client, owner, id)));
        evaluation.await
    }

    async fn content(
        &self,
        evaluation_id: &str,
        digest: [u8; 32],
    ) -> Result<Option<String>, LedgerError> {
        if !is_storable(evaluation_id) {
            return Ok(None);
        }
        let arguments = (self.owner.clone(), evaluation_id.to_owned(), digest);
        let packed = self.shared.run(arguments, |client, (owner, id, digest), _| {
            Box::pin(read::content(client, owner, id, digest))
        });
        let packed = packed.await?;
        packed.map(|packed| fault::unpack(&packed)).transpose()
    }

    async fn contents(&self, evaluation_id: &str) -> Result<Vec<Content>, LedgerError> {
        if !is_storable(evaluation_id) {
            return Ok(Vec::new());
        }
        let arguments = (self.owner.clone(), evaluation_id.to_owned());
        let packed = self
            .shared
            .run(arguments, |client, (owner, id), _| Box::pin(read::contents(client, owner, id)));
        let packed = packed.await?;
        let content = |(digest, packed): ([u8; 32], Vec<u8>)| {
            fault::unpack(&packed).map(|text| Content::new(digest, &text))
        };
        packed.into_iter().map(content).collect()
    }

    async fn delete(&self, evaluation_id: &str) -> Result<bool, LedgerError> {
        if !is_storable(evaluation_id) {
            return Ok(false);
        }
        let arguments = (self.owner.clone(), evaluation_id.to_owned());
        let deleted = self.shared.run(arguments, |client, (owner, id), _| {
            Box::pin(retention::delete(client, owner, id))
        });
        let deleted = deleted.await?;
        if deleted {
            self.shared.cache.clear();
            self.shared.metrics.deleted_by_id.increment(1);
        }
        Ok(deleted)
    }

    async fn grade(&self, grades: NewGrades) -> Result<bool, LedgerError> {
        let result = self.shared.run((self.owner.clone(), grades), |client, (owner, grades), _| {
            Box::pin(grades::write(client, owner, grades))
        });
        result.await
    }

    async fn start_investigation(
        &self,
        start: InvestigationStart,
    ) -> Result<Option<StoredInvestigation>, LedgerError> {
        let arguments = (self.owner.clone(), start);
        let existing = self.shared.run(arguments, |client, (owner, start), attempt| {
            Box::pin(investigations::start(client, owner.name(), start, attempt))
        });
        existing.await
    }

    async fn append_event(&self, event: NewEvent) -> Result<(), LedgerError> {
        let arguments = (self.owner.clone(), event);
        let result = self.shared.run(arguments, |client, (owner, event), attempt| {
            Box::pin(investigations::append(client, owner.name(), event, attempt))
        });
        result.await?
    }

    async fn investigation(
        &self,
        investigation_id: &str,
    ) -> Result<Option<StoredInvestigation>, LedgerError> {
        if !is_storable(investigation_id) {
            return Ok(None);
        }
        let arguments = (self.owner.clone(), investigation_id.to_owned());
        let investigation = self.shared.run(arguments, |client, (owner, id), _| {
            Box::pin(investigations::read(client, owner.name(), id))
        });
        investigation.await
    }

    async fn recent_investigations(
        &self,
        limit: u32,
        max_bytes: u32,
    ) -> Result<Vec<InvestigationStart>, LedgerError> {
        let arguments = (self.owner.clone(), limit, max_bytes);
        let recent = self.shared.run(arguments, |client, (owner, limit, max_bytes), _| {
            Box::pin(investigations::recent(client, owner.name(), *limit, *max_bytes))
        });
        recent.await
    }

    fn health(&self) -> Health {
        self.shared.watch.health()
    }

    fn close(&self) {
        self.shared.watch.close();
        self.shared.database.close();
    }
}
