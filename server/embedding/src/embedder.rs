//! Embeds texts on a pool. Normalizes and validates the vectors.

use crate::cache::Cache;
use crate::error::{EmbedError, StartError};
use crate::model::Model;
use crate::pool::{Computation, Options, Pool, PoolSpec, Priority, Statistics};
use crate::runtime::Runtime;
use crate::session::{Session, SessionError};
use crate::vector::{self, Vector};

/// Embeds texts for concurrent callers on a shared pool of sessions. Clones share the pool.
///
/// Dropping the last clone stops the threads after their current batches.
#[derive(Clone, Debug)]
pub struct Embedder {
    pool: Pool<String>,
    dimension: usize,
}

impl Embedder {
    /// Starts a pool for a model. Blocks for about 0.3 s per worker for a 100 MB model.
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

    /// Starts a pool with one worker per session. The digest identifies the model in the cache.
    ///
    /// # Errors
    /// Returns [`StartError::InvalidOption`], [`StartError::Dimensions`] or [`StartError::Thread`].
    pub fn with_sessions(
        sessions: Vec<Box<dyn Session>>,
        model_digest: [u8; 32],
        options: &Options,
        cache: Option<Box<dyn Cache>>,
    ) -> Result<Self, StartError> {
        let dimensions: Vec<usize> = sessions.iter().map(|session| session.dimension()).collect();
        let dimension = dimensions.first().copied().unwrap_or(0);
        if let Some(other) = dimensions.into_iter().find(|other| *other != dimension) {
            return Err(StartError::Dimensions { first: dimension, other });
        }
        let computations = sessions
            .into_iter()
            .map(|session| Box::new(Embedding { session, dimension }) as Box<dyn Computation<_>>)
            .collect();
        let work = PoolSpec {
            name: "gsar-embedding",
            model_digest,
            is_valid: Box::new(move |values| vector::is_unit(values, dimension)),
            computations,
        };
        Ok(Self { pool: Pool::start(work, options, cache)?, dimension })
    }

    /// Embeds texts as unit vectors, in order. Waits while the queue is full.
    ///
    /// Concurrent requests for the same text share one computation. Depending on the batch in which it is
    /// computed, a vector varies by at most 1e-5 per value. Dropping the future cancels the texts that no
    /// worker has started on.
    pub async fn embed(
        &self,
        texts: Vec<String>,
        priority: Priority,
    ) -> Result<Vec<Vector>, EmbedError> {
        Ok(self.pool.ask(texts, priority).await?)
    }

    /// Returns the number of values per vector.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the pool's statistics.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.pool.statistics()
    }
}

/// Computes a session's vectors and normalizes them.
struct Embedding {
    session: Box<dyn Session>,
    dimension: usize,
}

impl Computation<String> for Embedding {
    fn max_bytes(&self) -> usize {
        self.session.max_text_bytes()
    }

    fn compute(&mut self, texts: &[&String]) -> Result<Vec<Vector>, SessionError> {
        let texts: Vec<&str> = texts.iter().map(|text| text.as_str()).collect();
        let vectors = self.session.embed(&texts)?;
        vectors.iter().map(|values| self.unit(values)).collect()
    }
}

impl Embedding {
    fn unit(&self, values: &[f32]) -> Result<Vector, SessionError> {
        if values.len() != self.dimension {
            return Err(SessionError(format!(
                "the model returned a vector of {} values, expected {}",
                values.len(),
                self.dimension
            )));
        }
        vector::unit(values)
            .ok_or_else(|| SessionError("the vector is zero or not finite".to_owned()))
    }
}
