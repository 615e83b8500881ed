//! The values of a policy before validation; [`super::Policy::new`] checks every range.

use super::Preset;
use crate::claim::EvidenceType;
use crate::fixed::Millionths;
use crate::outer_loop::LoopLimits;

/// Every number and switch of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyValues {
    /// The name: letters, digits, `-`, `_` and `.`, 1 to 64 characters.
    pub name: String,
    /// The purpose, in one line.
    pub description: String,
    /// The preset that it is derived from.
    pub base: Preset,
    /// The minimum score to proceed (arXiv:2604.23366); above `tau_regenerate`, at most 1; 0.8 in `reference`.
    pub tau_proceed: Millionths,
    /// The minimum score to regenerate (arXiv:2604.23366); 0 or more; 0.65 in `reference`.
    pub tau_regenerate: Millionths,
    /// The factor for the weight of a contradicted claim in the denominator (arXiv:2604.23366), 0 to 10; 0.5 in
    /// `reference`.
    pub rho: Millionths,
    /// The minimum weight of an ungrounded or contradicted claim in the denominator, 0 to 1; 0 in `reference`.
    pub ungrounded_floor: Millionths,
    /// The score of a partition with nothing to score.
    pub undefined_score: UndefinedScore,
    /// The effect of verifying citations.
    pub verification: VerificationMode,
    /// The claims that get a second look, unless verification is off.
    pub second_look: SecondLook,
    /// The effect of a failed second look.
    pub second_look_failure: SecondLookFailure,
    /// How undecided claims are counted.
    pub undecided: Undecided,
    /// The weight of each evidence type; those of arXiv:2604.23366 in `reference`.
    pub weights: Weights,
    /// The guards, which can only make a tier stricter.
    pub guards: Guards,
    /// Limits of an investigation.
    pub gate: Gate,
    /// Caps on self-rated confidence.
    pub cap: Cap,
    /// The confidence that each action requires.
    pub ladder: Ladder,
    /// How investigations are driven. Not part of the policy digest, since it affects no decision on a report.
    pub investigation: InvestigationRules,
    /// The mode of each mechanism.
    pub rollout: Rollout,
}

/// The score of an empty partition, or of one with zero weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndefinedScore {
    /// The paper's 1/2.
    Half,
    /// No score: the tier is abstain.
    Absent,
}

/// The effect of verification. Ordered from least to most strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerificationMode {
    /// Nothing is checked.
    Off,
    /// Corrections are listed, not applied.
    Observe,
    /// Corrections are applied.
    Enforce,
}

impl VerificationMode {
    /// The name used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Observe => "observe",
            Self::Enforce => "enforce",
        }
    }
}

/// The claims that get a second look. Ordered from least to most strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecondLook {
    /// None.
    Off,
    /// Root cause, impact and remedies.
    Headline,
    /// All claims that the judge calls grounded or contradicted.
    All,
}

impl SecondLook {
    /// Every choice, least strict first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Headline, Self::All];

    /// The name used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Headline => "headline",
            Self::All => "all",
        }
    }
}

/// The effect of a failed second look. Ordered from least to most strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecondLookFailure {
    /// It is reported.
    Note,
    /// The tier is abstain.
    Abstain,
}

impl SecondLookFailure {
    /// Every choice, least strict first.
    pub const ALL: [Self; 2] = [Self::Note, Self::Abstain];

    /// The name used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Abstain => "abstain",
        }
    }
}

/// How undecided claims are counted. Ordered from least to most strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Undecided {
    /// As ungrounded.
    Ungrounded,
    /// At their worst and at their best; the tier is abstain if the two differ ([`crate::undecided`]).
    Bounds,
}

impl Undecided {
    /// Every choice, least strict first.
    pub const ALL: [Self; 2] = [Self::Ungrounded, Self::Bounds];

    /// The name used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ungrounded => "ungrounded",
            Self::Bounds => "bounds",
        }
    }
}

/// The weight of each evidence type, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights([Millionths; 8]);

impl Weights {
    /// Creates weights from the order of [`EvidenceType::ALL`].
    #[must_use]
    pub const fn new(weights: [Millionths; 8]) -> Self {
        Self(weights)
    }

    /// The weight of a type.
    #[must_use]
    pub const fn of(&self, evidence_type: EvidenceType) -> Millionths {
        let [tool, data, signal, complementary, synthesis, absence, inference, domain] = self.0;
        match evidence_type {
            EvidenceType::ToolMatch => tool,
            EvidenceType::SpecificData => data,
            EvidenceType::SignalMatch => signal,
            EvidenceType::ComplementaryFinding => complementary,
            EvidenceType::Synthesis => synthesis,
            EvidenceType::NegEvidence => absence,
            EvidenceType::Inference => inference,
            EvidenceType::Domain => domain,
        }
    }

    /// Sets the weight of a type.
    pub fn set(&mut self, evidence_type: EvidenceType, weight: Millionths) {
        for (slot, candidate) in self.0.iter_mut().zip(EvidenceType::ALL) {
            if candidate == evidence_type {
                *slot = weight;
            }
        }
    }

    /// The weights in the order of [`EvidenceType::ALL`].
    #[must_use]
    pub const fn as_array(&self) -> &[Millionths; 8] {
        &self.0
    }
}

/// The guards, which can only make a tier stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guards {
    /// Duplicate claims count once.
    pub duplicates_count_once: bool,
    /// The tier is decided with max(rho, 1).
    pub rho_at_least_one: bool,
    /// The maximum weight of complementary claims, as a multiple of the grounded weight, 0 to 10; `None` for no limit; 1
    /// in `reference`.
    pub complementary_limit: Option<Millionths>,
    /// A contradicted claim blocks proceed.
    pub contradiction_blocks: bool,
    /// The minimum number of grounded claims to proceed; 1 in `reference`.
    pub min_grounded: u32,
    /// The minimum share of the synthesis that claims must cover to proceed, 0 to 1; `None` for none; 0.8 in `reference`.
    pub min_coverage: Option<Millionths>,
    /// Claims without the report's text block proceed.
    pub synthesis_required: bool,
    /// A root cause or a remedy reported as done that is not grounded blocks proceed.
    pub headline_must_be_grounded: bool,
    /// Only attested items may be tool matches.
    pub tool_match_needs_attestation: bool,
}

/// Limits of an investigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The maximum number of turns, at least 1; 10 in `reference`.
    pub max_turns: u32,
    /// The maximum duration in seconds, at least 1; 240 in `reference`.
    pub wall_clock_seconds: u32,
    /// A hypothesis with both support and refutation is contested.
    pub contested: bool,
    /// Synthetic evidence alone may validate.
    pub synthetic_validates: bool,
    /// The number of identical tool calls that ends the investigation; 0 for never; 3 in `reference`.
    pub max_identical_calls: u32,
    /// The number of turns without new evidence that ends the investigation; 0 for never; 4 in `reference`.
    pub max_turns_without_evidence: u32,
}

/// How an investigation is driven. Not part of the policy digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvestigationRules {
    /// The limits of the outer loop: `max_replans` 0 to 10, `regenerations_per_plan` 0 to 3, `max_judge_retries` 0 to 10.
    pub limits: LoopLimits,
    /// If `true`, the caller's verdict on a tool result is used; otherwise, the verdict is derived from the stored item.
    pub caller_verdicts: bool,
}

/// Caps on self-rated confidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// The maximum for a partially grounded chain, below `ladder.pull_request`; 0.84 in `reference`.
    pub partially_grounded: Millionths,
    /// The maximum for an ungrounded chain, below `ladder.patch`; 0.64 in `reference`.
    pub ungrounded: Millionths,
}

/// The capped confidence that each action requires; ascending, at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// Open an issue; 0.4 in `reference`.
    pub issue: Millionths,
    /// Propose a patch; 0.65 in `reference`.
    pub patch: Millionths,
    /// Open a pull request; 0.85 in `reference`.
    pub pull_request: Millionths,
    /// The grounding decision, the gate and unverified fixes limit the action too.
    pub joins_decision: bool,
}

/// The mode of each mechanism. Not part of the policy digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rollout {
    /// The gate over hypotheses.
    pub gate: RolloutMode,
    /// The cap on confidence.
    pub cap: RolloutMode,
    /// The action ladder.
    pub ladder: RolloutMode,
    /// The decision on the report.
    pub decision: DecisionRollout,
}

/// The mode of the decision on a report. Ordered from least to most strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecisionRollout {
    /// Computed and recorded, without effect.
    Shadow,
    /// In effect.
    Active,
}

impl DecisionRollout {
    /// Every mode.
    pub const ALL: [Self; 2] = [Self::Shadow, Self::Active];

    /// The name used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shadow => "shadow",
            Self::Active => "active",
        }
    }
}

/// The mode of a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RolloutMode {
    /// Not computed.
    Off,
    /// Computed and shown, without effect.
    Shadow,
    /// In effect.
    Active,
}

impl RolloutMode {
    /// The name used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Shadow => "shadow",
            Self::Active => "active",
        }
    }
}
