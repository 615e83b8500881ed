//! A pool's threads: one per computation, and one for the cache.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::batch::BatchLimits;
use super::queue::{Outcome, Queue, StartedJob};
use super::spec::{AnswerCheck, Computation, Question};
use crate::cache::{Cache, CacheError, Key};
use crate::error::PoolError;
use crate::session::{SessionError, catch_panic};
use crate::vector::Vector;

/// The state that a pool's threads and callers share.
pub(super) struct Shared<Q> {
    queue: Mutex<Queue<Q>>,
    work: Condvar,
    cache_work: Condvar,
    ending: AtomicBool,
    workers_ended: AtomicBool,
    limits: BatchLimits,
    workers: usize,
    is_valid: AnswerCheck,
    pub(super) counts: Counts,
}

struct CacheBatch {
    store: Vec<(Key, Vector)>,
    look_up: Vec<Key>,
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) computed: AtomicU64,
    pub(super) batches: AtomicU64,
    pub(super) known: AtomicU64,
    pub(super) failed: AtomicU64,
    pub(super) cache_faults: AtomicU64,
}

fn count(counter: &AtomicU64, amount: usize) {
    counter.fetch_add(amount as u64, Ordering::Relaxed);
}

impl<Q: Question> Shared<Q> {
    pub(super) fn new(
        queue: Queue<Q>,
        limits: BatchLimits,
        workers: usize,
        is_valid: AnswerCheck,
    ) -> Self {
        Self {
            queue: Mutex::new(queue),
            work: Condvar::new(),
            cache_work: Condvar::new(),
            ending: AtomicBool::new(false),
            workers_ended: AtomicBool::new(false),
            limits,
            workers,
            is_valid,
            counts: Counts::default(),
        }
    }

    pub(super) fn queue(&self) -> MutexGuard<'_, Queue<Q>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn added(&self) {
        self.cache_work.notify_one();
        self.work.notify_one();
    }

    pub(super) fn end_workers(&self) {
        let _queue = self.queue();
        self.ending.store(true, Ordering::Relaxed);
        self.work.notify_all();
    }

    pub(super) fn end_cache(&self) {
        let _queue = self.queue();
        self.workers_ended.store(true, Ordering::Relaxed);
        self.cache_work.notify_all();
    }

    pub(super) fn work(&self, mut computation: Box<dyn Computation<Q>>) {
        while let Some(batch) = self.next_batch() {
            let questions: Vec<&Q> = batch.iter().map(|job| &job.question).collect();
            let outcomes = compute(&mut *computation, &questions);
            let computed = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
            count(&self.counts.computed, computed);
            count(&self.counts.failed, outcomes.len() - computed);
            count(&self.counts.batches, 1);
            let mut queue = self.queue();
            for (StartedJob { key, .. }, outcome) in batch.iter().zip(&outcomes) {
                queue.finish(*key, outcome);
            }
            drop(queue);
            self.cache_work.notify_one();
        }
    }

    fn next_batch(&self) -> Option<Vec<StartedJob<Q>>> {
        let mut queue = self.queue();
        loop {
            if self.ending.load(Ordering::Relaxed) {
                return None;
            }
            let batch = queue.begin(self.limits, self.workers);
            if !batch.is_empty() {
                return Some(batch);
            }
            queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn serve_cache(&self, cache: &dyn Cache) {
        let mut is_failing = false;
        while let Some(CacheBatch { store, look_up }) = self.next_cache_batch() {
            let mut faults = Vec::new();
            if !store.is_empty() {
                faults.extend(catch_cache_panic(|| cache.put_many(&store)).err());
            }
            let cached = if look_up.is_empty() {
                Vec::new()
            } else {
                catch_cache_panic(|| cache.get_many(&look_up)).unwrap_or_else(|fault| {
                    faults.push(fault);
                    Vec::new()
                })
            };
            count(&self.counts.cache_faults, faults.len());
            self.complete_lookups(&look_up, cached);
            if let Some(fault) = faults.first()
                && !is_failing
            {
                tracing::warn!("{fault}; vectors are recomputed until the cache works again");
            }
            is_failing = !faults.is_empty();
        }
    }

    fn next_cache_batch(&self) -> Option<CacheBatch> {
        let mut queue = self.queue();
        loop {
            // Answers are stored before the lookup, so that the lookup finds them.
            let batch = CacheBatch { store: queue.take_to_store(), look_up: queue.take_lookups() };
            if !batch.store.is_empty() || !batch.look_up.is_empty() {
                return Some(batch);
            }
            if self.workers_ended.load(Ordering::Relaxed) {
                return None;
            }
            queue = self.cache_work.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn complete_lookups(&self, keys: &[Key], known: Vec<Option<Vector>>) {
        if keys.is_empty() {
            return;
        }
        let validated = known
            .into_iter()
            .map(|answer| answer.filter(|answer| (self.is_valid)(answer)))
            .chain(std::iter::repeat(None));
        let mut queue = self.queue();
        for (key, vector) in keys.iter().zip(validated) {
            count(&self.counts.known, usize::from(vector.is_some()));
            queue.complete_lookup(*key, vector);
        }
        drop(queue);
        self.work.notify_all();
    }
}

fn catch_cache_panic<T>(ask: impl FnOnce() -> Result<T, CacheError>) -> Result<T, CacheError> {
    catch_panic(ask).unwrap_or_else(|panic| Err(CacheError::Other(panic)))
}

/// Computes a batch. If it fails, computes each question alone, so that a bad question fails only itself.
fn compute<Q: Question>(computation: &mut dyn Computation<Q>, questions: &[&Q]) -> Vec<Outcome> {
    match run(computation, questions) {
        Ok(answers) => answers.into_iter().map(Ok).collect(),
        Err(error) if questions.len() > 1 => {
            tracing::debug!(
                questions = questions.len(),
                "a batch failed, so its questions are retried one by one: {error}"
            );
            questions.iter().flat_map(|question| compute(computation, &[question])).collect()
        }
        Err(error) => questions
            .iter()
            .map(|question| {
                Err(PoolError::Session { bytes: question.bytes(), reason: error.to_string() })
            })
            .collect(),
    }
}

fn run<Q>(
    computation: &mut dyn Computation<Q>,
    questions: &[&Q],
) -> Result<Vec<Vector>, SessionError> {
    let answers = catch_panic(|| computation.compute(questions))
        .unwrap_or_else(|panic| Err(SessionError(panic)))?;
    if answers.len() == questions.len() {
        Ok(answers)
    } else {
        Err(SessionError(format!(
            "got {} answers for {} questions",
            answers.len(),
            questions.len()
        )))
    }
}
