//! Tests that run code on the writer's thread.

use std::sync::mpsc::{Sender, channel};

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tempfile::TempDir;

use super::*;
use crate::data_owner::Owner;
use crate::ledger::{Ledger, Options, Record, SqliteLedger};

fn large_record(number: u32) -> Record {
    Record { response: vec![7; 64 << 10], ..Record::sample(number) }
}

struct Fixture {
    directory: TempDir,
    ledger: SqliteLedger,
    metrics: PrometheusHandle,
}

fn open(change: impl FnOnce(&mut Options)) -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let mut options = Options::new(directory.path());
    change(&mut options);
    let recorder = PrometheusBuilder::new().build_recorder();
    let metrics = recorder.handle();
    let ledger = metrics::with_local_recorder(&recorder, || SqliteLedger::open(options)).unwrap();
    Fixture { directory, ledger, metrics }
}

impl Fixture {
    /// Runs `job` on the writer's thread and returns its result.
    fn with_writer<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Writer) -> T + Send + 'static,
    ) -> T {
        let (sender, receiver) = channel();
        let job = Box::new(move |writer: &mut Writer| sender.send(job(writer)).unwrap());
        assert!(self.ledger.submit(Job::Test(job)).is_ok());
        receiver.recv().unwrap()
    }

    /// Blocks the writer until the returned sender is dropped, so that jobs are queued.
    fn block(&self) -> Sender<()> {
        let (release_sender, release_receiver) = channel::<()>();
        let (blocked_sender, blocked_receiver) = channel();
        let job = Box::new(move |_: &mut Writer| {
            blocked_sender.send(()).unwrap();
            assert!(release_receiver.recv().is_err());
        });
        assert!(self.ledger.submit(Job::Test(job)).is_ok());
        blocked_receiver.recv().unwrap();
        release_sender
    }

    /// Submits a record and returns a receiver for the reply.
    fn submit(&self, record: Record) -> oneshot::Receiver<Result<Recorded, LedgerError>> {
        let (reply, receiver) = oneshot::channel();
        self.ledger
            .submit(Job::Record(Box::new(QueuedRecord { owner: Owner::default(), record, reply })))
            .unwrap();
        receiver
    }

    /// Lets the database grow by at most `extra_pages` pages.
    fn allow_pages(&self, extra_pages: i64) {
        self.with_writer(move |writer| {
            let pages: i64 =
                writer.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
            let pragma = format!("PRAGMA max_page_count = {}", pages + extra_pages);
            writer.connection.query_row(&pragma, [], |_| Ok(())).unwrap();
        });
    }

    async fn is_recorded(&self, number: u32) -> bool {
        self.ledger.read(&format!("evaluation-{number}")).await.unwrap().is_some()
    }

    fn has_metric(&self, line: &str) -> bool {
        self.metrics.render().lines().any(|rendered| rendered == line)
    }
}

#[tokio::test]
async fn queued_records_share_one_commit() {
    let fixture = open(|_| {});
    let writer_block = fixture.block();
    let replies: Vec<_> = (0..10).map(|number| fixture.submit(Record::sample(number))).collect();
    drop(writer_block);
    for reply in replies {
        assert_eq!(reply.await.unwrap(), Ok(Recorded::New));
    }
    assert!(fixture.has_metric("gsar_ledger_commits_total 1"));
    assert!(fixture.has_metric("gsar_ledger_records_total 10"));
    assert!(fixture.has_metric("gsar_ledger_batch_size_sum 10"));
    assert!(fixture.has_metric("gsar_ledger_commit_duration_seconds_count 1"));
}

#[tokio::test]
async fn batches_are_bounded() {
    let fixture = open(|options| options.max_batch = 4);
    let writer_block = fixture.block();
    let replies: Vec<_> = (0..10).map(|number| fixture.submit(Record::sample(number))).collect();
    drop(writer_block);
    for reply in replies {
        assert_eq!(reply.await.unwrap(), Ok(Recorded::New));
    }
    assert!(fixture.has_metric("gsar_ledger_commits_total 3"), "4 + 4 + 2");

    let writer_block = fixture.block();
    let half_batch = |number| Record { report: vec![0; BATCH_BYTES / 2], ..Record::sample(number) };
    let replies: Vec<_> = (10..14).map(|number| fixture.submit(half_batch(number))).collect();
    drop(writer_block);
    for reply in replies {
        assert_eq!(reply.await.unwrap(), Ok(Recorded::New));
    }
    assert!(fixture.has_metric("gsar_ledger_commits_total 5"), "two of these records fill a batch");
}

#[tokio::test]
async fn a_rejected_row_does_not_affect_its_batch() {
    let fixture = open(|_| {});
    let writer_block = fixture.block();
    let replies: Vec<_> =
        [1, 2, 1, 3].into_iter().map(|number| fixture.submit(Record::sample(number))).collect();
    drop(writer_block);
    let mut outcomes = Vec::new();
    for reply in replies {
        outcomes.push(reply.await.unwrap());
    }
    let rejection = Err(LedgerError::DuplicateId { evaluation_id: "evaluation-1".to_owned() });
    assert_eq!(outcomes, [Ok(Recorded::New), Ok(Recorded::New), rejection, Ok(Recorded::New)]);
    assert!(fixture.is_recorded(3).await);
    assert!(fixture.ledger.health().is_working());
}

#[tokio::test]
async fn rejects_a_record_if_the_queue_is_full() {
    let fixture = open(|options| options.queue = 4);
    let writer_block = fixture.block();
    let replies: Vec<_> = (0..4).map(|number| fixture.submit(Record::sample(number))).collect();
    assert_eq!(fixture.ledger.record(Record::sample(9)).await, Err(LedgerError::Busy { queue: 4 }));
    assert!(fixture.has_metric(r#"gsar_ledger_errors_total{kind="queue_full"} 1"#));
    drop(writer_block);
    for reply in replies {
        assert_eq!(reply.await.unwrap(), Ok(Recorded::New));
    }
    assert!(!fixture.is_recorded(9).await);
    assert_eq!(fixture.ledger.record(Record::sample(9)).await, Ok(Recorded::New));
}

#[tokio::test]
async fn closing_commits_queued_records_and_replies_to_their_callers() {
    let fixture = open(|_| {});
    let writer_block = fixture.block();
    let replies: Vec<_> = (0..5).map(|number| fixture.submit(Record::sample(number))).collect();
    let closing = tokio::task::spawn_blocking({
        let ledger = fixture.ledger.clone();
        move || ledger.close()
    });
    drop(writer_block);
    closing.await.unwrap();
    for reply in replies {
        assert_eq!(reply.await.unwrap(), Ok(Recorded::New));
    }
    assert_eq!(fixture.ledger.record(Record::sample(5)).await, Err(LedgerError::Closed));
    assert_eq!(fixture.ledger.read("evaluation-1").await, Err(LedgerError::Closed));
    assert!(!fixture.ledger.health().is_working());
    let reopened = SqliteLedger::open(Options::new(fixture.directory.path())).unwrap();
    for number in 0..5 {
        assert!(reopened.read(&format!("evaluation-{number}")).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_dropped_caller_does_not_affect_others() {
    let fixture = open(|_| {});
    let writer_block = fixture.block();
    drop(fixture.submit(Record::sample(1)));
    let reply = fixture.submit(Record::sample(2));
    drop(writer_block);
    assert_eq!(reply.await.unwrap(), Ok(Recorded::New));
    assert_eq!(fixture.ledger.record(Record::sample(3)).await, Ok(Recorded::New));
}

#[tokio::test]
async fn a_full_database_fails_the_batch_and_recovers() {
    let fixture = open(|_| {});
    assert_eq!(fixture.ledger.record(Record::sample(0)).await, Ok(Recorded::New));
    fixture.allow_pages(4);
    let writer_block = fixture.block();
    let replies = [
        fixture.submit(Record::sample(1)),
        fixture.submit(large_record(2)),
        fixture.submit(Record::sample(3)),
    ];
    drop(writer_block);
    for reply in replies {
        let Err(LedgerError::Unavailable { reason, fix }) = reply.await.unwrap() else {
            panic!("the record was accepted")
        };
        assert!(reason.contains("full"), "{reason}");
        assert!(fix.contains("free space"), "{fix}");
    }
    assert!(
        !fixture.is_recorded(1).await
            && !fixture.is_recorded(2).await
            && !fixture.is_recorded(3).await
    );
    assert!(fixture.has_metric(r#"gsar_ledger_errors_total{kind="full"} 1"#));
    assert!(fixture.ledger.health().failure.unwrap().reason.contains("full"));

    fixture.allow_pages(1000);
    assert_eq!(fixture.ledger.record(large_record(2)).await, Ok(Recorded::New));
    assert!(fixture.ledger.health().is_working());
    assert_eq!(
        fixture.ledger.read("evaluation-2").await.unwrap().unwrap().response,
        large_record(2).response
    );
}

#[tokio::test]
async fn a_failed_ledger_recovers_without_records() {
    let fixture = open(|_| {});
    fixture.allow_pages(4);
    assert!(fixture.ledger.record(large_record(1)).await.is_err());
    let probe_now = |writer: &mut Writer| {
        writer.probe.as_mut().unwrap().retry_at = Instant::now();
        writer.probe();
    };
    fixture.with_writer(probe_now);
    assert!(!fixture.ledger.health().is_working(), "a record like the failed one would fail again");
    fixture.allow_pages(1000);
    fixture.with_writer(probe_now);
    assert!(fixture.ledger.health().is_working());
    assert!(fixture.with_writer(|writer| writer.max_wait().is_none()), "no probe may be scheduled");
    let probe_rows: i64 = fixture
        .with_writer(|writer| {
            writer.connection.query_row("SELECT count(*) FROM probes", [], |row| row.get(0))
        })
        .unwrap();
    assert_eq!(probe_rows, 0);
}

#[tokio::test]
async fn rows_of_a_failed_batch_are_not_cached() {
    let fixture = open(|_| {});
    fixture.allow_pages(4);
    assert!(fixture.ledger.record(large_record(1)).await.is_err());
    fixture.allow_pages(1000);
    assert_eq!(fixture.ledger.record(Record::sample(2)).await, Ok(Recorded::New));
    let stored = fixture.ledger.read("evaluation-2").await.unwrap().unwrap();
    assert_eq!(stored.policy_toml.as_str(), &*Record::sample(2).policy_toml);
}

#[tokio::test]
async fn reports_a_lock_by_another_program() {
    let fixture = open(|_| {});
    fixture.with_writer(|writer| writer.connection.busy_timeout(Duration::ZERO).unwrap());
    let other_connection =
        Connection::open(fixture.directory.path().join("ledger.sqlite3")).unwrap();
    other_connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    let Err(LedgerError::Unavailable { reason, .. }) =
        fixture.ledger.record(Record::sample(1)).await
    else {
        panic!("the record was accepted");
    };
    assert!(reason.contains("another program"), "{reason}");
    other_connection.execute_batch("ROLLBACK").unwrap();
    assert_eq!(fixture.ledger.record(Record::sample(1)).await, Ok(Recorded::New));
}

#[tokio::test]
async fn failed_retention_is_reported_and_retried() {
    let fixture = open(|options| options.max_age = Some(Duration::from_secs(60)));
    fixture.ledger.apply_retention().await.unwrap();
    fixture.with_writer(|writer| writer.connection.busy_timeout(Duration::ZERO).unwrap());
    let writer_block = fixture.block();
    let reply = fixture.submit(Record::sample(1));
    drop(writer_block);
    assert_eq!(reply.await.unwrap(), Ok(Recorded::New));
    fixture.ledger.apply_retention().await.unwrap();
    assert!(!fixture.is_recorded(1).await, "the record dates from 1970");

    let other_connection =
        Connection::open(fixture.directory.path().join("ledger.sqlite3")).unwrap();
    let max_age = fixture.with_writer(|writer| writer.limits.max_age.take());
    assert_eq!(fixture.ledger.record(Record::sample(2)).await, Ok(Recorded::New));
    other_connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    fixture.with_writer(move |writer| writer.limits.max_age = max_age);
    assert!(matches!(fixture.ledger.apply_retention().await, Err(LedgerError::Unavailable { .. })));
    other_connection.execute_batch("ROLLBACK").unwrap();
    fixture.ledger.apply_retention().await.unwrap();
    assert!(!fixture.is_recorded(2).await);
    assert!(fixture.has_metric(r#"gsar_ledger_deleted_total{reason="age"} 2"#));
}
