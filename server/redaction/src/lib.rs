//! Redacts text without I/O: replaces secrets and personal data by placeholders, and restores them exactly.
//!
//! A [`Redactor`] contains the patterns and is shared. A [`Redaction`] belongs to one request: the same value has the
//! same placeholder in all of its texts, so that equal values stay equal, and quotes of a model can be restored to the
//! original.
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
//! | [`redaction`] | the redaction of a request: placeholders, hiding, restoring, counts |
//! | [`pattern`] | validated patterns of the operator |
//! | [`kind`] | kinds of values |
//! | `find` | detection, one module per format |
//!
//! Values are detected by their format and the words around them. A bare password in prose, a name, a postal address or
//! a host name is not detected; the operator's patterns are for those.

mod find;
pub mod kind;
pub mod pattern;
pub mod redaction;

use std::sync::Arc;

pub use find::Span;
pub use kind::Kind;
pub use pattern::{Pattern, PatternError};
pub use redaction::{Counts, Redaction};

/// The options of a [`Redactor`].
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `true` to keep addresses of private ranges (RFC 1918, RFC 4193, link-local), which are hidden by default.
    /// Loopback, unspecified and broadcast addresses are always kept because they identify no host.
    pub keep_private_addresses: bool,
    /// Additional patterns, at most [`pattern::MAX_PATTERNS`].
    pub patterns: Vec<Pattern>,
}

/// Finds secrets and personal data. Cheap to clone and safe to share.
#[derive(Clone)]
pub struct Redactor {
    finders: Arc<find::Finders>,
}

impl Redactor {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// [`PatternError`] if a pattern of the operator is invalid; it names the pattern, the position and the fix.
    pub fn new(options: &Options) -> Result<Self, PatternError> {
        Ok(Self { finders: Arc::new(find::Finders::new(options)?) })
    }

    /// Starts the redaction of a request.
    ///
    /// `texts` are all texts that will be hidden: the placeholders occur in none of them, and a secret found in one of
    /// them is hidden in all of them. `salt` should differ between requests; the same salt and texts give the same
    /// placeholders.
    pub fn begin<'t>(&self, salt: u128, texts: impl IntoIterator<Item = &'t str>) -> Redaction {
        Redaction::new(self.clone(), salt, texts.into_iter().collect::<Vec<_>>().as_slice())
    }

    /// Returns the spans found in a text, in order and without overlaps.
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
