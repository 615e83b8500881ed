//! Cases for PostgreSQL ledgers only: schema creation, partitions and shared rows.

use std::sync::Arc;
use std::time::Duration;

use gsar_server::ledger::{
    Cursor, Ledger, LedgerError, PostgresLedger, PostgresLedgerOptions, PostgresOptions, Record,
    Recorded, SchemaMismatch,
};

use crate::ledger_contract::records::{
    event, first_page, list_ids, record, record_all, start, with_contents,
};
use crate::support::postgres::Postgres;

fn options(url: &str) -> PostgresLedgerOptions {
    PostgresLedgerOptions { database: PostgresOptions::new(url.parse().unwrap()), max_age: None }
}

async fn open(url: &str) -> PostgresLedger {
    PostgresLedger::open(options(url)).await.unwrap()
}

fn now_micros(postgres: &Postgres, url: &str) -> i64 {
    postgres.query(url, "SELECT (extract(epoch FROM now()) * 1000000)::bigint").parse().unwrap()
}

pub(crate) async fn schema_is_created_once_and_other_schemas_are_rejected(postgres: &Postgres) {
    let url = postgres.database();
    let mut without_migration = options(&url);
    without_migration.database.migrate = false;
    let mismatch = async |options: PostgresLedgerOptions| match PostgresLedger::open(options)
        .await
        .unwrap_err()
    {
        LedgerError::Schema { mismatch, .. } => mismatch,
        error => panic!("{error}"),
    };
    assert_eq!(mismatch(without_migration.clone()).await, SchemaMismatch::Missing);
    let opening: Vec<_> = (0..4)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move { open(&url).await })
        })
        .collect();
    for (number, opened) in opening.into_iter().enumerate() {
        let ledger = opened.await.unwrap();
        record_all(&ledger, [record(u32::try_from(number).unwrap())]).await;
    }
    PostgresLedger::open(without_migration).await.unwrap();
    assert_eq!(postgres.query(&url, "SELECT version FROM gsar_schemas WHERE part = 'ledger'"), "1");

    postgres.query(&url, "UPDATE gsar_schemas SET version = 99 WHERE part = 'ledger'");
    assert_eq!(mismatch(options(&url)).await, SchemaMismatch::Unsupported { found: 99 });
    assert_eq!(postgres.query(&url, "SELECT count(*) FROM evaluations"), "4");

    postgres.query(&url, "DROP TABLE gsar_schemas");
    postgres
        .query(&url, "CREATE TABLE gsar_schema AS SELECT 'ledger' AS part, 2::bigint AS version");
    assert_eq!(mismatch(options(&url)).await, SchemaMismatch::Development { found: 2 });
}

pub(crate) async fn retention_deletes_rows_and_drops_monthly_partitions(postgres: &Postgres) {
    const DAY: i64 = 24 * 3_600 * 1_000_000;
    let url = postgres.database();
    let ledger = open(&url).await;
    let now_micros = now_micros(postgres, &url);
    let partitions = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'evaluations'::regclass";
    assert_eq!(
        postgres.query(&url, partitions),
        "4",
        "three monthly partitions and one for all other rows"
    );
    postgres.query(
        &url,
        "CREATE TABLE evaluations_202001 PARTITION OF evaluations FOR VALUES FROM (1577836800000000) TO (1580515200000000)",
    );
    let record_at = |number, evaluated_at_micros| Record {
        evaluated_at_micros,
        investigation_id: format!("i{number}"),
        ..with_contents(number, &["shared", &number.to_string()])
    };
    for number in [1, 2, 3] {
        ledger.start_investigation(start(&format!("i{number}"))).await.unwrap();
    }
    record_all(
        &ledger,
        [
            record_at(1, 1_577_836_800_000_001),
            record_at(2, now_micros - 40 * DAY),
            record_at(3, now_micros),
        ],
    )
    .await;
    assert_eq!(postgres.query(&url, "SELECT count(*) FROM evaluations_202001"), "1");

    ledger.apply_retention(Duration::from_secs(30 * 24 * 3_600)).await.unwrap();
    assert_eq!(list_ids(&ledger, &first_page(Cursor::NEWEST, 50)).await, [record(3).evaluation_id]);
    assert_eq!(postgres.query(&url, partitions), "4");
    assert_eq!(postgres.query(&url, "SELECT count(*) FROM evaluation_ids"), "1");
    assert_eq!(postgres.query(&url, "SELECT count(*) FROM evidence_sets"), "1");
    assert_eq!(postgres.query(&url, "SELECT count(*) FROM contents"), "2");
    assert_eq!(
        postgres.query(&url, "SELECT string_agg(investigation_id, ' ') FROM investigations"),
        "i3"
    );
}

pub(crate) async fn unreferenced_rows_are_swept(postgres: &Postgres) {
    let url = postgres.database();
    let ledger = open(&url).await;
    record_all(&ledger, [with_contents(1, &["kept"])]).await;
    for number in 0..1_200 {
        let row = format!("decode(md5('{number}') || md5('x{number}'), 'hex')");
        if number % 400 == 0 {
            postgres
                .query(&url, &format!("INSERT INTO policies (digest, toml) VALUES ({row}, '')"));
        }
    }
    postgres.query(
        &url,
        "INSERT INTO contents (digest, packed) SELECT decode(md5(n::text) || md5('x' || n), 'hex'), '' FROM generate_series(1, 1200) AS n",
    );
    // Each call scans 500 rows of each table.
    for _ in 0..3 {
        ledger.apply_retention(Duration::from_secs(3_600 * 24 * 365 * 100)).await.unwrap();
    }
    assert_eq!(postgres.query(&url, "SELECT count(*) FROM contents"), "1");
    assert_eq!(postgres.query(&url, "SELECT count(*) FROM policies"), "1");
    assert!(ledger.read(&record(1).evaluation_id).await.unwrap().is_some());
}

pub(crate) async fn rows_swept_while_in_use_are_written_again(postgres: &Postgres) {
    let url = postgres.database();
    let (first_ledger, second_ledger) = (Arc::new(open(&url).await), Arc::new(open(&url).await));
    first_ledger.start_investigation(start("i")).await.unwrap();
    // Both ledgers record the same content, and then each deletes the other's evaluation.
    for round in 0..20 {
        let record_in_round = |number| Record {
            investigation_id: String::new(),
            event: (number % 2 == 0).then(|| event("i", round + 1, "x")),
            ..with_contents(number, &["shared"])
        };
        let (first, second) = (record_in_round(2 * round), record_in_round(2 * round + 1));
        let ids = [first.evaluation_id.clone(), second.evaluation_id.clone()];
        let (first_result, second_result) =
            tokio::join!(first_ledger.record(first), second_ledger.record(second));
        assert_eq!((first_result, second_result), (Ok(Recorded::New), Ok(Recorded::New)));
        let (first_result, second_result) =
            tokio::join!(second_ledger.delete(&ids[0]), first_ledger.delete(&ids[1]));
        assert_eq!((first_result, second_result), (Ok(true), Ok(true)));
    }
    // With two concurrent deletions, each may retain rows because the other evaluation still references them.
    first_ledger.apply_retention(Duration::from_secs(3_600 * 24 * 365 * 100)).await.unwrap();
    assert_eq!(postgres.query(&url, "SELECT count(*) FROM evidence_sets"), "0");
    assert_eq!(first_ledger.investigation("i").await.unwrap().unwrap().events.len(), 20);
}
