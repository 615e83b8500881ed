//! A judge that remembers: the same question put to the same model in the same words is answered once. In memory and
//! on disk; whoever asks what is being asked already waits for that answer. Knows the judge's answers and nothing of
//! what they mean.

mod flights;
mod judgements;
mod key;
mod shelf;
#[cfg(test)]
mod testing;
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

use self::flights::Landed;
use self::key::Key;
use super::{Capabilities, Judge, JudgeError, Judgement, ModelCall, Pending, Question};
use crate::telemetry::metrics as names;

pub use self::judgements::{Bounds, Judgements};

/// A judge whose answers are remembered. Answers that judged are; abstentions and failures are told to those who wait
/// for them and forgotten.
pub struct Remembered {
    judge: Arc<dyn Judge>,
    fingerprint: String,
    judgements: Arc<Judgements>,
}

impl Remembered {
    /// Puts memory around a judge that waits for others. One that computes where it is called would do so on the
    /// threads that serve: it stays without.
    ///
    /// `fingerprint` stands for everything besides the question that an answer depends on: prompt, model, parameters.
    #[must_use]
    pub fn new(judge: Arc<dyn Judge>, fingerprint: String, judgements: Arc<Judgements>) -> Self {
        Self { judge, fingerprint, judgements }
    }

    async fn recall_or_ask(&self, question: &Question) -> Result<Judgement, JudgeError> {
        if !may_recall(question) {
            self.count("bypassed");
            return self.judge.judge(question).await;
        }
        let key = Key::of(self.judge.name(), &self.fingerprint, question).await;
        if let Some(judgement) = self.judgements.in_mind(&key) {
            self.count("memory");
            return Ok(again(&judgement));
        }
        let turn = Turn::default();
        let landed = self.wait(key, question, &turn).await?;
        match turn.told.into_inner() {
            Some(Told::ByJudge(answer)) => *answer,
            Some(Told::FromDisk) => {
                self.count("disk");
                told_again(&landed)
            }
            None => {
                self.count("memory");
                told_again(&landed)
            }
        }
    }

    /// Waits for the answer, whoever asks. One whose deadline passes leaves, unless it is the one who asks: the judge
    /// looks at the deadline itself.
    async fn wait(&self, key: Key, question: &Question, turn: &Turn) -> Result<Landed, JudgeError> {
        let flight = self.judgements.flights.join(key);
        let mut landing = pin!(flight.get_or_try_init(|| self.fly(key, question, turn)));
        tokio::select! {
            biased;
            landed = &mut landing => return landed.cloned(),
            () = passing(question.deadline) => {}
        }
        if turn.is_asking.load(Ordering::Relaxed) {
            return landing.await.cloned();
        }
        Err(JudgeError::DeadlinePassed { judged: 0, claims: question.claims.len() })
    }

    /// Finds the answer for all who wait. A failure after the deadline of the one who asks is that one's own: the
    /// next asks again.
    async fn fly(&self, key: Key, question: &Question, turn: &Turn) -> Result<Landed, JudgeError> {
        if let Some(judgement) = self.judgements.in_mind(&key) {
            return Ok(Arc::new(Ok(again(&judgement))));
        }
        if let Some(judgement) = self.judgements.on_disk(key).await {
            turn.tell(Told::FromDisk);
            return Ok(Arc::new(Ok(again(&judgement))));
        }
        turn.is_asking.store(true, Ordering::Relaxed);
        self.count("miss");
        let answer = match self.judge.judge(question).await {
            Err(error) if question.is_late() => return Err(error),
            answer => answer,
        };
        if let Ok(judgement) = &answer
            && judgement.abstained.is_none()
        {
            self.judgements.keep(key, again(judgement));
        }
        let landed = Arc::new(told_again(&answer));
        turn.tell(Told::ByJudge(Box::new(answer)));
        Ok(landed)
    }

    fn count(&self, result: &'static str) {
        let judge = self.judge.name().to_owned();
        counter!(names::JUDGE_CACHE, "judge" => judge, "result" => result).increment(1);
    }
}

impl Judge for Remembered {
    fn name(&self) -> &str {
        self.judge.name()
    }

    /// It waits: for the disk, and for those who ask the same.
    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        self.judge.capabilities()
    }

    fn can_reconsider(&self) -> bool {
        self.judge.can_reconsider()
    }

    fn judge<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<Judgement, JudgeError>> {
        Box::pin(self.recall_or_ask(question))
    }
}

/// Whether an earlier answer will do. Where not, the answer is not remembered either.
fn may_recall(question: &Question) -> bool {
    !question.bypass_cache
}

/// What one who waits has to do with the answer.
#[derive(Default)]
struct Turn {
    is_asking: AtomicBool,
    told: OnceLock<Told>,
}

/// Who told one that found the answer for all.
enum Told {
    FromDisk,
    ByJudge(Box<Result<Judgement, JudgeError>>),
}

impl Turn {
    fn tell(&self, told: Told) {
        // A turn comes once.
        let _ = self.told.set(told);
    }
}

async fn passing(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => future::pending().await,
    }
}

/// An answer as it is told to one who did not ask.
fn told_again(answer: &Result<Judgement, JudgeError>) -> Result<Judgement, JudgeError> {
    match answer {
        Ok(judgement) => Ok(again(judgement)),
        Err(JudgeError::Failed { judge, code, reason, calls }) => Err(JudgeError::Failed {
            judge: judge.clone(),
            code,
            reason: reason.clone(),
            calls: calls.iter().map(free).collect(),
        }),
        Err(late @ JudgeError::DeadlinePassed { .. }) => Err(late.clone()),
    }
}

/// A judgement as it is given again: the same, for nothing.
fn again(judgement: &Judgement) -> Judgement {
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
