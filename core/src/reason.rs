//! The reasons for a decision.

use crate::fixed_point::{Fraction, Millionths};
use crate::ids::ClaimId;
use crate::tier::Tier;

/// A reason for a tier, or an observation made while deciding it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The deciding score is in the regenerate band.
    ScoreBelowProceed {
        /// The deciding score.
        score: Fraction,
        /// The threshold.
        threshold: Millionths,
    },
    /// The deciding score is in the replan band.
    ScoreBelowRegenerate {
        /// The deciding score.
        score: Fraction,
        /// The threshold.
        threshold: Millionths,
    },
    /// The guards lowered the score to a stricter band.
    GuardedScore {
        /// The score.
        score: Fraction,
        /// The score after the guards.
        guarded: Fraction,
    },
    /// No claim has weight.
    NothingToScore,
    /// Duplicate claims were counted once.
    DuplicatesCountOnce {
        /// The number of claims that were not counted.
        count: u32,
    },
    /// Contradicted claims block proceed.
    ContradictedClaims {
        /// The number of contradicted claims.
        count: u64,
    },
    /// Contradicted claims with a failed citation block proceed.
    UnverifiedContradiction {
        /// The number of contradicted claims with a failed citation.
        count: u64,
    },
    /// Claims that the judge dropped block proceed.
    ClaimDropped {
        /// The number of dropped claims.
        count: u32,
    },
    /// Root causes that are not grounded block proceed.
    RootCauseNotShown {
        /// The root causes.
        claims: Vec<ClaimId>,
    },
    /// Remedies that are reported as done but not grounded block proceed.
    RemedyNotShown {
        /// The remedies.
        claims: Vec<ClaimId>,
    },
    /// The second look that the policy requires failed.
    SecondLookFailed {
        /// The cause of the failure.
        reason: String,
    },
    /// Too few grounded claims block proceed.
    TooFewGrounded {
        /// The number of grounded claims.
        grounded: u64,
        /// The number of grounded claims that the policy requires.
        min: u32,
    },
    /// Claims cover too little of the synthesis, which blocks proceed.
    CoverageBelow {
        /// The number of assertions covered by claims.
        covered: u32,
        /// The number of distinct assertions, as in [`crate::coverage::Coverage::sentences`].
        sentences: u32,
        /// The share that the policy requires.
        min: Millionths,
    },
    /// Words of the synthesis that may be a statement but appear in no claim block proceed.
    UncoveredText {
        /// The words, at most [`crate::coverage::MAX_WORDS`].
        words: Vec<String>,
    },
    /// The report's text is missing, which blocks proceed.
    SynthesisMissing,
    /// The judge's own partition led to a stricter tier, and verification never improves a tier.
    VerificationKeepsTier {
        /// The tier before verification.
        before: Tier,
    },
    /// There is no evidence, so no judge was called.
    NoEvidence,
    /// No judge in the chain reads the report's language.
    LanguageNotRead {
        /// The language, as a BCP 47 tag.
        language: String,
    },
    /// The tier depends on claims that the judge leaves undecided.
    JudgeUndecided {
        /// The number of undecided claims.
        count: u64,
        /// The tier if the undecided claims are given their worst verdicts.
        worst: Tier,
        /// The tier if the undecided claims are given their best verdicts.
        best: Tier,
    },
    /// The judge abstained.
    JudgeAbstained {
        /// The judge's reason.
        reason: String,
    },
    /// The judge failed.
    JudgeFailed {
        /// The cause of the failure.
        reason: String,
    },
}

impl Reason {
    /// The stable code on the wire.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ScoreBelowProceed { .. } => "SCORE_BELOW_PROCEED",
            Self::ScoreBelowRegenerate { .. } => "SCORE_BELOW_REGENERATE",
            Self::GuardedScore { .. } => "GUARDED_SCORE",
            Self::NothingToScore => "NOTHING_TO_SCORE",
            Self::DuplicatesCountOnce { .. } => "DUPLICATES_COUNT_ONCE",
            Self::ContradictedClaims { .. } => "CONTRADICTED_CLAIMS",
            Self::UnverifiedContradiction { .. } => "UNVERIFIED_CONTRADICTION",
            Self::ClaimDropped { .. } => "CLAIM_DROPPED",
            Self::RootCauseNotShown { .. } => "ROOT_CAUSE_NOT_SHOWN",
            Self::RemedyNotShown { .. } => "REMEDY_NOT_SHOWN",
            Self::SecondLookFailed { .. } => "SECOND_LOOK_FAILED",
            Self::TooFewGrounded { .. } => "TOO_FEW_GROUNDED",
            Self::CoverageBelow { .. } => "COVERAGE_BELOW",
            Self::UncoveredText { .. } => "UNCOVERED_TEXT",
            Self::SynthesisMissing => "SYNTHESIS_MISSING",
            Self::VerificationKeepsTier { .. } => "VERIFICATION_KEEPS_TIER",
            Self::NoEvidence => "NO_EVIDENCE",
            Self::LanguageNotRead { .. } => "LANGUAGE_NOT_READ",
            Self::JudgeUndecided { .. } => "JUDGE_UNDECIDED",
            Self::JudgeAbstained { .. } => "JUDGE_ABSTAINED",
            Self::JudgeFailed { .. } => "JUDGE_FAILED",
        }
    }

    /// The reason as a human-readable sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::ScoreBelowProceed { score, threshold } => {
                format!("the score {} is below tau_proceed ({threshold})", score.to_decimal())
            }
            Self::ScoreBelowRegenerate { score, threshold } => {
                format!("the score {} is below tau_regenerate ({threshold})", score.to_decimal())
            }
            Self::GuardedScore { score, guarded } => {
                format!(
                    "the guards lowered the score from {} to {}",
                    score.to_decimal(),
                    guarded.to_decimal()
                )
            }
            Self::NothingToScore => "no claim has weight, so there is no score".to_string(),
            Self::DuplicatesCountOnce { count } => claims(
                u64::from(*count),
                "repeats another claim and is not counted again",
                "repeat other claims and are not counted again",
            ),
            Self::ContradictedClaims { count } => {
                format!(
                    "{} contradicted by the evidence, so the report cannot proceed",
                    claims(*count, "is", "are")
                )
            }
            Self::UnverifiedContradiction { count } => format!(
                "{} judged contradicted without a valid citation, so the report cannot proceed",
                claims(*count, "is", "are")
            ),
            Self::ClaimDropped { count } => {
                format!(
                    "{} no verdict from the judge, so the report cannot proceed",
                    claims(u64::from(*count), "has", "have")
                )
            }
            Self::RootCauseNotShown { .. } => {
                "the evidence does not show the root cause that the report states".to_string()
            }
            Self::RemedyNotShown { .. } => {
                "the evidence does not show that the remedy was carried out".to_string()
            }
            Self::SecondLookFailed { reason } => {
                format!("the second look at supported claims failed: {reason}")
            }
            Self::TooFewGrounded { grounded, min } => {
                format!("{} grounded; the policy requires {min}", claims(*grounded, "is", "are"))
            }
            Self::CoverageBelow { covered, sentences, min } => {
                format!(
                    "claims cover {covered} of {sentences} sentences; the policy requires a share of {min}"
                )
            }
            Self::UncoveredText { words } => {
                format!("the report contains words that no claim contains: {}", words.join(", "))
            }
            Self::SynthesisMissing => {
                "the report's text is missing, so anything it says beyond the claims was not judged"
                    .to_string()
            }
            Self::VerificationKeepsTier { before } => format!(
                "the tier of the judge's partition before verification is {}; verification never improves a tier",
                before.name()
            ),
            Self::NoEvidence => "there is no evidence, so no claim can be judged".to_string(),
            Self::LanguageNotRead { language } => {
                format!("no judge in the chain reads the report's language, {language}")
            }
            Self::JudgeUndecided { count, worst, best } => format!(
                "{} undecided, so the tier is between {} and {}",
                claims(*count, "is", "are"),
                worst.name(),
                best.name()
            ),
            Self::JudgeAbstained { reason } => format!("the judge abstained: {reason}"),
            Self::JudgeFailed { reason } => format!("the judge failed: {reason}"),
        }
    }
}

fn claims(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 claim {one}") } else { format!("{count} claims {many}") }
}
