//! Tests for the cached judge.

mod damage;
mod sharing;

use std::path::Path;
use std::time::Duration;

use futures_util::FutureExt;
use metrics_exporter_prometheus::PrometheusBuilder;

use super::testing::{LIMITS, ScriptedJudge, call, claim, item, judgement, question};
use super::*;
use crate::judge::clock::testing::ManualClock;
use crate::judge::database::FILE;

const NOON: i64 = 1_000_000;

fn with_memory_cache(judge: &Arc<ScriptedJudge>) -> CachedJudge {
    let judgements = JudgementCache::in_memory(LIMITS, ManualClock::new(NOON).clock());
    cached_judge(judge, judgements)
}

fn with_disk_cache(judge: &Arc<ScriptedJudge>, folder: &Path) -> CachedJudge {
    cached_judge(judge, JudgementCache::open(folder, LIMITS, ManualClock::new(NOON).clock()))
}

fn cached_judge(judge: &Arc<ScriptedJudge>, judgements: JudgementCache) -> CachedJudge {
    let judge: Arc<dyn Judge> = Arc::clone(judge) as _;
    CachedJudge::new(judge, "a fingerprint".to_owned(), Arc::new(judgements))
}

fn debug_text(answer: &Result<Judgement, JudgeError>) -> String {
    format!("{answer:?}")
}

fn uncached_answer() -> String {
    debug_text(&Ok(judgement()))
}

fn cached_answer() -> String {
    debug_text(&Ok(cached_copy(&judgement())))
}

#[tokio::test]
async fn a_cached_answer_is_identical_but_free() {
    let judge = ScriptedJudge::new(9, &[]);
    let cached = with_memory_cache(&judge);
    assert_eq!(debug_text(&cached.judge(&question()).await), uncached_answer());
    assert_eq!(debug_text(&cached.judge(&question()).await), cached_answer());
    assert_eq!(judge.call_count(), 1);
    let calls = cached.judge(&question()).await.unwrap().calls;
    let free_call = ModelCall {
        input_tokens: 0,
        output_tokens: 0,
        cost_micros: Some(0),
        attempts: 0,
        from_cache: true,
        ..call()
    };
    assert_eq!(calls, [free_call]);
}

#[tokio::test]
async fn a_different_question_or_fingerprint_is_a_miss() {
    let judge = ScriptedJudge::new(9, &[]);
    let judgements = Arc::new(JudgementCache::in_memory(LIMITS, ManualClock::new(NOON).clock()));
    for (fingerprint, sample, expected_calls) in
        [("a", 0, 1), ("a", 1, 2), ("b", 0, 3), ("a", 0, 3)]
    {
        let judgements = Arc::clone(&judgements);
        let cached = CachedJudge::new(Arc::clone(&judge) as _, fingerprint.to_owned(), judgements);
        cached.judge(&Question { sample, ..question() }).await.unwrap();
        assert_eq!(judge.call_count(), expected_calls);
    }
}

#[tokio::test]
async fn judgements_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let judge = ScriptedJudge::new(9, &[]);
    let before = with_disk_cache(&judge, folder.path());
    before.judge(&question()).await.unwrap();
    before.cache.flush().await;
    drop(before);
    let after = with_disk_cache(&judge, folder.path());
    assert_eq!(debug_text(&after.judge(&question()).await), cached_answer());
    std::fs::remove_file(folder.path().join(FILE)).unwrap();
    assert_eq!(
        debug_text(&after.judge(&question()).await),
        cached_answer(),
        "the judgement is in memory"
    );
    assert_eq!(judge.call_count(), 1);
}

#[tokio::test]
async fn an_expired_judgement_is_requested_again() {
    let folder = tempfile::tempdir().unwrap();
    let (judge, clock) = (ScriptedJudge::new(9, &[]), ManualClock::new(NOON));
    let open = || cached_judge(&judge, JudgementCache::open(folder.path(), LIMITS, clock.clock()));
    let first = open();
    for (seconds, expected_calls) in
        [(0, 1), (3_599, 1), (3_600, 2), (7_199, 2), (7_198, 2), (0, 3)]
    {
        clock.set(NOON + seconds);
        first.judge(&question()).await.unwrap();
        assert_eq!(judge.call_count(), expected_calls, "after {seconds} seconds");
    }
    first.cache.flush().await;
    drop(first);
    clock.set(NOON + 3_000);
    let second = open();
    second.judge(&question()).await.unwrap();
    assert_eq!(judge.call_count(), 3);
    clock.set(NOON + 3_600);
    second.judge(&question()).await.unwrap();
    assert_eq!(judge.call_count(), 4, "a judgement's age counts from when it was made, not read");
}

#[tokio::test]
async fn memory_use_is_limited() {
    let judge = ScriptedJudge::new(500, &[]);
    let limits = CacheLimits { memory_bytes: 20_000, ..LIMITS };
    let cached =
        cached_judge(&judge, JudgementCache::in_memory(limits, ManualClock::new(NOON).clock()));
    for sample in 0..200 {
        cached.judge(&Question { sample, ..question() }).await.unwrap();
    }
    cached.cache.flush().await;
    let bytes = cached.cache.bytes_in_memory();
    assert!((10_000..=20_000).contains(&bytes), "{bytes}");
}

#[tokio::test]
async fn a_cache_of_size_zero_never_hits() {
    let folder = tempfile::tempdir().unwrap();
    let judge = ScriptedJudge::new(9, &[]);
    let limits = CacheLimits { memory_bytes: 0, disk_bytes: 0, ..LIMITS };
    let judgements = JudgementCache::open(folder.path(), limits, ManualClock::new(NOON).clock());
    let cached = cached_judge(&judge, judgements);
    for _ in 0..3 {
        cached.judge(&question()).await.unwrap();
        cached.cache.flush().await;
    }
    assert_eq!(judge.call_count(), 3);
    assert!(!folder.path().join(FILE).exists());
}

#[test]
fn counts_answers_by_source() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let folder = tempfile::tempdir().unwrap();
    let judge = ScriptedJudge::new(9, &[]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    metrics::with_local_recorder(&recorder, || {
        for _ in 0..2 {
            let cached = with_disk_cache(&judge, folder.path());
            for _ in 0..3 {
                runtime.block_on(cached.judge(&question())).unwrap();
            }
            runtime.block_on(cached.cache.flush());
        }
    });
    let text = handle.render();
    for (result, count) in [("miss", 1), ("disk", 1), ("memory", 4)] {
        let line =
            format!(r#"gsar_judge_cache_total{{judge="scripted",result="{result}"}} {count}"#);
        assert!(text.contains(&line), "{line}\n{text}");
    }
}

/// Prints the duration of a hit: `cargo test --release -p gsar-server --lib time_of_a_hit -- --ignored
/// --nocapture`.
#[tokio::test]
#[ignore = "prints times"]
async fn time_of_a_hit() {
    const TIMES: u32 = 2_000;
    let text = "0123456789abcdef".repeat(64);
    let items: Vec<_> = (0..100).map(|number| item(&format!("e{number}"), &text)).collect();
    let claims = (0..10).map(|number| claim(&format!("c{number}"), "Pods crash.")).collect();
    let question = Question { evidence: Arc::new(items), claims, ..question() };
    let judge = ScriptedJudge::new(1, &[]);
    let cached = with_memory_cache(&judge);
    cached.judge(&question).await.unwrap();

    let min_duration = |run: &mut dyn FnMut()| {
        let round = |run: &mut dyn FnMut()| {
            let start = Instant::now();
            (0..TIMES).for_each(|_| run());
            start.elapsed() / TIMES
        };
        (0..7).map(|_| round(run)).min().unwrap_or(Duration::ZERO)
    };
    let hit_time = min_duration(&mut || {
        let answer = cached.judge(&question).now_or_never().unwrap();
        std::hint::black_box(answer.unwrap());
    });
    let key_time = min_duration(&mut || {
        let key = Key::new("scripted", "a fingerprint", &question).now_or_never().unwrap();
        std::hint::black_box(key);
    });
    let bytes: Vec<u8> =
        question.evidence.iter().flat_map(|item| item.content.as_str().bytes()).collect();
    let hash_time = min_duration(&mut || {
        std::hint::black_box(blake3::hash(&bytes));
    });
    assert_eq!(judge.call_count(), 1);
    println!(
        "a hit takes {hit_time:?}, its key {key_time:?}, hashing the evidence alone {hash_time:?}"
    );
}
