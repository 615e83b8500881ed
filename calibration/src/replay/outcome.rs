//! The outcomes of a replay.

use gsar_core::{Class, Tier};

use super::errors::ErrorKind;

/// The outcome of a claim in a replay.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The index of the case.
    pub(crate) case: usize,
    pub(crate) text: String,
    pub(crate) given: JudgementKind,
    /// The class from the judge.
    pub(crate) judged_class: Class,
    /// The first quote, or empty.
    pub(crate) quote: String,
    /// The class in the answer.
    pub(crate) class: Class,
    pub(crate) findings: Vec<Finding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JudgementKind {
    /// Has the class of the label.
    Right,
    /// Injected.
    Error(ErrorKind),
}

/// A correction by verification.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The code of the check.
    pub(crate) code: String,
    pub(crate) sentence: String,
    /// `true` if the class changed.
    pub(crate) reclassed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ReportDecision {
    pub(crate) case: String,
    /// `faithful`, `overreaching` or `contradicted`.
    pub(crate) kind: String,
    pub(crate) tier: Tier,
    pub(crate) reasons: Vec<(String, String)>,
    /// Corrections that changed a class.
    pub(crate) findings: Vec<Finding>,
    pub(crate) claims: usize,
    /// Claims without a stored judgement.
    pub(crate) unmatched: Vec<String>,
}

impl Outcome {
    /// `true` for a right verdict that verification changed.
    pub(crate) fn is_broken(&self) -> bool {
        self.given == JudgementKind::Right && self.class != self.judged_class
    }

    /// `true` for an error that verification missed.
    pub(crate) fn is_missed(&self) -> bool {
        matches!(self.given, JudgementKind::Error(_)) && self.class == self.judged_class
    }
}
