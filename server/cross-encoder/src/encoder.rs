//! This module is the face of the crate: pairs in, probabilities out, for many callers at once.

use std::sync::Arc;
use std::thread::available_parallelism;

use gsar_embedding::{
    Cache, Computation, MemoryCache, Options as PoolOptions, Pool, Priority, Runtime, Statistics,
    Vector, Work,
};

use crate::error::{ScoreError, StartError};
use crate::labels::Labels;
use crate::model::Model;
use crate::pair::Pair;
use crate::probabilities::Probabilities;
use crate::tokens::Tokens;

/// The most workers by default.
const DEFAULT_WORKERS: usize = 4;
/// The most pairs that a worker takes at a time. A session parts them further, so this bounds how long a caller waits
/// for the others of a batch.
const BATCH_PAIRS: usize = 16;
/// The most bytes of these pairs.
const BATCH_BYTES: usize = 4 << 10;

/// What a pool is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Sessions, each with a thread and a copy of the weights, 1 to 64; as many as processors, at most four.
    pub workers: usize,
    /// The most bytes of pairs that may wait, 4 KiB to 1 GiB; 16 MiB. Each pair counts 256 more. A caller waits when
    /// there is no room.
    pub queue_bytes: u32,
    /// The memory for the scores of pairs that were scored before, in bytes: about 200 for each; 8 MiB. None where it
    /// is 0.
    pub cache_bytes: usize,
}

impl Default for Options {
    /// As many workers as processors, at most four; 16 MiB may wait; 8 MiB of scores are kept.
    fn default() -> Self {
        Self {
            workers: available_parallelism().map_or(1, usize::from).min(DEFAULT_WORKERS),
            queue_bytes: 16 << 20,
            cache_bytes: 8 << 20,
        }
    }
}

/// Scores pairs for many callers with one pool of sessions. Clones share the pool.
///
/// Dropping the last clone ends the threads and waits for the batches that run.
#[derive(Clone, Debug)]
pub struct CrossEncoder {
    pool: Pool<Pair>,
    tokens: Arc<Tokens>,
    labels: Arc<Labels>,
    temperature: f64,
}

impl CrossEncoder {
    /// Starts a pool for a model, and tries the model first. Blocks, about 0.3 s for each worker with a model of 100 MB.
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
                model.rehearse(&mut scorer)?;
            }
            computations.push(Box::new(scorer));
        }
        let columns = model.labels().len();
        let work = Work {
            name: "gsar-pairs",
            model_digest: model.digest(),
            fits: Box::new(move |logits| {
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

    /// The probabilities of each pair, in their order. Waits while the queue is full.
    ///
    /// The same pair is computed once for all callers while its scores are kept. Dropping the future gives up what
    /// is not begun.
    ///
    /// # Errors
    /// [`ScoreError`], the first of a pair that cannot be scored.
    pub async fn score(&self, pairs: Vec<Pair>) -> Result<Vec<Probabilities>, ScoreError> {
        let logits = self.logits(pairs).await?;
        Ok(logits
            .iter()
            .map(|logits| Probabilities::of_logits(logits, &self.labels, self.temperature))
            .collect())
    }

    /// What the graph gives for each pair, in the order of its own columns ([`Model::classes`]). It is for comparing
    /// implementations: what decides anything takes [`CrossEncoder::score`].
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
                most_tokens: self.tokens.most_of_a_claim(),
            });
        }
        Ok(self.pool.ask(pairs, Priority::Query).await?)
    }

    /// How many tokens a text has. A premise is read whole when it has at most [`CrossEncoder::room_beside`] the claim.
    #[must_use]
    pub fn tokens(&self, text: &str) -> usize {
        self.tokens.count(text)
    }

    /// How many tokens of a premise are read beside a claim; `None` where the claim itself is too long to be scored.
    #[must_use]
    pub fn room_beside(&self, claim: &str) -> Option<usize> {
        let has_room = self.tokens.has_room_beside(claim);
        has_room.then(|| self.tokens.room_beside(claim))
    }

    /// What happened so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.pool.statistics()
    }
}
