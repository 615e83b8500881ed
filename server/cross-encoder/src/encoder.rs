//! A pool of cross-encoder sessions that scores pairs for concurrent callers.

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

const DEFAULT_WORKERS: usize = 4;
/// The maximum number of pairs per batch. Bounds how long a caller waits for other callers' pairs. Sessions
/// split batches further.
const BATCH_PAIRS: usize = 16;
const BATCH_BYTES: usize = 4 << 10;

/// Options for [`CrossEncoder::start`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of sessions, 1 to 64. Each has its own thread and copy of the weights. Defaults to the
    /// number of processors, up to 4.
    pub workers: usize,
    /// The maximum total size of queued pairs in bytes, 4 KiB to 1 GiB; each pair adds 256 bytes. Callers
    /// wait while the queue is full. Defaults to 16 MiB.
    pub queue_bytes: u32,
    /// The size of the score cache in bytes, about 200 per score; 0 disables the cache. Defaults to 8 MiB.
    pub cache_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            workers: available_parallelism().map_or(1, usize::from).min(DEFAULT_WORKERS),
            queue_bytes: 16 << 20,
            cache_bytes: 8 << 20,
        }
    }
}

/// Scores pairs for concurrent callers on a shared pool of sessions. Clones share the pool.
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
    /// Tests a model and starts a pool for it. Blocks for about 0.3 s per worker for a 100 MB model.
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

    /// Returns the probabilities for each pair, in order. Waits while the queue is full.
    ///
    /// A pair whose scores are cached is not computed again. Dropping the future cancels the pairs that no
    /// worker has started on.
    pub async fn score(&self, pairs: Vec<Pair>) -> Result<Vec<Probabilities>, ScoreError> {
        let logits = self.logits(pairs).await?;
        Ok(logits
            .iter()
            .map(|logits| Probabilities::from_logits(logits, &self.labels, self.temperature))
            .collect())
    }

    /// Returns the logits for each pair, in the column order of the model's labels. Use it to compare
    /// implementations, and [`CrossEncoder::score`] to decide.
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

    /// Returns the number of tokens in a text. Premises of up to [`CrossEncoder::room_beside`] tokens are
    /// not truncated.
    #[must_use]
    pub fn tokens(&self, text: &str) -> usize {
        self.tokens.count(text)
    }

    /// Returns the number of premise tokens that fit next to a claim, or `None` if the claim is too long to
    /// score.
    #[must_use]
    pub fn room_beside(&self, claim: &str) -> Option<usize> {
        let has_room = self.tokens.has_room_beside(claim);
        has_room.then(|| self.tokens.room_beside(claim))
    }

    /// Returns statistics since the pool started.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.pool.statistics()
    }
}
