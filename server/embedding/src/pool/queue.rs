//! The jobs in a pool and the callers waiting for them.

use std::collections::{HashMap, VecDeque};

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::batch::{BatchLimits, Slot, WaitingJobs};
use super::options::Priority;
use super::spec::Question;
use crate::cache::Key;
use crate::error::PoolError;
use crate::vector::Vector;

pub(super) type Outcome = Result<Vector, PoolError>;

/// The maximum number of consecutive query batches while background work is waiting.
const MAX_QUERIES_IN_A_ROW: u32 = 7;
/// The maximum number of jobs per lookup, so that queries do not wait for a long lookup.
const MAX_LOOKUPS: usize = 256;
/// The maximum number of answers waiting to be stored. If the cache is slower than the model, further
/// answers are dropped.
const MAX_TO_STORE: usize = 8_192;

#[derive(Debug)]
pub(super) struct Queue<Q> {
    has_cache: bool,
    max_bytes: usize,
    jobs: HashMap<Key, Job<Q>>,
    to_look_up: PerPriority<VecDeque<Key>>,
    waiting: PerPriority<WaitingJobs>,
    to_store: Vec<(Key, Vector)>,
    last_age: u64,
    queries_in_a_row: u32,
}

#[derive(Debug)]
struct Job<Q> {
    /// Taken when the computation starts.
    question: Option<Q>,
    bytes: usize,
    priority: Priority,
    stage: Stage,
    callers: Vec<oneshot::Sender<Outcome>>,
    /// Released when the computation starts or the job ends.
    permit: Option<OwnedSemaphorePermit>,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Lookup,
    Waiting(Slot),
    Running,
}

#[derive(Debug, Default)]
struct PerPriority<T> {
    query: T,
    background: T,
}

impl<T> PerPriority<T> {
    fn of(&mut self, priority: Priority) -> &mut T {
        match priority {
            Priority::Query => &mut self.query,
            Priority::Background => &mut self.background,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct StartedJob<Q> {
    pub(super) key: Key,
    pub(super) question: Q,
}

impl<Q: Question> Queue<Q> {
    /// Creates an empty queue. Longer questions count as `max_bytes` long.
    pub(super) fn new(has_cache: bool, max_bytes: usize) -> Self {
        Self {
            has_cache,
            max_bytes,
            jobs: HashMap::new(),
            to_look_up: PerPriority::default(),
            waiting: PerPriority::default(),
            to_store: Vec::new(),
            last_age: 0,
            queries_in_a_row: 0,
        }
    }

    /// Joins an existing job, and raises its priority if this caller's is higher.
    pub(super) fn join(
        &mut self,
        key: Key,
        priority: Priority,
    ) -> Option<oneshot::Receiver<Outcome>> {
        let job = self.jobs.get_mut(&key)?;
        let (sender, receiver) = oneshot::channel();
        job.callers.push(sender);
        if priority < job.priority {
            job.priority = priority;
            match job.stage {
                Stage::Lookup => self.to_look_up.of(priority).push_back(key),
                Stage::Waiting(slot) => {
                    self.waiting.background.remove(slot);
                    self.make_ready(key);
                }
                Stage::Running => {}
            }
        }
        Some(receiver)
    }

    /// Adds a question, or joins its existing job.
    pub(super) fn enqueue(
        &mut self,
        key: Key,
        question: Q,
        priority: Priority,
        permit: OwnedSemaphorePermit,
    ) -> oneshot::Receiver<Outcome> {
        if let Some(receiver) = self.join(key, priority) {
            return receiver;
        }
        let (sender, receiver) = oneshot::channel();
        let job = Job {
            bytes: question.bytes(),
            question: Some(question),
            priority,
            stage: Stage::Lookup,
            callers: vec![sender],
            permit: Some(permit),
        };
        self.jobs.insert(key, job);
        if self.has_cache {
            self.to_look_up.of(priority).push_back(key);
        } else {
            self.make_ready(key);
        }
        receiver
    }

    pub(super) fn cancel(&mut self, keys: &[Key]) {
        for key in keys {
            let Some(job) = self.jobs.get_mut(key) else { continue };
            job.callers.retain(|caller| !caller.is_closed());
            if !job.callers.is_empty() {
                continue;
            }
            match job.stage {
                Stage::Lookup => {}
                Stage::Waiting(slot) => self.waiting.of(job.priority).remove(slot),
                Stage::Running => continue,
            }
            self.jobs.remove(key);
        }
    }

    pub(super) fn take_lookups(&mut self) -> Vec<Key> {
        let mut keys = Vec::new();
        while keys.len() < MAX_LOOKUPS {
            let next = self
                .to_look_up
                .query
                .pop_front()
                .or_else(|| self.to_look_up.background.pop_front());
            let Some(key) = next else { break };
            // Raising the priority of a job queues its key twice, and the job may already be gone.
            if self.jobs.get(&key).is_some_and(|job| matches!(job.stage, Stage::Lookup)) {
                keys.push(key);
            }
        }
        keys
    }

    pub(super) fn complete_lookup(&mut self, key: Key, vector: Option<Vector>) {
        let is_pending = self.jobs.get(&key).is_some_and(|job| matches!(job.stage, Stage::Lookup));
        match vector {
            _ if !is_pending => {}
            Some(vector) => self.answer(key, &Ok(vector)),
            None => self.make_ready(key),
        }
    }

    /// Starts the next batch for one of the `workers`. The batch is empty if no job is waiting.
    pub(super) fn begin(&mut self, limits: BatchLimits, workers: usize) -> Vec<StartedJob<Q>> {
        let queries = self.waiting.query.len();
        let background = self.waiting.background.len();
        let is_background_turn =
            queries == 0 || (background > 0 && self.queries_in_a_row >= MAX_QUERIES_IN_A_ROW);
        let (jobs, waiting) = if is_background_turn {
            self.queries_in_a_row = 0;
            (&mut self.waiting.background, background)
        } else {
            self.queries_in_a_row = self.queries_in_a_row.saturating_add(1);
            (&mut self.waiting.query, queries)
        };
        let texts = limits.texts.min(waiting.div_ceil(workers.max(1)));
        let keys = jobs.take(BatchLimits { texts, ..limits });
        keys.into_iter()
            .filter_map(|key| {
                let job = self.jobs.get_mut(&key)?;
                job.stage = Stage::Running;
                job.permit = None;
                Some(StartedJob { key, question: job.question.take()? })
            })
            .collect()
    }

    /// Sends the answer to all callers and queues it for the cache.
    ///
    /// The cache thread stores answers before its next lookup, so no answer is computed twice.
    pub(super) fn finish(&mut self, key: Key, outcome: &Outcome) {
        if let Ok(vector) = outcome
            && self.has_cache
            && self.to_store.len() < MAX_TO_STORE
        {
            self.to_store.push((key, Vector::clone(vector)));
        }
        self.answer(key, outcome);
    }

    pub(super) fn take_to_store(&mut self) -> Vec<(Key, Vector)> {
        std::mem::take(&mut self.to_store)
    }

    /// Returns the number of jobs that have not started.
    pub(super) fn pending(&self) -> usize {
        self.jobs.values().filter(|job| !matches!(job.stage, Stage::Running)).count()
    }

    fn make_ready(&mut self, key: Key) {
        let Some(job) = self.jobs.get_mut(&key) else { return };
        self.last_age += 1;
        let length = job.bytes.min(self.max_bytes);
        let slot = self.waiting.of(job.priority).add(key, length, self.last_age);
        job.stage = Stage::Waiting(slot);
    }

    fn answer(&mut self, key: Key, outcome: &Outcome) {
        for caller in self.jobs.remove(&key).into_iter().flat_map(|job| job.callers) {
            // The caller may have dropped its future.
            let _ = caller.send(outcome.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::sync::Semaphore;
    use tokio::sync::oneshot::error::TryRecvError;

    const LIMITS: BatchLimits = BatchLimits { texts: 8, bytes: 4096 };

    fn key(text: &str) -> Key {
        Key::new(&[0; 32], text)
    }

    fn permit(free: &Arc<Semaphore>) -> OwnedSemaphorePermit {
        Arc::clone(free).try_acquire_owned().unwrap()
    }

    fn enqueue(
        queue: &mut Queue<String>,
        text: &str,
        priority: Priority,
    ) -> oneshot::Receiver<Outcome> {
        queue.enqueue(key(text), text.to_owned(), priority, permit(&Arc::new(Semaphore::new(1))))
    }

    fn begin(queue: &mut Queue<String>) -> Vec<String> {
        queue.begin(LIMITS, 1).into_iter().map(|job| job.question).collect()
    }

    fn vector(number: f32) -> Vector {
        vec![number].into()
    }

    #[test]
    fn queries_go_first_without_starving_background() {
        let mut queue = Queue::new(false, 100);
        let single_text = BatchLimits { texts: 1, ..LIMITS };
        let mut receivers = vec![enqueue(&mut queue, "later", Priority::Background)];
        for number in 0..20 {
            receivers.push(enqueue(&mut queue, &format!("q{number}"), Priority::Query));
        }
        let order: Vec<String> =
            (0..21).flat_map(|_| queue.begin(single_text, 1)).map(|job| job.question).collect();
        let position = order.iter().position(|text| text == "later").unwrap();
        assert_eq!(position, MAX_QUERIES_IN_A_ROW as usize);
    }

    #[test]
    fn equal_texts_share_a_job() {
        let mut queue = Queue::new(false, 100);
        let mut first = enqueue(&mut queue, "a", Priority::Background);
        let mut second = enqueue(&mut queue, "a", Priority::Background);
        assert_eq!(begin(&mut queue), ["a"]);
        let mut third = enqueue(&mut queue, "a", Priority::Query);
        assert!(begin(&mut queue).is_empty());
        queue.finish(key("a"), &Ok(vector(1.0)));
        for receiver in [&mut first, &mut second, &mut third] {
            assert_eq!(receiver.try_recv().unwrap(), Ok(vector(1.0)));
        }
        assert!(queue.jobs.is_empty() && queue.to_store.is_empty());
    }

    #[test]
    fn queries_raise_the_priority_of_waiting_texts() {
        let mut queue = Queue::new(false, 100);
        let _receivers = [
            enqueue(&mut queue, "first", Priority::Background),
            enqueue(&mut queue, "second", Priority::Background),
            enqueue(&mut queue, "second", Priority::Query),
        ];
        assert_eq!(begin(&mut queue), ["second"]);
        assert_eq!(begin(&mut queue), ["first"]);
        assert!(begin(&mut queue).is_empty());
    }

    #[test]
    fn jobs_without_callers_are_removed_unless_running() {
        for has_cache in [false, true] {
            let mut queue = Queue::new(has_cache, 100);
            let free = Arc::new(Semaphore::new(1));
            let first = queue.enqueue(key("a"), "a".to_owned(), Priority::Query, permit(&free));
            let second = queue.join(key("a"), Priority::Query);
            drop(first);
            queue.cancel(&[key("a")]);
            assert_eq!((queue.pending(), free.available_permits()), (1, 0));
            drop(second);
            queue.cancel(&[key("a")]);
            assert_eq!((queue.pending(), free.available_permits()), (0, 1));
            assert!(queue.take_lookups().is_empty());
            assert!(begin(&mut queue).is_empty());
        }
        let mut queue = Queue::new(true, 100);
        let running = enqueue(&mut queue, "b", Priority::Query);
        queue.complete_lookup(key("b"), None);
        assert_eq!(begin(&mut queue), ["b"]);
        drop(running);
        queue.cancel(&[key("b")]);
        queue.finish(key("b"), &Ok(vector(2.0)));
        assert_eq!(queue.take_to_store(), [(key("b"), vector(2.0))]);
    }

    #[test]
    fn permits_are_released_when_jobs_begin() {
        let free = Arc::new(Semaphore::new(1));
        let mut queue = Queue::new(false, 100);
        let _receiver = queue.enqueue(key("a"), "a".to_owned(), Priority::Query, permit(&free));
        assert_eq!(free.available_permits(), 0);
        assert_eq!(begin(&mut queue), ["a"]);
        assert_eq!(free.available_permits(), 1);
    }

    #[test]
    fn cached_answers_are_not_computed() {
        let mut queue = Queue::new(true, 100);
        let mut known = enqueue(&mut queue, "known", Priority::Background);
        let mut new = enqueue(&mut queue, "new", Priority::Background);
        assert!(begin(&mut queue).is_empty());
        assert_eq!(queue.take_lookups(), [key("known"), key("new")]);
        queue.complete_lookup(key("known"), Some(vector(1.0)));
        queue.complete_lookup(key("new"), None);
        assert_eq!(known.try_recv().unwrap(), Ok(vector(1.0)));
        assert_eq!(new.try_recv().unwrap_err(), TryRecvError::Empty);
        assert_eq!(begin(&mut queue), ["new"]);
        queue.complete_lookup(key("new"), Some(vector(9.0)));
        assert_eq!(new.try_recv().unwrap_err(), TryRecvError::Empty);
    }

    #[test]
    fn queries_are_looked_up_first() {
        let mut queue = Queue::new(true, 100);
        let _receivers = [
            enqueue(&mut queue, "a", Priority::Background),
            enqueue(&mut queue, "b", Priority::Background),
            enqueue(&mut queue, "c", Priority::Query),
            enqueue(&mut queue, "b", Priority::Query),
        ];
        let mut keys = queue.take_lookups();
        assert_eq!(keys[..2], [key("c"), key("b")]);
        keys.dedup();
        for key in keys {
            queue.complete_lookup(key, None);
        }
        assert_eq!(begin(&mut queue), ["c", "b"]);
        assert_eq!(begin(&mut queue), ["a"]);
    }

    #[test]
    fn waiting_jobs_are_divided_among_the_workers() {
        let mut queue = Queue::new(false, 100);
        let _receivers: Vec<_> = (0..6)
            .map(|number| enqueue(&mut queue, &format!("text {number}"), Priority::Query))
            .collect();
        assert_eq!(queue.begin(LIMITS, 2).len(), 3);
        assert_eq!(queue.begin(LIMITS, 2).len(), 2);
        assert_eq!(queue.begin(LIMITS, 2).len(), 1);
    }
}
