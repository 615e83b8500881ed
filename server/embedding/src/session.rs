//! Model sessions. Only one thread at a time uses a session.

use fastembed::{InitOptionsUserDefined, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel};

/// Computes vectors. Each thread in a pool has its own session.
pub trait Session: Send {
    /// Returns the number of values per vector.
    fn dimension(&self) -> usize;

    /// Returns the longest text, in bytes, that the model can read in full. Used only to form batches.
    fn max_text_bytes(&self) -> usize;

    /// Computes a vector with [`Session::dimension`] values for each text, in order. Vectors need not be
    /// normalized. If a batch fails, the pool retries each text alone.
    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, SessionError>;
}

/// An error from a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SessionError(pub String);

/// A single-threaded ONNX Runtime session with a tokenizer.
pub struct OnnxSession {
    embedding: TextEmbedding,
    dimension: usize,
    max_tokens: usize,
}

/// The maximum number of bytes per token in ordinary text.
const MAX_BYTES_PER_TOKEN: usize = 6;
/// The number of bytes tokenized per allowed token. Bounds the cost of huge texts; only long runs of spaces
/// need more.
const MAX_SCANNED_BYTES_PER_TOKEN: usize = 128;

impl OnnxSession {
    /// Loads the model and embeds one text to determine the dimension.
    pub(crate) fn open(
        environment: ort::environment::Environment,
        onnx: Vec<u8>,
        tokenizer: TokenizerFiles,
        pooling: fastembed::Pooling,
        max_tokens: usize,
    ) -> Result<Self, OpenError> {
        let options = InitOptionsUserDefined::new()
            .with_environment(environment)
            .with_max_length(max_tokens)
            .with_intra_threads(1)
            .with_session_config("session.intra_op.allow_spinning", "0");
        let model = UserDefinedEmbeddingModel::new(onnx, tokenizer).with_pooling(pooling);
        let embedding = catch_panic(|| {
            TextEmbedding::try_new_from_user_defined(model, options).map_err(|error| match error {
                // The JSON is valid, so this file is not a tokenizer.
                fastembed::Error::Io(_) => {
                    OpenError::Tokenizer("it is JSON but not a known tokenizer".to_owned())
                }
                fastembed::Error::TokenizerConfig(reason) => OpenError::TokenizerConfig(reason),
                _ => OpenError::Onnx(error.to_string()),
            })
        })
        .unwrap_or_else(|panic| Err(OpenError::Onnx(panic)))?;
        let mut session = Self { embedding, dimension: 0, max_tokens };
        let vectors = catch_panic(|| session.embed(&["rehearsal"]))
            .unwrap_or_else(|panic| Err(SessionError(panic)))
            .map_err(|error| OpenError::TrialRun(error.0))?;
        session.dimension = vectors.first().map_or(0, Vec::len);
        if session.dimension == 0 {
            return Err(OpenError::TrialRun("it returns empty vectors".to_owned()));
        }
        Ok(session)
    }

    pub(crate) fn vocabulary(&self) -> usize {
        self.embedding.tokenizer.get_vocab_size(true)
    }
}

#[derive(Debug)]
pub(crate) enum OpenError {
    Onnx(String),
    Tokenizer(String),
    TokenizerConfig(String),
    /// The model is loaded but fails to embed a text.
    TrialRun(String),
}

impl Session for OnnxSession {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn max_text_bytes(&self) -> usize {
        self.max_tokens.saturating_mul(MAX_BYTES_PER_TOKEN)
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, SessionError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let max_bytes = self.max_tokens.saturating_mul(MAX_SCANNED_BYTES_PER_TOKEN);
        let beginnings: Vec<&str> = texts
            .iter()
            .map(|text| text.get(..text.floor_char_boundary(max_bytes)).unwrap_or(text))
            .collect();
        self.embedding
            .embed(beginnings, Some(texts.len()))
            .map_err(|error| SessionError(error.to_string()))
    }
}

impl std::fmt::Debug for OnnxSession {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("OnnxSession")
            .field("dimension", &self.dimension)
            .finish_non_exhaustive()
    }
}

/// Runs third-party code and catches panics.
///
/// # Errors
/// Returns the panic message.
pub fn catch_panic<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).map_err(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        format!("panicked: {}", message.unwrap_or("without a message"))
    })
}
