//! Error types. Each message names the fix.

use std::path::PathBuf;

use gsar_embedding::PoolError;

/// An error from reading or running a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// A file is missing, unreadable, changed, unsupported or invalid.
    #[error(transparent)]
    File(#[from] gsar_embedding::ModelError),
    /// `id2label` does not name a class for every column.
    #[error(
        "model: {}: {found}; assign each label to exactly one column, in the order used in training: grounded, ungrounded, contradicted and optionally complementary (or entailment, neutral, contradiction; or SUPPORTS, NOT_ENOUGH_INFO, REFUTES)", file.display()
    )]
    Labels {
        /// `config.json`.
        file: PathBuf,
        /// The cause.
        found: String,
    },
    /// The graph has the wrong inputs or outputs.
    #[error(
        "model: {}: {found}; export a graph with the inputs input_ids, attention_mask and, if the encoder has them, token_type_ids, int64 [batch, sequence], and the single output logits, float32 [batch, labels], with dynamic axes batch and sequence", file.display()
    )]
    Graph {
        /// `model.onnx`.
        file: PathBuf,
        /// The cause.
        found: String,
    },
    /// The labels and the graph belong to different models.
    #[error(
        "model: {} names {labels} labels, but the graph returns {scores} scores; use the config.json that was saved with the model", file.display()
    )]
    Columns {
        /// `config.json`.
        file: PathBuf,
        /// The number of labels in `config.json`.
        labels: usize,
        /// The number of scores the graph returns.
        scores: usize,
    },
    /// The examples cannot be read.
    #[error("model: {}: {found}; expected 1 to 64 lines of the form {{\"claim\": …, \"premise\": …, \"label\": …}} with the model's labels", file.display())]
    Examples {
        /// `examples.jsonl`.
        file: PathBuf,
        /// The cause.
        found: String,
    },
    /// The model misclassifies its own examples.
    #[error(
        "model: {correct} of {total} rows of {} are classified correctly, but at least two thirds are required; id2label in config.json is in a different order than in training, or tokenizer.json belongs to another model: use the files that were saved with the model", file.display()
    )]
    ExamplesWrong {
        /// `examples.jsonl`.
        file: PathBuf,
        /// The number of correctly classified examples.
        correct: usize,
        /// The number of examples.
        total: usize,
    },
}

/// An error from starting a pool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The model cannot be run.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An option is out of range, or a thread cannot be started.
    #[error(transparent)]
    Pool(#[from] gsar_embedding::StartError),
}

/// An error from scoring pairs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScoreError {
    /// The claim leaves no room for evidence. Claims are never truncated, because that changes their
    /// meaning.
    #[error(
        "the claim of pair {at} ({bytes} bytes) has more than {max_tokens} tokens, the maximum for a claim; split the claim"
    )]
    ClaimTooLong {
        /// The index of the pair.
        at: usize,
        /// The length of the claim in bytes.
        bytes: usize,
        /// The maximum number of tokens in a claim.
        max_tokens: usize,
    },
    /// The model failed on this pair, even when run alone.
    #[error("a pair of {bytes} bytes cannot be scored: {reason}")]
    Session {
        /// The combined length of claim and premise in bytes.
        bytes: usize,
        /// The error from ONNX Runtime.
        reason: String,
    },
    /// The pool has stopped.
    #[error("the scoring pool has stopped; restart it")]
    Ended,
}

impl From<PoolError> for ScoreError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Session { bytes, reason } => Self::Session { bytes, reason },
            PoolError::Ended => Self::Ended,
        }
    }
}
