//! Scores pairs for concurrent callers.

use std::sync::Arc;
use std::thread::available_parallelism;

use gsar_embedding::{
    Cache, Computation, MemoryCache, Options as PoolOptions, Pool, PoolSpec, Priority, Runtime,
    Statistics, Vector,
};

use crate::error::{ScoreError, StartError};
use crate::labels::Labels;
use crate::model::Model;
use crate::pair::Pair;
use crate::probabilities::Probabilities;
use crate::tokens::Tokens;

/// The maximum number of workers by default.
const DEFAULT_WORKERS: usize = 4;
/// The maximum number of pairs per batch. A session splits a batch further, so this bounds how long a
/// caller waits for others.
const BATCH_PAIRS: usize = 16;
/// The maximum size of a batch in bytes.
const BATCH_BYTES: usize = 4 << 10;

/// The options of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of sessions, each with a thread and a copy of the weights, 1 to 64. Default: the number of
    /// processors, at most 4.
    pub workers: usize,
    /// The maximum size of waiting pairs in bytes, 4 KiB to 1 GiB, counting 256 more per pair. Callers
    /// wait while the queue is full. Default: 16 MiB.
    pub queue_bytes: u32,
    /// The memory for cached scores in bytes, about 200 per score; 0 disables the cache. Default: 8 MiB.
    pub cache_bytes: usize,
}

impl Default for Options {
    /// Returns the defaults of all options.
    fn default() -> Self {
        Self {
            workers: available_parallelism().map_or(1, usize::from).min(DEFAULT_WORKERS),
            queue_bytes: 16 << 20,
            cache_bytes: 8 << 20,
        }
    }
}

/// Scores pairs for concurrent callers with a shared pool of sessions. Clones share the pool.
///
/// Dropping the last clone stops the threads after their current batches.
#[derive(Clone, Debug)]
pub struct CrossEncoder {
    pool: Pool<Pair>,
    tokens: Arc<Tokens>,
    labels: Arc<Labels>,
    temperature: f64,
}

impl CrossEncoder {
    /// Tests a model and starts a pool for it. Blocks for about 0.3 s per worker with a model of 100 MB.
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(runtime: &Runtime, model: &Model, options: &Options) -> Result<Self, StartError> {
        let pool_options = PoolOptions {
            workers: options.workers,
            batch_texts: BATCH_PAIRS,
            batch_bytes: BATCH_BYTES,
            queue_bytes: options.queue_bytes,
        };
        pool_options.check()?;
        let mut computations: Vec<Box<dyn Computation<Pair>>> = Vec::new();
        for worker in 0..options.workers {
            let mut scorer = model.scorer(runtime)?;
            if worker == 0 {
                model.self_test(&mut scorer)?;
            }
            computations.push(Box::new(scorer));
        }
        let columns = model.labels().len();
        let work = PoolSpec {
            name: "gsar-pairs",
            model_digest: model.digest(),
            is_valid: Box::new(move |logits| {
                logits.len() == columns && logits.iter().all(|logit| logit.is_finite())
            }),
            computations,
        };
        let cache = (options.cache_bytes > 0)
            .then(|| Box::new(MemoryCache::new(options.cache_bytes)) as Box<dyn Cache>);
        Ok(Self {
            pool: Pool::start(work, &pool_options, cache)?,
            tokens: Arc::clone(model.tokens()),
            labels: Arc::clone(model.labels()),
            temperature: model.temperature(),
        })
    }

    /// Returns the probabilities of each pair, in order. Waits while the queue is full.
    ///
    /// A pair is computed once while its scores are cached. Dropping the future cancels pairs whose
    /// computation has not begun.
    ///
    /// # Errors
    /// [`ScoreError`] for the first pair that cannot be scored.
    pub async fn score(&self, pairs: Vec<Pair>) -> Result<Vec<Probabilities>, ScoreError> {
        let logits = self.logits(pairs).await?;
        Ok(logits
            .iter()
            .map(|logits| Probabilities::of_logits(logits, &self.labels, self.temperature))
            .collect())
    }

    /// Returns the logits of each pair, in the column order of [`Model::classes`], to compare
    /// implementations. Decisions use [`CrossEncoder::score`].
    ///
    /// # Errors
    /// Those of [`CrossEncoder::score`].
    pub async fn logits(&self, pairs: Vec<Pair>) -> Result<Vec<Vector>, ScoreError> {
        let too_long =
            pairs.iter().enumerate().find(|(_, pair)| !self.tokens.has_room_beside(&pair.claim));
        if let Some((at, pair)) = too_long {
            return Err(ScoreError::ClaimTooLong {
                at,
                bytes: pair.claim.len(),
                max_tokens: self.tokens.max_claim_tokens(),
            });
        }
        Ok(self.pool.ask(pairs, Priority::Query).await?)
    }

    /// Returns the number of tokens in a text. A premise of at most [`CrossEncoder::room_beside`] tokens
    /// is not truncated.
    #[must_use]
    pub fn tokens(&self, text: &str) -> usize {
        self.tokens.count(text)
    }

    /// Returns the number of tokens of a premise that fit with a claim; `None` if the claim is too long to be scored.
    #[must_use]
    pub fn room_beside(&self, claim: &str) -> Option<usize> {
        let has_room = self.tokens.has_room_beside(claim);
        has_room.then(|| self.tokens.room_beside(claim))
    }

    /// Returns the statistics so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.pool.statistics()
    }
}
