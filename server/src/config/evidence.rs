//! The table `[evidence]`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Attested, Bytes, Duration};

/// The evidence store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// `true` if corpora can be stored.
    pub enabled: bool,
    /// The maximum content size of one corpus.
    pub max_corpus_size: Bytes,
    /// The maximum content size of all corpora.
    pub max_size: Bytes,
    /// The default lifetime of a corpus. If absent, corpora do not expire.
    pub time_to_live: Option<Duration>,
    /// The maximum content size of the corpora that are cached in memory. The evidence whose facts are
    /// cached has the same limit.
    pub kept_in_memory: Bytes,
    /// The channels that attest evidence. Empty by default.
    pub attested: Vec<Attested>,
    /// Files that declare checks, in the format of `gsar check`. Only runs of these checks can be attested.
    pub checks: Vec<PathBuf>,
    /// The mode of semantic search: `auto`, `required` or `off`.
    pub embeddings: EmbeddingsMode,
    /// The folder of an ONNX sentence model. Defaults to the model that `make models` writes to the user's
    /// cache.
    pub model: Option<PathBuf>,
    /// The ONNX Runtime library. Defaults to ORT_DYLIB_PATH, then the installed library, then the one in
    /// the user's cache.
    pub onnxruntime: Option<PathBuf>,
    /// The number of model sessions, 1 to 64. Each has a thread and a copy of the weights.
    pub embedding_workers: usize,
}

/// The mode of semantic search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbeddingsMode {
    /// Use a model if one is available. It is loaded on first use.
    Auto,
    /// Refuse to start without a model.
    Required,
    /// Search by words only.
    Off,
}
