//! What can be configured of evidence that outlives one call.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Attested, Bytes, Duration};

/// Evidence that outlives one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Whether corpora are kept at all.
    pub enabled: bool,
    /// The largest corpus, counted in bytes of contents.
    pub max_corpus_size: Bytes,
    /// The most of all corpora together, counted in bytes of contents.
    pub max_size: Bytes,
    /// How long a corpus is kept whose caller does not say; absent for ever.
    pub time_to_live: Option<Duration>,
    /// The most bytes of contents of whole corpora that stay in memory for the next evaluation.
    pub kept_in_memory: Bytes,
    /// Which channels vouch for what comes over them; none by default.
    pub attested: Vec<Attested>,
    /// Files that declare checks, as `gsar check` reads them. Runs of others are not attested.
    pub checks: Vec<PathBuf>,
    /// Whether evidence is found by its meaning as well: `auto` where a model is at hand, `required`, or `off`.
    pub embeddings: EmbeddingsWanted,
    /// The folder of an ONNX sentence model; absent for the one in the user's cache (`make models`).
    pub model: Option<PathBuf>,
    /// The shared library of ONNX Runtime; absent for ORT_DYLIB_PATH, else the one installed with the server, else the one in
    /// the user's cache.
    pub onnxruntime: Option<PathBuf>,
    /// Sessions of the model, each with a thread and a copy of the weights, 1 to 64.
    pub embedding_workers: usize,
}

/// Whether evidence is found by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbeddingsWanted {
    /// Where a model is at hand; it is started when it is first needed.
    Auto,
    /// The server does not start without.
    Required,
    /// Never.
    Off,
}
