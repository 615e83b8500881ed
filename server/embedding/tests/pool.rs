//! Tests the pool with fake sessions.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gsar_embedding::{
    Cache, CacheError, EmbedError, Embedder, Key, LayeredCache, MemoryCache, Options, Priority,
    Session, SqliteCache, StartError, Vector,
};
use support::{Gate, Ungated, gated, vector_of};

const DIGEST: [u8; 32] = [3; 32];

fn options() -> Options {
    Options { workers: 1, batch_texts: 4, batch_bytes: 4096, queue_bytes: 16 << 20 }
}

fn gated_pool(options: &Options, cache: Option<Box<dyn Cache>>) -> (Embedder, Gate) {
    let (session, gate) = gated();
    (Embedder::with_sessions(vec![session], DIGEST, options, cache).unwrap(), gate)
}

fn ungated_pool(cache: Option<Box<dyn Cache>>) -> Embedder {
    Embedder::with_sessions(vec![Box::new(Ungated), Box::new(Ungated)], DIGEST, &options(), cache)
        .unwrap()
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn expected(texts: &[&str]) -> Vec<Vec<f32>> {
    texts.iter().map(|text| vector_of(text)).collect()
}

fn assert_near(vectors: &[Vector], expected: &[Vec<f32>]) {
    assert_eq!(vectors.len(), expected.len());
    for (vector, expected) in vectors.iter().zip(expected) {
        assert_eq!(vector.len(), expected.len());
        assert!(vector.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6));
    }
}

/// Yields until `count` texts are waiting.
async fn until_waiting(embedder: &Embedder, count: usize) {
    while embedder.statistics().waiting != count {
        tokio::task::yield_now().await;
    }
}

fn spawn_embed(
    embedder: &Embedder,
    texts: &[&str],
    priority: Priority,
) -> tokio::task::JoinHandle<Result<Vec<Vector>, EmbedError>> {
    let (embedder, texts) = (embedder.clone(), owned(texts));
    tokio::spawn(async move { embedder.embed(texts, priority).await })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn preserves_the_order_of_texts() {
    let long = "long ".repeat(300);
    let texts = ["b", &long, "", "a", "b", "middle of the road", &long, "\0", "b"];
    for cache in [None, Some(Box::new(MemoryCache::new(1 << 20)) as Box<dyn Cache>)] {
        let embedder = ungated_pool(cache);
        for _ in 0..2 {
            let vectors = embedder.embed(owned(&texts), Priority::Query).await.unwrap();
            assert_near(&vectors, &expected(&texts));
        }
    }
    let embedder = ungated_pool(None);
    assert!(embedder.embed(Vec::new(), Priority::Query).await.unwrap().is_empty());
    assert_eq!(embedder.statistics().computed, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_share_batches_and_each_text_is_computed_once() {
    let (embedder, gate) = gated_pool(&options(), None);
    let first = spawn_embed(&embedder, &["first"], Priority::Background);
    assert_eq!(gate.started.recv().unwrap(), ["first"]);
    let first_caller = spawn_embed(&embedder, &["a", "b"], Priority::Background);
    let second_caller = spawn_embed(&embedder, &["b", "c", "first"], Priority::Background);
    until_waiting(&embedder, 3).await;
    gate.proceed.send(()).unwrap();
    let mut batch = gate.pass();
    batch.sort();
    assert_eq!(batch, ["a", "b", "c"]);
    assert_near(&first.await.unwrap().unwrap(), &expected(&["first"]));
    assert_near(&first_caller.await.unwrap().unwrap(), &expected(&["a", "b"]));
    // Without a cache, "first" may be computed again if it was requested after its answer was sent.
    drop(gate);
    assert_near(&second_caller.await.unwrap().unwrap(), &expected(&["b", "c", "first"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queries_overtake_background_work() {
    let (embedder, gate) = gated_pool(&Options { batch_texts: 1, ..options() }, None);
    let first = spawn_embed(&embedder, &["first"], Priority::Background);
    gate.started.recv().unwrap();
    let background = spawn_embed(&embedder, &["later one", "later two"], Priority::Background);
    until_waiting(&embedder, 2).await;
    let query = spawn_embed(&embedder, &["now"], Priority::Query);
    until_waiting(&embedder, 3).await;
    gate.proceed.send(()).unwrap();
    assert_eq!(gate.pass(), ["now"]);
    query.await.unwrap().unwrap();
    assert_eq!(gate.pass(), ["later one"]);
    assert_eq!(gate.pass(), ["later two"]);
    background.await.unwrap().unwrap();
    first.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_texts_are_not_computed() {
    let (embedder, gate) = gated_pool(&options(), Some(Box::new(MemoryCache::new(1 << 20))));
    let first = spawn_embed(&embedder, &["first"], Priority::Query);
    gate.started.recv().unwrap();
    let cancelled = spawn_embed(&embedder, &["a", "b"], Priority::Query);
    let waiting = spawn_embed(&embedder, &["b"], Priority::Query);
    until_waiting(&embedder, 2).await;
    cancelled.abort();
    cancelled.await.unwrap_err();
    until_waiting(&embedder, 1).await;
    first.abort();
    gate.proceed.send(()).unwrap();
    assert_eq!(gate.pass(), ["b"]);
    waiting.await.unwrap().unwrap();
    // A text that has started is computed and cached even if its caller was dropped.
    embedder.embed(owned(&["first"]), Priority::Query).await.unwrap();
    let statistics = embedder.statistics();
    assert_eq!((statistics.computed, statistics.known, statistics.waiting), (2, 1, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_wait_while_their_queue_is_full() {
    let options = Options { batch_texts: 1, queue_bytes: 4096, ..options() };
    let (embedder, gate) = gated_pool(&options, None);
    let texts: Vec<String> = (0..40).map(|number| format!("text {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let background = spawn_embed(&embedder, &texts, Priority::Background);
    gate.started.recv().unwrap();
    // Each text adds 256 bytes, so 15 fit.
    until_waiting(&embedder, 15).await;
    let query = spawn_embed(&embedder, &["now"], Priority::Query);
    until_waiting(&embedder, 16).await;
    gate.proceed.send(()).unwrap();
    assert_eq!(gate.pass(), ["now"]);
    query.await.unwrap().unwrap();
    let large = "x".repeat(100_000);
    let large = spawn_embed(&embedder, &[&large], Priority::Query);
    for _ in 0..40 {
        gate.pass();
    }
    background.await.unwrap().unwrap();
    large.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_text_fails_only_its_callers() {
    let embedder = ungated_pool(Some(Box::new(MemoryCache::new(1 << 20))));
    for bad in ["bad", "bad panic", "wide", "nan", "zero"] {
        let bad_caller = spawn_embed(&embedder, &["good one", bad], Priority::Query);
        let good_caller = spawn_embed(&embedder, &["good two", "good one"], Priority::Query);
        assert_near(&good_caller.await.unwrap().unwrap(), &expected(&["good two", "good one"]));
        let error = bad_caller.await.unwrap().unwrap_err();
        assert!(
            matches!(error, EmbedError::Session { bytes, .. } if bytes == bad.len()),
            "{error}"
        );
    }
    assert_eq!(embedder.statistics().failed, 5);
    embedder.embed(owned(&["bad"]), Priority::Query).await.unwrap_err();
    assert_eq!(embedder.statistics().failed, 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_callers_compute_each_text_once() {
    let embedder = ungated_pool(Some(Box::new(MemoryCache::new(1 << 20))));
    let callers: Vec<_> = (0..64)
        .map(|caller| {
            let texts: Vec<String> =
                (0..50).map(|index| format!("text {}", (index * 7 + caller) % 100)).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let priority = if caller % 2 == 0 { Priority::Query } else { Priority::Background };
            spawn_embed(&embedder, &texts, priority)
        })
        .collect();
    for caller in callers {
        assert_eq!(caller.await.unwrap().unwrap().len(), 50);
    }
    assert_eq!(embedder.statistics().computed, 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn vectors_are_cached_across_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let texts = owned(&["a", "b", "c", "a"]);
    let mut computed = Vec::new();
    for _ in 0..2 {
        let file = SqliteCache::open(&folder.path().join("vectors.sqlite3"), 1 << 30).unwrap();
        let cache = LayeredCache::new(MemoryCache::new(1 << 20), file);
        let embedder = ungated_pool(Some(Box::new(cache)));
        let vectors = embedder.embed(texts.clone(), Priority::Background).await.unwrap();
        assert_near(&vectors, &expected(&["a", "b", "c", "a"]));
        computed.push(embedder.statistics().computed);
    }
    assert_eq!(computed, [3, 0]);
}

struct Broken {
    panics: bool,
    was_called: Arc<AtomicBool>,
}

impl Cache for Broken {
    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Vector>>, CacheError> {
        self.was_called.store(true, Ordering::Relaxed);
        assert!(!self.panics, "expected panic");
        // One vector too few, with the wrong dimension and length.
        Ok(vec![Some(vec![1.0; keys.len()].into())])
    }

    fn put_many(&self, _vectors: &[(Key, Vector)]) -> Result<(), CacheError> {
        Err(CacheError::Other("full".to_owned()))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_cache_does_not_fail_requests() {
    for panics in [false, true] {
        let was_called = Arc::new(AtomicBool::new(false));
        let embedder =
            ungated_pool(Some(Box::new(Broken { panics, was_called: Arc::clone(&was_called) })));
        for texts in [["a", "b"], ["b", "c"]] {
            let vectors = embedder.embed(owned(&texts), Priority::Query).await.unwrap();
            assert_near(&vectors, &expected(&texts));
        }
        assert!(was_called.load(Ordering::Relaxed));
        assert!(embedder.statistics().cache_faults > 0);
        assert_eq!(embedder.statistics().known, 0);
    }
}

#[test]
fn rejects_sessions_of_different_models() {
    struct Other;
    impl Session for Other {
        fn dimension(&self) -> usize {
            5
        }
        fn max_text_bytes(&self) -> usize {
            1
        }
        fn embed(&mut self, _: &[&str]) -> Result<Vec<Vec<f32>>, gsar_embedding::SessionError> {
            Ok(Vec::new())
        }
    }
    let sessions: Vec<Box<dyn Session>> = vec![Box::new(Ungated), Box::new(Other)];
    let error = Embedder::with_sessions(sessions, DIGEST, &options(), None).unwrap_err();
    assert_eq!(error, StartError::Dimensions { first: 8, other: 5 });
    let error = Embedder::with_sessions(Vec::new(), DIGEST, &options(), None).unwrap_err();
    assert!(matches!(error, StartError::InvalidOption { field: "workers", .. }));
}
