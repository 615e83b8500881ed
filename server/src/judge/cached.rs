//! Caches a judge's answers in memory and in a store. Concurrent callers with the same question share one
//! call.

mod cache;
mod disk;
mod intern;
mod json;
mod key;
mod single_flight;
mod store;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;

use std::future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use async_trait::async_trait;
use metrics::counter;

pub(super) use self::key::{Key, digest_items};
use self::single_flight::SharedAnswer;
use super::{Capabilities, Judge, JudgeError, Judgement, ModelCall, Question};
use crate::telemetry::metrics as names;

pub use self::cache::{CacheLimits, JudgementCache};
pub(super) use self::disk::{is_fresh, micros};
pub(super) use self::json::from_json;
pub(super) use self::store::{JudgementStore, StoredJudgement};

/// A judge with a cache. Abstentions and failures are shared with concurrent callers, but not cached.
pub struct CachedJudge {
    judge: Arc<dyn Judge>,
    fingerprint: String,
    cache: Arc<JudgementCache>,
}

impl CachedJudge {
    /// Wraps a judge. The judge must not compute on the calling thread, since that would block the async
    /// runtime.
    ///
    /// `fingerprint` identifies the prompt, the model and the parameters.
    #[must_use]
    pub fn new(judge: Arc<dyn Judge>, fingerprint: String, cache: Arc<JudgementCache>) -> Self {
        Self { judge, fingerprint, cache }
    }

    /// Waits for the shared answer until the caller's deadline. The leader does not time out here, since the
    /// judge itself checks the deadline.
    async fn wait(
        &self,
        key: Key,
        question: &Question,
        caller: &CallerState,
    ) -> Result<SharedAnswer, JudgeError> {
        let call = self.cache.single_flight.join(key);
        let mut answer = pin!(call.get_or_try_init(|| self.lead(key, question, caller)));
        tokio::select! {
            biased;
            shared = &mut answer => return shared.cloned(),
            () = sleep_until(question.deadline) => {}
        }
        if caller.is_leader.load(Ordering::Relaxed) {
            return answer.await.cloned();
        }
        Err(JudgeError::deadline_passed(question))
    }

    /// Gets the answer on behalf of all callers. If the judge fails after the leader's deadline, the failure
    /// is not shared, and another caller becomes the leader.
    async fn lead(
        &self,
        key: Key,
        question: &Question,
        caller: &CallerState,
    ) -> Result<SharedAnswer, JudgeError> {
        if let Some(judgement) = self.cache.get_in_memory(&key) {
            return Ok(Arc::new(Ok(cached_copy(&judgement))));
        }
        if let Some(judgement) = self.cache.get_from_store(key).await {
            caller.set_source(Source::Disk);
            return Ok(Arc::new(Ok(cached_copy(&judgement))));
        }
        caller.is_leader.store(true, Ordering::Relaxed);
        self.count("miss");
        let answer = match self.judge.judge(question).await {
            Err(error) if question.is_late() => return Err(error),
            answer => answer,
        };
        if let Ok(judgement) = &answer
            && judgement.abstained.is_none()
        {
            self.cache.put(key, cached_copy(judgement));
        }
        let shared = Arc::new(shared_copy(&answer));
        caller.set_source(Source::Judge(Box::new(answer)));
        Ok(shared)
    }

    fn count(&self, result: &'static str) {
        let judge = self.judge.name().to_owned();
        counter!(names::JUDGE_CACHE, "judge" => judge, "result" => result).increment(1);
    }
}

#[async_trait]
impl Judge for CachedJudge {
    fn name(&self) -> &str {
        self.judge.name()
    }

    /// Returns `false`, since a cached judge waits for the store and for other callers.
    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        self.judge.capabilities()
    }

    fn can_reconsider(&self) -> bool {
        self.judge.can_reconsider()
    }

    fn reports_roles(&self) -> bool {
        self.judge.reports_roles()
    }

    fn can_take_second_look(&self) -> bool {
        self.judge.can_take_second_look()
    }

    fn examples(&self) -> usize {
        self.judge.examples()
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        if question.bypass_cache {
            self.count("bypassed");
            return self.judge.judge(question).await;
        }
        let key = Key::new(self.judge.name(), &self.fingerprint, question).await;
        if let Some(judgement) = self.cache.get_in_memory(&key) {
            self.count("memory");
            return Ok(cached_copy(&judgement));
        }
        let caller = CallerState::default();
        let shared = self.wait(key, question, &caller).await?;
        match caller.source.into_inner() {
            Some(Source::Judge(answer)) => *answer,
            Some(Source::Disk) => {
                self.count("disk");
                shared_copy(&shared)
            }
            None => {
                self.count("memory");
                shared_copy(&shared)
            }
        }
    }
}

#[derive(Default)]
struct CallerState {
    is_leader: AtomicBool,
    /// The source of the leader's answer. Empty for other callers.
    source: OnceLock<Source>,
}

enum Source {
    Disk,
    /// The judge was called. The answer includes the cost of its calls.
    Judge(Box<Result<Judgement, JudgeError>>),
}

impl CallerState {
    fn set_source(&self, source: Source) {
        // A caller leads at most once, so the source is empty.
        let _ = self.source.set(source);
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => future::pending().await,
    }
}

/// Copies an answer for a caller that did not lead. Its calls cost nothing.
fn shared_copy(answer: &Result<Judgement, JudgeError>) -> Result<Judgement, JudgeError> {
    match answer {
        Ok(judgement) => Ok(cached_copy(judgement)),
        Err(error) => {
            let mut error = error.clone();
            if let JudgeError::Failed { calls, .. } = &mut error {
                calls.iter_mut().for_each(make_free);
            }
            Err(error)
        }
    }
}

/// Copies a judgement for the cache. Its calls cost nothing.
fn cached_copy(judgement: &Judgement) -> Judgement {
    let mut copy = judgement.clone();
    copy.calls.iter_mut().for_each(make_free);
    copy
}

fn make_free(call: &mut ModelCall) {
    call.input_tokens = 0;
    call.output_tokens = 0;
    call.cost_micros = Some(0);
    call.attempts = 0;
    call.from_cache = true;
}
