//! This module is the folder that gsar keeps for this user, with the manifests of what was fetched into it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The file beside what was fetched that says what it is.
const MANIFEST: &str = "manifest.json";

/// `${XDG_CACHE_HOME:-~/.cache}/gsar`; `None` where neither variable names an absolute folder.
pub(crate) fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| Some(absolute("HOME")?.join(".cache")))
        .map(|cache| cache.join("gsar"))
}

/// The SHA-256 of every file that was fetched together.
#[derive(Debug)]
pub(crate) struct Manifest(Value);

impl Manifest {
    /// Reads the manifest of a folder; `None` where it has none.
    ///
    /// # Errors
    /// What the system said, or what is wrong with the JSON.
    pub(crate) fn read(folder: &Path) -> io::Result<Option<Self>> {
        match std::fs::read(folder.join(MANIFEST)) {
            Ok(bytes) => Ok(Some(Self(serde_json::from_slice(&bytes)?))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The SHA-256 of a file, in small hexadecimal digits.
    pub(crate) fn sha256(&self, name: &str) -> Option<&str> {
        self.0.get("files")?.get(name)?.get("sha256")?.as_str()
    }
}

/// The SHA-256 of a content.
pub(crate) fn sha256(content: &[u8]) -> [u8; 32] {
    Sha256::digest(content).into()
}

/// Small hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_follows_the_variables() {
        let with = |cache: Option<&str>, home: Option<&str>| {
            folder(|name| match name {
                "XDG_CACHE_HOME" => cache.map(OsString::from),
                "HOME" => home.map(OsString::from),
                _ => None,
            })
        };
        assert_eq!(with(Some("/c"), Some("/h")), Some("/c/gsar".into()));
        assert_eq!(with(None, Some("/h")), Some("/h/.cache/gsar".into()));
        assert_eq!(with(Some("relative"), Some("/h")), Some("/h/.cache/gsar".into()));
        assert_eq!(with(Some(""), None), None);
    }
}
