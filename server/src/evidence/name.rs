//! Corpus names, which are safe to use as folder names and may include an owner.

use std::fmt;

use super::error::StoreError;
use crate::data_owner::Owner;

/// The name of a corpus: 1 to 128 letters, digits, `.`, `_` and `-`, starting with a letter or digit. A corpus that
/// belongs to a principal is prefixed with the principal's name and `@`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CorpusName(String);

impl CorpusName {
    /// The maximum length of a name in bytes.
    pub const MAX_BYTES: usize = 128;

    /// Parses a name.
    ///
    /// # Errors
    /// Returns [`StoreError::InvalidName`].
    pub fn new(name: &str) -> Result<Self, StoreError> {
        let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let is_name = |name: &str| {
            name.len() <= Self::MAX_BYTES
                && name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
                && name.bytes().all(is_safe)
        };
        let is_owner =
            |owner: &str| owner.is_empty() || owner.len() < Self::MAX_BYTES && is_name(owner);
        let (owner, rest) = name.split_once('@').unwrap_or(("", name));
        if is_owner(owner) && is_name(rest) {
            return Ok(Self(name.to_owned()));
        }
        Err(StoreError::InvalidName { given: name.chars().take(64).collect() })
    }

    /// Returns the stored name for a name given by an owner, or `None` if the owner cannot access it.
    pub(super) fn stored_name(&self, owner: &Owner) -> Option<Self> {
        match self.0.split_once('@') {
            None if owner.name().is_empty() => Some(self.clone()),
            None => Some(Self(format!("{}@{}", owner.name(), self.0))),
            Some((corpus_owner, _))
                if owner.only().is_some_and(|allowed_owner| allowed_owner != corpus_owner) =>
            {
                None
            }
            Some(("", name)) => Some(Self(name.to_owned())),
            Some(_) => Some(self.clone()),
        }
    }

    /// Returns the name under which an owner sees this stored name, or `None` if the owner cannot access
    /// it.
    pub(super) fn visible_name(&self, owner: &Owner) -> Option<Self> {
        let (corpus_owner, name) = self.0.split_once('@').unwrap_or(("", &self.0));
        match owner.only() {
            _ if corpus_owner == owner.name() => Some(Self(name.to_owned())),
            Some(_) => None,
            None => Some(Self(format!("{corpus_owner}@{name}"))),
        }
    }

    /// Returns the name as text.
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
    fn owners_see_only_their_own_corpora() {
        let name = |text: &str| CorpusName::new(text).unwrap();
        let no_owner = Owner::default();
        let [ada, auditor] = [Owner::new("ada", false), Owner::new("auditor", true)];
        for (owner, requested, stored) in [
            (&no_owner, "x", Some("x")),
            (&no_owner, "ada@x", Some("ada@x")),
            (&ada, "x", Some("ada@x")),
            (&ada, "ada@x", Some("ada@x")),
            (&ada, "ben@x", None),
            (&ada, "@x", None),
            (&auditor, "x", Some("auditor@x")),
            (&auditor, "ada@x", Some("ada@x")),
            (&auditor, "@x", Some("x")),
        ] {
            let stored_name = name(requested).stored_name(owner);
            assert_eq!(stored_name, stored.map(name), "{owner:?} {requested}");
            let Some(stored_name) = stored_name else { continue };
            assert_eq!(
                stored_name.visible_name(owner).unwrap().stored_name(owner),
                Some(stored_name),
                "{owner:?} {requested}"
            );
        }
        assert_eq!(name("ben@x").visible_name(&ada), None);
        assert_eq!(name("x").visible_name(&ada), None);
        assert_eq!(name("x").visible_name(&auditor), Some(name("@x")));
        assert_eq!(name("ada@x").visible_name(&no_owner), Some(name("ada@x")));
    }

    #[test]
    fn names_are_safe_as_folder_names() {
        let long = "a".repeat(128);
        for name in ["inc-7", "a", "2026.03_x", "rca@inc-7", "@a", long.as_str()] {
            assert_eq!(CorpusName::new(name).unwrap().as_str(), name);
        }
        let longer = "a".repeat(129);
        for name in [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "-x",
            ".hidden",
            "é",
            "a b",
            "a\0",
            "a@",
            "a@b@c",
            "..@a",
            "a@..",
            longer.as_str(),
        ] {
            CorpusName::new(name).unwrap_err();
        }
    }
}
