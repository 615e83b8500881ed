//! The outcomes of a replay.

use gsar_core::{Class, Tier};

use super::errors::ErrorKind;

#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) case: usize,
    pub(crate) text: String,
    pub(crate) judgement_kind: JudgementKind,
    pub(crate) judged_class: Class,
    pub(crate) quote: String,
    pub(crate) class: Class,
    pub(crate) findings: Vec<Finding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JudgementKind {
    /// The class matches the label.
    Right,
    /// An injected error.
    Error(ErrorKind),
}

#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) code: String,
    pub(crate) sentence: String,
    pub(crate) was_reclassified: bool,
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
    /// Returns `true` for a correct verdict that verification changed.
    pub(crate) fn is_broken(&self) -> bool {
        self.judgement_kind == JudgementKind::Right && self.class != self.judged_class
    }

    /// Returns `true` for an error that verification missed.
    pub(crate) fn is_missed(&self) -> bool {
        matches!(self.judgement_kind, JudgementKind::Error(_)) && self.class == self.judged_class
    }
}
