//! This module reads the files of a model and holds each against the manifest beside them, where there is one. What the
//! files say is for others to know.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::error::{Fix, ModelError};
use crate::user_cache::{self, Manifest};

/// Files of a model that are part of the program, by their names.
pub type BuiltIn = &'static [(&'static str, &'static [u8])];

/// The folder of a model while it is read.
pub struct ModelFolder {
    path: PathBuf,
    /// Its files, where it is part of the program.
    built_in: Option<BuiltIn>,
    fix: Fix,
    manifest: Option<Manifest>,
    digest: blake3::Hasher,
}

impl ModelFolder {
    /// The folder, and its `manifest.json` where it has one.
    ///
    /// # Errors
    /// [`ModelError::Unreadable`] where the manifest is none.
    pub fn open(path: &Path, fix: Fix) -> Result<Self, ModelError> {
        let manifest = Manifest::read(path).map_err(|error| ModelError::Unreadable {
            file: path.join("manifest.json"),
            reason: error.to_string(),
            fix,
        })?;
        let digest = blake3::Hasher::new();
        Ok(Self { path: path.to_owned(), built_in: None, fix, manifest, digest })
    }

    /// Files that are part of the program; `name` stands for their folder in errors.
    #[must_use]
    pub fn built_in(name: &str, files: BuiltIn, fix: Fix) -> Self {
        let digest = blake3::Hasher::new();
        Self { path: PathBuf::from(name), built_in: Some(files), fix, manifest: None, digest }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is a file or folder of that name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        match self.built_in {
            Some(files) => files.iter().any(|(known, _)| *known == name),
            None => self.path.join(name).exists(),
        }
    }

    /// Whether there is a manifest.
    #[must_use]
    pub fn has_manifest(&self) -> bool {
        self.manifest.is_some()
    }

    /// Reads a file, holds it against the manifest and adds it to the digest of the model.
    ///
    /// # Errors
    /// [`ModelError::Unreadable`] or [`ModelError::Changed`].
    pub fn read(&mut self, name: &str) -> Result<Vec<u8>, ModelError> {
        self.read_as(name, name)
    }

    /// The same for a file that counts under another name in the digest.
    ///
    /// # Errors
    /// Those of [`ModelFolder::read`].
    pub fn read_as(&mut self, name: &str, known_as: &str) -> Result<Vec<u8>, ModelError> {
        let content =
            self.content(name).map_err(|error| self.unreadable(name, error.to_string()))?;
        if let Some(manifest) = &self.manifest {
            let found = user_cache::hexadecimal(&user_cache::sha256(&content));
            let expected = manifest.sha256(name).unwrap_or("nothing");
            if found != expected {
                return Err(ModelError::Changed {
                    file: self.path.join(name),
                    expected: expected.to_owned(),
                    found,
                    fix: self.fix,
                });
            }
        }
        for part in [known_as.as_bytes(), &content] {
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

    /// The content of a file as JSON.
    ///
    /// # Errors
    /// [`ModelError::Unreadable`].
    pub fn json(&self, name: &str, content: &[u8]) -> Result<Value, ModelError> {
        serde_json::from_slice(content)
            .map_err(|error| self.unreadable(name, format!("it is no JSON: {error}")))
    }

    /// The digest of everything that was read so far.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest.finalize().into()
    }

    /// That files are not there.
    #[must_use]
    pub fn missing(&self, files: Vec<&'static str>) -> ModelError {
        ModelError::Missing { folder: self.path.clone(), files, fix: self.fix }
    }

    /// That a file is not what its name says.
    #[must_use]
    pub fn unreadable(&self, name: &str, reason: String) -> ModelError {
        ModelError::Unreadable { file: self.path.join(name), reason, fix: self.fix }
    }

    /// That a file asks for something that is not done.
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
