//! Tests the SQLite ledger: stored rows, retention, damage and locks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::ledger_contract::records::{
    digest, first_page, grades, list_ids, record, stored_evaluation, with_contents,
};
use data_encoding::HEXLOWER;
use gsar_server::ledger::{
    Cursor, Durability, Ledger, LedgerError, Options, Record, Recorded, SqliteLedger,
};
use rusqlite::Connection;

fn open(directory: &Path) -> SqliteLedger {
    SqliteLedger::open(Options::new(directory)).unwrap()
}

fn database(directory: &Path) -> PathBuf {
    directory.join("ledger.sqlite3")
}

fn count(directory: &Path, sql: &str) -> i64 {
    Connection::open(database(directory)).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

pub(crate) fn assert_intact(directory: &Path) {
    let connection = Connection::open(database(directory)).unwrap();
    let found: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(found, "ok");
    let dangling = connection.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap();
    assert!(!dangling);
}

async fn record_all(ledger: &SqliteLedger, records: impl IntoIterator<Item = Record>) {
    let tasks: Vec<_> = records
        .into_iter()
        .map(|record| {
            let ledger = ledger.clone();
            tokio::spawn(async move { ledger.record(record).await })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), Ok(Recorded::New));
    }
}

async fn all_ids(ledger: &SqliteLedger) -> Vec<String> {
    list_ids(ledger, &first_page(Cursor::NEWEST, 1_000)).await
}

#[tokio::test]
async fn shared_content_is_stored_once() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    for (number, contents) in [(1, ["shared", "a"]), (2, ["shared", "b"]), (3, ["b", "b"])] {
        ledger.record(with_contents(number, &contents)).await.unwrap();
    }
    let read = async |number: u32, text: &str| {
        ledger.content(&record(number).evaluation_id, digest(text.as_bytes())).await.unwrap()
    };
    assert_eq!(read(2, "shared").await.as_deref(), Some("shared"));
    assert_eq!(read(3, "shared").await, None, "the content belongs to other evaluations only");
    let stored_count = || count(directory.path(), "SELECT count(*) FROM contents");
    assert_eq!(stored_count(), 3);
    for (number, expected_count) in [(1, 2), (2, 1), (3, 0)] {
        assert!(ledger.delete(&record(number).evaluation_id).await.unwrap());
        assert_eq!(stored_count(), expected_count);
    }
    assert!(!ledger.delete(&record(3).evaluation_id).await.unwrap());
    assert_eq!(count(directory.path(), "SELECT count(*) FROM policies"), 0);
    assert_eq!(count(directory.path(), "SELECT count(*) FROM evidence_set_contents"), 0);
    ledger.record(with_contents(4, &["a"])).await.unwrap();
    assert_eq!(stored_count(), 1);
    assert_intact(directory.path());
}

#[tokio::test]
async fn shared_evidence_is_stored_once() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    let stored_count = || count(directory.path(), "SELECT count(*) FROM evidence_sets");
    for (number, contents) in [(1, ["a", "b"]), (2, ["a", "b"]), (3, ["a", "c"])] {
        ledger.record(with_contents(number, &contents)).await.unwrap();
    }
    assert_eq!(stored_count(), 2);
    for (number, expected_count) in [(1, 2), (3, 1)] {
        assert!(ledger.delete(&record(number).evaluation_id).await.unwrap());
        assert_eq!(stored_count(), expected_count);
    }
    let remaining = ledger.read(&record(2).evaluation_id).await.unwrap().unwrap();
    assert_eq!(remaining.evidence, with_contents(2, &["a", "b"]).evidence);
    // Deleted content can be written again, even after the ledger is reopened.
    ledger.record(with_contents(4, &["a", "c"])).await.unwrap();
    ledger.close();
    let ledger = open(directory.path());
    ledger.record(with_contents(5, &["a", "c"])).await.unwrap();
    assert_eq!(stored_count(), 2);
    let reread = ledger.read(&record(5).evaluation_id).await.unwrap().unwrap();
    assert_eq!(reread.evidence, with_contents(5, &["a", "c"]).evidence);
    assert_intact(directory.path());
}

#[tokio::test]
async fn acknowledged_grades_are_durable() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    let recent_record = |number| Record { evaluated_at_micros: i64::MAX, ..record(number) };
    record_all(&ledger, (0..3).map(recent_record)).await;
    for number in 0..2 {
        let new_grades = grades(number, "ada", &[("", 1), ("c1", 3)]);
        assert_eq!(ledger.grade(new_grades).await, Ok(true));
    }
    assert_eq!(
        ledger.grade(grades(0, "ada", &[("c1", 2)])).await,
        Ok(true),
        "a second grade must be accepted"
    );
    assert_eq!(ledger.grade(grades(0, "ben", &[("c1", 1)])).await, Ok(true));
    assert_eq!(
        ledger.grade(grades(9, "ada", &[("", 1)])).await,
        Ok(false),
        "an unknown evaluation cannot be graded"
    );
    ledger.close();

    let ledger = open(directory.path());
    let stored_count = || count(directory.path(), "SELECT count(*) FROM grades");
    assert_eq!(stored_count(), 5);
    assert!(ledger.delete(&record(0).evaluation_id).await.unwrap());
    assert_eq!(stored_count(), 2);
    let old_record = Record { evaluated_at_micros: 1, ..record(7) };
    record_all(&ledger, [old_record]).await;
    assert_eq!(ledger.grade(grades(7, "ada", &[("", 4)])).await, Ok(true));
    ledger.close();
    let max_age = Duration::from_secs(3_600);
    let with_max_age = Options { max_age: Some(max_age), ..Options::new(directory.path()) };
    let ledger = SqliteLedger::open(with_max_age).unwrap();
    ledger.apply_retention().await.unwrap();
    assert_eq!(stored_count(), 2, "the grade of the old evaluation must be deleted");
    assert_intact(directory.path());
}

#[tokio::test]
async fn retention_by_size_deletes_no_more_than_necessary() {
    let directory = tempfile::tempdir().unwrap();
    let with_max_bytes = Options { max_bytes: Some(4 << 20), ..Options::new(directory.path()) };
    let ledger = SqliteLedger::open(with_max_bytes).unwrap();
    let mut random_bytes = blake3::Hasher::new().finalize_xof();
    for number in 0..40 {
        let mut random = vec![0; 100_000];
        random_bytes.fill(&mut random);
        let unshared_text = HEXLOWER.encode(&random);
        ledger.record(with_contents(number, &["shared", &unshared_text])).await.unwrap();
    }
    ledger.apply_retention().await.unwrap();
    let evaluation_count = count(directory.path(), "SELECT count(*) FROM evaluations");
    assert!(
        (10..=20).contains(&evaluation_count),
        "{evaluation_count} of 40 evaluations of 0.2 MB each are left in 4 MB"
    );
    assert_eq!(count(directory.path(), "SELECT count(*) FROM contents"), evaluation_count + 1);
    assert_intact(directory.path());
}

#[tokio::test]
async fn closing_leaves_one_file_and_unlocks_the_directory() {
    let directory = tempfile::tempdir().unwrap();
    for (durability, number) in [(Durability::Durable, 1), (Durability::Relaxed, 2)] {
        let ledger =
            SqliteLedger::open(Options { durability, ..Options::new(directory.path()) }).unwrap();
        assert_eq!(ledger.record(record(number)).await, Ok(Recorded::New));
        assert!(ledger.read(&format!("evaluation-{number:06}")).await.unwrap().is_some());
        let clone = ledger.clone();
        drop(ledger);
        clone.close();
        assert!(!directory.path().join("ledger.sqlite3-wal").exists());
        assert_intact(directory.path());
    }
    assert_eq!(count(directory.path(), "SELECT count(*) FROM evaluations"), 2);
}

#[tokio::test]
async fn shared_policies_are_stored_once() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    record_all(&ledger, (0..50).map(record)).await;
    let other_policy = "name = \"reference\"\ntau_proceed = 0.90\n";
    record_all(&ledger, [Record { policy_toml: other_policy.into(), ..record(50) }]).await;
    assert_eq!(ledger.read("evaluation-000050").await.unwrap().unwrap().policy_toml, other_policy);
    assert_eq!(
        ledger.read("evaluation-000049").await.unwrap().unwrap().policy_toml,
        *record(49).policy_toml
    );
    ledger.close();
    assert_eq!(count(directory.path(), "SELECT count(*) FROM policies"), 2);
}

#[test]
fn rejects_databases_of_other_programs() {
    let directory = tempfile::tempdir().unwrap();
    let connection = Connection::open(database(directory.path())).unwrap();
    connection.execute_batch("CREATE TABLE songs (name TEXT)").unwrap();
    drop(connection);
    let original = std::fs::read(database(directory.path())).unwrap();
    let error = SqliteLedger::open(Options::new(directory.path())).unwrap_err();
    assert_eq!(error, LedgerError::Foreign { file: database(directory.path()) });
    assert_eq!(std::fs::read(database(directory.path())).unwrap(), original);
}

#[test]
fn rejects_files_that_are_not_databases() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(database(directory.path()), "no database ".repeat(1000)).unwrap();
    let error = SqliteLedger::open(Options::new(directory.path())).unwrap_err();
    assert!(matches!(error, LedgerError::Corrupt { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("ledger.sqlite3") && text.contains("restore a backup"), "{text}");
}

#[tokio::test]
async fn reading_a_damaged_page_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    open(directory.path()).close();
    // The schema stays intact, because the database cannot be opened without it.
    let schema = std::fs::read(database(directory.path())).unwrap().len() / 4096;
    let ledger = open(directory.path());
    record_all(&ledger, (0..64).map(record)).await;
    ledger.close();
    let mut bytes = std::fs::read(database(directory.path())).unwrap();
    for page in bytes.chunks_mut(4096).skip(schema) {
        page.fill(0xa5);
    }
    std::fs::write(database(directory.path()), bytes).unwrap();
    let ledger = open(directory.path());
    let mut damaged = 0;
    for number in 0..64 {
        match ledger.read(&format!("evaluation-{number:06}")).await {
            Ok(Some(read)) => assert_eq!(read, stored_evaluation(record(number))),
            Ok(None) => panic!("evaluation {number} is missing"),
            Err(LedgerError::Corrupt { .. }) => damaged += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(damaged > 0);
}

#[test]
fn lock_error_names_the_process() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    let error = SqliteLedger::open(Options::new(directory.path())).unwrap_err();
    let pid = std::process::id();
    assert_eq!(
        error,
        LedgerError::Locked { directory: directory.path().to_owned(), pid: Some(pid) }
    );
    let text = error.to_string();
    assert!(
        text.contains(&format!("process {pid}")) && text.contains("use another directory"),
        "{text}"
    );
    ledger.close();
    open(directory.path()).close();
}

fn file_bytes(directory: &Path) -> u64 {
    std::fs::metadata(database(directory)).unwrap().len()
}

#[tokio::test]
async fn expired_evaluations_are_deleted_and_free_space() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    let large_record = |number| Record { report: vec![9; 24 << 10], ..record(number) };
    let expired_record = |number| Record { evaluated_at_micros: 1_000, ..large_record(number) };
    let recent_record = |number| Record {
        evaluated_at_micros: i64::MAX,
        policy_toml: "name = \"new\"\n".into(),
        ..large_record(number)
    };
    record_all(&ledger, (0..400).map(expired_record)).await;
    record_all(&ledger, (400..410).map(recent_record)).await;
    ledger.close();
    let bytes_before = file_bytes(directory.path());
    assert!(bytes_before > 8 << 20, "{bytes_before}");

    let with_max_age =
        Options { max_age: Some(Duration::from_secs(3600)), ..Options::new(directory.path()) };
    let ledger = SqliteLedger::open(with_max_age).unwrap();
    ledger.apply_retention().await.unwrap();
    let bytes_after = file_bytes(directory.path());
    assert!(
        bytes_after < 2 << 20,
        "{bytes_after} of {bytes_before} bytes are left while the ledger is open"
    );
    let remaining_ids: BTreeSet<_> = all_ids(&ledger).await.into_iter().collect();
    assert_eq!(remaining_ids, (400..410).map(|number| record(number).evaluation_id).collect());
    let record_with_deleted_policy = Record { evaluated_at_micros: i64::MAX, ..record(1) };
    assert_eq!(
        ledger.record(record_with_deleted_policy).await,
        Ok(Recorded::New),
        "the deleted policy must be stored again"
    );
    assert_eq!(
        ledger.read("evaluation-000001").await.unwrap().unwrap().policy_toml,
        *record(1).policy_toml
    );
    ledger.close();
    assert_eq!(count(directory.path(), "SELECT count(*) FROM policies"), 2);
    assert_intact(directory.path());
}

#[tokio::test]
async fn full_ledger_keeps_the_newest_evaluations() {
    const MAX_BYTES: u64 = 2 << 20;
    let record = |number| Record {
        report: vec![1; 1024],
        response: vec![7; 4096],
        evidence: vec![3; 2048],
        ..record(number)
    };
    let directory = tempfile::tempdir().unwrap();
    let options = Options { max_bytes: Some(MAX_BYTES), ..Options::new(directory.path()) };
    let ledger = SqliteLedger::open(options.clone()).unwrap();
    for number in 0..40 {
        record_all(&ledger, (number * 20..number * 20 + 20).map(record)).await;
    }
    ledger.apply_retention().await.unwrap();
    let remaining_ids = all_ids(&ledger).await;
    assert!((100..800).contains(&remaining_ids.len()), "{} are left", remaining_ids.len());
    for number in 780..800 {
        assert!(
            remaining_ids.contains(&record(number).evaluation_id),
            "evaluation {number} is one of the newest"
        );
    }
    ledger.close();
    assert!(file_bytes(directory.path()) <= MAX_BYTES, "{}", file_bytes(directory.path()));
    assert_intact(directory.path());

    let ledger = SqliteLedger::open(Options { max_bytes: Some(MAX_BYTES / 2), ..options }).unwrap();
    ledger.apply_retention().await.unwrap();
    assert!(file_bytes(directory.path()) <= MAX_BYTES / 2, "{}", file_bytes(directory.path()));
    assert_eq!(all_ids(&ledger).await[0], remaining_ids[0]);
}

#[tokio::test]
async fn newest_evaluation_is_kept_even_above_the_limit() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { max_bytes: Some(1 << 20), ..Options::new(directory.path()) };
    let ledger = SqliteLedger::open(options).unwrap();
    for number in 0..3 {
        let oversized_record = Record { response: vec![1; 3 << 20], ..record(number) };
        assert_eq!(ledger.record(oversized_record).await, Ok(Recorded::New));
        ledger.apply_retention().await.unwrap();
        assert_eq!(all_ids(&ledger).await, [record(number).evaluation_id]);
    }
}

#[tokio::test]
async fn ledger_rejects_records_while_its_database_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    assert_eq!(ledger.record(record(1)).await, Ok(Recorded::New));
    let moved_database = directory.path().join("moved");
    std::fs::rename(database(directory.path()), &moved_database).unwrap();
    let Err(LedgerError::Unavailable { reason, .. }) = ledger.record(record(2)).await else {
        panic!("the record must be rejected")
    };
    assert!(reason.contains("removed or replaced"), "{reason}");
    std::fs::rename(&moved_database, database(directory.path())).unwrap();
    assert_eq!(ledger.record(record(2)).await, Ok(Recorded::New));
    assert!(ledger.health().is_working());
    assert!(ledger.health().last_commit_micros.is_some());
}
