//! Tests servers that share a database.

use super::*;

fn postgres() -> Option<(Engine, Fixture)> {
    let engine = Engine::postgres(Kind::Pgvector).or_else(|| Engine::postgres(Kind::System))?;
    let fixture = engine.fixture();
    Some((engine, fixture))
}

impl Fixture {
    /// Runs statements in the database.
    fn run(&self, sql: &'static str) {
        let (database, runtime) = self.database.as_ref().unwrap();
        let batch = database.run(sql, |client, sql, _| Box::pin(client.batch_execute(sql)));
        runtime.block_on(batch).unwrap();
    }

    pub(super) fn count(&self, sql: &'static str) -> i64 {
        let (database, runtime) = self.database.as_ref().unwrap();
        let row = database.run(sql, |client, sql, _| Box::pin(client.query_one(*sql, &[])));
        runtime.block_on(row).unwrap().get(0)
    }
}

#[test]
fn servers_share_items() {
    let Some((_engine, fixture)) = postgres() else { return };
    let (first, second) = (fixture.open(), fixture.open());
    put(&first, "c", vec![text("a", "disk is full")]);
    assert_eq!(labels(&second, "c", "disk"), ["a#L1-1"]);
    let before = second.items(&name("c")).unwrap();
    put(&first, "c", vec![text("a", "disk has room"), text("b", "cpu is high")]);
    let after = second.items(&name("c")).unwrap();
    assert_eq!((before.len(), after.len()), (1, 2), "the cache must not be stale");
    second.delete(&name("c")).unwrap();
    assert!(matches!(first.items(&name("c")), Err(StoreError::UnknownCorpus { .. })));
}

#[test]
fn concurrent_servers_store_an_item_once() {
    let Some((_engine, fixture)) = postgres() else { return };
    let servers: Vec<Evidence> = (0..4).map(|_| fixture.open()).collect();
    std::thread::scope(|scope| {
        for (number, evidence) in servers.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..5 {
                    let own_item = format!("of {number} in round {round}\n{}", log(40));
                    let own_item = text(&format!("own-{number}"), &own_item);
                    let shared_item = text("same", "one line for all of them\n");
                    put(evidence, "c", vec![own_item, shared_item, text("log", &log(300))]);
                }
            });
        }
    });
    let summary = servers[0].summary(&name("c")).unwrap();
    assert_eq!(summary.items, 6, "{summary:?}");
    assert_eq!(servers[0].items(&name("c")).unwrap().len(), 6);
    servers[0].delete_expired().unwrap();
    assert_eq!(fixture.count("SELECT count(*) FROM evidence_items"), 6);
    let wrong_counts = "SELECT count(*) FROM evidence_common_terms AS common WHERE passages < 0 OR passages > \
         (SELECT count(*) FROM evidence_passages WHERE words @@ ('''' || corpus || ' ' || term || '''')::tsquery)";
    assert_eq!(fixture.count(wrong_counts), 0);
    let matching_totals = "SELECT count(*) FROM evidence_corpora AS corpora, \
         (SELECT sum(size) AS size, sum(passages) AS passages, sum(words) AS words FROM evidence_items) AS items \
         WHERE corpora.size = items.size AND corpora.passages = items.passages AND corpora.words = items.words";
    assert_eq!(fixture.count(matching_totals), 1);
}

#[test]
fn an_item_of_a_stopped_server_is_swept_after_an_hour() {
    let Some((_engine, fixture)) = postgres() else { return };
    let evidence = fixture.open();
    put(&evidence, "c", vec![text("kept", "kept line\n")]);
    let mut interrupted = evidence.put(name("c"), None).unwrap();
    interrupted.start_item(text("torn", &log(20_000))).unwrap();
    std::mem::forget(interrupted);
    evidence.delete_expired().unwrap();
    assert!(
        !labels(&evidence, "c", "ORD-11").is_empty(),
        "the sweep must not delete an item that may still be received"
    );
    fixture.run("UPDATE evidence_items SET touched_at = now() - interval '2 hours' WHERE state = 'receiving'");
    evidence.delete_expired().unwrap();
    assert!(labels(&evidence, "c", "ORD-11").is_empty());
    assert_eq!(labels(&evidence, "c", "kept"), ["kept#L1-1"]);
    assert_eq!(fixture.count("SELECT count(*) FROM evidence_passages"), 1);
    assert_eq!(fixture.count("SELECT count(*) FROM evidence_contents"), 1);
}

#[test]
fn a_deleted_corpus_leaves_no_rows() {
    let Some((_engine, fixture)) = postgres() else { return };
    let evidence = fixture.open();
    put(&evidence, "c", vec![text("log", &log(20_000)), text("a", "disk is full")]);
    evidence.delete(&name("c")).unwrap();
    // A new corpus with the same name.
    put(&evidence, "c", vec![text("b", "cpu is high")]);
    evidence.delete_expired().unwrap();
    for (sql, expected) in [
        ("SELECT count(*) FROM evidence_corpora", 1),
        ("SELECT count(*) FROM evidence_items", 1),
        ("SELECT count(*) FROM evidence_passages", 1),
        ("SELECT count(*) FROM evidence_contents", 1),
        ("SELECT count(*) FROM evidence_common_terms", 0),
    ] {
        assert_eq!(fixture.count(sql), expected, "{sql}");
    }
    assert_eq!(labels(&evidence, "c", "cpu"), ["b#L1-1"]);
}

#[test]
fn storing_in_a_deleted_corpus_fails() {
    let Some((_engine, fixture)) = postgres() else { return };
    let evidence = fixture.open();
    let mut upload = evidence.put(name("c"), None).unwrap();
    upload.start_item(text("a", "disk is full")).unwrap();
    evidence.delete(&name("c")).unwrap();
    assert!(matches!(upload.finish(), Err(StoreError::UnknownCorpus { .. })));
    assert!(evidence.list(None, 9).unwrap().is_empty());
}

#[test]
fn the_index_agrees_with_a_full_comparison() {
    let Some(engine) = Engine::postgres(Kind::Pgvector) else { return };
    let fixture = engine.fixture();
    let evidence = fixture.open();
    let mut random = fastrand::Rng::with_seed(7);
    let mut vector = || {
        let angle = random.f32() * std::f32::consts::TAU;
        Vector::from([angle.cos(), angle.sin()].as_slice())
    };
    let items =
        (0..400).map(|number| text(&format!("i{number}"), &format!("item number {number}")));
    for corpus in ["c", "other"] {
        put(&evidence, corpus, items.clone().collect());
        let corpus = evidence.corpus(&name(corpus), false).unwrap();
        let mut last_number = 0;
        while let Some((last, _)) =
            corpus.passages_without_vector(&space(), last_number).unwrap().last()
        {
            let passages = corpus.passages_without_vector(&space(), last_number).unwrap();
            let added = passages.iter().map(|(number, _)| (*number, vector())).collect();
            corpus.add_vectors(&space(), added).unwrap();
            last_number = *last;
        }
    }
    let corpus = evidence.corpus(&name("c"), false).unwrap();
    let query = Query { text: "", vector: None, by_terms: false };
    let nearest = |vector: &Vector| -> Vec<i64> {
        let meaning = Some((&**vector, Ok(space())));
        let result = corpus.search(&query, meaning, &Filter::default(), 2).unwrap();
        result.hits.iter().map(|hit| hit.passage).collect()
    };
    let queries: Vec<Vector> = (0..20).map(|_| vector()).collect();
    let exact: Vec<Vec<i64>> = queries.iter().map(nearest).collect();
    let (database, runtime) = fixture.database.as_ref().unwrap();
    let number = fixture.count("SELECT number FROM evidence_corpora WHERE name = 'c'");
    let index = postgres::Index::new(number, &space());
    runtime.block_on(index.clone().build_with_minimum(database, 100)).unwrap();
    runtime.block_on(index.build_with_minimum(database, 100)).unwrap();
    let count_indexes =
        "SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'evidence_vectors_of_%'";
    assert_eq!(fixture.count(count_indexes), 1);
    let indexed: Vec<Vec<i64>> = queries.iter().map(nearest).collect();
    let equal_count = indexed.iter().zip(&exact).filter(|(left, right)| left == right).count();
    assert!(equal_count >= 19, "{equal_count} of 20");
    evidence.delete(&name("c")).unwrap();
    evidence.delete_expired().unwrap();
    assert_eq!(fixture.count(count_indexes), 0);
}

#[test]
fn without_pgvector_search_is_lexical() {
    let Some(engine) = Engine::postgres(Kind::System) else { return };
    let fixture = engine.fixture();
    let evidence = fixture.open();
    let Some(reason) = evidence.shared.store.vectors_unavailable() else { return };
    assert!(reason.contains("CREATE EXTENSION vector"), "{reason}");
    put(&evidence, "c", vec![text("a", "disk is full")]);
    let (_, runtime) = fixture.database.as_ref().unwrap();
    let (method, degraded) = runtime.block_on(evidence.search_method());
    assert_eq!((method, degraded.as_deref()), (Method::Lexical, Some(reason)));
}

#[test]
fn servers_share_the_vector_cache() {
    use gsar_embedding::{Cache as _, Key};
    let Some((_engine, fixture)) = postgres() else { return };
    let open = || {
        let (database, runtime) = fixture.database.clone().unwrap();
        PostgresCorpora::open(database, runtime).unwrap()
    };
    let [a, b, c] = ["a", "b", "c"].map(|text| Key::new(&[7; 32], text));
    let vector = Vector::from([0.6_f32, 0.8].as_slice());
    let cache = open().vector_cache();
    cache.put_many(&[(a, Vector::clone(&vector)), (c, Vector::clone(&vector))]).unwrap();
    cache.put_many(&[(a, Vector::clone(&vector))]).unwrap();
    let cached = open().vector_cache().get_many(&[c, b, a]).unwrap();
    assert_eq!(cached, [Some(Vector::clone(&vector)), None, Some(vector)]);
}
