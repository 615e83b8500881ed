//! Tests the engines: SQLite, the installed PostgreSQL, and PostgreSQL 16 with pgvector.

mod cases;
mod engines_agree;
mod measure;
mod postgres_only;
mod sqlite_only;

use std::collections::{HashMap, HashSet};

use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, EvidenceKind, Lane};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::store::VectorSpace;
use super::*;
use crate::storage::postgres::PostgresOptions;
use crate::storage::postgres::testing::{Kind, Postgres};

const BOUNDS: Bounds = Bounds {
    max_corpus_size: 64 << 20,
    max_size: 256 << 20,
    time_to_live: None,
    max_cached_size: 1 << 20,
};

enum Engine {
    Sqlite,
    Postgres(Postgres, Runtime),
}

struct Fixture {
    folder: TempDir,
    database: Option<(Database, Handle)>,
}

impl Engine {
    fn sqlite() -> Option<Self> {
        Some(Self::Sqlite)
    }

    fn postgres(kind: Kind) -> Option<Self> {
        Some(Self::Postgres(Postgres::start(kind)?, Runtime::new().unwrap()))
    }

    fn fixture(&self) -> Fixture {
        let database = match self {
            Self::Sqlite => None,
            Self::Postgres(postgres, runtime) => {
                let database = runtime.block_on(prepare_database(&postgres.database()));
                Some((database, runtime.handle().clone()))
            }
        };
        Fixture { folder: TempDir::new().unwrap(), database }
    }
}

impl Fixture {
    fn open(&self) -> Evidence {
        self.open_within(BOUNDS)
    }

    fn open_within(&self, bounds: Bounds) -> Evidence {
        let result = match self.database.clone() {
            None => Evidence::open(self.folder.path(), bounds, Embeddings::Off),
            Some(shared) => Evidence::open_shared(shared, bounds, Embeddings::Off),
        };
        result.unwrap()
    }

    /// Opens the store if its engine supports vectors.
    fn open_with_vectors(&self) -> Option<Evidence> {
        Some(self.open()).filter(|evidence| evidence.shared.store.vectors_unavailable().is_none())
    }
}

/// Creates all tables in a database.
async fn prepare_database(url: &str) -> Database {
    let database = Database::new(&PostgresOptions::new(url.parse().unwrap())).unwrap();
    postgres::SCHEMA.create(&database, true).await.unwrap();
    postgres::prepare_vectors(&database, true).await.unwrap();
    database
}

fn run_every_case(engine: Option<Engine>) {
    let Some(engine) = engine else { return };
    macro_rules! cases {
        ($($case:ident),* $(,)?) => {$({
            println!("{}", stringify!($case));
            cases::$case(&engine.fixture());
        })*};
    }
    cases!(
        stored_items_are_found_and_read,
        a_range_starts_at_a_whole_character,
        text_received_in_parts_equals_text_received_whole,
        stores_unchanged_items_once,
        incomplete_items_are_discarded,
        a_filter_restricts_a_search,
        corpora_are_listed_deleted_and_expired,
        limits_are_enforced,
        invalid_messages_affect_only_their_item,
        semantic_search_finds_the_nearest_passages,
        adding_items_resets_embedded_by,
        only_new_lines_of_long_texts_are_embedded,
        unusual_names_and_contents_round_trip,
        owners_have_separate_corpora,
    );
}

#[test]
fn every_case_passes_on_sqlite() {
    run_every_case(Engine::sqlite());
}

#[test]
fn every_case_passes_on_the_installed_postgres() {
    run_every_case(Engine::postgres(Kind::System));
}

#[test]
fn every_case_passes_on_postgres_16() {
    run_every_case(Engine::postgres(Kind::Pgvector));
}

fn space() -> VectorSpace {
    VectorSpace { dimension: 2, model: "ab".repeat(32) }
}

/// Waits for a condition. The test runner limits how long it waits.
fn wait_until(mut condition: impl FnMut() -> bool) {
    while !condition() {
        std::thread::yield_now();
    }
}

fn name(name: &str) -> CorpusName {
    CorpusName::new(name).unwrap()
}

fn item(id: &str, tool: &str, content: Content) -> EvidenceItem {
    let item = EvidenceItem::new(EvidenceId::new(id).unwrap(), Lane::Logs, content);
    EvidenceItem { tool: tool.to_owned(), ..item }
}

fn text(id: &str, text: &str) -> EvidenceItem {
    item(id, "kubectl logs cart-1", Content::Text(text.to_owned()))
}

fn put(evidence: &Evidence, corpus: &str, items: Vec<EvidenceItem>) -> (Summary, Vec<StoredItem>) {
    let mut put = evidence.put(name(corpus), None).unwrap();
    items.into_iter().for_each(|item| put.start_item(item).unwrap());
    put.finish().unwrap()
}

fn lexical(text: &str) -> Query<'_> {
    Query { text, vector: None, by_terms: true }
}

fn labels(evidence: &Evidence, corpus: &str, query: &str) -> Vec<String> {
    let hits = evidence.search(&name(corpus), &lexical(query), &Filter::default(), 5).unwrap();
    hits.hits.iter().map(Hit::label).collect()
}

fn log(lines: u32) -> String {
    (1..=lines)
        .map(|line| {
            format!(
                "2026-03-12T14:{:02}:00Z INFO order ORD-{line} took {} ms\n",
                line % 60,
                line * 7
            )
        })
        .collect()
}
