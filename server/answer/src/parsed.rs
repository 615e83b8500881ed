//! The types of a parsed answer.

use gsar_core::fixed::Millionths;
use gsar_core::{ClaimId, Class, JudgedClaim};

use crate::bounds::Usage;
use crate::error::Location;
use crate::fix::Fix;
use crate::form::Form;

/// How an answer was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseMode {
    /// The whole text is JSON of the requested shape.
    Structured,
    /// The answer needed these fixes, in order of first use.
    Salvaged(Vec<Fix>),
}

impl ParseMode {
    /// The fixes that the answer needed.
    #[must_use]
    pub fn fixes(&self) -> &[Fix] {
        match self {
            Self::Structured => &[],
            Self::Salvaged(fixes) => fixes,
        }
    }

    /// The name used in records and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::Salvaged(_) => "salvaged",
        }
    }
}

/// A parsed answer. Every expected claim is in exactly one of `judged`, `lost` and `missing`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedAnswer {
    /// How it was parsed.
    pub mode: ParseMode,
    /// The judged claims, in the order of the expected claims.
    pub judged: Vec<JudgedClaim>,
    /// Unusable entries.
    pub lost: Vec<LostEntry>,
    /// Expected claims without an entry.
    pub missing: Vec<ClaimId>,
    /// Ids that are not expected, each once, cut to [`ClaimId::MAX_BYTES`].
    pub invented: Vec<String>,
    /// Values that were interpreted or left out.
    pub corrections: Vec<Correction>,
    /// The judge's own score, from 0 to 1, rounded to six places; for audit, never decides.
    pub score: Option<Millionths>,
    /// The judgement in prose; may be empty.
    pub explanation: String,
    /// What else the judge would need to see.
    pub gaps: Vec<String>,
    /// What it found to be false.
    pub contradictions: Vec<String>,
    /// The reason for an abstention, may be empty; `None` if the judge did not abstain.
    pub abstained: Option<String>,
    /// The use of the bounds.
    pub usage: Usage,
}

impl ParsedAnswer {
    /// Returns the expected claims without a verdict: lost ones first, then missing ones.
    pub fn unjudged(&self) -> impl Iterator<Item = &ClaimId> {
        self.lost.iter().filter_map(|lost| lost.claim.as_ref()).chain(&self.missing)
    }
}

/// An unusable entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostEntry {
    /// The expected claim that it is about, if known and not reported yet.
    pub claim: Option<ClaimId>,
    /// Its number in the list of claims, from 1; `None` if several answers differ.
    pub entry: Option<usize>,
    /// Why.
    pub reason: LossReason,
}

/// Why an entry and its claim are lost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LossReason {
    /// Its JSON is malformed.
    #[error("its JSON cannot be read {0}")]
    Malformed(Location),
    /// It is not an object.
    #[error("it is {given}; it must be an object with {}", form.fields())]
    NotAnObject {
        /// What it is.
        given: &'static str,
        /// The requested form.
        form: Form,
    },
    /// It has no id.
    #[error("it has no \"id\"; it must be that of a given claim")]
    NoId,
    /// Its id and its key differ.
    #[error("its key and its \"id\" differ")]
    IdsDiffer,
    /// It has no class.
    #[error("it has no \"{}\"; it must be {}", form.class_field(), form.classes())]
    NoClass {
        /// The requested form.
        form: Form,
    },
    /// Its class is unknown.
    #[error("its \"{}\" is {given}; it must be {}", form.class_field(), form.classes())]
    UnknownClass {
        /// The requested form.
        form: Form,
        /// The class in quotes, cut to [`Location::MAX_SHOWN`] characters.
        given: String,
    },
    /// A field is duplicated.
    #[error("it has \"{field}\" more than once; give it once")]
    DuplicateField {
        /// The field.
        field: &'static str,
    },
    /// The end of a string is ambiguous, and another end would give another claim, class or type.
    #[error("a quotation mark in one of its strings is not escaped as \\\"")]
    UnescapedQuotes,
    /// Two answers give it different classes.
    #[error("it is {} in one answer and {} in another; give one answer", first.name(), last.name())]
    AnswersDiffer {
        /// In an earlier answer.
        first: Class,
        /// In the last one.
        last: Class,
    },
}

impl LossReason {
    /// The name used in records and metrics.
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

/// A value that was interpreted or left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The claim; `None` for the answer as a whole.
    pub claim: Option<ClaimId>,
    /// What was corrected.
    pub kind: CorrectionKind,
}

/// What was corrected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CorrectionKind {
    /// The class or type is spelled differently, such as `Tool Match`.
    #[error("\"{field}\" is written {given}")]
    Spelling {
        /// The field.
        field: &'static str,
        /// The given spelling, in quotes.
        given: String,
    },
    /// The type is unknown or missing: taken as inference.
    #[error("\"type\" is {given}, which is none of the eight; taken as inference")]
    UnknownType {
        /// The type in quotes, or the kind of the value.
        given: String,
    },
    /// Citations are invalid or exceed the limit.
    #[error("{count} citations are left out; the first {reason}")]
    CitationsDropped {
        /// The number of citations.
        count: usize,
        /// Why the first one is left out.
        reason: &'static str,
    },
    /// The claim is judged several times: the strictest entry is taken.
    #[error("is judged more than once; the strictest is taken, {}", used.name())]
    DuplicateVerdict {
        /// The class that is taken.
        used: Class,
    },
    /// A field has the wrong type and is left out.
    #[error("\"{field}\" is {given} and is left out")]
    FieldDropped {
        /// The field.
        field: &'static str,
        /// The given value or its kind.
        given: String,
    },
    /// The score is taken as a percentage.
    #[error("\"score\" is taken as a percentage")]
    Percentage,
}
