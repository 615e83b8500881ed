//! This module holds the errors of a model, each with the file and the fix.

use std::path::PathBuf;

/// Why a model could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The user has no cache folder in which the model could be.
    #[error(
        "model: neither XDG_CACHE_HOME nor HOME is an absolute path; set one, or name the folder of a model"
    )]
    NoCacheFolder,
    /// Files are not there.
    #[error("model {}: there is no {}; {fix}", folder.display(), files.join(", "))]
    Missing {
        /// The folder of the model.
        folder: PathBuf,
        /// Every file that is needed and not there.
        files: Vec<&'static str>,
        /// What to do.
        fix: Fix,
    },
    /// The system does not let the file be read, or it is not what its name says.
    #[error("model: {} cannot be read: {reason}; {fix}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// What to do.
        fix: Fix,
    },
    /// A file is no longer the one that was fetched.
    #[error("model: {} has sha256 {found}, its manifest says {expected}; {fix}", file.display())]
    Changed {
        /// The file.
        file: PathBuf,
        /// The digest that was written when it was fetched.
        expected: String,
        /// The digest of what lies there.
        found: String,
        /// What to do.
        fix: Fix,
    },
    /// The model asks for something that is not done here.
    #[error("model: {}: {found} is not supported; {allowed}", file.display())]
    Unsupported {
        /// The file that says so.
        file: PathBuf,
        /// What it asks for.
        found: String,
        /// What is.
        allowed: &'static str,
    },
    /// ONNX Runtime refuses the graph.
    #[error("model: {} is no ONNX model that can be run: {reason}; {fix}", file.display())]
    Onnx {
        /// The file.
        file: PathBuf,
        /// What ONNX Runtime said.
        reason: String,
        /// What to do.
        fix: Fix,
    },
    /// The tokenizer cannot be used, or belongs to another model.
    #[error("model: {} cannot be used: {reason}; {fix}", file.display())]
    Tokenizer {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// What to do.
        fix: Fix,
    },
    /// Graph and tokenizer are read, and yet no text can be embedded.
    #[error("model {}: a text cannot be embedded: {reason}; {fix}", folder.display())]
    Rehearsal {
        /// The folder of the model.
        folder: PathBuf,
        /// What ONNX Runtime said.
        reason: String,
        /// What to do.
        fix: Fix,
    },
}

/// What to do about a model that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fix(pub &'static str);

impl Fix {
    /// It is the one that is fetched.
    pub const FETCH: Self = Self("run `make models`");
    /// Somebody put it there.
    pub const EXPORT: Self =
        Self("put a sentence model exported to ONNX there, with the tokenizer that belongs to it");
}

impl std::fmt::Display for Fix {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.0)
    }
}
