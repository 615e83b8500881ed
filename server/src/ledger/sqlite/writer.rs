//! The writer: one thread that puts everything waiting into one transaction, answers when it is durable,
//! and looks after retention and recovery in between.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use super::batch::{self, KnownRows};
use super::directory::Directory;
use super::grades;
use super::investigations;
use super::retention::{self, Limits};
use crate::ledger::error::LedgerError;
use crate::ledger::fault::{Fault, FaultKind};
use crate::ledger::grades::NewGrades;
use crate::ledger::health::{Failure, Health};
use crate::ledger::investigations::{InvestigationStart, NewEvent, StoredInvestigation};
use crate::ledger::metrics::LedgerMetrics;
use crate::ledger::record::{Record, Recorded};
use crate::owner::Owner;
use crate::wall_clock;

/// Bytes of records after which a transaction takes no more.
const BATCH_BYTES: usize = 8 << 20;
/// How often a ledger that failed is tried without a record to write.
const PROBE_EVERY: Duration = Duration::from_secs(1);
/// The least and the most that are written to try it.
const PROBE_BYTES: (u32, u32) = (4 << 10, 1 << 20);
/// Evaluations deleted in one step while nothing waits.
const IDLE_ROWS: u32 = 256;
/// Evaluations deleted in one step between batches, at least.
const BETWEEN_ROWS: u32 = 64;

/// What the writer is asked.
pub(super) enum Job {
    /// Records one evaluation.
    Record(Box<Waiting>),
    /// Deletes one evaluation; answers whether there was one.
    Delete(Owner, String, oneshot::Sender<Result<bool, LedgerError>>),
    /// Keeps grades of an evaluation; answers whether there is one.
    Grade(Owner, Box<NewGrades>, oneshot::Sender<Result<bool, LedgerError>>),
    /// Begins an investigation; answers with the one that has the id already.
    StartInvestigation(Owner, Box<InvestigationStart>, oneshot::Sender<Started>),
    /// Appends an event to an investigation.
    AppendEvent(Owner, Box<NewEvent>, oneshot::Sender<Result<(), LedgerError>>),
    /// Answers when the limits of retention are kept.
    Retain(oneshot::Sender<Result<(), LedgerError>>),
    /// Ends the writer after everything before it.
    Close,
    #[cfg(test)]
    Interfere(Box<dyn FnOnce(&mut Writer) + Send>),
}

/// What becomes of beginning an investigation.
pub(super) type Started = Result<Option<StoredInvestigation>, LedgerError>;

/// A record and whom to answer.
pub(super) struct Waiting {
    pub(super) owner: Owner,
    pub(super) record: Record,
    pub(super) reply: oneshot::Sender<Result<Recorded, LedgerError>>,
}

/// The one that writes. It holds the directory until its connection is closed.
pub(super) struct Writer {
    connection: Connection,
    directory: Directory,
    known: KnownRows,
    max_batch: usize,
    limits: Limits,
    retention: Retention,
    probe: Option<Probe>,
    health: Arc<Mutex<Health>>,
    metrics: LedgerMetrics,
}

/// When retention goes on, and who waits for it.
struct Retention {
    next: Next,
    is_failing: bool,
    waiting: Vec<oneshot::Sender<Result<(), LedgerError>>>,
}

enum Next {
    Now,
    At(Instant),
    AfterABatch,
}

/// When a ledger that failed is tried, and with how many bytes.
struct Probe {
    at: Instant,
    bytes: u32,
}

/// What is written by itself.
enum Single {
    Delete(Owner, String, oneshot::Sender<Result<bool, LedgerError>>),
    Grade(Owner, Box<NewGrades>, oneshot::Sender<Result<bool, LedgerError>>),
    Start(Owner, Box<InvestigationStart>, oneshot::Sender<Started>),
    Append(Owner, Box<NewEvent>, oneshot::Sender<Result<(), LedgerError>>),
}

/// What was waiting.
#[derive(Default)]
struct Taken {
    batch: Vec<Waiting>,
    /// What is done behind the batch, each in a transaction of its own.
    single: Vec<Single>,
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
            known: KnownRows::default(),
            max_batch,
            limits,
            retention: Retention { next: Next::Now, is_failing: false, waiting: Vec::new() },
            probe: None,
            health,
            metrics,
        }
    }

    /// Works until it is asked to close, or every sender is gone.
    pub(super) fn run(mut self, jobs: &Receiver<Job>) {
        loop {
            let taken = self.take(jobs);
            let rows = taken.batch.len();
            if rows > 0 {
                self.write(taken.batch);
            } else {
                self.probe();
            }
            for single in taken.single {
                self.write_single(single);
            }
            if taken.is_closing {
                break;
            }
            self.retain(rows);
        }
        self.copy_log_for_good();
    }

    /// Waits for something to do and takes everything that waits, within the bounds of a batch.
    fn take(&mut self, jobs: &Receiver<Job>) -> Taken {
        let mut taken = Taken::default();
        let mut bytes = 0;
        let mut next = match self.patience() {
            Some(patience) => jobs.recv_timeout(patience),
            None => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        loop {
            match next {
                Ok(Job::Record(waiting)) => {
                    bytes += waiting.record.bytes();
                    taken.batch.push(*waiting);
                }
                Ok(Job::Delete(owner, evaluation_id, reply)) => {
                    taken.single.push(Single::Delete(owner, evaluation_id, reply));
                }
                Ok(Job::Grade(owner, grades, reply)) => {
                    taken.single.push(Single::Grade(owner, grades, reply))
                }
                Ok(Job::StartInvestigation(owner, start, reply)) => {
                    taken.single.push(Single::Start(owner, start, reply));
                }
                Ok(Job::AppendEvent(owner, event, reply)) => {
                    taken.single.push(Single::Append(owner, event, reply));
                }
                Ok(Job::Retain(reply)) => {
                    self.retention.waiting.push(reply);
                    self.retention.next = Next::Now;
                }
                Ok(Job::Close) | Err(RecvTimeoutError::Disconnected) => taken.is_closing = true,
                #[cfg(test)]
                Ok(Job::Interfere(change)) => change(self),
                Err(RecvTimeoutError::Timeout) => return taken,
            }
            if taken.is_closing || taken.batch.len() >= self.max_batch || bytes >= BATCH_BYTES {
                return taken;
            }
            next = jobs.try_recv().map_err(|_| RecvTimeoutError::Timeout);
        }
    }

    /// How long to wait for records before there is something else to do; `None` for ever.
    fn patience(&self) -> Option<Duration> {
        let retention = match self.retention.next {
            Next::Now => Some(Instant::now()),
            Next::At(at) => Some(at),
            Next::AfterABatch => None,
        };
        let next = retention.into_iter().chain(self.probe.as_ref().map(|probe| probe.at)).min()?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    /// Writes a batch and answers everyone in it.
    fn write(&mut self, batch: Vec<Waiting>) {
        let started = Instant::now();
        match self.commit(&batch) {
            Ok(answers) => {
                let new =
                    answers.iter().filter(|answer| matches!(answer, Ok(Recorded::New))).count();
                self.metrics.commit_duration.record(started.elapsed());
                self.metrics.commits.increment(1);
                self.metrics.records.increment(u64::try_from(new).unwrap_or(u64::MAX));
                self.metrics
                    .batch_size
                    .record(f64::from(u32::try_from(batch.len()).unwrap_or(u32::MAX)));
                self.worked();
                for (waiting, answer) in batch.into_iter().zip(answers) {
                    let _gone = waiting.reply.send(answer);
                }
            }
            Err(fault) => {
                self.metrics.batch_failed(fault.kind);
                let largest = batch.iter().map(|waiting| waiting.record.bytes()).max().unwrap_or(0);
                self.failed(&fault, u32::try_from(largest).unwrap_or(u32::MAX));
                for waiting in batch {
                    let _gone = waiting.reply.send(Err(fault.error.clone()));
                }
            }
        }
    }

    fn write_single(&mut self, single: Single) {
        match single {
            Single::Delete(owner, evaluation_id, reply) => {
                let _gone = reply.send(self.delete(&owner, &evaluation_id));
            }
            Single::Grade(owner, grades, reply) => {
                let graded = self.alone(|connection| grades::write(connection, &owner, &grades));
                let _gone = reply.send(graded);
            }
            Single::Start(owner, start, reply) => {
                let started = self
                    .alone(|connection| investigations::start(connection, owner.name(), &start));
                let _gone = reply.send(started);
            }
            Single::Append(owner, event, reply) => {
                let appended = self
                    .alone(|connection| investigations::append(connection, owner.name(), &event));
                let _gone = reply.send(appended.flatten());
            }
        }
    }

    /// Runs a transaction of its own.
    fn alone<T>(
        &mut self,
        write: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        let written = self
            .directory
            .check_in_place()
            .and_then(|()| write(&mut self.connection).map_err(|error| self.fault(&error)));
        written.map_err(|fault| fault.error)
    }

    /// Deletes an evaluation, after the records that came before.
    fn delete(&mut self, owner: &Owner, evaluation_id: &str) -> Result<bool, LedgerError> {
        let deleted = self.alone(|connection| batch::delete(connection, owner, evaluation_id))?;
        self.known.forget();
        if deleted {
            self.metrics.deleted_by_id.increment(1);
        }
        Ok(deleted)
    }

    fn commit(&mut self, batch: &[Waiting]) -> Result<Vec<Result<Recorded, LedgerError>>, Fault> {
        self.directory.check_in_place()?;
        batch::write(
            &mut self.connection,
            &mut self.known,
            batch.iter().map(|waiting| (waiting.owner.name(), &waiting.record)),
        )
        .map_err(|error| self.fault(&error))
    }

    fn fault(&self, error: &rusqlite::Error) -> Fault {
        Fault::from_sqlite(error, self.directory.database())
    }

    /// Notes that a transaction became durable.
    fn worked(&mut self) {
        self.probe = None;
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.last_commit_micros = Some(now_micros());
        if health.failure.take().is_some() {
            tracing::info!("the ledger takes records again");
        }
    }

    /// Notes that a transaction failed, and prepares for the next.
    fn failed(&mut self, fault: &Fault, bytes: u32) {
        let bytes = bytes.max(self.probe.as_ref().map_or(0, |probe| probe.bytes));
        self.probe = Some(Probe {
            at: Instant::now() + PROBE_EVERY,
            bytes: bytes.clamp(PROBE_BYTES.0, PROBE_BYTES.1),
        });
        if fault.kind == FaultKind::Full {
            self.reuse_log();
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

    /// On a full disk the log can be written from its start again once it is copied into the database.
    fn reuse_log(&self) {
        if let Err(error) = retention::copy_log(&self.connection) {
            tracing::debug!(%error, "the ledger's log could not be copied");
        }
    }

    /// Finds out whether a ledger that failed works again, when it is time.
    fn probe(&mut self) {
        let Some(bytes) =
            self.probe.as_ref().filter(|probe| probe.at <= Instant::now()).map(|probe| probe.bytes)
        else {
            return;
        };
        let probed = self.directory.check_in_place().and_then(|()| {
            write_and_empty(&mut self.connection, bytes).map_err(|error| self.fault(&error))
        });
        match probed {
            Ok(()) => self.worked(),
            Err(fault) => self.failed(&fault, bytes),
        }
    }

    /// Takes one step of retention, where one is due: after a batch of `rows`, or when its time has come.
    fn retain(&mut self, rows: usize) {
        let is_due = match self.retention.next {
            Next::Now => true,
            Next::At(at) => rows > 0 || at <= Instant::now(),
            Next::AfterABatch => rows > 0,
        };
        if !is_due {
            return;
        }
        if self.limits.are_absent() {
            self.retention_ended(Next::AfterABatch, &Ok(()));
            return;
        }
        let rows = match u32::try_from(rows).unwrap_or(u32::MAX) {
            0 => IDLE_ROWS,
            rows => rows.saturating_mul(2).max(BETWEEN_ROWS),
        };
        match retention::step(&mut self.connection, self.limits, rows, now_micros()) {
            Ok(step) => self.stepped(step),
            Err(error) => self.retention_failed(&error),
        }
    }

    fn stepped(&mut self, step: retention::Step) {
        self.metrics.deleted_by_age.increment(step.by_age);
        self.metrics.deleted_by_size.increment(step.by_size);
        self.retention.is_failing = false;
        if step.by_age + step.by_size > 0 {
            self.known.forget();
        }
        if step.is_unfinished {
            self.retention.next = Next::Now;
        } else {
            let next = self.next_look();
            self.retention_ended(next, &Ok(()));
        }
    }

    fn retention_failed(&mut self, error: &rusqlite::Error) {
        self.metrics.retention_failed.increment(1);
        let error = self.fault(error).error;
        if !self.retention.is_failing {
            tracing::error!("retention of the ledger: {error}");
        }
        self.retention.is_failing = true;
        self.known.forget();
        self.retention_ended(Next::At(Instant::now() + Duration::from_secs(60)), &Err(error));
    }

    /// Evaluations grow too old without any batch; too many come only with one.
    fn next_look(&self) -> Next {
        self.limits.max_age.map_or(Next::AfterABatch, |age| {
            Next::At(
                Instant::now() + (age / 10).clamp(Duration::from_secs(1), Duration::from_secs(60)),
            )
        })
    }

    fn retention_ended(&mut self, next: Next, result: &Result<(), LedgerError>) {
        self.retention.next = next;
        for reply in self.retention.waiting.drain(..) {
            let _gone = reply.send(result.clone());
        }
    }

    /// Leaves a database without a log behind. A reader that is still at work is not waited for.
    fn copy_log_for_good(&self) {
        let copied = self.connection.busy_timeout(Duration::ZERO).and_then(|()| {
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        });
        if let Err(error) = copied {
            tracing::warn!(%error, "the ledger's log stays beside the database; the next start reads it");
        }
    }
}

impl Drop for Writer {
    /// However the writer ends, nobody may believe that the ledger still takes records.
    fn drop(&mut self) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.failure =
            Some(Failure { reason: LedgerError::Closed.to_string(), since_micros: now_micros() });
    }
}

/// Writes as much as a record would need and empties it again, each durably.
fn write_and_empty(connection: &mut Connection, bytes: u32) -> rusqlite::Result<()> {
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
