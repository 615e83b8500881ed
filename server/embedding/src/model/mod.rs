//! A sentence model in a folder: an ONNX graph, its tokenizer, and what they say of themselves.
//!
//! The layout is the one in which sentence models are published: `model.onnx` (or `onnx/model.onnx`),
//! `tokenizer.json`, `tokenizer_config.json`, `config.json`, `1_Pooling/config.json`, and where they exist
//! `special_tokens_map.json`, `sentence_bert_config.json` and `modules.json`. Where a `manifest.json` lies
//! beside them, every file must be the one it names.

mod error;
mod settings;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fastembed::TokenizerFiles;
use serde_json::Value;

use crate::runtime::Runtime;
use crate::session::{OnnxSession, OpenError};
use crate::user_cache::{self, Manifest};

pub use error::{Mend, ModelError};
pub use settings::Pooling;

const ALL_MINI_LM: &str = "all-MiniLM-L6-v2";

const ONNX: [&str; 2] = ["model.onnx", "onnx/model.onnx"];
const TOKENIZER: &str = "tokenizer.json";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const CONFIG: &str = "config.json";
const POOLING: &str = "1_Pooling/config.json";
const SPECIAL_TOKENS: &str = "special_tokens_map.json";
const SENTENCE: &str = "sentence_bert_config.json";
const MODULES: &str = "modules.json";

/// A sentence model, read and checked, not yet given to ONNX Runtime.
pub struct Model {
    folder: PathBuf,
    mend: Mend,
    onnx_file: PathBuf,
    onnx: Vec<u8>,
    tokenizer: TokenizerFiles,
    words: Option<u64>,
    pooling: Pooling,
    max_tokens: usize,
    digest: [u8; 32],
}

impl Model {
    /// The model that `make models` puts into the user's cache: all-MiniLM-L6-v2, 384 numbers, 256 tokens,
    /// English.
    ///
    /// # Errors
    /// Those of [`Model::open`], and [`ModelError::NoCacheFolder`].
    pub fn all_mini_lm() -> Result<Self, ModelError> {
        Self::fetched(|name| std::env::var_os(name))
    }

    fn fetched(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, ModelError> {
        let cache = user_cache::folder(variable).ok_or(ModelError::NoCacheFolder)?;
        let folder = cache.join("models").join(ALL_MINI_LM);
        let reader = Folder::new(&folder, Mend::Fetch)?;
        if reader.manifest.is_some() {
            return reader.model();
        }
        Err(ModelError::Missing { folder, files: vec!["manifest.json"], mend: Mend::Fetch })
    }

    /// Reads the model in a folder. Reads all of it: about 0.5 s for 100 MB, mostly for the digest.
    ///
    /// # Errors
    /// [`ModelError`], but nothing yet that only ONNX Runtime can tell.
    pub fn open(folder: &Path) -> Result<Self, ModelError> {
        Folder::new(folder, Mend::Export)?.model()
    }

    /// The folder it was read from.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How the vectors of the tokens become one.
    #[must_use]
    pub fn pooling(&self) -> Pooling {
        self.pooling
    }

    /// How many tokens of a text count; the rest of it is cut off, and so is what lies behind 128 bytes for
    /// each of them.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    /// A digest of everything that takes part in a vector: two models with one digest give the same vectors.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// A session of its own, with its own copy of the weights. Takes about 0.3 s for 100 MB.
    ///
    /// # Errors
    /// [`ModelError::Onnx`], [`ModelError::Tokenizer`] or [`ModelError::Rehearsal`].
    pub fn session(&self, runtime: &Runtime) -> Result<OnnxSession, ModelError> {
        let session = OnnxSession::open(
            runtime.environment.clone(),
            self.onnx.clone(),
            self.tokenizer.clone(),
            self.pooling.into(),
            self.max_tokens,
        )
        .map_err(|error| match error {
            OpenError::Onnx(reason) => {
                ModelError::Onnx { file: self.onnx_file.clone(), reason, mend: self.mend }
            }
            OpenError::Tokenizer(reason) => self.tokenizer_refused(TOKENIZER, reason),
            OpenError::TokenizerConfig(reason) => self.tokenizer_refused(TOKENIZER_CONFIG, reason),
            OpenError::Rehearsal(reason) => {
                ModelError::Rehearsal { folder: self.folder.clone(), reason, mend: self.mend }
            }
        })?;
        match self.words {
            Some(words) if session.vocabulary() as u64 > words => {
                let vocabulary = session.vocabulary();
                let reason = format!(
                    "it knows {vocabulary} tokens and the model {words}, so it belongs to another model"
                );
                Err(self.tokenizer_refused(TOKENIZER, reason))
            }
            _ => Ok(session),
        }
    }

    fn tokenizer_refused(&self, name: &str, reason: String) -> ModelError {
        ModelError::Tokenizer { file: self.folder.join(name), reason, mend: self.mend }
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Model")
            .field("folder", &self.folder)
            .field("pooling", &self.pooling)
            .field("max_tokens", &self.max_tokens)
            .field("digest", &user_cache::hexadecimal(&self.digest))
            .finish_non_exhaustive()
    }
}

/// A folder while it is read.
struct Folder<'a> {
    path: &'a Path,
    mend: Mend,
    manifest: Option<Manifest>,
}

impl<'a> Folder<'a> {
    fn new(path: &'a Path, mend: Mend) -> Result<Self, ModelError> {
        let manifest = Manifest::read(path).map_err(|error| ModelError::Unreadable {
            file: path.join("manifest.json"),
            reason: error.to_string(),
            mend,
        })?;
        Ok(Self { path, mend, manifest })
    }

    fn model(&self) -> Result<Model, ModelError> {
        let onnx_name = self.check_complete()?;
        let mut digest = blake3::Hasher::new();
        let mut required = |name| self.read(name, &mut digest);
        let pooling_config = self.json(POOLING, &required(POOLING)?)?;
        let config = required(CONFIG)?;
        let tokenizer_config = required(TOKENIZER_CONFIG)?;
        let tokenizer = required(TOKENIZER)?;
        let onnx = required(onnx_name)?;
        let mut optional =
            |name| self.path.join(name).exists().then(|| self.read(name, &mut digest)).transpose();
        let special_tokens = optional(SPECIAL_TOKENS)?.unwrap_or_else(|| b"{}".to_vec());
        let sentence = optional(SENTENCE)?;
        let modules = optional(MODULES)?;

        let parsed_config = self.json(CONFIG, &config)?;
        let parsed_tokenizer_config = self.json(TOKENIZER_CONFIG, &tokenizer_config)?;
        self.json(SPECIAL_TOKENS, &special_tokens)?;
        self.json(TOKENIZER, &tokenizer)?;
        let sentence = sentence.map(|content| self.json(SENTENCE, &content)).transpose()?;
        if let Some(content) = modules {
            let modules = self.json(MODULES, &content)?;
            let others = settings::other_modules(&modules);
            if !others.is_empty() {
                return Err(self.unsupported(
                    MODULES,
                    others.join(", "),
                    "a model of Transformer, Pooling and Normalize is",
                ));
            }
        }
        let pooling = settings::pooling(&pooling_config).map_err(|found| {
            self.unsupported(
                POOLING,
                found,
                "one of pooling_mode_mean_tokens and pooling_mode_cls_token is",
            )
        })?;
        let max_tokens =
            settings::max_tokens(sentence.as_ref(), &parsed_tokenizer_config, &parsed_config)
                .map_err(|found| {
                    self.unsupported(
                        TOKENIZER_CONFIG,
                        found,
                        "a model_max_length of 3 to 1000000 tokens is",
                    )
                })?;
        Ok(Model {
            folder: self.path.to_owned(),
            mend: self.mend,
            onnx_file: self.path.join(onnx_name),
            onnx,
            tokenizer: TokenizerFiles {
                tokenizer_file: tokenizer,
                config_file: config,
                special_tokens_map_file: special_tokens,
                tokenizer_config_file: tokenizer_config,
            },
            words: parsed_config.get("vocab_size").and_then(Value::as_u64),
            pooling,
            max_tokens,
            digest: digest.finalize().into(),
        })
    }

    /// The name of the graph, when every file that is needed is there.
    fn check_complete(&self) -> Result<&'static str, ModelError> {
        let there = |name: &str| self.path.join(name).exists();
        let onnx = ONNX.into_iter().find(|name| there(name));
        let files: Vec<_> = [TOKENIZER, TOKENIZER_CONFIG, CONFIG, POOLING]
            .into_iter()
            .filter(|name| !there(name))
            .chain(onnx.is_none().then_some("model.onnx"))
            .collect();
        match onnx {
            Some(onnx) if files.is_empty() => Ok(onnx),
            _ => Err(ModelError::Missing { folder: self.path.to_owned(), files, mend: self.mend }),
        }
    }

    /// Reads a file, holds it against the manifest and adds it to the digest of the model.
    fn read(&self, name: &str, digest: &mut blake3::Hasher) -> Result<Vec<u8>, ModelError> {
        let content = std::fs::read(self.path.join(name))
            .map_err(|error| self.unreadable(name, error.to_string()))?;
        if let Some(manifest) = &self.manifest {
            let found = user_cache::hexadecimal(&user_cache::sha256(&content));
            let expected = manifest.sha256(name).unwrap_or("nothing");
            if found != expected {
                return Err(ModelError::Changed {
                    file: self.path.join(name),
                    expected: expected.to_owned(),
                    found,
                    mend: self.mend,
                });
            }
        }
        // The graph counts the same in either place.
        let name = if ONNX.contains(&name) { "model.onnx" } else { name };
        for part in [name.as_bytes(), &content] {
            digest.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Ok(content)
    }

    fn json(&self, name: &str, content: &[u8]) -> Result<Value, ModelError> {
        serde_json::from_slice(content)
            .map_err(|error| self.unreadable(name, format!("it is no JSON: {error}")))
    }

    fn unreadable(&self, name: &str, reason: String) -> ModelError {
        ModelError::Unreadable { file: self.path.join(name), reason, mend: self.mend }
    }

    fn unsupported(&self, name: &str, found: String, allowed: &'static str) -> ModelError {
        ModelError::Unsupported { file: self.path.join(name), found, allowed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_was_not_fetched_is_told_with_the_mend() {
        let cache = tempfile::tempdir().unwrap();
        let with =
            |name: &str| (name == "XDG_CACHE_HOME").then(|| cache.path().as_os_str().to_owned());
        let error = Model::fetched(with).unwrap_err().to_string();
        assert!(error.contains("all-MiniLM-L6-v2: there is no manifest.json"), "{error}");
        assert!(error.ends_with("run `make models`"), "{error}");
        assert_eq!(Model::fetched(|_| None).unwrap_err(), ModelError::NoCacheFolder);
        let program = include_str!("../../fetch.py");
        assert!(program.contains(&format!("MODEL = \"{ALL_MINI_LM}\"")));
    }
}
