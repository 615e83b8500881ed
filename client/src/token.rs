//! The client's bearer token, which is never printed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tonic::metadata::{Ascii, MetadataValue};

/// A bearer token, sent in the `authorization` header.
#[derive(Clone)]
pub struct Token(Arc<TokenState>);

struct TokenState {
    /// Read for each call, since issuers replace the file before the token expires.
    file: Option<PathBuf>,
    last_header: Mutex<MetadataValue<Ascii>>,
}

/// An error from loading a token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("--token-file (or GSAR_TOKEN_FILE): {}: {reason}; expected a file with a token", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        reason: String,
    },
    /// The token is invalid.
    #[error("the token is empty or contains characters not allowed in a header")]
    Text,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Token").field("file", &self.0.file).finish_non_exhaustive()
    }
}

impl Token {
    /// Creates a token from text. Fails with [`TokenError::Text`] if it is invalid.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        Ok(Self(Arc::new(TokenState { file: None, last_header: Mutex::new(header(text)?) })))
    }

    /// Creates a token that is read from a file for each call. Fails if the file does not currently contain a valid
    /// token.
    pub fn from_file(path: &Path) -> Result<Self, TokenError> {
        let text = std::fs::read_to_string(path).map_err(|error| TokenError::File {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        Ok(Self(Arc::new(TokenState {
            file: Some(path.to_owned()),
            last_header: Mutex::new(header(&text)?),
        })))
    }

    /// Returns the header value, or the previous one if the file is unreadable or invalid at the moment.
    pub(crate) fn header(&self) -> MetadataValue<Ascii> {
        let mut last_header = self.0.last_header.lock().unwrap_or_else(PoisonError::into_inner);
        let text = self.0.file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        if let Some(new) = text.and_then(|text| header(&text).ok()) {
            *last_header = new;
        }
        last_header.clone()
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
    fn a_token_is_reloaded_and_never_printed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        assert!(matches!(Token::from_file(&path), Err(TokenError::File { .. })));
        for invalid in ["", " \n", "a\u{7}b"] {
            std::fs::write(&path, invalid).unwrap();
            assert_eq!(Token::from_file(&path).unwrap_err(), TokenError::Text);
        }
        std::fs::write(&path, "first\n").unwrap();
        let token = Token::from_file(&path).unwrap();
        assert_eq!(token.header(), "Bearer first");
        std::fs::write(&path, "second").unwrap();
        assert_eq!(token.clone().header(), "Bearer second");
        std::fs::remove_file(&path).unwrap();
        assert_eq!(token.header(), "Bearer second");
        let printed = format!("{token:?} {:?}", Token::new("third").unwrap().header());
        assert!(!printed.contains("second") && !printed.contains("third"), "{printed}");
    }
}
