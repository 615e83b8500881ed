//! The corrections made by verification, each with a stable code and a sentence for people.

mod codes;
mod findings;

pub use codes::CorrectionCode;
pub(super) use findings::{Findings, is_supported};

use crate::claim::{Class, EvidenceType};
use crate::ids::ClaimId;

/// A problem that verification corrected or noted in a judge's partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The claim.
    pub claim: ClaimId,
    /// The problem.
    pub code: CorrectionCode,
    /// The class and type before the correction.
    pub from: (Class, EvidenceType),
    /// The class and type after the correction; unchanged if only a citation was removed.
    pub to: (Class, EvidenceType),
    /// The problem, in one sentence for people.
    pub sentence: String,
    /// Whether the correction was applied.
    pub outcome: CorrectionOutcome,
}

/// Whether a correction was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CorrectionOutcome {
    /// Applied to the returned claim.
    Corrected,
    /// Only listed.
    Noted,
}

impl CorrectionOutcome {
    /// The name used in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Corrected => "corrected",
            Self::Noted => "noted",
        }
    }
}
