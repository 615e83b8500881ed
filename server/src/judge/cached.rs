//! This module caches the judgements of a judge, in memory and on disk, and answers the same question once for all callers
//! that ask it at the same time. It knows nothing of what an answer means.

mod cache;
mod disk;
mod key;
mod single_flight;
mod store;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
mod words;
mod written;

use std::future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use metrics::counter;

pub(super) use self::key::Key;
use self::single_flight::SharedAnswer;
use super::{Capabilities, Judge, JudgeError, Judgement, ModelCall, Pending, Question};
use crate::telemetry::metrics as names;

pub use self::cache::{Bounds, JudgementCache};
pub(super) use self::disk::is_fresh;
pub(super) use self::store::{JudgementStore, StoredJudgement};
pub(super) use self::written::read as read_written;

/// A judge with a cache. Judgements are cached; abstentions and failures are shared with the callers that wait for them, and
/// not cached.
pub struct CachedJudge {
    judge: Arc<dyn Judge>,
    fingerprint: String,
    cache: Arc<JudgementCache>,
}

impl CachedJudge {
    /// Puts a cache around a judge that waits for others. A judge that computes where it is called would do so on the
    /// threads that serve; it goes without.
    ///
    /// `fingerprint` stands for everything besides the question that an answer depends on: prompt, model, parameters.
    #[must_use]
    pub fn new(judge: Arc<dyn Judge>, fingerprint: String, cache: Arc<JudgementCache>) -> Self {
        Self { judge, fingerprint, cache }
    }

    async fn answer(&self, question: &Question) -> Result<Judgement, JudgeError> {
        if question.bypass_cache {
            self.count("bypassed");
            return self.judge.judge(question).await;
        }
        let key = Key::of(self.judge.name(), &self.fingerprint, question).await;
        if let Some(judgement) = self.cache.get_in_memory(&key) {
            self.count("memory");
            return Ok(free_copy(&judgement));
        }
        let caller = Caller::default();
        let shared = self.wait(key, question, &caller).await?;
        match caller.led_to.into_inner() {
            Some(Source::Judge(answer)) => *answer,
            Some(Source::Disk) => {
                self.count("disk");
                copy(&shared)
            }
            None => {
                self.count("memory");
                copy(&shared)
            }
        }
    }

    /// Waits for the answer of the leader. A caller whose deadline passes leaves, unless it leads: the judge looks at the
    /// deadline itself.
    async fn wait(
        &self,
        key: Key,
        question: &Question,
        caller: &Caller,
    ) -> Result<SharedAnswer, JudgeError> {
        let call = self.cache.single_flight.join(key);
        let mut answered = pin!(call.get_or_try_init(|| self.lead(key, question, caller)));
        tokio::select! {
            biased;
            shared = &mut answered => return shared.cloned(),
            () = passing(question.deadline) => {}
        }
        if caller.leads.load(Ordering::Relaxed) {
            return answered.await.cloned();
        }
        Err(JudgeError::DeadlinePassed {
            judged: 0,
            claims: question.claims.len(),
            calls: Vec::new(),
        })
    }

    /// Finds the answer for all callers. A failure after the leader's deadline is the leader's own: the next caller leads.
    async fn lead(
        &self,
        key: Key,
        question: &Question,
        caller: &Caller,
    ) -> Result<SharedAnswer, JudgeError> {
        if let Some(judgement) = self.cache.get_in_memory(&key) {
            return Ok(Arc::new(Ok(free_copy(&judgement))));
        }
        if let Some(judgement) = self.cache.get_on_disk(key).await {
            caller.found(Source::Disk);
            return Ok(Arc::new(Ok(free_copy(&judgement))));
        }
        caller.leads.store(true, Ordering::Relaxed);
        self.count("miss");
        let answer = match self.judge.judge(question).await {
            Err(error) if question.is_late() => return Err(error),
            answer => answer,
        };
        if let Ok(judgement) = &answer
            && judgement.abstained.is_none()
        {
            self.cache.put(key, free_copy(judgement));
        }
        let shared = Arc::new(copy(&answer));
        caller.found(Source::Judge(Box::new(answer)));
        Ok(shared)
    }

    fn count(&self, result: &'static str) {
        let judge = self.judge.name().to_owned();
        counter!(names::JUDGE_CACHE, "judge" => judge, "result" => result).increment(1);
    }
}

impl Judge for CachedJudge {
    fn name(&self) -> &str {
        self.judge.name()
    }

    /// It waits: for the disk, and for callers with the same question.
    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        self.judge.capabilities()
    }

    fn can_reconsider(&self) -> bool {
        self.judge.can_reconsider()
    }

    fn tells_roles(&self) -> bool {
        self.judge.tells_roles()
    }

    fn can_take_second_look(&self) -> bool {
        self.judge.can_take_second_look()
    }

    fn examples(&self) -> usize {
        self.judge.examples()
    }

    fn judge<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<Judgement, JudgeError>> {
        Box::pin(self.answer(question))
    }
}

/// One caller of a question.
#[derive(Default)]
struct Caller {
    /// Whether it is the one that asks the judge.
    leads: AtomicBool,
    /// Where the leader found the answer; empty for callers that only waited.
    led_to: OnceLock<Source>,
}

/// Where the leader found an answer.
enum Source {
    Disk,
    /// With what the judge said, whose calls are paid for.
    Judge(Box<Result<Judgement, JudgeError>>),
}

impl Caller {
    fn found(&self, source: Source) {
        // A caller leads once.
        let _ = self.led_to.set(source);
    }
}

async fn passing(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => future::pending().await,
    }
}

/// An answer for a caller that did not lead: its calls cost nothing.
fn copy(answer: &Result<Judgement, JudgeError>) -> Result<Judgement, JudgeError> {
    match answer {
        Ok(judgement) => Ok(free_copy(judgement)),
        Err(JudgeError::Failed { judge, code, reason, calls }) => Err(JudgeError::Failed {
            judge: judge.clone(),
            code,
            reason: reason.clone(),
            calls: calls.iter().map(free).collect(),
        }),
        Err(late @ JudgeError::DeadlinePassed { .. }) => Err(late.clone()),
    }
}

/// A judgement as the cache gives it: the same, at no cost.
fn free_copy(judgement: &Judgement) -> Judgement {
    Judgement {
        judged: judgement.judged.clone(),
        votes: judgement.votes.clone(),
        considered: judgement.considered.clone(),
        score: judgement.score,
        explanation: judgement.explanation.clone(),
        gaps: judgement.gaps.clone(),
        contradictions: judgement.contradictions.clone(),
        abstained: judgement.abstained.clone(),
        calls: judgement.calls.iter().map(free).collect(),
        notices: judgement.notices.clone(),
    }
}

fn free(call: &ModelCall) -> ModelCall {
    ModelCall {
        input_tokens: 0,
        output_tokens: 0,
        cost_micros: Some(0),
        attempts: 0,
        from_cache: true,
        ..call.clone()
    }
}
