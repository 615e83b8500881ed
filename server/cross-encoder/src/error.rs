//! This module is what can be wrong with a model and with a pair, each with what to do.

use std::path::PathBuf;

use gsar_embedding::PoolError;

/// Why a model could not be read, or not be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// A file is missing, unreadable, changed, asks for what is not done, or is refused by what reads it.
    #[error(transparent)]
    File(#[from] gsar_embedding::ModelError),
    /// The labels name no class for each column.
    #[error(
        "model: {}: {found}; name every column once, in the order of the model's training: grounded, ungrounded, contradicted and, where it has it, complementary (entailment, neutral and contradiction, or SUPPORTS, NOT_ENOUGH_INFO and REFUTES, are read as the first three)", file.display()
    )]
    Labels {
        /// `config.json`.
        file: PathBuf,
        /// What is wrong.
        found: String,
    },
    /// The graph takes or gives something else.
    #[error(
        "model: {}: {found}; export a graph with the inputs input_ids, attention_mask and token_type_ids, int64 [batch, sequence], and the one output logits, float32 [batch, labels], batch and sequence as dynamic axes", file.display()
    )]
    Graph {
        /// `model.onnx`.
        file: PathBuf,
        /// What is wrong.
        found: String,
    },
    /// Labels and graph are of different models.
    #[error(
        "model: {} names {named} labels and the graph gives {given} scores; put the config.json there that was saved with the model", file.display()
    )]
    Columns {
        /// `config.json`.
        file: PathBuf,
        /// The number of labels in `config.json`.
        named: usize,
        /// The number of scores that the model gives.
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
    /// The model gets its own examples wrong.
    #[error(
        "model: {right} of {of} rows of {} come out as labelled, at least two thirds must; id2label of config.json names the columns in another order than the model was trained with, or tokenizer.json belongs to another model: put the files there that were saved with it", file.display()
    )]
    ExamplesWrong {
        /// `examples.jsonl`.
        file: PathBuf,
        /// The number of examples that come out as labelled.
        right: usize,
        /// The number of examples.
        of: usize,
    },
}

/// Why a pool could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The model cannot be run.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An option is not allowed, or the system gives no thread.
    #[error(transparent)]
    Pool(#[from] gsar_embedding::StartError),
}

/// Why pairs were not scored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScoreError {
    /// A claim leaves no room for evidence. It is not cut: half of a claim is another claim.
    #[error(
        "the claim of pair {at} has {bytes} bytes and more than {most_tokens} tokens, which is as much as is read of a claim; split it"
    )]
    ClaimTooLong {
        /// The place of the pair, from 0.
        at: usize,
        /// The length of its claim, in bytes.
        bytes: usize,
        /// The most tokens of a claim.
        most_tokens: usize,
    },
    /// The model failed on one of the pairs, alone.
    #[error("a pair of {bytes} bytes cannot be scored: {reason}")]
    Session {
        /// The length of claim and premise, in bytes.
        bytes: usize,
        /// What ONNX Runtime said.
        reason: String,
    },
    /// The threads of the pool are gone.
    #[error("the pool that scores pairs has ended; start it anew")]
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
