//! This module says for whom something is kept, and who sees it. Stores keep things apart by it; how a caller
//! came by its name is decided elsewhere.

use std::sync::Arc;

/// For whom something is kept: the name of a principal, empty where callers have none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    name: Arc<str>,
    sees_all: bool,
}

impl Default for Owner {
    /// Callers that have no names: what they keep, all of them see.
    fn default() -> Self {
        Self { name: "".into(), sees_all: true }
    }
}

impl Owner {
    /// One that sees what is its own, or what anybody keeps. Without a name it is the [default](Self::default).
    #[must_use]
    pub fn new(name: &str, sees_all: bool) -> Self {
        Self { name: name.into(), sees_all: sees_all || name.is_empty() }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whose things it sees; `None` for everybody's.
    #[must_use]
    pub fn only(&self) -> Option<&str> {
        (!self.sees_all).then_some(&self.name)
    }
}
