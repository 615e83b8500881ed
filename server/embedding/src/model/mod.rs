//! Loads a sentence model from a folder: an ONNX graph, its tokenizer, and their settings.
//!
//! Uses the layout of published sentence models: `model.onnx` (or `onnx/model.onnx`), `tokenizer.json`,
//! `tokenizer_config.json`, `config.json`, `1_Pooling/config.json`, and optionally
//! `special_tokens_map.json`, `sentence_bert_config.json` and `modules.json`. If there is a
//! `manifest.json`, all files must match it.

mod error;
mod folder;
mod settings;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fastembed::TokenizerFiles;
use serde_json::Value;

use crate::runtime::Runtime;
use crate::session::{OnnxSession, OpenError};
use crate::user_cache;

pub use error::{Fix, ModelError};
pub use fastembed::Pooling;
pub use folder::{BuiltIn, ModelFolder};

const ALL_MINI_LM: &str = "all-MiniLM-L6-v2";

const ONNX: [&str; 2] = ["model.onnx", "onnx/model.onnx"];
const TOKENIZER: &str = "tokenizer.json";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const CONFIG: &str = "config.json";
const POOLING: &str = "1_Pooling/config.json";
const SPECIAL_TOKENS: &str = "special_tokens_map.json";
const SENTENCE: &str = "sentence_bert_config.json";
const MODULES: &str = "modules.json";

/// A sentence model that has been read and checked, but not yet loaded into ONNX Runtime.
pub struct Model {
    folder: PathBuf,
    fix: Fix,
    onnx_file: PathBuf,
    onnx: Vec<u8>,
    tokenizer: TokenizerFiles,
    vocab_size: Option<u64>,
    pooling: Pooling,
    max_tokens: usize,
    digest: [u8; 32],
}

impl Model {
    /// Reads the model that `make models` puts into the user's cache: all-MiniLM-L6-v2, an English model
    /// with 384 values per vector and at most 256 tokens per text.
    ///
    /// # Errors
    /// Returns the same errors as [`Model::open`], or [`ModelError::NoCacheFolder`].
    pub fn all_mini_lm() -> Result<Self, ModelError> {
        Self::fetched(|name| std::env::var_os(name))
    }

    fn fetched(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, ModelError> {
        let cache = user_cache::folder(variable).ok_or(ModelError::NoCacheFolder)?;
        let folder = cache.join("models").join(ALL_MINI_LM);
        let reader = ModelFolder::open(&folder, Fix::FETCH)?;
        if reader.has_manifest() {
            return read(&folder, Fix::FETCH, reader);
        }
        Err(reader.missing(vec!["manifest.json"]))
    }

    /// Reads a model from a folder. Takes about 0.5 s for 100 MB, mostly for the digest.
    ///
    /// # Errors
    ///
    /// Returns a [`ModelError`]. Errors from ONNX Runtime are reported by [`Model::session`].
    pub fn open(folder: &Path) -> Result<Self, ModelError> {
        read(folder, Fix::EXPORT, ModelFolder::open(folder, Fix::EXPORT)?)
    }

    /// Returns the model's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns how token vectors are pooled.
    #[must_use]
    pub fn pooling(&self) -> Pooling {
        self.pooling.clone()
    }

    /// Returns the maximum number of tokens in a text. Longer texts are truncated, as are texts of more
    /// than 128 bytes per allowed token.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    /// Returns a digest of everything that affects vectors.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Opens a session with its own copy of the weights. Takes about 0.3 s for 100 MB.
    ///
    /// # Errors
    /// Returns [`ModelError::Onnx`], [`ModelError::Tokenizer`] or [`ModelError::TrialRun`].
    pub fn session(&self, runtime: &Runtime) -> Result<OnnxSession, ModelError> {
        let session = OnnxSession::open(
            runtime.environment().clone(),
            self.onnx.clone(),
            self.tokenizer.clone(),
            self.pooling.clone(),
            self.max_tokens,
        )
        .map_err(|error| match error {
            OpenError::Onnx(reason) => {
                ModelError::Onnx { file: self.onnx_file.clone(), reason, fix: self.fix }
            }
            OpenError::Tokenizer(reason) => self.tokenizer_error(TOKENIZER, reason),
            OpenError::TokenizerConfig(reason) => self.tokenizer_error(TOKENIZER_CONFIG, reason),
            OpenError::TrialRun(reason) => {
                ModelError::TrialRun { folder: self.folder.clone(), reason, fix: self.fix }
            }
        })?;
        match self.vocab_size {
            Some(vocab_size) if session.vocabulary() as u64 > vocab_size => {
                let vocabulary = session.vocabulary();
                let reason = format!(
                    "it has {vocabulary} tokens, but the model has {vocab_size}, so it belongs to another model"
                );
                Err(self.tokenizer_error(TOKENIZER, reason))
            }
            _ => Ok(session),
        }
    }

    fn tokenizer_error(&self, name: &str, reason: String) -> ModelError {
        ModelError::Tokenizer { file: self.folder.join(name), reason, fix: self.fix }
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Model")
            .field("folder", &self.folder)
            .field("pooling", &self.pooling)
            .field("max_tokens", &self.max_tokens)
            .field("digest", &user_cache::to_hex(&self.digest))
            .finish_non_exhaustive()
    }
}

fn read(path: &Path, fix: Fix, mut folder: ModelFolder) -> Result<Model, ModelError> {
    let onnx_name = find_onnx(&folder)?;
    let content = folder.read(POOLING)?;
    let pooling_config = folder.json(POOLING, &content)?;
    let config = folder.read(CONFIG)?;
    let tokenizer_config = folder.read(TOKENIZER_CONFIG)?;
    let tokenizer = folder.read(TOKENIZER)?;
    // The digest must not depend on the graph's location.
    let onnx = folder.read_as(onnx_name, ONNX[0])?;
    let mut optional = |name| folder.has(name).then(|| folder.read(name)).transpose();
    let special_tokens = optional(SPECIAL_TOKENS)?.unwrap_or_else(|| b"{}".to_vec());
    let sentence = optional(SENTENCE)?;
    let modules = optional(MODULES)?;

    let parsed_config = folder.json(CONFIG, &config)?;
    let parsed_tokenizer_config = folder.json(TOKENIZER_CONFIG, &tokenizer_config)?;
    folder.json(SPECIAL_TOKENS, &special_tokens)?;
    folder.json(TOKENIZER, &tokenizer)?;
    let sentence = sentence.map(|content| folder.json(SENTENCE, &content)).transpose()?;
    if let Some(content) = modules {
        let modules = folder.json(MODULES, &content)?;
        let others = settings::other_modules(&modules);
        if !others.is_empty() {
            let allowed = "expected Transformer, Pooling and Normalize";
            return Err(folder.unsupported(MODULES, others.join(", "), allowed));
        }
    }
    let pooling = settings::pooling(&pooling_config).map_err(|found| {
        let allowed = "expected pooling_mode_mean_tokens or pooling_mode_cls_token";
        folder.unsupported(POOLING, found, allowed)
    })?;
    let max_tokens =
        settings::max_tokens(sentence.as_ref(), &parsed_tokenizer_config, &parsed_config).map_err(
            |found| {
                let allowed = "expected a model_max_length of 3 to 1000000 tokens";
                folder.unsupported(TOKENIZER_CONFIG, found, allowed)
            },
        )?;
    Ok(Model {
        folder: path.to_owned(),
        fix,
        onnx_file: path.join(onnx_name),
        onnx,
        tokenizer: TokenizerFiles {
            tokenizer_file: tokenizer,
            config_file: config,
            special_tokens_map_file: special_tokens,
            tokenizer_config_file: tokenizer_config,
        },
        vocab_size: parsed_config.get("vocab_size").and_then(Value::as_u64),
        pooling,
        max_tokens,
        digest: folder.digest(),
    })
}

/// Returns the graph's file name if all required files exist.
fn find_onnx(folder: &ModelFolder) -> Result<&'static str, ModelError> {
    let onnx = ONNX.into_iter().find(|name| folder.has(name));
    let files: Vec<_> = [TOKENIZER, TOKENIZER_CONFIG, CONFIG, POOLING]
        .into_iter()
        .filter(|name| !folder.has(name))
        .chain(onnx.is_none().then_some(ONNX[0]))
        .collect();
    match onnx {
        Some(onnx) if files.is_empty() => Ok(onnx),
        _ => Err(folder.missing(files)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_a_missing_model_names_the_fix() {
        let cache = tempfile::tempdir().unwrap();
        let variable =
            |name: &str| (name == "XDG_CACHE_HOME").then(|| cache.path().as_os_str().to_owned());
        let error = Model::fetched(variable).unwrap_err().to_string();
        assert!(error.contains("all-MiniLM-L6-v2: manifest.json not found"), "{error}");
        assert!(error.ends_with("run `make models`"), "{error}");
        assert_eq!(Model::fetched(|_| None).unwrap_err(), ModelError::NoCacheFolder);
        let program = include_str!("../../fetch.py");
        assert!(program.contains(&format!("MODEL = \"{ALL_MINI_LM}\"")));
    }
}
