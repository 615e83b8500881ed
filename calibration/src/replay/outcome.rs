//! This module holds what became of claims in a replay. It counts and prints nothing.

use gsar_core::{Class, Tier};

use super::errors::ErrorKind;

/// A claim of a replay, with what was said of it and what became of that.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The place of its case, from 0.
    pub(crate) case: usize,
    /// The claim.
    pub(crate) text: String,
    /// Whether the judgement was right or an error.
    pub(crate) given: Given,
    /// The class that the judge gave.
    pub(crate) said: Class,
    /// The first words quoted; empty where none were.
    pub(crate) quote: String,
    /// The class in the answer.
    pub(crate) class: Class,
    /// What verification found, in order: code and sentence.
    pub(crate) findings: Vec<Finding>,
}

/// What a judgement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// As a person says.
    Right,
    /// Made to be wrong.
    Error(ErrorKind),
}

/// Something that verification found of a claim.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The stable name of the check's result.
    pub(crate) code: String,
    /// In a sentence.
    pub(crate) sentence: String,
    /// Whether the class of the claim is another since.
    pub(crate) reclassed: bool,
}

/// What was decided on a report.
#[derive(Clone, Debug)]
pub(crate) struct Decided {
    /// Its case.
    pub(crate) case: String,
    /// `faithful`, `overreaching` or `contradicted`.
    pub(crate) kind: String,
    /// The decision.
    pub(crate) tier: Tier,
    /// What was found of it, in order: code and sentence.
    pub(crate) reasons: Vec<(String, String)>,
    /// Corrections that changed a class.
    pub(crate) findings: Vec<Finding>,
    /// How many claims it was split into.
    pub(crate) claims: usize,
    /// The claims that no stored judgement is about.
    pub(crate) unmatched: Vec<String>,
}

impl Outcome {
    /// A right verdict that verification took away.
    pub(crate) fn is_broken(&self) -> bool {
        self.given == Given::Right && self.class != self.said
    }

    /// An error that stands.
    pub(crate) fn is_missed(&self) -> bool {
        matches!(self.given, Given::Error(_)) && self.class == self.said
    }
}
