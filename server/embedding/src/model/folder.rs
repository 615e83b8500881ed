//! Reads a model's files and checks them against its manifest, if any.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::error::{Fix, ModelError};
use crate::user_cache::{self, Manifest};

/// The names and contents of model files embedded in the program.
pub type BuiltIn = &'static [(&'static str, &'static [u8])];

/// Reads files from a model's folder.
pub struct ModelFolder {
    path: PathBuf,
    /// Set if the files are embedded in the program.
    built_in: Option<BuiltIn>,
    fix: Fix,
    manifest: Option<Manifest>,
    digest: blake3::Hasher,
}

impl ModelFolder {
    /// Opens a folder and reads its `manifest.json`, if any.
    ///
    /// # Errors
    /// Returns [`ModelError::Unreadable`] if the manifest is invalid.
    pub fn open(path: &Path, fix: Fix) -> Result<Self, ModelError> {
        let manifest = Manifest::read(path).map_err(|error| ModelError::Unreadable {
            file: path.join("manifest.json"),
            reason: error.to_string(),
            fix,
        })?;
        let digest = blake3::Hasher::new();
        Ok(Self { path: path.to_owned(), built_in: None, fix, manifest, digest })
    }

    /// Opens files embedded in the program. Errors show `name` as the folder.
    #[must_use]
    pub fn built_in(name: &str, files: BuiltIn, fix: Fix) -> Self {
        let digest = blake3::Hasher::new();
        Self { path: PathBuf::from(name), built_in: Some(files), fix, manifest: None, digest }
    }

    /// Returns the folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns `true` if the folder contains this file or subfolder.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match self.built_in {
            Some(files) => files.iter().any(|(known, _)| *known == name),
            None => self.path.join(name).exists(),
        }
    }

    /// Returns `true` if the folder has a manifest.
    #[must_use]
    pub fn has_manifest(&self) -> bool {
        self.manifest.is_some()
    }

    /// Reads a file, checks it against the manifest, and adds it to the model digest.
    ///
    /// # Errors
    /// Returns [`ModelError::Unreadable`] or [`ModelError::Changed`].
    pub fn read(&mut self, name: &str) -> Result<Vec<u8>, ModelError> {
        self.read_as(name, name)
    }

    /// Like [`ModelFolder::read`], but uses a different name in the digest.
    pub fn read_as(&mut self, name: &str, digest_name: &str) -> Result<Vec<u8>, ModelError> {
        let content =
            self.content(name).map_err(|error| self.unreadable(name, error.to_string()))?;
        if let Some(manifest) = &self.manifest {
            let found = user_cache::to_hex(&user_cache::sha256(&content));
            let expected = manifest.sha256(name).unwrap_or("no entry for it");
            if found != expected {
                return Err(ModelError::Changed {
                    file: self.path.join(name),
                    expected: expected.to_owned(),
                    found,
                    fix: self.fix,
                });
            }
        }
        for part in [digest_name.as_bytes(), &content] {
            self.digest.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Ok(content)
    }

    fn content(&self, name: &str) -> std::io::Result<Vec<u8>> {
        match self.built_in {
            Some(files) => files
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, content)| content.to_vec())
                .ok_or_else(|| std::io::ErrorKind::NotFound.into()),
            None => std::fs::read(self.path.join(name)),
        }
    }

    /// Parses a file's content as JSON.
    pub fn json(&self, name: &str, content: &[u8]) -> Result<Value, ModelError> {
        serde_json::from_slice(content)
            .map_err(|error| self.unreadable(name, format!("it is not valid JSON: {error}")))
    }

    /// Returns the digest of all files read so far.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest.finalize().into()
    }

    /// Builds an error for missing files.
    #[must_use]
    pub fn missing(&self, files: Vec<&'static str>) -> ModelError {
        ModelError::Missing { folder: self.path.clone(), files, fix: self.fix }
    }

    /// Builds an error for an unreadable file.
    #[must_use]
    pub fn unreadable(&self, name: &str, reason: String) -> ModelError {
        ModelError::Unreadable { file: self.path.join(name), reason, fix: self.fix }
    }

    /// Builds an error for an unsupported feature.
    #[must_use]
    pub fn unsupported(&self, name: &str, found: String, allowed: &'static str) -> ModelError {
        ModelError::Unsupported { file: self.path.join(name), found, allowed }
    }
}

impl std::fmt::Debug for ModelFolder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ModelFolder").field("path", &self.path).finish_non_exhaustive()
    }
}
