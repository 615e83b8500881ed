//! This module names why an answer as a whole cannot be read.

use std::fmt;

/// A place in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The byte, from 0.
    pub byte: usize,
    /// The last characters before it, at most [`Place::SHOWN`].
    pub before: String,
    /// What had to stand there.
    pub expected: &'static str,
}

impl Place {
    /// The most characters that are shown of an answer.
    pub const SHOWN: usize = 40;

    /// The place of byte `at` of a text.
    pub(crate) fn of(text: &str, at: usize, expected: &'static str) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let start = before.char_indices().rev().nth(Self::SHOWN - 1).map_or(0, |(start, _)| start);
        Self { byte: at, before: before.get(start..).unwrap_or_default().to_owned(), expected }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "after {:?} (byte {}), where {} was expected",
            self.before, self.byte, self.expected
        )
    }
}

/// Why nothing is taken from an answer. Each is a reason for the one repair turn, see [`crate::repair_prompt`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// No characters but blanks.
    #[error("the answer is empty; a JSON object was asked for")]
    Empty,
    /// Over [`crate::Bounds::bytes`].
    #[error("the answer has {bytes} bytes; at most {allowed} are read: answer more briefly")]
    TooLong {
        /// The length of the text, in bytes.
        bytes: usize,
        /// The most bytes.
        allowed: usize,
    },
    /// Over [`crate::Bounds::depth`].
    #[error("the answer nests objects and lists deeper than {allowed} levels: use the given shape")]
    TooDeep {
        /// The most levels.
        allowed: usize,
    },
    /// Over [`crate::Bounds::values`].
    #[error("the answer has more than {allowed} values: use the given shape")]
    TooManyValues {
        /// The most values.
        allowed: usize,
    },
    /// Over [`crate::Bounds::claims`].
    #[error("the answer lists {given} claims; at most {allowed} are read: list each claim once")]
    TooManyClaims {
        /// The number of claims that it lists.
        given: usize,
        /// The most claims.
        allowed: usize,
    },
    /// Its text ends before the JSON does. It is never completed here.
    #[error(
        "the answer ends before it is complete, after {bytes} bytes: write shorter notes and finish the JSON"
    )]
    Truncated {
        /// The length of the text, in bytes.
        bytes: usize,
    },
    /// Reasoning begins and does not end.
    #[error(
        "the answer ends within its reasoning, after {bytes} bytes: reason less and give the JSON"
    )]
    OnlyReasoning {
        /// The length of the text, in bytes.
        bytes: usize,
    },
    /// No JSON object in it.
    #[error("the answer holds no JSON object; the given shape was asked for")]
    NoJson,
    /// JSON, but no list of claims in it.
    #[error("the JSON of the answer has no list \"claims\"; the given shape was asked for")]
    NoClaims,
    /// A field that may stand once stands twice.
    #[error("the JSON of the answer has \"{field}\" more than once; give it once")]
    FieldTwice {
        /// The field.
        field: &'static str,
    },
    /// More complete answers than anyone gives by accident.
    #[error("the answer holds more than {allowed} JSON objects with claims; give one")]
    SeveralAnswers {
        /// The most answers that are looked at.
        allowed: usize,
    },
    /// JSON that cannot be read, outside of the entries of single claims.
    #[error("the JSON of the answer cannot be read {0}")]
    Malformed(Place),
    /// Reading takes more steps than its length pays for.
    #[error(
        "the JSON of the answer is too tangled to be read; give one JSON object and nothing else"
    )]
    Tangled,
}

impl Unreadable {
    /// The word used in records and metrics.
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
            Self::FieldTwice { .. } => "field_twice",
            Self::SeveralAnswers { .. } => "several_answers",
            Self::Malformed(_) => "malformed",
            Self::Tangled => "tangled",
        }
    }
}
