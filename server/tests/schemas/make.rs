//! Writes the fixtures of schemas that have none: `cargo test -p gsar-server --test all schemas:: -- --ignored`. Run it before a
//! migration is added, so that the schema before it is kept. One that is there is never written anew.
//!
//! A real server records what is in them. For a schema it is written as that schema had it: its migrations, then the rows.
//! The rows of the first two schemas are those that version 0.1 recorded.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gsar_proto::v1;
use gsar_proto::v1::put_evidence_request::Part;
use rusqlite::{Connection, OpenFlags};

use crate::support::{Running, Wanted, item, request};

pub(crate) const POOL: &str = "connection pool size is 20";
pub(crate) const INVESTIGATION: &str = "inc-7";
/// What was spent on the day of the fixtures, in millionths of a dollar; half of it on behalf of a principal.
pub(crate) const SPENT: u32 = 15_000;

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/schemas")
}

pub(crate) fn pool() -> v1::EvidenceItem {
    item("pool", POOL)
}

pub(crate) fn keyed() -> v1::EvaluateRequest {
    v1::EvaluateRequest { idempotency_key: "key-1".to_owned(), ..request() }
}

/// The migrations of the ledger, of a corpus or of cached judgements, in their order.
pub(crate) fn migrations(name: &str) -> Vec<String> {
    let folder = match name {
        "ledger" => "src/ledger/sqlite/migrations",
        "corpus" => "src/evidence/sqlite/migrations",
        _ => "src/judge/migrations",
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

async fn recorded(data_dir: &Path) {
    let data_dir = data_dir.to_owned();
    let server = Wanted::default().start(|config| config.data_dir = data_dir).await;
    let kept = server.grounding().evaluate(keyed()).await.unwrap().into_inner();
    let grade = v1::Grade {
        subject: Some(v1::grade::Subject::Report(v1::ReportGrade {
            tier: kept.decision.unwrap().tier,
        })),
        note: "as the dashboard shows".to_owned(),
    };
    let (evaluation_id, grader) = (kept.evaluation_id, "ada".to_owned());
    let grades = v1::GradeRequest { evaluation_id, grader, grades: vec![grade] };
    server.ledger().grade(grades).await.unwrap();
    drive(&server).await;
    // The last one is given to a principal.
    server.grounding().evaluate(request()).await.unwrap();
    let head = v1::CorpusHead { corpus_id: "inc-7".to_owned(), ..Default::default() };
    let messages = [Part::Corpus(head), Part::Item(pool())]
        .map(|part| v1::PutEvidenceRequest { part: Some(part) });
    server.evidence().put_evidence(tokio_stream::iter(messages)).await.unwrap();
    server.stopped().await.unwrap();
}

/// An investigation with a false report and a true one.
async fn drive(server: &Running) {
    let start = v1::StartInvestigationRequest {
        investigation_id: INVESTIGATION.to_owned(),
        policy: "reference".to_owned(),
        ..Default::default()
    };
    let started = server.investigations().start_investigation(start).await.unwrap().into_inner();
    let mut step = started.investigation.unwrap().step;
    for synthesis in ["The connection pool size is 50.", "The connection pool size is 20."] {
        let report = v1::SubmitReportRequest {
            investigation_id: INVESTIGATION.to_owned(),
            step,
            report: Some(v1::Report { synthesis: synthesis.to_owned(), ..Default::default() }),
            evidence: vec![pool()],
        };
        let answer = server.investigations().submit_report(report).await.unwrap().into_inner();
        step = answer.investigation.unwrap().step;
    }
}

/// Makes a database in which money was spent.
fn spent(file: &Path) {
    let connection = Connection::open(file).unwrap();
    connection.execute_batch(&migrations("judgements").concat()).unwrap();
    connection.execute("INSERT INTO spending VALUES (20000, ?1)", [SPENT]).unwrap();
    let of_principal = "INSERT INTO spending_of_principals VALUES (20000, 'rca-agent', ?1)";
    connection.execute(of_principal, [SPENT / 2]).unwrap();
}

fn columns(connection: &Connection, table: &str) -> Vec<String> {
    let mut asked = connection.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
    asked.query_map([table], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn tables(connection: &Connection) -> Vec<String> {
    let mut asked = connection
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
             AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY rowid",
        )
        .unwrap();
    asked.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// Where the rows of a table of an earlier schema stand in a database of a later one.
fn source<'t>(from: &Connection, table: &'t str) -> &'t str {
    match table {
        "evaluations" if !has(from, table, "evidence") => {
            "evaluations JOIN evidence_sets ON evidence_sets.id = evidence_set_id"
        }
        "evaluation_contents" => {
            "evaluations JOIN evidence_set_contents ON set_id = evidence_set_id"
        }
        table => table,
    }
}

fn has(connection: &Connection, table: &str, column: &str) -> bool {
    columns(connection, table).iter().any(|name| name == column)
}

/// Statements that insert the rows of a table.
fn rows(from: &Connection, to: &Connection, table: &str, sql: &mut String) {
    let columns = columns(to, table);
    let source = source(from, table);
    let named = |column: &String| match (table, column.as_str()) {
        ("evaluation_contents", column) => format!("quote({column})"),
        ("evaluations", "evidence") if source != table => {
            "quote(evidence_sets.evidence)".to_owned()
        }
        (table, column) => format!("quote({table}.{column})"),
    };
    let values: Vec<String> = columns.iter().map(named).collect();
    // Before there were owners everything belonged to nobody.
    let restricted = match source.starts_with("evaluations")
        && has(from, "evaluations", "owner")
        && !has(to, "evaluations", "owner")
    {
        true => " WHERE evaluations.owner = ''",
        false => "",
    };
    let asked = format!("SELECT {} FROM {source}{restricted}", values.join(" || ',' || "));
    let mut asked = from.prepare(&asked).unwrap();
    if table.starts_with("terms_") {
        // What the creation of the table has put there.
        writeln!(sql, "DELETE FROM {table};").unwrap();
    }
    for row in asked.query_map([], |row| row.get::<_, String>(0)).unwrap() {
        let values = row.unwrap();
        writeln!(sql, "INSERT INTO {table} ({}) VALUES ({values});", columns.join(", ")).unwrap();
    }
}

/// Writes a fixture unless it is there.
fn write(name: &str, version: usize, from: &Path, application_id: i64) {
    let file = folder().join(format!("{name}-{version}.sql"));
    if file.exists() {
        return;
    }
    let from = Connection::open(from).unwrap();
    // Tables come in the order of the migrations, rows before what they refer to.
    let mut sql = "PRAGMA foreign_keys = OFF;\n".to_owned() + &migrations(name)[..version].concat();
    let to = Connection::open_in_memory().unwrap();
    to.execute_batch(&sql).unwrap();
    writeln!(sql, "\nBEGIN;").unwrap();
    for table in tables(&to) {
        rows(&from, &to, &table, &mut sql);
    }
    writeln!(
        sql,
        "COMMIT;\nPRAGMA application_id = {application_id};\nPRAGMA user_version = {version};"
    )
    .unwrap();
    std::fs::write(file, sql).unwrap();
}

#[tokio::test]
#[ignore = "writes fixtures"]
async fn write_the_fixtures_that_are_missing() {
    let data = tempfile::tempdir().unwrap();
    recorded(data.path()).await;
    let ledger = data.path().join("ledger.sqlite3");
    let owned = Connection::open(&ledger).unwrap();
    let changed = owned
        .execute(
            "UPDATE evaluations SET owner = 'rca-agent'
             WHERE sequence = (SELECT max(sequence) FROM evaluations)",
            [],
        )
        .unwrap();
    assert_eq!(changed, 1);
    let before = data.path().join("version_0_1.sqlite3");
    std::fs::copy(folder().join("../version_0_1/ledger.sqlite3"), &before).unwrap();
    let of_before =
        Connection::open_with_flags(&before, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    of_before.execute("DELETE FROM evaluations WHERE sequence > 3", []).unwrap();
    of_before
        .execute("DELETE FROM policies WHERE id NOT IN (SELECT policy_id FROM evaluations)", [])
        .unwrap();
    let ledger_id = 0x6773_6172;
    for version in 1..=migrations("ledger").len() {
        write("ledger", version, if version < 3 { &before } else { &ledger }, ledger_id);
    }
    let corpus = data.path().join("evidence/inc-7/corpus.sqlite3");
    Connection::open(&corpus).unwrap().execute("UPDATE corpus SET expires_at = NULL", []).unwrap();
    for version in 1..=migrations("corpus").len() {
        write("corpus", version, &corpus, 0x6773_6165);
    }
    let judgements = data.path().join("judgements.sqlite3");
    spent(&judgements);
    for version in 1..=migrations("judgements").len() {
        write("judgements", version, &judgements, 0x6773_616a);
    }
}
