//! The corrections made by verification.

mod codes;
mod findings;

pub use codes::CorrectionCode;
pub(super) use findings::{Findings, is_supported};

use crate::claim::{Class, EvidenceType};
use crate::ids::ClaimId;
use crate::names;

/// A problem that verification corrected or noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The claim.
    pub claim: ClaimId,
    /// The problem.
    pub code: CorrectionCode,
    /// The class and type before the correction.
    pub from: (Class, EvidenceType),
    /// The class and type after the correction.
    pub to: (Class, EvidenceType),
    /// The problem, in one sentence.
    pub sentence: String,
    /// `Corrected` if the correction was applied.
    pub outcome: CorrectionOutcome,
}

/// The outcome of a correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CorrectionOutcome {
    /// The correction was applied to the returned claim.
    Corrected,
    /// The correction was only reported.
    Noted,
}

names!(CorrectionOutcome { Corrected => "corrected", Noted => "noted" });
