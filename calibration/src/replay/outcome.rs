//! The outcomes of a replay.

use gsar_core::{Class, Tier};

use super::errors::ErrorKind;

/// The outcome of a claim in a replay.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The place of its case, from 0.
    pub(crate) case: usize,
    pub(crate) text: String,
    /// A correct judgement, or an injected error.
    pub(crate) given: JudgementKind,
    /// The class that the judge gave.
    pub(crate) said: Class,
    /// The first quote; may be empty.
    pub(crate) quote: String,
    /// The class in the answer.
    pub(crate) class: Class,
    pub(crate) findings: Vec<Finding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JudgementKind {
    /// Same class as the label.
    Right,
    /// Made to be wrong.
    Error(ErrorKind),
}

/// Something that verification found of a claim.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The stable name of the check's result.
    pub(crate) code: String,
    pub(crate) sentence: String,
    /// `true` if the class of the claim is another since.
    pub(crate) reclassed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ReportDecision {
    pub(crate) case: String,
    /// `faithful`, `overreaching` or `contradicted`.
    pub(crate) kind: String,
    /// The decision.
    pub(crate) tier: Tier,
    pub(crate) reasons: Vec<(String, String)>,
    /// Corrections that changed a class.
    pub(crate) findings: Vec<Finding>,
    pub(crate) claims: usize,
    /// The claims that no stored judgement is about.
    pub(crate) unmatched: Vec<String>,
}

impl Outcome {
    /// A right verdict that verification changed.
    pub(crate) fn is_broken(&self) -> bool {
        self.given == JudgementKind::Right && self.class != self.said
    }

    /// A missed error.
    pub(crate) fn is_missed(&self) -> bool {
        matches!(self.given, JudgementKind::Error(_)) && self.class == self.said
    }
}
