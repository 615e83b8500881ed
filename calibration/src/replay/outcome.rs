//! This module holds what became of claims in a replay. It counts and prints nothing.

use gsar_core::{Class, Tier};

use super::errors::ErrorKind;

/// The code of a claim that was left without a citation.
const NO_CITATION: &str = "NO_VALID_CITATION";

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
    /// Whether it stands in that class only under a finding that blocks.
    pub(crate) disputed: bool,
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
    /// Whether the claim blocks because of it while its class stands.
    pub(crate) disputed: bool,
}

impl Finding {
    /// Whether anything came of it.
    pub(crate) fn counts(&self) -> bool {
        self.reclassed || self.disputed
    }
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
    /// What verification found that changed a class or blocks.
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

    /// A right verdict that stands and blocks.
    pub(crate) fn is_disputed(&self) -> bool {
        self.given == Given::Right && self.class == self.said && self.disputed
    }

    /// A right verdict that is taken away, or blocks.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_broken() || self.is_disputed()
    }

    /// An error that stands and does not block.
    pub(crate) fn is_missed(&self) -> bool {
        matches!(self.given, Given::Error(_)) && self.class == self.said && !self.disputed
    }

    /// An error that does not stand, or blocks.
    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self.given, Given::Error(_)) && !self.is_missed()
    }

    /// Whether none of its citations held.
    pub(crate) fn is_uncited(&self) -> bool {
        self.findings.iter().any(|finding| finding.counts() && finding.code == NO_CITATION)
    }

    /// The codes of what decided, each once: the findings that changed the class or block, and for a claim that
    /// was left without a citation what took the citation away.
    pub(crate) fn codes(&self) -> Vec<&str> {
        let mut codes: Vec<&str> = Vec::new();
        for finding in self.findings.iter().filter(|finding| finding.counts()) {
            let code = match self.findings.first() {
                Some(first) if finding.code == NO_CITATION => &first.code,
                _ => &finding.code,
            };
            if !codes.contains(&code.as_str()) {
                codes.push(code);
            }
        }
        codes
    }
}
