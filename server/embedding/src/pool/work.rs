//! This module says what a pool is made for: what is asked of it, what computes the answers, and which answers can
//! be right. It knows no model, no queue and no thread.

use crate::cache::Key;
use crate::session::SessionError;
use crate::vector::Vector;

/// What is asked of a pool.
pub trait Question: Send + 'static {
    /// Its length in bytes. What waits is bounded by it, and what is computed together is of like length.
    fn bytes(&self) -> usize;

    /// The key that distinguishes it from every other question under the model of this digest.
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

/// What computes answers. A pool has one for each of its threads.
pub trait Computation<Q>: Send {
    /// The longest question, in bytes, whose end still counts. Only the planning of batches looks at it.
    fn longest(&self) -> usize;

    /// One answer for each question, in their order.
    ///
    /// # Errors
    /// What went wrong. A batch that fails is tried again question by question.
    fn compute(&mut self, questions: &[&Q]) -> Result<Vec<Vector>, SessionError>;
}

/// Whether an answer that a cache kept can be one of the model.
pub type Fits = Box<dyn Fn(&[f32]) -> bool + Send + Sync>;

/// What a pool is made for.
pub struct Work<Q> {
    /// What its threads are called.
    pub name: &'static str,
    /// The digest by which the cache distinguishes models.
    pub model_digest: [u8; 32],
    /// Which of the answers that a cache kept can be right.
    pub fits: Fits,
    /// As many as there are to be threads.
    pub computations: Vec<Box<dyn Computation<Q>>>,
}

impl<Q> std::fmt::Debug for Work<Q> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Work")
            .field("name", &self.name)
            .field("computations", &self.computations.len())
            .finish_non_exhaustive()
    }
}
