//! The traits and parameters of a pool: its questions, the computation of answers, and their validation.

use crate::cache::Key;
use crate::session::SessionError;
use crate::vector::Vector;

/// A question to a pool.
pub trait Question: Send + 'static {
    /// Returns its length in bytes, used to limit the queue and to form batches.
    fn bytes(&self) -> usize;

    /// Returns its cache key for the model with this digest.
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

/// Computes answers. A pool has one computation per thread.
pub trait Computation<Q>: Send {
    /// Returns the maximum length of a question in bytes that the model may read in full. Used only to form batches.
    fn max_bytes(&self) -> usize;

    /// Computes an answer to each question, in order.
    ///
    /// # Errors
    /// [`SessionError`]. A failed batch is retried question by question.
    fn compute(&mut self, questions: &[&Q]) -> Result<Vec<Vector>, SessionError>;
}

/// Returns `true` if a cached answer is valid for the model.
pub type AnswerCheck = Box<dyn Fn(&[f32]) -> bool + Send + Sync>;

/// The parameters of a pool.
pub struct PoolSpec<Q> {
    /// The name of its threads.
    pub name: &'static str,
    /// The digest that distinguishes models in the cache.
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
