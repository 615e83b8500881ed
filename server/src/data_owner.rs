//! The owner of stored data, which separates the data of principals.

use std::sync::Arc;

/// The owner of stored data: a principal's name, or empty if there are no principals.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    name: Arc<str>,
    sees_all: bool,
}

impl Default for Owner {
    /// Returns the owner for all callers if there are no principals.
    fn default() -> Self {
        Self { name: "".into(), sees_all: true }
    }
}

impl Owner {
    /// Creates an owner that sees its own data, or all data if `sees_all` is set. An empty name returns the
    /// [default](Self::default).
    #[must_use]
    pub fn new(name: &str, sees_all: bool) -> Self {
        Self { name: name.into(), sees_all: sees_all || name.is_empty() }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the only name whose data this owner sees, or `None` if it sees everything.
    #[must_use]
    pub fn only(&self) -> Option<&str> {
        (!self.sees_all).then_some(&self.name)
    }
}
