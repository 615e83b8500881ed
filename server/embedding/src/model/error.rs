//! Errors from loading a model. Each names the file and the fix.

use std::path::PathBuf;

/// An error from loading a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No cache folder can be determined.
    #[error(
        "model: neither XDG_CACHE_HOME nor HOME is an absolute path; set one, or configure the folder of a model"
    )]
    NoCacheFolder,
    /// Files are missing.
    #[error("model {}: {} not found; {fix}", folder.display(), files.join(", "))]
    Missing {
        /// The model's folder.
        folder: PathBuf,
        /// The missing files.
        files: Vec<&'static str>,
        /// The fix.
        fix: Fix,
    },
    /// A file cannot be read or parsed.
    #[error("model: {} cannot be read: {reason}; {fix}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The cause.
        reason: String,
        /// The fix.
        fix: Fix,
    },
    /// A file changed since it was fetched.
    #[error("model: {} has sha256 {found}, but the manifest has {expected}; {fix}", file.display())]
    Changed {
        /// The file.
        file: PathBuf,
        /// The SHA-256 in the manifest.
        expected: String,
        /// The SHA-256 of the file.
        found: String,
        /// The fix.
        fix: Fix,
    },
    /// The model requires an unsupported feature.
    #[error("model: {}: {found} is not supported; {allowed}", file.display())]
    Unsupported {
        /// The file that requires it.
        file: PathBuf,
        /// The unsupported feature.
        found: String,
        /// The supported features.
        allowed: &'static str,
    },
    /// ONNX Runtime rejects the graph.
    #[error("model: {} is not a valid ONNX model: {reason}; {fix}", file.display())]
    Onnx {
        /// The file.
        file: PathBuf,
        /// The error from ONNX Runtime.
        reason: String,
        /// The fix.
        fix: Fix,
    },
    /// The tokenizer is invalid or belongs to another model.
    #[error("model: {} cannot be used: {reason}; {fix}", file.display())]
    Tokenizer {
        /// The file.
        file: PathBuf,
        /// The cause.
        reason: String,
        /// The fix.
        fix: Fix,
    },
    /// The model is loaded but fails to embed a text.
    #[error("model {}: a text cannot be embedded: {reason}; {fix}", folder.display())]
    TrialRun {
        /// The model's folder.
        folder: PathBuf,
        /// The error from ONNX Runtime.
        reason: String,
        /// The fix.
        fix: Fix,
    },
}

/// Tells the user how to fix an unusable model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fix(pub &'static str);

impl Fix {
    /// The fix for the fetched model.
    pub const FETCH: Self = Self("run `make models`");
    /// The fix for a model that the user provides.
    pub const EXPORT: Self =
        Self("put a sentence model exported to ONNX there, with its tokenizer");
}

impl std::fmt::Display for Fix {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.0)
    }
}
