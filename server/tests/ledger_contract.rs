//! Tests that all ledgers meet the same contract: SQLite, the system's PostgreSQL, and PostgreSQL 16.

mod cases;
mod postgres_alone;
mod random;
pub(crate) mod records;

use std::path::PathBuf;
use std::sync::Arc;

use gsar_server::ledger::{
    CopyError, Ledger, Options, PostgresLedger, PostgresLedgerOptions, PostgresOptions,
    SqliteLedger, copy_ledger,
};
use tempfile::TempDir;

use crate::support::postgres::{Kind, Postgres};

enum Engine {
    Sqlite(TempDir),
    Postgres(Postgres),
}

enum Place {
    Folder(PathBuf),
    Database(String),
}

impl Engine {
    fn place(&self, name: &str) -> Place {
        match self {
            Self::Sqlite(folder) => Place::Folder(folder.path().join(name)),
            Self::Postgres(postgres) => Place::Database(postgres.database()),
        }
    }
}

impl Place {
    async fn open(&self) -> Arc<dyn Ledger> {
        match self {
            Self::Folder(folder) => {
                let folder = folder.clone();
                let opened =
                    tokio::task::spawn_blocking(|| SqliteLedger::open(Options::new(folder)));
                Arc::new(opened.await.unwrap().unwrap())
            }
            Self::Database(url) => {
                let database = PostgresOptions::new(url.parse().unwrap());
                let options = PostgresLedgerOptions { database, max_age: None };
                Arc::new(PostgresLedger::open(options).await.unwrap())
            }
        }
    }
}

async fn run_every_case(engine: &Engine) {
    macro_rules! cases {
        ($($case:ident),* $(,)?) => {$({
            eprintln!("{}", stringify!($case));
            let place = engine.place(stringify!($case));
            cases::$case(&place).await;
        })*};
    }
    cases!(
        records_round_trip,
        only_one_of_several_concurrent_records_with_a_key_is_new,
        rejects_a_key_of_another_request,
        evaluation_ids_are_unique,
        lists_are_filtered_and_paged,
        entries_contain_documents_and_grades_on_bounded_pages,
        counts_match_the_lists,
        following_reader_misses_no_record,
        names_that_cannot_be_stored_match_nothing,
        contents_belong_to_their_evaluations,
        latest_grades_are_stored,
        investigations_have_one_event_per_step,
        event_and_evaluation_are_recorded_together,
        deletion_removes_only_unshared_rows,
        acknowledged_records_survive_closing,
        owners_have_their_own_keys_and_investigation_ids,
        owners_see_only_their_own_evaluations_unless_they_may_see_all,
        closed_ledger_returns_the_closed_error,
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sqlite_meets_the_contract() {
    run_every_case(&Engine::Sqlite(TempDir::new().unwrap())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn system_postgres_meets_the_contract() {
    let Some(postgres) = Postgres::start(Kind::System) else { return };
    run_every_case(&Engine::Postgres(postgres)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn postgres_16_meets_the_contract() {
    let Some(postgres) = Postgres::start(Kind::Pgvector) else { return };
    run_every_case(&Engine::Postgres(postgres)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn postgres_passes_its_own_cases() {
    let Some(postgres) = Postgres::any() else { return };
    postgres_alone::schema_is_created_once_and_other_schemas_are_rejected(&postgres).await;
    postgres_alone::retention_deletes_rows_and_drops_monthly_partitions(&postgres).await;
    postgres_alone::unreferenced_rows_are_swept(&postgres).await;
    postgres_alone::rows_swept_while_in_use_are_written_again(&postgres).await;
}

/// Copies ledgers in both directions and repeats a copy.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn copied_ledger_equals_the_original() {
    let Some(postgres) = Postgres::any() else { return };
    let (sqlite, postgres) = (Engine::Sqlite(TempDir::new().unwrap()), Engine::Postgres(postgres));
    let (source, copy, second_copy) = (
        sqlite.place("first").open().await,
        postgres.place("").open().await,
        sqlite.place("third").open().await,
    );
    random::fill(&*source).await;
    random::fill_for_an_owner(&*source).await;
    let counts = copy_ledger(&*source, &*copy).await.unwrap();
    assert!(
        counts.evaluations > 20 && counts.investigations > 0 && counts.existing == 0,
        "{counts}"
    );
    let repeated_counts = copy_ledger(&*source, &*copy).await.unwrap();
    assert_eq!(
        (repeated_counts.evaluations, repeated_counts.existing, repeated_counts.investigations),
        (0, counts.evaluations, 0)
    );
    assert_eq!(copy_ledger(&*copy, &*second_copy).await, Ok(counts));
    for seed in 100..103 {
        random::compare(&*source, &*second_copy, seed).await;
    }
    let result = copy_ledger(&*second_copy, &*copy).await;
    assert!(matches!(result, Err(CopyError::Differs(_) | CopyError::Ledger(_))), "{result:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn engines_give_the_same_answers() {
    let Some(postgres) = Postgres::any() else { return };
    let (sqlite, postgres_engine) =
        (Engine::Sqlite(TempDir::new().unwrap()), Engine::Postgres(postgres));
    for seed in 0..12 {
        let name = seed.to_string();
        let (sqlite, postgres_engine) =
            (sqlite.place(&name).open().await, postgres_engine.place(&name).open().await);
        random::compare(&*sqlite, &*postgres_engine, seed).await;
    }
}
