//! Tests that databases with another schema are rejected and left unchanged.

use std::path::{Path, PathBuf};

use gsar_server::assembly::CheckedConfig;
use gsar_server::config::{Config, EmbeddingsMode, Problems};
use gsar_server::ledger::{LedgerLocation, Options, SqliteLedger};
use rusqlite::Connection;
use tonic::Code;

use crate::support::corpora::{put, search};
use crate::support::{self, TestServer, reason};

/// The application ids that development versions used: `gsar` for ledgers and `gsae` for corpora.
const DEVELOPMENT_LEDGER: i64 = 0x6773_6172;
const DEVELOPMENT_CORPUS: i64 = 0x6773_6165;

fn tamper(file: &Path, application_id: Option<i64>, user_version: i64) -> Vec<u8> {
    let connection = Connection::open(file).unwrap();
    if let Some(id) = application_id {
        connection.pragma_update(None, "application_id", id).unwrap();
    }
    connection.pragma_update(None, "user_version", user_version).unwrap();
    drop(connection);
    std::fs::read(file).unwrap()
}

fn config(data_dir: PathBuf) -> Config {
    let mut config = Config { data_dir, ..Config::default() };
    config.evidence.embeddings = EmbeddingsMode::Off;
    config.judges.chain = vec!["rules/2".to_owned()];
    config
}

#[tokio::test]
async fn rejects_a_ledger_with_another_schema() {
    let folder = tempfile::tempdir().unwrap();
    SqliteLedger::open(Options::new(folder.path())).unwrap();
    let file = folder.path().join("ledger.sqlite3");
    let stored: i64 = Connection::open(&file)
        .unwrap()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(stored, 1);
    CheckedConfig::check(config(folder.path().to_owned()), Vec::new(), Problems::default())
        .unwrap();
    for (application_id, user_version, expected) in [
        (
            None,
            99,
            "has schema 99, but this server supports only schema 1; run the server that wrote it",
        ),
        (Some(DEVELOPMENT_LEDGER), 8, "has schema 8 of a development version; start with an empty"),
        (Some(DEVELOPMENT_LEDGER), 1, "has schema 1 of a development version; start with an empty"),
    ] {
        let original = tamper(&file, application_id, user_version);
        let check_result =
            CheckedConfig::check(config(folder.path().to_owned()), Vec::new(), Problems::default());
        let location: LedgerLocation =
            format!("sqlite:{}", folder.path().display()).parse().unwrap();
        for message in
            [check_result.unwrap_err().to_string(), location.open().await.unwrap_err().to_string()]
        {
            assert!(message.contains(expected), "{message}");
            assert!(message.contains("ledger.sqlite3"), "{message}");
        }
        assert_eq!(std::fs::read(&file).unwrap(), original);
    }
}

#[tokio::test]
async fn rejects_a_corpus_with_another_schema() {
    let data = tempfile::tempdir().unwrap();
    let start = || TestServer::with(|config| config.data_dir = data.path().to_owned());
    let server = start().await;
    let item = support::item("pool", "connection pool size is 20");
    server.evidence().put_evidence(put("inc-7", [item])).await.unwrap();
    server.wait_until_stopped().await.unwrap();
    let file = data.path().join("evidence/inc-7/corpus.sqlite3");
    let original = tamper(&file, Some(DEVELOPMENT_CORPUS), 2);
    let server = start().await;
    let error = server.evidence().search(search("inc-7", "pool")).await.unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
    assert!(error.message().contains("has schema 2 of a development version"), "{error}");
    assert_eq!(reason(&error), "EVIDENCE_UNUSABLE");
    assert_eq!(std::fs::read(file).unwrap(), original);
}
