//! Tests that run code on the writer's thread.

use std::sync::mpsc::{Sender, channel};

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tempfile::TempDir;

use super::*;
use crate::data_owner::Owner;
use crate::ledger::{Ledger, Options, Record, SqliteLedger};

fn record(number: u32) -> Record {
    Record {
        evaluation_id: format!("evaluation-{number}"),
        evaluated_at_micros: i64::from(number),
        report_id: "report".to_owned(),
        investigation_id: String::new(),
        policy: "reference".to_owned(),
        judge: "rules/2".to_owned(),
        outcome: 1,
        tier: 1,
        score: Some((6, 7)),
        claims: 3,
        grounded: Some(3),
        in_shadow: false,
        fell_back: false,
        idempotency_key: None,
        request_digest: [0; 32],
        report: vec![1; 600],
        response: vec![2; 600],
        evidence: vec![3; 600],
        contents: Vec::new(),
        policy_toml: "name = \"reference\"\n".into(),
        event: None,
    }
}

fn large(number: u32) -> Record {
    Record { response: vec![7; 64 << 10], ..record(number) }
}

struct Opened {
    directory: TempDir,
    ledger: SqliteLedger,
    metrics: PrometheusHandle,
}

fn open(change: impl FnOnce(&mut Options)) -> Opened {
    let directory = tempfile::tempdir().unwrap();
    let mut options = Options::new(directory.path());
    change(&mut options);
    let recorder = PrometheusBuilder::new().build_recorder();
    let metrics = recorder.handle();
    let ledger = metrics::with_local_recorder(&recorder, || SqliteLedger::open(options)).unwrap();
    Opened { directory, ledger, metrics }
}

impl Opened {
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
        let (release, released) = channel::<()>();
        let (blocked, is_blocked) = channel();
        let job = Box::new(move |_: &mut Writer| {
            blocked.send(()).unwrap();
            assert!(released.recv().is_err());
        });
        assert!(self.ledger.submit(Job::Test(job)).is_ok());
        is_blocked.recv().unwrap();
        release
    }

    /// Submits a record and returns a receiver for the reply.
    fn submit(&self, record: Record) -> oneshot::Receiver<Result<Recorded, LedgerError>> {
        let (reply, answer) = oneshot::channel();
        self.ledger
            .submit(Job::Record(Box::new(QueuedRecord { owner: Owner::default(), record, reply })))
            .unwrap();
        answer
    }

    /// Lets the database grow by at most `more` pages.
    fn allow_pages(&self, more: i64) {
        self.with_writer(move |writer| {
            let pages: i64 =
                writer.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
            let pragma = format!("PRAGMA max_page_count = {}", pages + more);
            writer.connection.query_row(&pragma, [], |_| Ok(())).unwrap();
        });
    }

    async fn is_recorded(&self, number: u32) -> bool {
        self.ledger.read(&format!("evaluation-{number}")).await.unwrap().is_some()
    }

    fn counts(&self, line: &str) -> bool {
        self.metrics.render().lines().any(|rendered| rendered == line)
    }
}

#[tokio::test]
async fn queued_records_share_one_commit() {
    let opened = open(|_| {});
    let held = opened.block();
    let answers: Vec<_> = (0..10).map(|number| opened.submit(record(number))).collect();
    drop(held);
    for answer in answers {
        assert_eq!(answer.await.unwrap(), Ok(Recorded::New));
    }
    assert!(opened.counts("gsar_ledger_commits_total 1"));
    assert!(opened.counts("gsar_ledger_records_total 10"));
    assert!(opened.counts("gsar_ledger_batch_size_sum 10"));
    assert!(opened.counts("gsar_ledger_commit_duration_seconds_count 1"));
}

#[tokio::test]
async fn batches_are_bounded() {
    let opened = open(|options| options.max_batch = 4);
    let held = opened.block();
    let answers: Vec<_> = (0..10).map(|number| opened.submit(record(number))).collect();
    drop(held);
    for answer in answers {
        assert_eq!(answer.await.unwrap(), Ok(Recorded::New));
    }
    assert!(opened.counts("gsar_ledger_commits_total 3"), "4 + 4 + 2");

    let held = opened.block();
    let huge = |number| Record { report: vec![0; BATCH_BYTES / 2], ..record(number) };
    let answers: Vec<_> = (10..14).map(|number| opened.submit(huge(number))).collect();
    drop(held);
    for answer in answers {
        assert_eq!(answer.await.unwrap(), Ok(Recorded::New));
    }
    assert!(opened.counts("gsar_ledger_commits_total 5"), "two of them fill a batch");
}

#[tokio::test]
async fn a_rejected_row_does_not_affect_its_batch() {
    let opened = open(|_| {});
    let held = opened.block();
    let answers: Vec<_> =
        [1, 2, 1, 3].into_iter().map(|number| opened.submit(record(number))).collect();
    drop(held);
    let mut given = Vec::new();
    for answer in answers {
        given.push(answer.await.unwrap());
    }
    let refused = Err(LedgerError::DuplicateId { evaluation_id: "evaluation-1".to_owned() });
    assert_eq!(given, [Ok(Recorded::New), Ok(Recorded::New), refused, Ok(Recorded::New)]);
    assert!(opened.is_recorded(3).await);
    assert!(opened.ledger.health().is_working());
}

#[tokio::test]
async fn rejects_a_record_if_the_queue_is_full() {
    let opened = open(|options| options.queue = 4);
    let held = opened.block();
    let answers: Vec<_> = (0..4).map(|number| opened.submit(record(number))).collect();
    assert_eq!(opened.ledger.record(record(9)).await, Err(LedgerError::Busy { queue: 4 }));
    assert!(opened.counts(r#"gsar_ledger_errors_total{kind="queue_full"} 1"#));
    drop(held);
    for answer in answers {
        assert_eq!(answer.await.unwrap(), Ok(Recorded::New));
    }
    assert!(!opened.is_recorded(9).await);
    assert_eq!(opened.ledger.record(record(9)).await, Ok(Recorded::New));
}

#[tokio::test]
async fn closing_writes_and_answers_queued_records() {
    let opened = open(|_| {});
    let held = opened.block();
    let answers: Vec<_> = (0..5).map(|number| opened.submit(record(number))).collect();
    let closing = tokio::task::spawn_blocking({
        let ledger = opened.ledger.clone();
        move || ledger.close()
    });
    drop(held);
    closing.await.unwrap();
    for answer in answers {
        assert_eq!(answer.await.unwrap(), Ok(Recorded::New));
    }
    assert_eq!(opened.ledger.record(record(5)).await, Err(LedgerError::Closed));
    assert_eq!(opened.ledger.read("evaluation-1").await, Err(LedgerError::Closed));
    assert!(!opened.ledger.health().is_working());
    let again = SqliteLedger::open(Options::new(opened.directory.path())).unwrap();
    for number in 0..5 {
        assert!(again.read(&format!("evaluation-{number}")).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_dropped_caller_does_not_affect_others() {
    let opened = open(|_| {});
    let held = opened.block();
    drop(opened.submit(record(1)));
    let answer = opened.submit(record(2));
    drop(held);
    assert_eq!(answer.await.unwrap(), Ok(Recorded::New));
    assert_eq!(opened.ledger.record(record(3)).await, Ok(Recorded::New));
}

#[tokio::test]
async fn a_full_database_fails_the_batch_and_recovers() {
    let opened = open(|_| {});
    assert_eq!(opened.ledger.record(record(0)).await, Ok(Recorded::New));
    opened.allow_pages(4);
    let held = opened.block();
    let answers = [opened.submit(record(1)), opened.submit(large(2)), opened.submit(record(3))];
    drop(held);
    for answer in answers {
        let Err(LedgerError::Unavailable { reason, fix }) = answer.await.unwrap() else {
            panic!("recorded")
        };
        assert!(reason.contains("full"), "{reason}");
        assert!(fix.contains("free space"), "{fix}");
    }
    assert!(
        !opened.is_recorded(1).await
            && !opened.is_recorded(2).await
            && !opened.is_recorded(3).await
    );
    assert!(opened.counts(r#"gsar_ledger_errors_total{kind="full"} 1"#));
    assert!(opened.ledger.health().failure.unwrap().reason.contains("full"));

    opened.allow_pages(1000);
    assert_eq!(opened.ledger.record(large(2)).await, Ok(Recorded::New));
    assert!(opened.ledger.health().is_working());
    assert_eq!(
        opened.ledger.read("evaluation-2").await.unwrap().unwrap().response,
        large(2).response
    );
}

#[tokio::test]
async fn a_failed_ledger_recovers_without_records() {
    let opened = open(|_| {});
    opened.allow_pages(4);
    assert!(opened.ledger.record(large(1)).await.is_err());
    let try_now = |writer: &mut Writer| {
        writer.probe.as_mut().unwrap().at = Instant::now();
        writer.probe();
    };
    opened.with_writer(try_now);
    assert!(!opened.ledger.health().is_working(), "what failed would fail again");
    opened.allow_pages(1000);
    opened.with_writer(try_now);
    assert!(opened.ledger.health().is_working());
    assert!(opened.with_writer(|writer| writer.max_wait().is_none()), "nothing is left to try");
    let left: i64 = opened
        .with_writer(|writer| {
            writer.connection.query_row("SELECT count(*) FROM probes", [], |row| row.get(0))
        })
        .unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn rows_of_a_failed_batch_are_not_cached() {
    let opened = open(|_| {});
    opened.allow_pages(4);
    assert!(opened.ledger.record(large(1)).await.is_err());
    opened.allow_pages(1000);
    assert_eq!(opened.ledger.record(record(2)).await, Ok(Recorded::New));
    let read = opened.ledger.read("evaluation-2").await.unwrap().unwrap();
    assert_eq!(read.policy_toml.as_str(), &*record(2).policy_toml);
}

#[tokio::test]
async fn reports_a_lock_by_another_program() {
    let opened = open(|_| {});
    opened.with_writer(|writer| writer.connection.busy_timeout(Duration::ZERO).unwrap());
    let other = Connection::open(opened.directory.path().join("ledger.sqlite3")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let Err(LedgerError::Unavailable { reason, .. }) = opened.ledger.record(record(1)).await else {
        panic!("recorded");
    };
    assert!(reason.contains("another program"), "{reason}");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(opened.ledger.record(record(1)).await, Ok(Recorded::New));
}

#[tokio::test]
async fn failed_retention_is_reported_and_retried() {
    let opened = open(|options| options.max_age = Some(Duration::from_secs(60)));
    opened.ledger.apply_retention().await.unwrap();
    opened.with_writer(|writer| writer.connection.busy_timeout(Duration::ZERO).unwrap());
    let held = opened.block();
    let answer = opened.submit(record(1));
    drop(held);
    assert_eq!(answer.await.unwrap(), Ok(Recorded::New));
    opened.ledger.apply_retention().await.unwrap();
    assert!(!opened.is_recorded(1).await, "it is as old as the clock");

    let other = Connection::open(opened.directory.path().join("ledger.sqlite3")).unwrap();
    let limits = opened.with_writer(|writer| writer.limits.max_age.take());
    assert_eq!(opened.ledger.record(record(2)).await, Ok(Recorded::New));
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    opened.with_writer(move |writer| writer.limits.max_age = limits);
    assert!(matches!(opened.ledger.apply_retention().await, Err(LedgerError::Unavailable { .. })));
    other.execute_batch("ROLLBACK").unwrap();
    opened.ledger.apply_retention().await.unwrap();
    assert!(!opened.is_recorded(2).await);
    assert!(opened.counts(r#"gsar_ledger_deleted_total{reason="age"} 2"#));
}
