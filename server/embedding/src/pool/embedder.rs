//! The face of the pool: texts in, vectors out.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{Builder, JoinHandle};

use tokio::sync::{Semaphore, oneshot};

use super::batch::Bounds;
use super::options::{Options, Priority};
use super::queue::{Outcome, Queue};
use super::threads::Shared;
use crate::cache::{Cache, Key};
use crate::error::{EmbedError, StartError};
use crate::model::Model;
use crate::runtime::Runtime;
use crate::session::Session;
use crate::vector::Vector;

/// What a waiting text counts besides its bytes.
const OVERHEAD: usize = 256;

/// Embeds texts for many callers with one pool of sessions. Clones share the pool.
///
/// Dropping the last clone ends the threads and waits for the batches that run.
#[derive(Clone, Debug)]
pub struct Embedder {
    pool: Arc<Pool>,
}

/// What a pool did since its start, and what it has to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Texts that were computed.
    pub computed: u64,
    /// Batches in which they were computed.
    pub batches: u64,
    /// Texts that the cache knew.
    pub known: u64,
    /// Texts that could not be embedded.
    pub failed: u64,
    /// Times that the cache failed.
    pub cache_faults: u64,
    /// Texts that are not begun.
    pub waiting: usize,
}

#[derive(Debug)]
struct Pool {
    shared: Arc<Shared>,
    model_digest: [u8; 32],
    queue_bytes: u32,
    room_for_queries: Arc<Semaphore>,
    room_for_background: Arc<Semaphore>,
    workers: Vec<JoinHandle<()>>,
    cache_thread: Option<JoinHandle<()>>,
}

impl Embedder {
    /// Starts a pool for a model. Blocks, about 0.3 s for each worker with a model of 100 MB.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(
        runtime: &Runtime,
        model: &Model,
        options: &Options,
        cache: Option<Box<dyn Cache>>,
    ) -> Result<Self, StartError> {
        options.check()?;
        let sessions = (0..options.workers)
            .map(|_| Ok(Box::new(model.session(runtime)?) as Box<dyn Session>))
            .collect::<Result<Vec<_>, StartError>>()?;
        Self::with_sessions(sessions, model.digest(), options, cache)
    }

    /// Starts a pool of any sessions, as many workers as there are. The digest tells models apart in the
    /// cache.
    ///
    /// # Errors
    /// [`StartError::InvalidOption`], [`StartError::Dimensions`] or [`StartError::Thread`].
    pub fn with_sessions(
        sessions: Vec<Box<dyn Session>>,
        model_digest: [u8; 32],
        options: &Options,
        cache: Option<Box<dyn Cache>>,
    ) -> Result<Self, StartError> {
        Options { workers: sessions.len(), ..options.clone() }.check()?;
        let dimensions: Vec<usize> = sessions.iter().map(|session| session.dimension()).collect();
        let first = dimensions.first().copied().unwrap_or(0);
        if let Some(other) = dimensions.into_iter().find(|dimension| *dimension != first) {
            return Err(StartError::Dimensions { first, other });
        }
        let longest = sessions.iter().map(|session| session.longest_text()).max().unwrap_or(0);
        let bounds = Bounds { texts: options.batch_texts, bytes: options.batch_bytes };
        let queue = Queue::new(cache.is_some(), longest);
        let room = || Arc::new(Semaphore::new(options.queue_bytes as usize));
        let mut pool = Pool {
            shared: Arc::new(Shared::new(queue, bounds, sessions.len(), first)),
            model_digest,
            queue_bytes: options.queue_bytes,
            room_for_queries: room(),
            room_for_background: room(),
            workers: Vec::with_capacity(sessions.len()),
            cache_thread: None,
        };
        for session in sessions {
            let shared = Arc::clone(&pool.shared);
            pool.workers.push(spawn("gsar-embedding", move || shared.work(session))?);
        }
        if let Some(cache) = cache {
            let shared = Arc::clone(&pool.shared);
            let thread = spawn("gsar-vectors", move || shared.serve_cache(&*cache))?;
            pool.cache_thread = Some(thread);
        }
        Ok(Self { pool: Arc::new(pool) })
    }

    /// One vector of unit length for each text, in their order. Waits while the queue is full.
    ///
    /// The same text is computed once, whoever asks for it and how often. A vector does not depend on what
    /// else is computed with it, up to 1e-5 in each number. Dropping the future gives up what is not begun.
    ///
    /// # Errors
    /// [`EmbedError`], the first of a text that cannot be embedded.
    pub async fn embed(
        &self,
        texts: Vec<String>,
        priority: Priority,
    ) -> Result<Vec<Vector>, EmbedError> {
        let pool = &*self.pool;
        let mut asked = Asked { shared: &pool.shared, keys: Vec::new(), answers: Vec::new() };
        let mut order = Vec::with_capacity(texts.len());
        let mut known: HashMap<Key, usize> = HashMap::new();
        for text in texts {
            let key = Key::new(&pool.model_digest, &text);
            if let Some(at) = known.get(&key) {
                order.push(*at);
                continue;
            }
            order.push(known.len());
            known.insert(key, known.len());
            let answer = pool.ask(key, text, priority).await?;
            asked.keys.push(key);
            asked.answers.push(answer);
        }
        let mut vectors = Vec::with_capacity(asked.answers.len());
        for answer in &mut asked.answers {
            vectors.push(answer.await.map_err(|_gone| EmbedError::Ended)??);
        }
        asked.keys.clear();
        order
            .iter()
            .map(|at| vectors.get(*at).map(Vector::clone).ok_or(EmbedError::Ended))
            .collect()
    }

    /// The length of the vectors.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.pool.shared.dimension
    }

    /// What happened so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let counts = &self.pool.shared.counts;
        Statistics {
            computed: counts.computed.load(Ordering::Relaxed),
            batches: counts.batches.load(Ordering::Relaxed),
            known: counts.known.load(Ordering::Relaxed),
            failed: counts.failed.load(Ordering::Relaxed),
            cache_faults: counts.cache_faults.load(Ordering::Relaxed),
            waiting: self.pool.shared.queue().not_begun(),
        }
    }
}

impl Pool {
    async fn ask(
        &self,
        key: Key,
        text: String,
        priority: Priority,
    ) -> Result<oneshot::Receiver<Outcome>, EmbedError> {
        if let Some(answer) = self.shared.queue().join(key, priority) {
            self.shared.added();
            return Ok(answer);
        }
        let room = match priority {
            Priority::Query => &self.room_for_queries,
            Priority::Background => &self.room_for_background,
        };
        let bytes = u32::try_from(text.len().saturating_add(OVERHEAD)).unwrap_or(u32::MAX);
        let room = Arc::clone(room)
            .acquire_many_owned(bytes.min(self.queue_bytes))
            .await
            .map_err(|_closed| EmbedError::Ended)?;
        let answer = self.shared.queue().ask(key, text, priority, room);
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

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.end_workers();
        for worker in self.workers.drain(..) {
            // A thread ends by a panic only where a session cannot even be dropped.
            let _ = worker.join();
        }
        self.shared.end_cache();
        let _ = self.cache_thread.take().map(JoinHandle::join);
    }
}

/// What a call has asked for. Dropped before everything came, it gives up the rest.
struct Asked<'a> {
    shared: &'a Shared,
    keys: Vec<Key>,
    answers: Vec<oneshot::Receiver<Outcome>>,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        self.answers.clear();
        if !self.keys.is_empty() {
            self.shared.queue().forget(&self.keys);
        }
    }
}
