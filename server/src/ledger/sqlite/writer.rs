//! The writer thread. Commits all queued records in one transaction, replies to their callers, and runs
//! retention and recovery between transactions.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use super::batch::{self, RowCache};
use super::directory::Directory;
use super::retention::{self, Limits};
use crate::data_owner::Owner;
use crate::ledger::error::LedgerError;
use crate::ledger::fault::{Fault, FaultKind};
use crate::ledger::health::{Failure, Health};
use crate::ledger::metrics::LedgerMetrics;
use crate::ledger::record::{Record, Recorded};
use crate::wall_clock;

/// The size of a batch above which no more records are added, in bytes.
const BATCH_BYTES: usize = 8 << 20;
/// The interval between probes of a failed ledger.
const PROBE_EVERY: Duration = Duration::from_secs(1);
/// The minimum and maximum size of a probe, in bytes.
const PROBE_BYTES: (u32, u32) = (4 << 10, 1 << 20);
/// The number of evaluations deleted per retention step while the queue is empty.
const IDLE_ROWS: u32 = 256;
/// The minimum number of evaluations deleted per retention step between batches.
const MIN_ROWS: u32 = 64;

pub(super) enum Job {
    Record(Box<QueuedRecord>),
    /// Runs after the batch, in its own transaction.
    Single(Operation),
    /// Applies retention. Replies once the limits hold.
    Retain(oneshot::Sender<Result<(), LedgerError>>),
    Close,
    #[cfg(test)]
    Test(Operation),
}

type Operation = Box<dyn FnOnce(&mut Writer) + Send>;

pub(super) struct QueuedRecord {
    pub(super) owner: Owner,
    pub(super) record: Record,
    pub(super) reply: oneshot::Sender<Result<Recorded, LedgerError>>,
}

/// The writer. Drops the lock on the directory after it closes the connection.
pub(super) struct Writer {
    connection: Connection,
    directory: Directory,
    cache: RowCache,
    max_batch: usize,
    limits: Limits,
    retention: Retention,
    probe: Option<Probe>,
    health: Arc<Mutex<Health>>,
    metrics: LedgerMetrics,
}

struct Retention {
    next: NextRun,
    is_failing: bool,
    waiters: Vec<oneshot::Sender<Result<(), LedgerError>>>,
}

enum NextRun {
    Now,
    At(Instant),
    AfterABatch,
}

struct Probe {
    retry_at: Instant,
    bytes: u32,
}

#[derive(Default)]
struct Jobs {
    batch: Vec<QueuedRecord>,
    single: Vec<Operation>,
    is_closing: bool,
}

impl Writer {
    pub(super) fn new(
        connection: Connection,
        directory: Directory,
        max_batch: usize,
        limits: Limits,
        health: Arc<Mutex<Health>>,
        metrics: LedgerMetrics,
    ) -> Self {
        Self {
            connection,
            directory,
            cache: RowCache::default(),
            max_batch,
            limits,
            retention: Retention { next: NextRun::Now, is_failing: false, waiters: Vec::new() },
            probe: None,
            health,
            metrics,
        }
    }

    /// Runs until it receives [`Job::Close`] or all senders are dropped.
    pub(super) fn run(mut self, jobs: &Receiver<Job>) {
        loop {
            let received = self.take_jobs(jobs);
            let record_count = received.batch.len();
            if record_count > 0 {
                self.write(received.batch);
            } else {
                self.probe();
            }
            for operation in received.single {
                operation(&mut self);
            }
            if received.is_closing {
                break;
            }
            self.retain(record_count);
        }
        self.checkpoint_truncate();
    }

    /// Waits for a job, then takes more from the queue up to the limits of a batch.
    fn take_jobs(&mut self, jobs: &Receiver<Job>) -> Jobs {
        let mut received = Jobs::default();
        let mut bytes = 0;
        let mut next = match self.max_wait() {
            Some(max_wait) => jobs.recv_timeout(max_wait),
            None => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        loop {
            match next {
                Ok(Job::Record(queued)) => {
                    bytes += queued.record.byte_count();
                    received.batch.push(*queued);
                }
                Ok(Job::Single(operation)) => received.single.push(operation),
                Ok(Job::Retain(reply)) => {
                    self.retention.waiters.push(reply);
                    self.retention.next = NextRun::Now;
                }
                Ok(Job::Close) | Err(RecvTimeoutError::Disconnected) => received.is_closing = true,
                #[cfg(test)]
                Ok(Job::Test(test_job)) => test_job(self),
                Err(RecvTimeoutError::Timeout) => return received,
            }
            if received.is_closing || received.batch.len() >= self.max_batch || bytes >= BATCH_BYTES
            {
                return received;
            }
            next = jobs.try_recv().map_err(|_| RecvTimeoutError::Timeout);
        }
    }

    /// Returns the time until retention or a probe is due, if any.
    fn max_wait(&self) -> Option<Duration> {
        let retention = match self.retention.next {
            NextRun::Now => Some(Instant::now()),
            NextRun::At(instant) => Some(instant),
            NextRun::AfterABatch => None,
        };
        let next =
            retention.into_iter().chain(self.probe.as_ref().map(|probe| probe.retry_at)).min()?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    fn write(&mut self, batch: Vec<QueuedRecord>) {
        let started_at = Instant::now();
        match self.commit(&batch) {
            Ok(outcomes) => {
                let new_count =
                    outcomes.iter().filter(|outcome| matches!(outcome, Ok(Recorded::New))).count();
                self.metrics.record_commit(started_at.elapsed(), new_count, batch.len());
                self.mark_healthy();
                for (queued, outcome) in batch.into_iter().zip(outcomes) {
                    let _send_result = queued.reply.send(outcome);
                }
            }
            Err(fault) => {
                self.metrics.count_failed_batch(fault.kind);
                let largest =
                    batch.iter().map(|queued| queued.record.byte_count()).max().unwrap_or(0);
                self.mark_failed(&fault, u32::try_from(largest).unwrap_or(u32::MAX));
                for queued in batch {
                    let _send_result = queued.reply.send(Err(fault.error.clone()));
                }
            }
        }
    }

    pub(super) fn in_own_transaction<T>(
        &mut self,
        operation: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        let result = self
            .directory
            .check_in_place()
            .and_then(|()| operation(&mut self.connection).map_err(|error| self.fault(&error)));
        result.map_err(|fault| fault.error)
    }

    pub(super) fn delete(
        &mut self,
        owner: &Owner,
        evaluation_id: &str,
    ) -> Result<bool, LedgerError> {
        let deleted =
            self.in_own_transaction(|connection| batch::delete(connection, owner, evaluation_id))?;
        self.cache.clear();
        if deleted {
            self.metrics.deleted_by_id.increment(1);
        }
        Ok(deleted)
    }

    fn commit(
        &mut self,
        batch: &[QueuedRecord],
    ) -> Result<Vec<Result<Recorded, LedgerError>>, Fault> {
        self.directory.check_in_place()?;
        batch::write(
            &mut self.connection,
            &mut self.cache,
            batch.iter().map(|queued| (queued.owner.name(), &queued.record)),
        )
        .map_err(|error| self.fault(&error))
    }

    fn fault(&self, error: &rusqlite::Error) -> Fault {
        Fault::from_sqlite(error, self.directory.database())
    }

    fn mark_healthy(&mut self) {
        self.probe = None;
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.last_commit_micros = Some(now_micros());
        if health.failure.take().is_some() {
            tracing::info!("the ledger accepts records again");
        }
    }

    /// Updates the health after a failed transaction and schedules a probe.
    fn mark_failed(&mut self, fault: &Fault, bytes: u32) {
        let bytes = bytes.max(self.probe.as_ref().map_or(0, |probe| probe.bytes));
        self.probe = Some(Probe {
            retry_at: Instant::now() + PROBE_EVERY,
            bytes: bytes.clamp(PROBE_BYTES.0, PROBE_BYTES.1),
        });
        if fault.kind == FaultKind::Full {
            self.checkpoint_to_reuse_log();
        }
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = fault.error.to_string();
        if health.failure.as_ref().is_none_or(|failure| failure.reason != reason) {
            tracing::error!(kind = fault.kind.label(), "{reason}");
        }
        let since_micros =
            health.failure.take().map_or_else(now_micros, |failure| failure.since_micros);
        health.failure = Some(Failure { reason, since_micros });
    }

    /// Checkpoints the log so that it is reused from its start, which frees space on a full disk.
    fn checkpoint_to_reuse_log(&self) {
        if let Err(error) = retention::checkpoint_passive(&self.connection) {
            tracing::debug!(%error, "the ledger's log could not be checkpointed");
        }
    }

    /// Probes a failed ledger if a probe is due.
    fn probe(&mut self) {
        let Some(bytes) = self
            .probe
            .as_ref()
            .filter(|probe| probe.retry_at <= Instant::now())
            .map(|probe| probe.bytes)
        else {
            return;
        };
        let result = self.directory.check_in_place().and_then(|()| {
            write_probe(&mut self.connection, bytes).map_err(|error| self.fault(&error))
        });
        match result {
            Ok(()) => self.mark_healthy(),
            Err(fault) => self.mark_failed(&fault, bytes),
        }
    }

    fn retain(&mut self, record_count: usize) {
        let should_run = match self.retention.next {
            NextRun::Now => true,
            NextRun::At(instant) => record_count > 0 || instant <= Instant::now(),
            NextRun::AfterABatch => record_count > 0,
        };
        if !should_run {
            return;
        }
        if self.limits.is_unlimited() {
            self.finish_retention(NextRun::AfterABatch, &Ok(()));
            return;
        }
        let max_rows = match u32::try_from(record_count).unwrap_or(u32::MAX) {
            0 => IDLE_ROWS,
            records => records.saturating_mul(2).max(MIN_ROWS),
        };
        match retention::step(&mut self.connection, self.limits, max_rows, now_micros()) {
            Ok(step) => self.note_step(step),
            Err(error) => self.handle_retention_failure(&error),
        }
    }

    fn note_step(&mut self, step: retention::Step) {
        self.metrics.deleted_by_age.increment(step.by_age);
        self.metrics.deleted_by_size.increment(step.by_size);
        self.retention.is_failing = false;
        if step.by_age + step.by_size > 0 {
            self.cache.clear();
        }
        if step.is_unfinished {
            self.retention.next = NextRun::Now;
        } else {
            let next = self.next_run();
            self.finish_retention(next, &Ok(()));
        }
    }

    fn handle_retention_failure(&mut self, error: &rusqlite::Error) {
        self.metrics.retention_failures.increment(1);
        let error = self.fault(error).error;
        if !self.retention.is_failing {
            tracing::error!("ledger retention failed: {error}");
        }
        self.retention.is_failing = true;
        self.cache.clear();
        self.finish_retention(NextRun::At(Instant::now() + Duration::from_secs(60)), &Err(error));
    }

    /// Returns the time of the next run. Only the age limit needs a timer, because the size grows only with
    /// batches.
    fn next_run(&self) -> NextRun {
        self.limits.max_age.map_or(NextRun::AfterABatch, |age| {
            NextRun::At(
                Instant::now() + (age / 10).clamp(Duration::from_secs(1), Duration::from_secs(60)),
            )
        })
    }

    fn finish_retention(&mut self, next: NextRun, result: &Result<(), LedgerError>) {
        self.retention.next = next;
        for reply in self.retention.waiters.drain(..) {
            let _send_result = reply.send(result.clone());
        }
    }

    /// Checkpoints and truncates the log before closing, without waiting for readers.
    fn checkpoint_truncate(&self) {
        let result = self.connection.busy_timeout(Duration::ZERO).and_then(|()| {
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        });
        if let Err(error) = result {
            tracing::warn!(%error, "the ledger's log could not be truncated; the next start reads it");
        }
    }
}

impl Drop for Writer {
    /// Marks the ledger as closed, even after a panic.
    fn drop(&mut self) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.failure =
            Some(Failure { reason: LedgerError::Closed.to_string(), since_micros: now_micros() });
    }
}

/// Durably writes `bytes` bytes, then durably deletes them.
fn write_probe(connection: &mut Connection, bytes: u32) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction
        .execute("INSERT OR REPLACE INTO probes (id, filling) VALUES (1, zeroblob(?1))", [bytes])?;
    transaction.commit()?;
    connection.execute("DELETE FROM probes", [])?;
    Ok(())
}

fn now_micros() -> i64 {
    wall_clock::now().as_microsecond()
}

#[cfg(test)]
mod tests;
