//! Tests with concurrent callers that ask the same question.

use std::panic::AssertUnwindSafe;
use std::pin::pin;

use futures_util::future::join_all;

use super::*;
use crate::judge::cached::testing::{Answer, failure};

/// Polls a future and checks that it is pending.
fn poll_pending<F: Future + Unpin>(future: &mut F) {
    assert!(future.now_or_never().is_none(), "the future must be pending");
}

fn costs(answers: &[Result<Judgement, JudgeError>]) -> Vec<Option<u64>> {
    let calls = answers.iter().flat_map(|answer| match answer {
        Ok(judgement) => judgement.calls.clone(),
        Err(JudgeError::Failed { calls, .. }) => calls.clone(),
        Err(JudgeError::DeadlinePassed { .. }) => Vec::new(),
    });
    calls.map(|call| call.cost_micros).collect()
}

fn abstain(_: &Question) -> Result<Judgement, JudgeError> {
    Ok(Judgement { abstained: Some("no model".to_owned()), ..judgement() })
}

fn fail(_: &Question) -> Result<Judgement, JudgeError> {
    Err(failure())
}

fn time_out(question: &Question) -> Result<Judgement, JudgeError> {
    assert!(question.is_late());
    Err(JudgeError::DeadlinePassed { judged: 3, claims: 7, calls: Vec::new() })
}

fn panic_as_scripted(_: &Question) -> Result<Judgement, JudgeError> {
    panic!("scripted panic")
}

#[tokio::test]
async fn concurrent_callers_share_one_call() {
    let judge = ScriptedJudge::new(0, &[]);
    let cached = with_memory_cache(&judge);
    let questions: Vec<Question> = (0..64).map(|_| question()).collect();
    let mut all_answers =
        Box::pin(join_all(questions.iter().map(|question| cached.judge(question))));
    poll_pending(&mut all_answers);
    assert_eq!(judge.call_count(), 1);
    judge.permits.add_permits(64);
    let answers = all_answers.await;
    assert_eq!(judge.call_count(), 1);
    assert_eq!(debug_text(&answers[0]), uncached_answer());
    assert!(answers[1..].iter().all(|answer| debug_text(answer) == cached_answer()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_threads_share_one_call() {
    let folder = tempfile::tempdir().unwrap();
    let judge = ScriptedJudge::new(64, &[]);
    let cached = Arc::new(with_disk_cache(&judge, folder.path()));
    let tasks = (0..64).map(|_| {
        let cached = Arc::clone(&cached);
        tokio::spawn(async move { cached.judge(&question()).await })
    });
    let answers: Vec<_> = join_all(tasks).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(judge.call_count(), 1);
    assert_eq!(costs(&answers).iter().filter(|cost| **cost == Some(42)).count(), 1);
}

#[tokio::test]
async fn another_caller_leads_after_the_leader_is_dropped() {
    let judge = ScriptedJudge::new(0, &[]);
    let cached = with_memory_cache(&judge);
    let question = question();
    let mut first = cached.judge(&question);
    let mut second = cached.judge(&question);
    let mut third = cached.judge(&question);
    for future in [&mut first, &mut second, &mut third] {
        poll_pending(future);
    }
    drop(first);
    judge.permits.add_permits(9);
    let (second, third) = tokio::join!(second, third);
    assert_eq!(judge.call_count(), 2);
    assert_eq!((debug_text(&second), debug_text(&third)), (uncached_answer(), cached_answer()));
}

#[tokio::test]
async fn the_last_remaining_caller_leads() {
    let judge = ScriptedJudge::new(0, &[]);
    let cached = with_memory_cache(&judge);
    let question = question();
    let mut futures: Vec<_> = (0..1_000).map(|_| cached.judge(&question)).collect();
    for future in &mut futures {
        poll_pending(future);
    }
    let mut last = futures.pop().unwrap();
    for future in futures {
        drop(future);
        poll_pending(&mut last);
    }
    judge.permits.add_permits(1);
    assert_eq!(debug_text(&last.await), uncached_answer());
}

#[tokio::test]
async fn a_late_caller_does_not_affect_others() {
    let judge = ScriptedJudge::new(0, &[]);
    let cached = with_memory_cache(&judge);
    let patient_question = question();
    let late_question = Question { deadline: Some(Instant::now()), ..question() };
    let mut first = cached.judge(&patient_question);
    poll_pending(&mut first);
    let error = cached.judge(&late_question).await.unwrap_err();
    assert_eq!(error, JudgeError::DeadlinePassed { judged: 0, claims: 1, calls: Vec::new() });
    judge.permits.add_permits(1);
    assert_eq!(debug_text(&first.await), uncached_answer());
    assert_eq!(judge.call_count(), 1);
    assert_eq!(
        debug_text(&cached.judge(&late_question).await),
        cached_answer(),
        "the answer is cached"
    );
}

#[tokio::test]
async fn a_failure_after_the_leaders_deadline_is_not_shared() {
    let judge = ScriptedJudge::new(0, &[time_out]);
    let cached = with_memory_cache(&judge);
    let late_question = Question { deadline: Some(Instant::now()), ..question() };
    let patient_question = question();
    let mut first = cached.judge(&late_question);
    let mut second = cached.judge(&patient_question);
    poll_pending(&mut first);
    poll_pending(&mut second);
    let error = cached.judge(&late_question).await.unwrap_err();
    assert_eq!(error, JudgeError::DeadlinePassed { judged: 0, claims: 1, calls: Vec::new() });
    poll_pending(&mut first);
    judge.permits.add_permits(2);
    let (first, second) = tokio::join!(first, second);
    assert_eq!(
        first.unwrap_err(),
        JudgeError::DeadlinePassed { judged: 3, claims: 7, calls: Vec::new() }
    );
    assert_eq!(debug_text(&second), uncached_answer());
    assert_eq!(judge.call_count(), 2);
}

#[tokio::test]
async fn failures_and_abstentions_are_shared_and_not_cached() {
    for script in [fail as Answer, abstain] {
        let folder = tempfile::tempdir().unwrap();
        let judge = ScriptedJudge::new(0, &[script]);
        let cached = with_disk_cache(&judge, folder.path());
        let question = question();
        let judging = join_all((0..3).map(|_| cached.judge(&question)));
        let release = async { judge.permits.add_permits(9) };
        let (answers, ()) = tokio::join!(judging, release);
        assert_eq!(judge.call_count(), 1);
        assert_eq!(costs(&answers), [Some(42), Some(0), Some(0)]);
        assert_eq!(debug_text(&answers[0]), debug_text(&script(&question)));
        assert_eq!(debug_text(&answers[1]), debug_text(&shared_copy(&script(&question))));
        cached.cache.flush().await;
        assert_eq!(debug_text(&cached.judge(&question).await), uncached_answer());
        assert_eq!(judge.call_count(), 2);
    }
}

#[tokio::test]
async fn a_panic_in_the_judge_affects_only_one_caller() {
    let judge = ScriptedJudge::new(0, &[panic_as_scripted]);
    let cached = with_memory_cache(&judge);
    let question = question();
    let mut first = pin!(AssertUnwindSafe(cached.judge(&question)).catch_unwind());
    let mut second = cached.judge(&question);
    poll_pending(&mut first);
    poll_pending(&mut second);
    judge.permits.add_permits(2);
    let (first, second) = tokio::join!(first, second);
    assert!(first.is_err());
    assert_eq!(debug_text(&second), uncached_answer());
}
