//! This module parses names of corpora: safe as names of folders, and none that an operating system reserves.

use std::fmt;

use super::error::StoreError;

/// The name of a corpus: 1 to 128 letters, digits, `.`, `_` and `-`, the first a letter or digit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CorpusName(String);

impl CorpusName {
    /// The most bytes of a name.
    pub const MAX_BYTES: usize = 128;

    /// Checks a name.
    ///
    /// # Errors
    /// [`StoreError::InvalidName`].
    pub fn new(name: &str) -> Result<Self, StoreError> {
        let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let is_name = name.len() <= Self::MAX_BYTES
            && name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
            && name.bytes().all(is_safe);
        if is_name {
            return Ok(Self(name.to_owned()));
        }
        Err(StoreError::InvalidName { given: name.chars().take(64).collect() })
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CorpusName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_safe_as_a_folder() {
        let long = "a".repeat(128);
        for name in ["inc-7", "a", "2026.03_x", long.as_str()] {
            assert_eq!(CorpusName::new(name).unwrap().as_str(), name);
        }
        let longer = "a".repeat(129);
        for name in
            ["", ".", "..", "../x", "a/b", "-x", ".hidden", "é", "a b", "a\0", longer.as_str()]
        {
            CorpusName::new(name).unwrap_err();
        }
    }
}
