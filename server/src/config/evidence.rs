//! The table `[evidence]`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Attested, Bytes, Duration};

/// Stored evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// `true` to store corpora.
    pub enabled: bool,
    /// The maximum size of a corpus, in bytes of contents.
    pub max_corpus_size: Bytes,
    /// The maximum size of all corpora together, in bytes of contents.
    pub max_size: Bytes,
    /// The default lifetime of a corpus; absent for ever.
    pub time_to_live: Option<Duration>,
    /// The maximum size of whole corpora cached in memory, in bytes of contents.
    pub kept_in_memory: Bytes,
    /// The channels whose evidence is attested; none by default.
    pub attested: Vec<Attested>,
    /// Files that declare checks, as `gsar check` reads them. Runs of others are not attested.
    pub checks: Vec<PathBuf>,
    /// Semantic search: `auto` if a model is available, `required`, or `off`.
    pub embeddings: EmbeddingsMode,
    /// The folder of an ONNX sentence model; absent for the one in the user's cache (`make models`).
    pub model: Option<PathBuf>,
    /// The shared library of ONNX Runtime; absent for ORT_DYLIB_PATH, else the installed one, else the one in the
    /// user's cache.
    pub onnxruntime: Option<PathBuf>,
    /// Sessions of the model, each with a thread and a copy of the weights, 1 to 64.
    pub embedding_workers: usize,
}

/// The mode of semantic search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbeddingsMode {
    /// If a model is available; it is started on first use.
    Auto,
    /// The server does not start without it.
    Required,
    /// Never.
    Off,
}
