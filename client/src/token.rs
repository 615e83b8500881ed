//! This module brings the token with which a caller says who it is. It never shows it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tonic::metadata::{Ascii, MetadataValue};

/// What `authorization` says in every call. Clones share it.
#[derive(Clone)]
pub struct Token(Arc<Shared>);

struct Shared {
    /// Read at each call: the issuer replaces the file before the old token ends.
    file: Option<PathBuf>,
    last: Mutex<MetadataValue<Ascii>>,
}

/// Why there is no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("--token-file (or GSAR_TOKEN_FILE): {}: {reason}; name a file that holds a token", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The text is no token.
    #[error("the token is empty, or holds what no header can; give it as it was issued")]
    Text,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("file", &self.0.file).finish_non_exhaustive()
    }
}

impl Token {
    /// A token as it was issued.
    ///
    /// # Errors
    /// [`TokenError::Text`].
    pub fn new(text: &str) -> Result<Self, TokenError> {
        Ok(Self(Arc::new(Shared { file: None, last: Mutex::new(header(text)?) })))
    }

    /// The token that a file holds at each call.
    ///
    /// # Errors
    /// [`TokenError`] where it holds none now.
    pub fn in_file(path: &Path) -> Result<Self, TokenError> {
        let text = std::fs::read_to_string(path).map_err(|error| TokenError::File {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        Ok(Self(Arc::new(Shared { file: Some(path.to_owned()), last: Mutex::new(header(&text)?) })))
    }

    /// What to send now: the last one where the file has none at this moment.
    pub(crate) fn header(&self) -> MetadataValue<Ascii> {
        let mut last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        let read = self.0.file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        if let Some(new) = read.and_then(|text| header(&text).ok()) {
            *last = new;
        }
        last.clone()
    }
}

fn header(text: &str) -> Result<MetadataValue<Ascii>, TokenError> {
    let token = text.trim();
    let mut value: MetadataValue<Ascii> = format!("Bearer {token}")
        .parse()
        .ok()
        .filter(|_| !token.is_empty())
        .ok_or(TokenError::Text)?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_again_and_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        assert!(matches!(Token::in_file(&path), Err(TokenError::File { .. })));
        for wrong in ["", " \n", "a\u{7}b"] {
            std::fs::write(&path, wrong).unwrap();
            assert_eq!(Token::in_file(&path).unwrap_err(), TokenError::Text);
        }
        std::fs::write(&path, "first\n").unwrap();
        let token = Token::in_file(&path).unwrap();
        assert_eq!(token.header(), "Bearer first");
        std::fs::write(&path, "second").unwrap();
        assert_eq!(token.clone().header(), "Bearer second");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(token.header(), "Bearer second");
        let shown = format!("{token:?} {:?}", Token::new("third").unwrap().header());
        assert!(!shown.contains("second") && !shown.contains("third"), "{shown}");
    }
}
