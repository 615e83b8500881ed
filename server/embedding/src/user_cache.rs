//! The user's cache folder, and the manifests of fetched files.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

const MANIFEST: &str = "manifest.json";

/// Returns `${XDG_CACHE_HOME:-~/.cache}/gsar`, or `None` if neither variable is an absolute path.
pub(crate) fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| Some(absolute("HOME")?.join(".cache")))
        .map(|cache| cache.join("gsar"))
}

#[derive(Debug)]
pub(crate) struct Manifest(Value);

impl Manifest {
    /// Reads a folder's manifest, or returns `None` if there is none.
    pub(crate) fn read(folder: &Path) -> io::Result<Option<Self>> {
        match std::fs::read(folder.join(MANIFEST)) {
            Ok(bytes) => Ok(Some(Self(serde_json::from_slice(&bytes)?))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn sha256(&self, name: &str) -> Option<&str> {
        self.0.get("files")?.get(name)?.get("sha256")?.as_str()
    }
}

pub(crate) fn sha256(content: &[u8]) -> [u8; 32] {
    Sha256::digest(content).into()
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_follows_the_variables() {
        let folder_for = |cache: Option<&str>, home: Option<&str>| {
            folder(|name| match name {
                "XDG_CACHE_HOME" => cache.map(OsString::from),
                "HOME" => home.map(OsString::from),
                _ => None,
            })
        };
        assert_eq!(folder_for(Some("/c"), Some("/h")), Some("/c/gsar".into()));
        assert_eq!(folder_for(None, Some("/h")), Some("/h/.cache/gsar".into()));
        assert_eq!(folder_for(Some("relative"), Some("/h")), Some("/h/.cache/gsar".into()));
        assert_eq!(folder_for(Some(""), None), None);
    }
}
