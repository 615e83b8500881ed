//! Errors from models and pairs, each with its fix.

use std::path::PathBuf;

use gsar_embedding::PoolError;

/// An error from reading or running a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// A file is missing, unreadable, changed, unsupported or invalid.
    #[error(transparent)]
    File(#[from] gsar_embedding::ModelError),
    /// The labels do not name a class for each column.
    #[error(
        "model: {}: {found}; name every column once, in the order of the model's training: grounded, ungrounded, contradicted and, where it has it, complementary (entailment, neutral and contradiction, or SUPPORTS, NOT_ENOUGH_INFO and REFUTES, are read as the first three)", file.display()
    )]
    Labels {
        /// `config.json`.
        file: PathBuf,
        /// What is wrong.
        found: String,
    },
    /// The graph has other inputs or outputs.
    #[error(
        "model: {}: {found}; export a graph with the inputs input_ids, attention_mask and token_type_ids, int64 [batch, sequence], and the one output logits, float32 [batch, labels], batch and sequence as dynamic axes", file.display()
    )]
    Graph {
        /// `model.onnx`.
        file: PathBuf,
        /// What is wrong.
        found: String,
    },
    /// Labels and graph belong to different models.
    #[error(
        "model: {} names {named} labels and the graph gives {given} scores; put the config.json there that was saved with the model", file.display()
    )]
    Columns {
        /// `config.json`.
        file: PathBuf,
        /// The number of labels in `config.json`.
        named: usize,
        /// The number of scores that the graph returns.
        given: usize,
    },
    /// The examples cannot be read.
    #[error("model: {}: {found}; each line is {{\"claim\": …, \"premise\": …, \"label\": …}} with a label of the model, 1 to 64 of them", file.display())]
    Examples {
        /// `examples.jsonl`.
        file: PathBuf,
        /// What is wrong.
        found: String,
    },
    /// The model fails on its own examples.
    #[error(
        "model: {right} of {of} rows of {} come out as labelled, at least two thirds must; id2label of config.json names the columns in another order than the model was trained with, or tokenizer.json belongs to another model: put the files there that were saved with it", file.display()
    )]
    ExamplesWrong {
        /// `examples.jsonl`.
        file: PathBuf,
        /// The number of correct examples.
        right: usize,
        /// The number of examples.
        of: usize,
    },
}

/// An error from starting a pool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The model cannot be run.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An option is not allowed, or a thread cannot be started.
    #[error(transparent)]
    Pool(#[from] gsar_embedding::StartError),
}

/// An error from scoring pairs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScoreError {
    /// A claim leaves no room for evidence. It is not cut: half of a claim is a different claim.
    #[error(
        "the claim of pair {at} has {bytes} bytes and more than {max_tokens} tokens, the maximum for a claim; split it"
    )]
    ClaimTooLong {
        /// The index of the pair.
        at: usize,
        /// The length of its claim, in bytes.
        bytes: usize,
        /// The maximum number of tokens of a claim.
        max_tokens: usize,
    },
    /// The model failed on a single pair.
    #[error("a pair of {bytes} bytes cannot be scored: {reason}")]
    Session {
        /// The length of claim and premise, in bytes.
        bytes: usize,
        /// The error of ONNX Runtime.
        reason: String,
    },
    /// The threads of the pool have stopped.
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
