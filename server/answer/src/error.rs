//! Errors that make a whole answer unusable.

use std::fmt;

/// A location in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The byte offset, starting at 0.
    pub byte: usize,
    /// The preceding characters, at most [`Location::MAX_SHOWN`].
    pub before: String,
    /// The expected syntax.
    pub expected: &'static str,
}

impl Location {
    /// The maximum number of characters shown from an answer.
    pub const MAX_SHOWN: usize = 40;

    pub(crate) fn new(text: &str, offset: usize, expected: &'static str) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let start =
            before.char_indices().rev().nth(Self::MAX_SHOWN - 1).map_or(0, |(start, _)| start);
        Self { byte: offset, before: before.get(start..).unwrap_or_default().to_owned(), expected }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "after {:?} (byte {}), where {} was expected",
            self.before, self.byte, self.expected
        )
    }
}

/// An error that makes an answer unusable. The message is written for [`crate::repair_prompt()`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The text is empty.
    #[error("the answer is empty; answer with a JSON object")]
    Empty,
    /// The text exceeds [`crate::Bounds::bytes`].
    #[error("the answer has {bytes} bytes; at most {allowed} are read: answer more briefly")]
    TooLong {
        /// The text length in bytes.
        bytes: usize,
        /// The maximum number of bytes.
        allowed: usize,
    },
    /// The nesting exceeds [`crate::Bounds::depth`].
    #[error("the answer nests objects and lists deeper than {allowed} levels: use the given shape")]
    TooDeep {
        /// The maximum depth.
        allowed: usize,
    },
    /// The number of values exceeds [`crate::Bounds::values`].
    #[error("the answer has more than {allowed} values: use the given shape")]
    TooManyValues {
        /// The maximum number of values.
        allowed: usize,
    },
    /// The number of entries exceeds [`crate::Bounds::claims`].
    #[error("the answer lists {given} claims; at most {allowed} are read: list each claim once")]
    TooManyClaims {
        /// The number of entries.
        given: usize,
        /// The maximum number of entries.
        allowed: usize,
    },
    /// The text ends before the JSON does.
    #[error(
        "the answer ends before it is complete, after {bytes} bytes: write shorter notes and finish the JSON"
    )]
    Truncated {
        /// The text length in bytes.
        bytes: usize,
    },
    /// The text ends within the reasoning.
    #[error(
        "the answer ends within its reasoning, after {bytes} bytes: reason less and give the JSON"
    )]
    OnlyReasoning {
        /// The text length in bytes.
        bytes: usize,
    },
    /// There is no JSON object.
    #[error("the answer contains no JSON object; answer in the given shape")]
    NoJson,
    /// The JSON has no list of claims.
    #[error("the JSON of the answer has no list \"claims\"; answer in the given shape")]
    NoClaims,
    /// A field is duplicated.
    #[error("the JSON of the answer has \"{field}\" more than once; give it once")]
    DuplicateField {
        /// The field.
        field: &'static str,
    },
    /// There are too many complete answers.
    #[error("the answer contains more than {allowed} JSON objects with claims; give one")]
    SeveralAnswers {
        /// The maximum number of answers.
        allowed: usize,
    },
    /// The JSON is malformed outside single entries.
    #[error("the JSON of the answer cannot be read {0}")]
    Malformed(Location),
    /// Parsing takes too many steps for the text length.
    #[error(
        "the JSON of the answer is too tangled to be read; give one JSON object and nothing else"
    )]
    TooComplex,
}

impl ParseError {
    /// Returns the name used in records and metrics.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong { .. } => "too_long",
            Self::TooDeep { .. } => "too_deep",
            Self::TooManyValues { .. } => "too_many_values",
            Self::TooManyClaims { .. } => "too_many_claims",
            Self::Truncated { .. } => "truncated",
            Self::OnlyReasoning { .. } => "only_reasoning",
            Self::NoJson => "no_json",
            Self::NoClaims => "no_claims",
            Self::DuplicateField { .. } => "field_twice",
            Self::SeveralAnswers { .. } => "several_answers",
            Self::Malformed(_) => "malformed",
            Self::TooComplex => "tangled",
        }
    }
}
