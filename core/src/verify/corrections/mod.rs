//! This module holds what verification finds: corrections, each with a stable code, a sentence for a person and what
//! came of it. It makes no check itself.

mod codes;
mod findings;

pub use codes::CorrectionCode;
pub(super) use findings::{Findings, is_supported};

use crate::claim::{ClaimId, Class, EvidenceType};

/// One thing that verification corrected, or would have corrected, in a judge's partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The claim.
    pub claim: ClaimId,
    /// What was wrong.
    pub code: CorrectionCode,
    /// Class and type before.
    pub from: (Class, EvidenceType),
    /// Class and type after; the same where only a citation was refused.
    pub to: (Class, EvidenceType),
    /// What was wrong, in one sentence for a person.
    pub sentence: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The returned claim carries it.
    Corrected,
    /// It is listed and changes nothing.
    Noted,
}

impl Outcome {
    /// The word used in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Corrected => "corrected",
            Self::Noted => "noted",
        }
    }
}
