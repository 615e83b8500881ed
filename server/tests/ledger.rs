//! Tests of the SQLite ledger on real disks, including kills and full disks.
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::skip::skipped;
use gsar_server::ledger::{
    Content, Cursor, Durability, Ledger, LedgerError, NewGrade, NewGrades, Options, Page,
    PageRequest, Record, Recorded, Selection, SqliteLedger, StoredEvaluation, Summary,
};
use proptest::prelude::*;
use rusqlite::Connection;

const POLICY: &str = "name = \"reference\"\ntau_proceed = 0.80\n";

fn record(number: u32) -> Record {
    Record {
        evaluation_id: format!("evaluation-{number:06}"),
        evaluated_at_micros: 1_790_000_000_000_000 + i64::from(number),
        report_id: format!("report-{}", number % 7),
        investigation_id: format!("investigation-{}", number % 3),
        policy: "reference".to_owned(),
        judge: "rules/2".to_owned(),
        outcome: 1,
        tier: i32::try_from(number % 4).unwrap() + 1,
        score: Some((u64::from(number), 1000)),
        claims: 9,
        grounded: Some(9),
        in_shadow: false,
        fell_back: false,
        idempotency_key: None,
        request_digest: digest(number),
        report: vec![1; 1024],
        response: number.to_be_bytes().repeat(1024),
        evidence: vec![3; 2048],
        contents: Vec::new(),
        policy_toml: POLICY.into(),
        event: None,
    }
}

fn digest(number: u32) -> [u8; 32] {
    *blake3::hash(&number.to_be_bytes()).as_bytes()
}

fn record_with_key(number: u32, key: &str, body: u32) -> Record {
    Record { idempotency_key: Some(key.to_owned()), request_digest: digest(body), ..record(number) }
}

fn summary(record: &Record) -> Summary {
    Summary {
        owner: String::new(),
        evaluation_id: record.evaluation_id.clone(),
        evaluated_at_micros: record.evaluated_at_micros,
        report_id: record.report_id.clone(),
        investigation_id: record.investigation_id.clone(),
        policy: record.policy.clone(),
        judge: record.judge.clone(),
        outcome: record.outcome,
        tier: record.tier,
        score: record.score,
        claims: record.claims,
        grounded: record.grounded,
        in_shadow: record.in_shadow,
        fell_back: record.fell_back,
    }
}

fn stored_evaluation(record: Record) -> StoredEvaluation {
    StoredEvaluation {
        summary: summary(&record),
        idempotency_key: record.idempotency_key,
        request_digest: record.request_digest,
        report: record.report,
        response: record.response,
        evidence: record.evidence,
        policy_toml: record.policy_toml.as_ref().to_owned(),
        grades: Vec::new(),
    }
}

fn open(directory: &Path) -> SqliteLedger {
    SqliteLedger::open(Options::new(directory)).unwrap()
}

fn database(directory: &Path) -> PathBuf {
    directory.join("ledger.sqlite3")
}

fn count(directory: &Path, sql: &str) -> i64 {
    Connection::open(database(directory)).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

fn assert_intact(directory: &Path) {
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

async fn list(ledger: &SqliteLedger, limit: usize, cursor: Cursor) -> Page<Summary> {
    let selection = Selection::default();
    let limit = NonZeroUsize::new(limit).unwrap();
    ledger.list(PageRequest { selection, cursor, limit }).await.unwrap()
}

fn ids(page: &Page<Summary>) -> Vec<String> {
    page.evaluations.iter().map(|evaluation| evaluation.evaluation_id.clone()).collect()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

fn content_digest(text: &str) -> [u8; 32] {
    *blake3::hash(text.as_bytes()).as_bytes()
}

fn with_contents(number: u32, contents: &[&str]) -> Record {
    let evidence = contents.iter().flat_map(|text| content_digest(text)).collect();
    let contents = contents.iter().map(|text| Content::new(content_digest(text), text)).collect();
    Record { evidence, contents, ..record(number) }
}

#[tokio::test]
async fn shared_contents_are_stored_once() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    for (number, contents) in [(1, ["shared", "a"]), (2, ["shared", "b"]), (3, ["b", "b"])] {
        ledger.record(with_contents(number, &contents)).await.unwrap();
    }
    let read = async |number: u32, text| {
        ledger.content(&record(number).evaluation_id, content_digest(text)).await.unwrap()
    };
    assert_eq!(read(2, "shared").await.as_deref(), Some("shared"));
    assert_eq!(read(3, "shared").await, None, "other evaluations have this content");
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
    // A deleted content can be written again, also by another process.
    ledger.record(with_contents(4, &["a", "c"])).await.unwrap();
    ledger.close();
    let ledger = open(directory.path());
    ledger.record(with_contents(5, &["a", "c"])).await.unwrap();
    assert_eq!(stored_count(), 2);
    let reread = ledger.read(&record(5).evaluation_id).await.unwrap().unwrap();
    assert_eq!(reread.evidence, with_contents(5, &["a", "c"]).evidence);
    assert_intact(directory.path());
}

fn grades(number: u32, grader: &str, subjects: &[(&str, i32)]) -> NewGrades {
    let grade = |(claim_id, verdict): &(&str, i32)| NewGrade {
        claim_id: (*claim_id).to_owned(),
        verdict: *verdict,
        note: String::new(),
    };
    NewGrades {
        evaluation_id: record(number).evaluation_id,
        grader: grader.to_owned(),
        graded_at_micros: i64::from(number),
        grades: subjects.iter().map(grade).collect(),
    }
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
    assert_eq!(ledger.grade(grades(0, "ada", &[("c1", 2)])).await, Ok(true), "a second grade");
    assert_eq!(ledger.grade(grades(0, "ben", &[("c1", 1)])).await, Ok(true));
    assert_eq!(
        ledger.grade(grades(9, "ada", &[("", 1)])).await,
        Ok(false),
        "an unknown evaluation"
    );
    ledger.close();

    let ledger = open(directory.path());
    let stored = ledger.read(&record(0).evaluation_id).await.unwrap().unwrap().grades;
    let found: Vec<_> = stored
        .iter()
        .map(|stored| {
            (stored.grade.claim_id.as_str(), stored.grader.as_str(), stored.grade.verdict)
        })
        .collect();
    assert_eq!(found, [("", "ada", 1), ("c1", "ada", 2), ("c1", "ben", 1)]);
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
        let unshared_text: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        ledger.record(with_contents(number, &["shared", &unshared_text])).await.unwrap();
    }
    ledger.apply_retention().await.unwrap();
    let evaluation_count = count(directory.path(), "SELECT count(*) FROM evaluations");
    assert!(
        (10..=20).contains(&evaluation_count),
        "{evaluation_count} of 40 evaluations of 0.2 MB fit in 4 MB"
    );
    assert_eq!(count(directory.path(), "SELECT count(*) FROM contents"), evaluation_count + 1);
    assert_intact(directory.path());
}

#[tokio::test]
async fn records_round_trip_after_reopening() {
    let directory = tempfile::tempdir().unwrap();
    let record_of_all_fields = Record {
        score: Some((u64::MAX, u64::MAX - 1)),
        idempotency_key: Some("key – ✓".to_owned()),
        evaluated_at_micros: i64::MIN,
        claims: u32::MAX,
        outcome: i32::MAX,
        response: (0..=255).collect(),
        ..record(1)
    };
    let minimal = Record {
        score: None,
        report_id: String::new(),
        investigation_id: String::new(),
        report: Vec::new(),
        response: Vec::new(),
        evidence: Vec::new(),
        policy_toml: "".into(),
        ..record(2)
    };
    let ledger = open(directory.path());
    assert_eq!(ledger.record(record_of_all_fields.clone()).await, Ok(Recorded::New));
    assert_eq!(ledger.record(minimal.clone()).await, Ok(Recorded::New));
    assert_eq!(
        ledger.read("evaluation-000001").await,
        Ok(Some(stored_evaluation(record_of_all_fields.clone())))
    );
    assert_eq!(ledger.read("evaluation-000009").await, Ok(None));
    assert!(ledger.health().is_working());
    assert!(ledger.health().last_commit_micros.is_some());
    ledger.close();

    let ledger = open(directory.path());
    assert_eq!(
        ledger.read("evaluation-000001").await,
        Ok(Some(stored_evaluation(record_of_all_fields.clone())))
    );
    assert_eq!(
        ledger.read("evaluation-000002").await,
        Ok(Some(stored_evaluation(minimal.clone())))
    );
    assert_eq!(
        list(&ledger, 50, Cursor::NEWEST).await.evaluations,
        [summary(&minimal), summary(&record_of_all_fields)]
    );
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
    assert_eq!(ledger.read("evaluation-000049").await.unwrap().unwrap().policy_toml, POLICY);
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
async fn damaged_page_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    open(directory.path()).close();
    // Keep the schema, which the database needs to open.
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

#[tokio::test]
async fn key_of_another_request_is_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    let first = record_with_key(1, "key", 1);
    assert_eq!(ledger.find_by_key("key", digest(1)).await, Ok(None));
    assert_eq!(ledger.record(first.clone()).await, Ok(Recorded::New));
    let replayed = Recorded::Replayed { response: first.response.clone() };
    let reused = LedgerError::KeyReused { key: "key".to_owned() };
    assert_eq!(ledger.record(record_with_key(2, "key", 1)).await, Ok(replayed.clone()));
    assert_eq!(ledger.record(record_with_key(3, "key", 2)).await, Err(reused.clone()));
    assert_eq!(ledger.find_by_key("key", digest(1)).await, Ok(Some(first.response.clone())));
    assert_eq!(ledger.find_by_key("key", digest(2)).await, Err(reused.clone()));
    ledger.close();

    let ledger = open(directory.path());
    assert_eq!(ledger.record(record_with_key(4, "key", 1)).await, Ok(replayed));
    assert_eq!(ledger.record(record_with_key(5, "key", 2)).await, Err(reused));
    assert_eq!(ids(&list(&ledger, 50, Cursor::NEWEST).await), ["evaluation-000001"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_concurrent_calls_with_a_key_is_new() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    let tasks: Vec<_> = (0..32)
        .map(|number| {
            let ledger = ledger.clone();
            tokio::spawn(async move {
                (number, ledger.record(record_with_key(number, "key", 0)).await.unwrap())
            })
        })
        .collect();
    let mut new_responses = Vec::new();
    let mut replays = Vec::new();
    for task in tasks {
        match task.await.unwrap() {
            (number, Recorded::New) => new_responses.push(record(number).response),
            (_, Recorded::Replayed { response }) => replays.push(response),
        }
    }
    assert_eq!(new_responses.len(), 1);
    assert_eq!(replays, vec![new_responses[0].clone(); 31]);
}

#[tokio::test]
async fn pages_are_stable_while_evaluations_are_added() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    for number in 0..25 {
        assert_eq!(ledger.record(record(number)).await, Ok(Recorded::New));
    }
    let mut listed_ids = Vec::new();
    let mut cursor = Some(Cursor::NEWEST);
    let mut next = 100;
    while let Some(position) = cursor {
        let page = list(&ledger, 10, position).await;
        listed_ids.extend(ids(&page));
        record_all(&ledger, (next..next + 7).map(record)).await;
        next += 7;
        cursor = page.next;
    }
    let expected: Vec<_> = (0..25).rev().map(|number| record(number).evaluation_id).collect();
    assert_eq!(listed_ids, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Paging equals filtering all records.
    #[test]
    fn pages_contain_exactly_the_filtered_records(
        rows in prop::collection::vec((1..4_i32, "[ab]{0,1}", "[ab]{0,1}"), 0..60),
        tier in prop::option::of(1..4_i32),
        report_id in prop::option::of("[ab]"),
        investigation_id in prop::option::of("[ab]"),
        page_size in 1..20_usize,
    ) {
        let records: Vec<_> = rows
            .into_iter()
            .zip(0..)
            .map(|((tier, report_id, investigation_id), number)| {
                Record { tier, report_id, investigation_id, ..record(number) }
            })
            .collect();
        let matches_filter = |filter: &Option<String>, value: &str| {
            filter.as_deref().is_none_or(|filter| filter == value)
        };
        let expected: Vec<_> = records
            .iter()
            .rev()
            .filter(|record| tier.is_none_or(|tier| tier == record.tier))
            .filter(|record| matches_filter(&report_id, &record.report_id))
            .filter(|record| matches_filter(&investigation_id, &record.investigation_id))
            .map(summary)
            .collect();
        let selection = Selection { tier, report_id, investigation_id, ..Selection::default() };
        prop_assert_eq!(runtime().block_on(listed_by_pages(records, selection, page_size)), expected);
    }
}

async fn listed_by_pages(records: Vec<Record>, selection: Selection, limit: usize) -> Vec<Summary> {
    let directory = tempfile::tempdir().unwrap();
    let relaxed = Options { durability: Durability::Relaxed, ..Options::new(directory.path()) };
    let ledger = SqliteLedger::open(relaxed).unwrap();
    for record in records {
        assert_eq!(ledger.record(record).await, Ok(Recorded::New));
    }
    let mut listed = Vec::new();
    let limit = NonZeroUsize::new(limit).unwrap();
    let mut request = PageRequest { selection, cursor: Cursor::NEWEST, limit };
    loop {
        let page = ledger.list(request.clone()).await.unwrap();
        assert!(page.evaluations.len() <= limit.get());
        listed.extend(page.evaluations);
        match page.next {
            Some(next) => request.cursor = next,
            None => return listed,
        }
    }
}

fn file_bytes(directory: &Path) -> u64 {
    std::fs::metadata(database(directory)).unwrap().len()
}

#[tokio::test]
async fn expired_evaluations_are_deleted_and_free_space() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    let large_record = |number| Record { report: vec![9; 16 << 10], ..record(number) };
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

    let aged =
        Options { max_age: Some(Duration::from_secs(3600)), ..Options::new(directory.path()) };
    let ledger = SqliteLedger::open(aged).unwrap();
    ledger.apply_retention().await.unwrap();
    let bytes_after = file_bytes(directory.path());
    assert!(
        bytes_after < 2 << 20,
        "{bytes_after} of {bytes_before} bytes are left while the ledger is open"
    );
    let remaining_ids: BTreeSet<_> =
        ids(&list(&ledger, 100, Cursor::NEWEST).await).into_iter().collect();
    assert_eq!(remaining_ids, (400..410).map(|number| record(number).evaluation_id).collect());
    let record_with_deleted_policy = Record { evaluated_at_micros: i64::MAX, ..record(1) };
    assert_eq!(
        ledger.record(record_with_deleted_policy).await,
        Ok(Recorded::New),
        "the deleted policy must be stored again"
    );
    assert_eq!(ledger.read("evaluation-000001").await.unwrap().unwrap().policy_toml, POLICY);
    ledger.close();
    assert_eq!(count(directory.path(), "SELECT count(*) FROM policies"), 2);
    assert_intact(directory.path());
}

#[tokio::test]
async fn full_ledger_keeps_the_newest() {
    const BOUND: u64 = 2 << 20;
    let directory = tempfile::tempdir().unwrap();
    let options = Options { max_bytes: Some(BOUND), ..Options::new(directory.path()) };
    let ledger = SqliteLedger::open(options.clone()).unwrap();
    for number in 0..40 {
        record_all(&ledger, (number * 20..number * 20 + 20).map(record)).await;
    }
    ledger.apply_retention().await.unwrap();
    let remaining_ids = ids(&list(&ledger, 1000, Cursor::NEWEST).await);
    assert!((100..800).contains(&remaining_ids.len()), "{} are left", remaining_ids.len());
    for number in 780..800 {
        assert!(
            remaining_ids.contains(&record(number).evaluation_id),
            "{number} is one of the newest"
        );
    }
    ledger.close();
    assert!(file_bytes(directory.path()) <= BOUND, "{}", file_bytes(directory.path()));
    assert_intact(directory.path());

    let ledger = SqliteLedger::open(Options { max_bytes: Some(BOUND / 2), ..options }).unwrap();
    ledger.apply_retention().await.unwrap();
    assert!(file_bytes(directory.path()) <= BOUND / 2, "{}", file_bytes(directory.path()));
    assert_eq!(ids(&list(&ledger, 1, Cursor::NEWEST).await), remaining_ids[..1]);
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
        assert_eq!(ids(&list(&ledger, 50, Cursor::NEWEST).await), [record(number).evaluation_id]);
    }
}

#[tokio::test]
async fn removed_database_rejects_records() {
    let directory = tempfile::tempdir().unwrap();
    let ledger = open(directory.path());
    assert_eq!(ledger.record(record(1)).await, Ok(Recorded::New));
    let moved_database = directory.path().join("away");
    std::fs::rename(database(directory.path()), &moved_database).unwrap();
    let Err(LedgerError::Unavailable { reason, .. }) = ledger.record(record(2)).await else {
        panic!("recorded")
    };
    assert!(reason.contains("removed or replaced"), "{reason}");
    std::fs::rename(&moved_database, database(directory.path())).unwrap();
    assert_eq!(ledger.record(record(2)).await, Ok(Recorded::New));
    assert!(ledger.health().is_working());
}

const RECORD_UNTIL_KILLED: &str = "GSAR_TEST_RECORD_UNTIL_KILLED";

#[test]
fn acknowledged_records_survive_a_kill() {
    if let Some(directory) = std::env::var_os(RECORD_UNTIL_KILLED) {
        record_until_killed(Path::new(&directory));
    }
    let directory = tempfile::tempdir().unwrap();
    let mut acknowledged_ids = BTreeSet::new();
    for acknowledgements in [1, 40, 400] {
        acknowledged_ids.extend(acknowledged_until_killed(directory.path(), acknowledgements));
        let ledger = open(directory.path());
        for id in &acknowledged_ids {
            let read = runtime().block_on(ledger.read(id)).unwrap();
            let read = read.unwrap_or_else(|| panic!("{id} was acknowledged but is missing"));
            assert_eq!(read.response, id.as_bytes().repeat(100));
        }
        ledger.close();
        assert_intact(directory.path());
    }
    assert!(acknowledged_ids.len() >= 441);
}

/// Kills a child process after `acknowledgements` and returns the acknowledged ids.
fn acknowledged_until_killed(directory: &Path, acknowledgements: usize) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ledger::acknowledged_records_survive_a_kill", "--nocapture"])
        .env(RECORD_UNTIL_KILLED, directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).split(b'\n');
    let mut ids = Vec::new();
    while ids.len() < acknowledgements {
        let line = lines.next().expect("the child process ended").unwrap();
        ids.extend(acknowledged_id(&line));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    ids.extend(lines.filter_map(|line| acknowledged_id(&line.unwrap())));
    ids
}

fn acknowledged_id(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok()?;
    line.strip_prefix("acknowledged ")?.strip_suffix(" .").map(str::to_owned)
}

fn record_until_killed(directory: &Path) -> ! {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let ledger = open(directory);
    // The test harness has begun the line with the test's name.
    std::io::stdout().write_all(b"\n").unwrap();
    let process = std::process::id();
    for task in 1..8 {
        runtime.spawn(record_endlessly(ledger.clone(), format!("{process}-{task}")));
    }
    runtime.block_on(record_endlessly(ledger, format!("{process}-0")))
}

async fn record_endlessly(ledger: SqliteLedger, name: String) -> ! {
    let mut number = 0;
    loop {
        let id = format!("{name}-{number}");
        let entry = Record {
            evaluation_id: id.clone(),
            response: id.as_bytes().repeat(100),
            ..record(number)
        };
        assert_eq!(ledger.record(entry).await, Ok(Recorded::New));
        let mut out = std::io::stdout().lock();
        writeln!(out, "acknowledged {id} .").unwrap();
        out.flush().unwrap();
        number += 1;
    }
}

struct SmallDisk {
    mounted: tempfile::TempDir,
}

impl SmallDisk {
    fn mount(bytes: u64) -> Option<Self> {
        let mounted = tempfile::tempdir().unwrap();
        let status = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"])
            .arg(mounted.path())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success()).then_some(Self { mounted })
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _unmounted = Command::new("umount").arg("-l").arg(self.mounted.path()).status();
    }
}

/// If no disk can be mounted, a unit test of the writer covers this with a size limit.
#[tokio::test]
async fn full_disk_rejects_records_until_space_is_free() {
    let Some(disk) = SmallDisk::mount(2 << 20) else {
        skipped("mount", "this process may not mount a file system");
        return;
    };
    let filler = disk.mounted.path().join("ballast");
    std::fs::write(&filler, vec![0; 1 << 20]).unwrap();
    let directory = disk.mounted.path().join("data");
    let ledger = open(&directory);
    let large_record = |number| Record { report: vec![5; 16 << 10], ..record(number) };
    let mut acknowledged = Vec::new();
    let (reason, fix) = loop {
        let number = u32::try_from(acknowledged.len()).unwrap();
        match ledger.record(large_record(number)).await {
            Ok(Recorded::New) => acknowledged.push(large_record(number)),
            Err(LedgerError::Unavailable { reason, fix }) => break (reason, fix),
            other => panic!("{other:?}"),
        }
        assert!(acknowledged.len() < 1000, "the disk never filled");
    };
    assert!(!acknowledged.is_empty());
    assert!(reason.contains("full"), "{reason}");
    assert!(fix.contains("free space"), "{fix}");
    assert!(!ledger.health().is_working());

    std::fs::remove_file(&filler).unwrap();
    assert_eq!(ledger.record(large_record(5000)).await, Ok(Recorded::New));
    assert!(ledger.health().is_working());
    acknowledged.push(large_record(5000));
    for record in acknowledged {
        assert_eq!(ledger.read(&record.evaluation_id).await, Ok(Some(stored_evaluation(record))));
    }
    ledger.close();
    assert_intact(&directory);
}
