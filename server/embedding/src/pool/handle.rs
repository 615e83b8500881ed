//! The public handle to a pool.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{Builder, JoinHandle};

use tokio::sync::{Semaphore, oneshot};

use super::batch::BatchLimits;
use super::options::{Options, Priority};
use super::queue::{Outcome, Queue};
use super::spec::{PoolSpec, Question};
use super::threads::Shared;
use crate::cache::{Cache, Key};
use crate::error::{PoolError, StartError};
use crate::vector::Vector;

const OVERHEAD: usize = 256;

/// Answers questions for concurrent callers on a shared pool of sessions. Clones share the pool.
///
/// Dropping the last clone stops the threads after their current batches.
pub struct Pool<Q: Question> {
    inner: Arc<Inner<Q>>,
}

/// Statistics since the pool started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of computed questions.
    pub computed: u64,
    /// The number of computed batches.
    pub batches: u64,
    /// The number of questions answered from the cache.
    pub known: u64,
    /// The number of failed questions.
    pub failed: u64,
    /// The number of cache failures.
    pub cache_faults: u64,
    /// The number of questions that no worker has started on.
    pub waiting: usize,
}

struct Inner<Q: Question> {
    shared: Arc<Shared<Q>>,
    model_digest: [u8; 32],
    queue_bytes: u32,
    query_permits: Arc<Semaphore>,
    background_permits: Arc<Semaphore>,
    workers: Vec<JoinHandle<()>>,
    cache_thread: Option<JoinHandle<()>>,
}

impl<Q: Question> Pool<Q> {
    /// Starts one thread per computation, ignoring [`Options::workers`], and one for the cache.
    pub fn start(
        work: PoolSpec<Q>,
        options: &Options,
        cache: Option<Box<dyn Cache>>,
    ) -> Result<Self, StartError> {
        let PoolSpec { name, model_digest, is_valid, computations } = work;
        Options { workers: computations.len(), ..options.clone() }.check()?;
        let longest =
            computations.iter().map(|computation| computation.max_bytes()).max().unwrap_or(0);
        let limits = BatchLimits { texts: options.batch_texts, bytes: options.batch_bytes };
        let queue = Queue::new(cache.is_some(), longest);
        let permits = || Arc::new(Semaphore::new(options.queue_bytes as usize));
        let mut inner = Inner {
            shared: Arc::new(Shared::new(queue, limits, computations.len(), is_valid)),
            model_digest,
            queue_bytes: options.queue_bytes,
            query_permits: permits(),
            background_permits: permits(),
            workers: Vec::with_capacity(computations.len()),
            cache_thread: None,
        };
        for computation in computations {
            let shared = Arc::clone(&inner.shared);
            inner.workers.push(spawn(name, move || shared.work(computation))?);
        }
        if let Some(cache) = cache {
            let shared = Arc::clone(&inner.shared);
            inner.cache_thread = Some(spawn("gsar-answers", move || shared.serve_cache(&*cache))?);
        }
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Answers questions, in order. Waits while the queue is full.
    ///
    /// Concurrent requests for the same question share one computation. Dropping the future cancels the
    /// questions that no worker has started on.
    pub async fn ask(
        &self,
        questions: Vec<Q>,
        priority: Priority,
    ) -> Result<Vec<Vector>, PoolError> {
        let inner = &*self.inner;
        let mut pending =
            PendingAnswers { shared: &inner.shared, keys: Vec::new(), answers: Vec::new() };
        let mut order = Vec::with_capacity(questions.len());
        let mut positions: HashMap<Key, usize> = HashMap::new();
        for question in questions {
            let key = question.key(&inner.model_digest);
            if let Some(index) = positions.get(&key) {
                order.push(*index);
                continue;
            }
            order.push(positions.len());
            positions.insert(key, positions.len());
            let answer = inner.submit(key, question, priority).await?;
            pending.keys.push(key);
            pending.answers.push(answer);
        }
        let mut answers = Vec::with_capacity(pending.answers.len());
        for answer in &mut pending.answers {
            answers.push(answer.await.map_err(|_gone| PoolError::Ended)??);
        }
        pending.keys.clear();
        order
            .iter()
            .map(|index| answers.get(*index).map(Vector::clone).ok_or(PoolError::Ended))
            .collect()
    }

    /// Returns the pool's statistics.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let shared = &self.inner.shared;
        let counts = &shared.counts;
        Statistics {
            computed: counts.computed.load(Ordering::Relaxed),
            batches: counts.batches.load(Ordering::Relaxed),
            known: counts.known.load(Ordering::Relaxed),
            failed: counts.failed.load(Ordering::Relaxed),
            cache_faults: counts.cache_faults.load(Ordering::Relaxed),
            waiting: shared.queue().pending(),
        }
    }
}

impl<Q: Question> Clone for Pool<Q> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<Q: Question> std::fmt::Debug for Pool<Q> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Pool")
            .field("workers", &self.inner.workers.len())
            .field("statistics", &self.statistics())
            .finish_non_exhaustive()
    }
}

impl<Q: Question> Inner<Q> {
    async fn submit(
        &self,
        key: Key,
        question: Q,
        priority: Priority,
    ) -> Result<oneshot::Receiver<Outcome>, PoolError> {
        if let Some(answer) = self.shared.queue().join(key, priority) {
            self.shared.added();
            return Ok(answer);
        }
        let permits = match priority {
            Priority::Query => &self.query_permits,
            Priority::Background => &self.background_permits,
        };
        let bytes = u32::try_from(question.bytes().saturating_add(OVERHEAD)).unwrap_or(u32::MAX);
        let permits = Arc::clone(permits)
            .acquire_many_owned(bytes.min(self.queue_bytes))
            .await
            .map_err(|_closed| PoolError::Ended)?;
        let answer = self.shared.queue().enqueue(key, question, priority, permits);
        self.shared.added();
        Ok(answer)
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StartError> {
    Builder::new()
        .name(name.to_owned())
        .spawn(run)
        .map_err(|error| StartError::Thread { reason: error.to_string() })
}

impl<Q: Question> Drop for Inner<Q> {
    fn drop(&mut self) {
        self.shared.end_workers();
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
        self.shared.end_cache();
        let _ = self.cache_thread.take().map(JoinHandle::join);
    }
}

/// A call's pending questions. Cancels them on drop.
struct PendingAnswers<'a, Q: Question> {
    shared: &'a Shared<Q>,
    keys: Vec<Key>,
    answers: Vec<oneshot::Receiver<Outcome>>,
}

impl<Q: Question> Drop for PendingAnswers<'_, Q> {
    fn drop(&mut self) {
        self.answers.clear();
        if !self.keys.is_empty() {
            self.shared.queue().cancel(&self.keys);
        }
    }
}
