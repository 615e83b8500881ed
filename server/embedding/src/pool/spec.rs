//! The parameters of a pool, and the traits for its questions and computations.

use crate::cache::Key;
use crate::session::SessionError;
use crate::vector::Vector;

/// A question that a pool can answer.
pub trait Question: Send + 'static {
    /// Returns the question's length in bytes, which counts towards the queue limit and is used to form
    /// batches.
    fn bytes(&self) -> usize;

    /// Returns the cache key for the model with this digest.
    fn key(&self, model_digest: &[u8; 32]) -> Key;
}

impl Question for String {
    fn bytes(&self) -> usize {
        self.len()
    }

    fn key(&self, model_digest: &[u8; 32]) -> Key {
        Key::new(model_digest, self)
    }
}

/// Computes answers. Each thread in a pool has its own computation.
pub trait Computation<Q>: Send {
    /// Returns the longest question, in bytes, that the model can read in full. Used only to form batches.
    fn max_bytes(&self) -> usize;

    /// Computes an answer to each question, in order. If a batch fails, the pool retries each question
    /// alone.
    fn compute(&mut self, questions: &[&Q]) -> Result<Vec<Vector>, SessionError>;
}

/// Returns `true` if a cached answer is valid for the model.
pub type AnswerCheck = Box<dyn Fn(&[f32]) -> bool + Send + Sync>;

/// The parameters of a pool.
pub struct PoolSpec<Q> {
    /// The thread name.
    pub name: &'static str,
    /// The digest that identifies the model in the cache.
    pub model_digest: [u8; 32],
    /// Validates cached answers.
    pub is_valid: AnswerCheck,
    /// One computation per thread.
    pub computations: Vec<Box<dyn Computation<Q>>>,
}

impl<Q> std::fmt::Debug for PoolSpec<Q> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PoolSpec")
            .field("name", &self.name)
            .field("computations", &self.computations.len())
            .finish_non_exhaustive()
    }
}
