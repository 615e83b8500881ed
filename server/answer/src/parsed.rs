//! Types for a parsed answer.

use gsar_core::fixed_point::Millionths;
use gsar_core::{ClaimId, Class, JudgedClaim};

use crate::answer_form::Form;
use crate::error::Location;
use crate::fix::Fix;

/// The way an answer was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseMode {
    /// The whole text is JSON of the requested shape.
    Structured,
    /// The answer required these fixes, in order of first use.
    Salvaged(Vec<Fix>),
}

impl ParseMode {
    /// Returns the fixes that the answer required.
    #[must_use]
    pub fn fixes(&self) -> &[Fix] {
        match self {
            Self::Structured => &[],
            Self::Salvaged(fixes) => fixes,
        }
    }

    /// Returns the name used in records and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::Salvaged(_) => "salvaged",
        }
    }
}

/// A parsed answer. Each expected claim is in exactly one of `judged`, `lost` and `missing`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedAnswer {
    /// The way the answer was parsed.
    pub mode: ParseMode,
    /// The judged claims, in request order.
    pub judged: Vec<JudgedClaim>,
    /// Unusable entries.
    pub lost: Vec<LostEntry>,
    /// Expected claims without an entry.
    pub missing: Vec<ClaimId>,
    /// Unexpected ids without duplicates, truncated to [`ClaimId::MAX_BYTES`].
    pub invented: Vec<String>,
    /// The judge's score from 0 to 1, rounded to six places. It is recorded for audit only.
    pub score: Option<Millionths>,
    /// The judge's explanation; can be empty.
    pub explanation: String,
    /// Evidence that the judge would need.
    pub gaps: Vec<String>,
    /// False statements found by the judge.
    pub contradictions: Vec<String>,
    /// The reason for an abstention, possibly empty; `None` if the judge did not abstain.
    pub abstained: Option<String>,
}

impl ParsedAnswer {
    /// Returns the expected claims without a verdict: lost claims, then missing ones.
    pub fn unjudged(&self) -> impl Iterator<Item = &ClaimId> {
        self.lost.iter().filter_map(|lost| lost.claim.as_ref()).chain(&self.missing)
    }
}

/// An unusable entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostEntry {
    /// The expected claim, if known and not already reported.
    pub claim: Option<ClaimId>,
    /// The entry's position in the list of claims, starting at 1; `None` if several answers differ.
    pub entry: Option<usize>,
    /// The reason for the loss.
    pub reason: LossReason,
}

/// The reason for losing an entry and its claim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LossReason {
    /// The JSON is malformed.
    #[error("its JSON cannot be read {0}")]
    Malformed(Location),
    /// The entry is not an object.
    #[error("it is {given}; it must be an object with {}", form.fields())]
    NotAnObject {
        /// The given type.
        given: &'static str,
        /// The requested form.
        form: Form,
    },
    /// The id is missing.
    #[error("it has no \"id\"; it must be that of a given claim")]
    NoId,
    /// The id and the key differ.
    #[error("its key and its \"id\" differ")]
    IdsDiffer,
    /// The class is missing.
    #[error("it has no \"{}\"; it must be {}", form.class_field(), form.classes())]
    NoClass {
        /// The requested form.
        form: Form,
    },
    /// The class is unknown.
    #[error("its \"{}\" is {given}; it must be {}", form.class_field(), form.classes())]
    UnknownClass {
        /// The requested form.
        form: Form,
        /// The given class in quotes, truncated to [`Location::MAX_SHOWN`] characters.
        given: String,
    },
    /// A field is duplicated.
    #[error("it has \"{field}\" more than once; give it once")]
    DuplicateField {
        /// The field.
        field: &'static str,
    },
    /// The end of a string is ambiguous and affects the id, class or type.
    #[error("a quotation mark in one of its strings is not escaped as \\\"")]
    UnescapedQuotes,
    /// Two answers have different classes for the claim.
    #[error("it is {} in one answer and {} in another; give one answer", first.name(), last.name())]
    AnswersDiffer {
        /// The class in an earlier answer.
        first: Class,
        /// The class in the last answer.
        last: Class,
    },
}

impl LossReason {
    /// Returns the name used in records and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "unreadable",
            Self::NotAnObject { .. } => "not_an_object",
            Self::NoId => "no_id",
            Self::IdsDiffer => "ids_differ",
            Self::NoClass { .. } => "no_class",
            Self::UnknownClass { .. } => "unknown_class",
            Self::DuplicateField { .. } => "field_twice",
            Self::UnescapedQuotes => "unescaped_quotes",
            Self::AnswersDiffer { .. } => "answers_differ",
        }
    }
}
