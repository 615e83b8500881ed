//! This module computes vectors in a session of a model, used by one thread at a time.

use fastembed::{InitOptionsUserDefined, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel};

/// What computes vectors. A pool has one for each of its threads.
pub trait Session: Send {
    /// The number of values of each vector.
    fn dimension(&self) -> usize;

    /// The longest text, in bytes, whose end still counts; what is longer is cut by the model somewhere
    /// behind it. Only the planning of batches looks at it.
    fn longest_text(&self) -> usize;

    /// One vector of [`Session::dimension`] numbers for each text, in their order. Their length is free.
    ///
    /// # Errors
    /// What went wrong. A batch that fails is tried again text by text.
    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, SessionError>;
}

/// What went wrong in a session, in its own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SessionError(pub String);

/// A session of ONNX Runtime with one thread, and a tokenizer.
pub struct OnnxSession {
    embedding: TextEmbedding,
    dimension: usize,
    max_tokens: usize,
}

/// The most bytes of a token in ordinary text.
const BYTES_OF_A_TOKEN: usize = 6;
/// The bytes looked at for each token that counts. Only long runs of spaces need more, and a text of many megabytes
/// costs no more than this.
const BYTES_LOOKED_AT: usize = 128;

impl OnnxSession {
    /// Reads the model and embeds one text, which finds the dimension.
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
        let embedding = caught(|| {
            TextEmbedding::try_new_from_user_defined(model, options).map_err(|error| match error {
                // The files were parsed as JSON before, so this one is no tokenizer.
                fastembed::Error::Io(_) => {
                    OpenError::Tokenizer("it is JSON, and describes no known tokenizer".to_owned())
                }
                fastembed::Error::TokenizerConfig(reason) => OpenError::TokenizerConfig(reason),
                _ => OpenError::Onnx(error.to_string()),
            })
        })
        .unwrap_or_else(|panic| Err(OpenError::Onnx(panic)))?;
        let mut session = Self { embedding, dimension: 0, max_tokens };
        let vectors = caught(|| session.embed(&["rehearsal"]))
            .unwrap_or_else(|panic| Err(SessionError(panic)))
            .map_err(|error| OpenError::Rehearsal(error.0))?;
        session.dimension = vectors.first().map_or(0, Vec::len);
        if session.dimension == 0 {
            return Err(OpenError::Rehearsal("it gives vectors without numbers".to_owned()));
        }
        Ok(session)
    }

    /// How many tokens the tokenizer knows.
    pub(crate) fn vocabulary(&self) -> usize {
        self.embedding.tokenizer.get_vocab_size(true)
    }
}

/// Why a session could not be opened.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// ONNX Runtime refuses the graph.
    Onnx(String),
    /// The tokenizer cannot be read.
    Tokenizer(String),
    /// The tokenizer cannot be used as it is configured.
    TokenizerConfig(String),
    /// Both are read, and a text cannot be embedded.
    Rehearsal(String),
}

impl Session for OnnxSession {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn longest_text(&self) -> usize {
        self.max_tokens.saturating_mul(BYTES_OF_A_TOKEN)
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, SessionError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let most = self.max_tokens.saturating_mul(BYTES_LOOKED_AT);
        let beginnings: Vec<&str> = texts
            .iter()
            .map(|text| text.get(..text.floor_char_boundary(most)).unwrap_or(text))
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

/// Runs what other crates may end by a panic.
///
/// # Errors
/// The message of the panic.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).map_err(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        format!("panicked: {}", message.unwrap_or("without a message"))
    })
}
