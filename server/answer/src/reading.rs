//! This module has the types of what was read from an answer, and no logic.

use gsar_core::fixed::Millionths;
use gsar_core::{ClaimId, Class, JudgedClaim};

use crate::bounds::Usage;
use crate::fix::Fix;
use crate::form::Form;
use crate::unreadable::Place;

/// How an answer was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rung {
    /// The whole text is the JSON that was asked for.
    Structured,
    /// It had to be fixed, in these ways, in the order in which they were first met.
    Salvaged(Vec<Fix>),
}

impl Rung {
    /// The ways in which it had to be fixed.
    #[must_use]
    pub fn fixes(&self) -> &[Fix] {
        match self {
            Self::Structured => &[],
            Self::Salvaged(fixes) => fixes,
        }
    }

    /// The word used in records and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::Salvaged(_) => "salvaged",
        }
    }
}

/// What an answer says. Every expected claim is in exactly one of `judged`, `lost` and `missing`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// How it was read.
    pub rung: Rung,
    /// The claims that it judges, in the order in which they were expected.
    pub judged: Vec<JudgedClaim>,
    /// Entries that it has and that nothing can be taken from.
    pub lost: Vec<Lost>,
    /// Expected claims that it does not mention.
    pub missing: Vec<ClaimId>,
    /// Ids that it judges and nobody asked about, each once, cut to [`ClaimId::MAX_BYTES`].
    pub invented: Vec<String>,
    /// What was taken otherwise than it stands there.
    pub corrections: Vec<Correction>,
    /// The judge's own estimate, from 0 to 1, rounded to six places; for audit, never decides.
    pub score: Option<Millionths>,
    /// The judgement in words; may be empty.
    pub explanation: String,
    /// What would have to be looked at to decide more.
    pub gaps: Vec<String>,
    /// What it found to be false.
    pub contradictions: Vec<String>,
    /// Why it does not judge, where it says that it does not; may be empty then.
    pub abstained: Option<String>,
    /// What it used of the bounds.
    pub usage: Usage,
}

impl Reading {
    /// The expected claims that nothing was taken for: lost ones first, then missing ones.
    pub fn unsettled(&self) -> impl Iterator<Item = &ClaimId> {
        self.lost.iter().filter_map(|lost| lost.claim.as_ref()).chain(&self.missing)
    }
}

/// An entry that nothing can be taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The expected claim that it is about, where that is known.
    pub claim: Option<ClaimId>,
    /// Its number in the list of claims, from 1; nothing where several answers differ.
    pub entry: Option<usize>,
    /// Why.
    pub reason: Loss,
}

/// Why an entry, and the claim that it is about, is lost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Loss {
    /// Its JSON cannot be read.
    #[error("its JSON cannot be read {0}")]
    Unreadable(Place),
    /// It is no object.
    #[error("it is {given}; it must be an object with {}", form.fields())]
    NotAnObject {
        /// What it is.
        given: &'static str,
        /// What was asked for.
        form: Form,
    },
    /// It does not say which claim it is about.
    #[error("it has no \"id\"; it must be that of a given claim")]
    NoId,
    /// Its id and the name it stands under differ.
    #[error("it stands under another id than its \"id\"")]
    IdsDiffer,
    /// It has no class.
    #[error("it has no \"{}\"; it must be {}", form.class_field(), form.classes())]
    NoClass {
        /// What was asked for.
        form: Form,
    },
    /// Its class is none of those that were asked for.
    #[error("its \"{}\" is {given}; it must be {}", form.class_field(), form.classes())]
    UnknownClass {
        /// What was asked for.
        form: Form,
        /// What it says, in quotes, cut to [`Place::SHOWN`] characters.
        given: String,
    },
    /// A field that may stand once stands twice.
    #[error("it has \"{field}\" more than once; give it once")]
    FieldTwice {
        /// The field.
        field: &'static str,
    },
    /// Where its strings end is a guess, and another guess would read another claim, class or type.
    #[error("a quotation mark within one of its strings is not written as \\\"")]
    UnescapedQuotes,
    /// Two answers to the same question give it different classes.
    #[error("it is {} in one answer and {} in another; give one answer", first.name(), last.name())]
    AnswersDiffer {
        /// In an earlier answer.
        first: Class,
        /// In the last one.
        last: Class,
    },
}

impl Loss {
    /// The word used in records and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "unreadable",
            Self::NotAnObject { .. } => "not_an_object",
            Self::NoId => "no_id",
            Self::IdsDiffer => "ids_differ",
            Self::NoClass { .. } => "no_class",
            Self::UnknownClass { .. } => "unknown_class",
            Self::FieldTwice { .. } => "field_twice",
            Self::UnescapedQuotes => "unescaped_quotes",
            Self::AnswersDiffer { .. } => "answers_differ",
        }
    }
}

/// Something that was taken otherwise than it stands in the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The claim; nothing where it concerns the answer as a whole.
    pub claim: Option<ClaimId>,
    /// What was corrected.
    pub kind: CorrectionKind,
}

/// What was corrected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CorrectionKind {
    /// The class or type is written in another way, such as `Tool Match`.
    #[error("\"{field}\" is written {given}")]
    Spelling {
        /// The field.
        field: &'static str,
        /// As it stands there, in quotes.
        given: String,
    },
    /// The type is none of the eight, or missing: taken as inference.
    #[error("\"type\" is {given}, which is none of the eight; taken as inference")]
    UnknownType {
        /// As it stands there, in quotes, or what it is.
        given: String,
    },
    /// Citations that name no evidence or are more than are read.
    #[error("{count} citations are left out; the first {reason}")]
    CitationsLeftOut {
        /// How many.
        count: usize,
        /// Why the first one is.
        reason: &'static str,
    },
    /// The claim is judged several times: the strictest entry is taken.
    #[error("is judged more than once; the strictest is taken, {}", taken.name())]
    JudgedTwice {
        /// The class that is taken.
        taken: Class,
    },
    /// A field is not what it should be, and is left out.
    #[error("\"{field}\" is {given} and is left out")]
    FieldLeftOut {
        /// The field.
        field: &'static str,
        /// What it is.
        given: String,
    },
    /// The score is taken as a percentage.
    #[error("\"score\" is taken as a percentage")]
    Percentage,
}
