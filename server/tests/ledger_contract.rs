//! Tests that every ledger meets the same contract: SQLite, the system's PostgreSQL, and PostgreSQL 16.

mod cases;
mod postgres_alone;
mod random;
mod records;

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

async fn every_case(engine: &Engine) {
    macro_rules! cases {
        ($($case:ident),* $(,)?) => {$({
            eprintln!("{}", stringify!($case));
            let place = engine.place(stringify!($case));
            cases::$case(&place).await;
        })*};
    }
    cases!(
        a_record_round_trips,
        one_of_concurrent_records_with_a_key_is_new,
        a_key_of_another_request_is_refused,
        an_id_names_one_evaluation,
        lists_are_filtered_and_paged,
        entries_have_documents_and_grades_and_pages_are_bounded,
        counts_are_those_of_the_lists,
        a_following_reader_misses_nothing,
        a_name_that_cannot_be_stored_matches_nothing,
        contents_belong_to_their_evaluations,
        the_latest_grades_are_stored,
        an_investigation_has_one_event_per_step,
        an_event_and_its_evaluation_are_recorded_together,
        deletion_removes_unshared_rows,
        acknowledged_records_survive_closing,
        owners_have_their_own_names,
        an_owner_sees_its_own_evaluations_unless_it_may_see_all,
        a_closed_ledger_returns_closed,
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sqlite() {
    every_case(&Engine::Sqlite(TempDir::new().unwrap())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn postgres_of_the_system() {
    let Some(postgres) = Postgres::start(Kind::System) else { return };
    every_case(&Engine::Postgres(postgres)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn postgres_16() {
    let Some(postgres) = Postgres::start(Kind::Pgvector) else { return };
    every_case(&Engine::Postgres(postgres)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn postgres_alone() {
    let Some(postgres) = Postgres::start(Kind::System).or_else(|| Postgres::start(Kind::Pgvector))
    else {
        return;
    };
    postgres_alone::a_schema_is_created_once_and_another_one_is_refused(&postgres).await;
    postgres_alone::retention_deletes_rows_and_drops_months(&postgres).await;
    postgres_alone::unreferenced_rows_are_swept(&postgres).await;
    postgres_alone::rows_that_are_swept_away_in_use_are_written_again(&postgres).await;
}

/// Copies in both directions, and copies that are repeated.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn copied_ledger_is_equal() {
    let Some(postgres) = Postgres::start(Kind::System).or_else(|| Postgres::start(Kind::Pgvector))
    else {
        return;
    };
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
async fn engines_give_equal_answers() {
    let Some(postgres) = Postgres::start(Kind::System).or_else(|| Postgres::start(Kind::Pgvector))
    else {
        return;
    };
    let (sqlite, postgres_engine) =
        (Engine::Sqlite(TempDir::new().unwrap()), Engine::Postgres(postgres));
    for seed in 0..12 {
        let name = seed.to_string();
        let (sqlite, postgres_engine) =
            (sqlite.place(&name).open().await, postgres_engine.place(&name).open().await);
        random::compare(&*sqlite, &*postgres_engine, seed).await;
    }
}
