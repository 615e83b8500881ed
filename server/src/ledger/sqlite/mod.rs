//! A ledger in SQLite: one directory, one database, one writer thread.
//!
//! All waiting records share one transaction, so that the number of disk flushes does not grow with the
//! number of callers. Readers have their own connections and never wait for the writer. If the disk is full
//! or fails, records fail until it recovers. No restart is needed.

mod batch;
mod check;
mod connection;
mod directory;
mod evidence_contents;
mod evidence_sets;
mod fault;
mod grades;
mod investigations;
mod lists;
mod options;
mod reader;
mod retention;
mod schema;
mod writer;

use std::num::NonZeroU64;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use async_trait::async_trait;
use rusqlite::Connection;
use tokio::sync::oneshot;

pub use check::{check, check_directory};
pub(crate) use directory::database_file;
pub use options::{Durability, Options};

use super::error::LedgerError;
use super::evidence_content::Content;
use super::grades::NewGrades;
use super::health::Health;
use super::investigations::{InvestigationStart, NewEvent, StoredInvestigation};
use super::metrics::LedgerMetrics;
use super::record::{Record, Recorded, StoredEvaluation, Summary};
use super::selection::{Count, Entry, Page, PageRequest, Reports, Selection};
use super::store::Ledger;
use crate::data_owner::Owner;
use directory::Directory;
use reader::{Readers, read_evaluation};
use retention::Limits;
use writer::{Job, QueuedRecord, Writer};

/// A handle to a ledger in SQLite. Cheap to clone.
///
/// Dropping the last handle closes the ledger like [`Ledger::close`].
#[derive(Clone, Debug)]
pub struct SqliteLedger {
    shared: Arc<Shared>,
    owner: Owner,
}

#[derive(Debug)]
struct Shared {
    queue: usize,
    jobs: SyncSender<Job>,
    readers: Readers,
    health: Arc<Mutex<Health>>,
    queue_full: ::metrics::Counter,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl SqliteLedger {
    /// Opens the ledger, creates it if it does not exist, and starts the writer and retention. Blocks.
    ///
    /// Metrics are registered with the current recorder.
    ///
    /// # Errors
    /// Returns [`LedgerError::InvalidOption`], [`LedgerError::UnusableDirectory`], [`LedgerError::Locked`],
    /// [`LedgerError::Foreign`], [`LedgerError::Schema`], [`LedgerError::Corrupt`] or
    /// [`LedgerError::Unavailable`].
    pub fn open(options: Options) -> Result<Self, LedgerError> {
        options.check()?;
        let directory = Directory::open(&options.data_dir)?;
        let connection = connection::open_writer(directory.database(), options.durability)?;
        let readers = Readers::new(directory.database().to_owned());
        let metrics = LedgerMetrics::register();
        let queue_full = metrics.queue_full.clone();
        let health = Arc::new(Mutex::new(Health::default()));
        let limits = Limits { max_age: options.max_age, max_bytes: options.max_bytes };
        let writer = Writer::new(
            connection,
            directory,
            options.max_batch,
            limits,
            Arc::clone(&health),
            metrics,
        );
        let (jobs, job_receiver) = sync_channel(options.queue);
        let thread = std::thread::Builder::new()
            .name("ledger-writer".to_owned())
            .spawn(move || writer.run(&job_receiver))
            .map_err(|error| LedgerError::Unavailable {
                reason: format!("failed to start the writer thread ({error})"),
                fix: "raise the process or memory limit".to_owned(),
            })?;
        let writer = Mutex::new(Some(thread));
        let shared = Shared { queue: options.queue, jobs, readers, health, queue_full, writer };
        Ok(Self { shared: Arc::new(shared), owner: Owner::default() })
    }

    /// Applies the limits immediately. Returns once they hold and free space has been released. Does not
    /// block new records.
    ///
    /// # Errors
    /// Returns [`LedgerError::Busy`], [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or
    /// [`LedgerError::Closed`].
    pub async fn apply_retention(&self) -> Result<(), LedgerError> {
        self.request(Job::Retain).await
    }

    /// Runs a query on a read connection.
    async fn query<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection, &Owner) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let owner = self.owner.clone();
        self.shared.readers.run(move |connection| query(connection, &owner)).await
    }

    /// Runs an operation on the writer's thread after the current batch.
    async fn on_writer<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&mut Writer, &Owner) -> Result<T, LedgerError> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let owner = self.owner.clone();
        self.request(|reply| {
            Job::Single(Box::new(move |writer| {
                let _send_result = reply.send(operation(writer, &owner));
            }))
        })
        .await
    }

    async fn request<T>(
        &self,
        make_job: impl FnOnce(oneshot::Sender<Result<T, LedgerError>>) -> Job,
    ) -> Result<T, LedgerError> {
        let (reply, reply_receiver) = oneshot::channel();
        self.submit(make_job(reply))?;
        reply_receiver.await.map_err(|_| LedgerError::Closed)?
    }

    fn submit(&self, job: Job) -> Result<(), LedgerError> {
        self.shared.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => {
                self.shared.queue_full.increment(1);
                LedgerError::Busy { queue: self.shared.queue }
            }
            TrySendError::Disconnected(_) => LedgerError::Closed,
        })
    }
}

#[async_trait]
impl Ledger for SqliteLedger {
    fn for_owner(&self, owner: &Owner) -> Arc<dyn Ledger> {
        Arc::new(Self { shared: Arc::clone(&self.shared), owner: owner.clone() })
    }

    async fn record(&self, record: Record) -> Result<Recorded, LedgerError> {
        let owner = self.owner.clone();
        self.request(|reply| Job::Record(Box::new(QueuedRecord { owner, record, reply }))).await
    }

    async fn find_by_key(
        &self,
        key: &str,
        request_digest: [u8; 32],
    ) -> Result<Option<Vec<u8>>, LedgerError> {
        let key = key.to_owned();
        let query = move |connection: &Connection, owner: &Owner| {
            batch::find_response(connection, owner.name(), &key, &request_digest)
        };
        self.query(query).await?.transpose()
    }

    async fn list(&self, request: PageRequest) -> Result<Page<Summary>, LedgerError> {
        self.query(move |connection, owner| lists::list(connection, owner, &request)).await
    }

    async fn entries(
        &self,
        request: PageRequest,
        reports: Reports,
    ) -> Result<Page<Entry>, LedgerError> {
        self.query(move |connection, owner| lists::entries(connection, owner, &request, reports))
            .await
    }

    async fn counts(
        &self,
        selection: Selection,
        interval_micros: Option<NonZeroU64>,
    ) -> Result<Vec<Count>, LedgerError> {
        self.query(move |connection, owner| {
            lists::counts(connection, owner, &selection, interval_micros)
        })
        .await
    }

    async fn read(&self, evaluation_id: &str) -> Result<Option<StoredEvaluation>, LedgerError> {
        let id = evaluation_id.to_owned();
        self.query(move |connection, owner| read_evaluation(connection, owner, &id)).await
    }

    async fn content(
        &self,
        evaluation_id: &str,
        digest: [u8; 32],
    ) -> Result<Option<String>, LedgerError> {
        let id = evaluation_id.to_owned();
        self.query(move |connection, owner| {
            evidence_contents::read(connection, owner, &id, &digest)
        })
        .await
    }

    async fn contents(&self, evaluation_id: &str) -> Result<Vec<Content>, LedgerError> {
        let id = evaluation_id.to_owned();
        self.query(move |connection, owner| evidence_contents::read_all(connection, owner, &id))
            .await
    }

    async fn delete(&self, evaluation_id: &str) -> Result<bool, LedgerError> {
        let id = evaluation_id.to_owned();
        self.on_writer(move |writer, owner| writer.delete(owner, &id)).await
    }

    async fn grade(&self, grades: NewGrades) -> Result<bool, LedgerError> {
        self.on_writer(move |writer, owner| {
            writer.in_own_transaction(|connection| grades::write(connection, owner, &grades))
        })
        .await
    }

    async fn start_investigation(
        &self,
        start: InvestigationStart,
    ) -> Result<Option<StoredInvestigation>, LedgerError> {
        self.on_writer(move |writer, owner| {
            writer.in_own_transaction(|connection| {
                investigations::start(connection, owner.name(), &start)
            })
        })
        .await
    }

    async fn append_event(&self, event: NewEvent) -> Result<(), LedgerError> {
        self.on_writer(move |writer, owner| {
            writer.in_own_transaction(|connection| {
                investigations::append(connection, owner.name(), &event)
            })
        })
        .await?
    }

    async fn investigation(
        &self,
        investigation_id: &str,
    ) -> Result<Option<StoredInvestigation>, LedgerError> {
        let id = investigation_id.to_owned();
        self.query(move |connection, owner| investigations::read(connection, owner.name(), &id))
            .await
    }

    async fn recent_investigations(
        &self,
        limit: u32,
        max_bytes: u32,
    ) -> Result<Vec<InvestigationStart>, LedgerError> {
        self.query(move |connection, owner| {
            investigations::recent(connection, owner.name(), limit, max_bytes)
        })
        .await
    }

    fn health(&self) -> Health {
        self.shared.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn close(&self) {
        self.shared.close();
    }
}

impl Shared {
    fn close(&self) {
        self.readers.close();
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(thread) = writer.take() else { return };
        let _send_result = self.jobs.send(Job::Close);
        if thread.join().is_err() {
            tracing::error!("the ledger's writer panicked");
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.close();
    }
}
