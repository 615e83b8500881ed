//! Replaces secrets and personal data with placeholders, and restores the original text exactly. This crate
//! does no I/O.
//!
//! A [`Redactor`] holds the compiled patterns and is shared between requests. A [`Redaction`] belongs to one
//! request: equal values get equal placeholders in all of its texts, and quotes in model output can be restored.
//!
//! ```
//! use gsar_redaction::Redactor;
//!
//! let redactor = Redactor::new(&[])?;
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
//! | [`redaction`] | a request's placeholders: hiding, restoring, counts |
//! | [`pattern`] | validation of operator-defined patterns |
//! | [`kind`] | kinds of values |
//! | `find` | detection, one module per format |
//!
//! Detection uses a value's format and the words around it. Passwords in prose, personal names, postal
//! addresses and host names are not detected; operator-defined patterns can cover them.

mod find;
pub mod kind;
pub mod pattern;
pub mod redaction;

use std::sync::Arc;

pub use find::Span;
pub use kind::Kind;
pub use pattern::{Pattern, PatternError};
pub use redaction::Redaction;

/// Finds secrets and personal data. A redactor is cheap to clone and safe to share.
#[derive(Clone)]
pub struct Redactor {
    finders: Arc<find::Finders>,
}

impl Redactor {
    /// Compiles the built-in patterns and the operator-defined ones, at most [`pattern::MAX_PATTERNS`].
    ///
    /// # Errors
    /// Returns [`PatternError`] if an operator-defined pattern is invalid. The error names the pattern, the
    /// position and the fix.
    pub fn new(patterns: &[Pattern]) -> Result<Self, PatternError> {
        Ok(Self { finders: Arc::new(find::Finders::new(patterns)?) })
    }

    /// Starts the redaction of a request.
    ///
    /// `texts` should contain all texts that will be hidden. No placeholder occurs in any of them, and a
    /// secret found in one is hidden in all. `salt` should differ between requests; the same salt and texts
    /// produce the same placeholders.
    pub fn begin<'t>(&self, salt: u128, texts: impl IntoIterator<Item = &'t str>) -> Redaction {
        Redaction::new(self.clone(), salt, texts.into_iter().collect::<Vec<_>>().as_slice())
    }

    /// Finds the spans to hide in `text`, in order and without overlaps.
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
