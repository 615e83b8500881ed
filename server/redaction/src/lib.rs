//! This crate redacts text without I/O: secrets and personal data become placeholders and are restored exactly.
//!
//! A [`Redactor`] knows what to look for and is shared. A [`Redaction`] belongs to one question: over all of its texts
//! the same value has the same placeholder, so that what was equal stays equal, and what a model quotes is turned
//! back into the words of the original.
//!
//! ```
//! use gsar_redaction::{Options, Redactor};
//!
//! let redactor = Redactor::new(&Options::default())?;
//! let log = "10.2.0.7:5432 refused postgres://shop:hunter22@db/orders";
//! let mut redaction = redactor.begin(7, [log]);
//! let hidden = redaction.hide(log).into_owned();
//! assert!(!hidden.contains("hunter22") && hidden.ends_with("@db/orders"));
//! assert_eq!(redaction.restore(&hidden), log);
//! # Ok::<(), gsar_redaction::PatternError>(())
//! ```
//!
//! | module | subject |
//! |---|---|
//! | [`redaction`] | the session: placeholders, hiding, restoring, counts |
//! | [`pattern`] | patterns of the operator, checked |
//! | [`kind`] | what can be found |
//! | `find` | where it stands: one module for each shape |
//!
//! What is found is a matter of shape and of the words around it. A password that stands alone in prose, a name, a
//! postal address or a host name is not found; patterns of the operator are for those.

mod find;
pub mod kind;
pub mod pattern;
pub mod redaction;

use std::sync::Arc;

pub use find::Span;
pub use kind::Kind;
pub use pattern::{Pattern, PatternError};
pub use redaction::{Counts, Redaction};

/// What is to be hidden.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether addresses of private ranges (RFC 1918, RFC 4193, link-local) stay. They are hidden by default.
    /// Loopback, unspecified and broadcast addresses stay always: they name nobody.
    pub keep_private_addresses: bool,
    /// Further patterns, at most [`pattern::MAX_PATTERNS`].
    pub patterns: Vec<Pattern>,
}

/// Finds secrets and personal data. Cheap to clone and safe to share.
#[derive(Clone)]
pub struct Redactor {
    finders: Arc<find::Finders>,
}

impl Redactor {
    /// Compiles what is looked for.
    ///
    /// # Errors
    /// [`PatternError`] when a pattern of the operator cannot be used; it names the pattern, the place and the fix.
    pub fn new(options: &Options) -> Result<Self, PatternError> {
        Ok(Self { finders: Arc::new(find::Finders::new(options)?) })
    }

    /// Begins the redaction of one question.
    ///
    /// `texts` are all texts that will be hidden: the placeholders of the session occur in none of them, and a secret
    /// that one of them gives away is hidden in all of them. `salt` should differ between questions; the same salt
    /// and texts give the same placeholders.
    pub fn begin<'t>(&self, salt: u128, texts: impl IntoIterator<Item = &'t str>) -> Redaction {
        Redaction::new(self.clone(), salt, texts.into_iter().collect::<Vec<_>>().as_slice())
    }

    /// What is found in one text: ascending, apart from one another.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Span> {
        self.finders.find(text)
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}
