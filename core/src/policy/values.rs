//! This module holds the values of a policy before they are checked. Every range is enforced by
//! [`super::Policy::new`].

use super::Preset;
use crate::claim::EvidenceType;
use crate::fixed::Millionths;
use crate::outer_loop::LoopLimits;

/// Every number and switch of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyValues {
    /// Its name: letters, digits, `-`, `_` and `.`, 1 to 64 characters.
    pub name: String,
    /// What it is for, in one line.
    pub description: String,
    /// The preset it was derived from.
    pub base: Preset,
    /// Proceed at or above (arXiv:2604.23366); above `tau_regenerate`, at most 1; 0.8 in `reference`.
    pub tau_proceed: Millionths,
    /// Regenerate at or above (arXiv:2604.23366); 0 or more; 0.65 in `reference`.
    pub tau_regenerate: Millionths,
    /// What the weight of a contradicted claim is multiplied with in the denominator (arXiv:2604.23366), 0 to 10; 0.5
    /// in `reference`.
    pub rho: Millionths,
    /// The least an ungrounded or contradicted claim weighs in the denominator, 0 to 1; 0 in `reference`.
    pub ungrounded_floor: Millionths,
    /// The score of a partition with nothing to score.
    pub undefined_score: UndefinedScore,
    /// What verification of citations does.
    pub verification: VerificationMode,
    /// Which claims a second reader looks at, where verification is not off.
    pub second_look: SecondLook,
    /// What a second look that cannot be had does.
    pub second_look_failure: SecondLookFailure,
    /// What claims that a judge leaves undecided count as.
    pub undecided: Undecided,
    /// The weight of each evidence type; those of arXiv:2604.23366 in `reference`.
    pub weights: Weights,
    /// What can only make a tier stricter.
    pub guards: Guards,
    /// Bounds of an investigation.
    pub gate: Gate,
    /// Caps on self-rated confidence.
    pub cap: Cap,
    /// Confidence an action asks for.
    pub ladder: Ladder,
    /// How investigations are driven. Not part of the policy digest: it decides on no report.
    pub investigation: InvestigationRules,
    /// Which mechanisms govern.
    pub rollout: Rollout,
}

/// What an empty partition, or one of weight zero, scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndefinedScore {
    /// The paper's 1/2.
    Half,
    /// None: the tier is abstain.
    Absent,
}

/// What verification does with what it finds. Ordered: the greater, the stricter.
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
    /// The word used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Observe => "observe",
            Self::Enforce => "enforce",
        }
    }
}

/// Which claims a second reader looks at. Ordered: the greater, the stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecondLook {
    /// None.
    Off,
    /// Root cause, impact and remedies.
    Headline,
    /// All that the judge calls grounded or contradicted.
    All,
}

impl SecondLook {
    /// Every choice, from the least strict.
    pub const ALL: [Self; 3] = [Self::Off, Self::Headline, Self::All];

    /// The word used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Headline => "headline",
            Self::All => "all",
        }
    }
}

/// What a second look that cannot be had does. Ordered: the greater, the stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecondLookFailure {
    /// It is noted.
    Note,
    /// The tier is abstain.
    Abstain,
}

impl SecondLookFailure {
    /// Every choice, from the least strict.
    pub const ALL: [Self; 2] = [Self::Note, Self::Abstain];

    /// The word used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Abstain => "abstain",
        }
    }
}

/// What claims that a judge leaves undecided count as. Ordered: the greater, the stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Undecided {
    /// As ungrounded.
    Ungrounded,
    /// As the worst and the best that they can be; the tier is abstain where the two differ ([`crate::undecided`]).
    Bounds,
}

impl Undecided {
    /// Every choice, from the least strict.
    pub const ALL: [Self; 2] = [Self::Ungrounded, Self::Bounds];

    /// The word used in files.
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
    /// Weights in the order of [`EvidenceType::ALL`].
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

    /// Replaces the weight of a type.
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

/// What can only make a tier stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guards {
    /// The same claim stated twice counts once.
    pub duplicates_count_once: bool,
    /// The tier is decided with max(rho, 1).
    pub rho_at_least_one: bool,
    /// Complementary claims count at most this many times the grounded weight, 0 to 10; `None` for no limit; 1 in
    /// `reference`.
    pub complementary_limit: Option<Millionths>,
    /// A contradicted claim blocks proceed.
    pub contradiction_blocks: bool,
    /// Fewer grounded claims than this block proceed; 1 in `reference`.
    pub min_grounded: u32,
    /// A smaller share of the synthesis covered than this blocks proceed, 0 to 1; `None` for no demand; 0.8 in
    /// `reference`.
    pub min_coverage: Option<Millionths>,
    /// Claims without the report's text block proceed.
    pub synthesis_required: bool,
    /// A root cause or a remedy said to be done that is not grounded blocks proceed.
    pub headline_must_be_grounded: bool,
    /// Only attested items may be tool matches.
    pub tool_match_needs_attestation: bool,
}

/// Bounds of an investigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Turns after which the budget is spent, at least 1; 10 in `reference`.
    pub max_turns: u32,
    /// Seconds after which the budget is spent, at least 1; 240 in `reference`.
    pub wall_clock_seconds: u32,
    /// Support and refutation together leave a hypothesis contested.
    pub contested: bool,
    /// Synthetic evidence alone may validate.
    pub synthetic_validates: bool,
    /// Number of identical tool calls that ends the investigation; 0 for never; 3 in `reference`.
    pub max_identical_calls: u32,
    /// Number of turns without new evidence that ends the investigation; 0 for never; 4 in `reference`.
    pub max_turns_without_evidence: u32,
}

/// How an investigation is driven. Not part of the policy digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvestigationRules {
    /// Bounds of the outer loop: `max_replans` 0 to 10, `regenerations_per_plan` 0 to 3, `max_judge_retries` 0 to 10.
    pub limits: LoopLimits,
    /// The verdict that a caller gives on a tool result is taken; off: it is read off the stored item.
    pub caller_verdicts: bool,
}

/// Caps on self-rated confidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// The most for a partially grounded chain, below `ladder.pull_request`; 0.84 in `reference`.
    pub partially_grounded: Millionths,
    /// The most for an ungrounded chain, below `ladder.patch`; 0.64 in `reference`.
    pub ungrounded: Millionths,
}

/// The capped confidence each action asks for; rising, at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// Open an issue; 0.4 in `reference`.
    pub issue: Millionths,
    /// Propose a patch; 0.65 in `reference`.
    pub patch: Millionths,
    /// Open a pull request; 0.85 in `reference`.
    pub pull_request: Millionths,
    /// The grounding decision, the gate and unverified fixes hold the action down as well.
    pub joins_decision: bool,
}

/// Which mechanisms govern. Not part of the policy digest.
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

/// Whether the decision on a report governs. Ordered: the greater, the stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecisionRollout {
    /// Computed, shown and recorded; nothing is held back.
    Shadow,
    /// Governs.
    Active,
}

impl DecisionRollout {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Shadow, Self::Active];

    /// The word used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shadow => "shadow",
            Self::Active => "active",
        }
    }
}

/// Whether a mechanism governs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RolloutMode {
    /// Not computed.
    Off,
    /// Computed and shown, without effect.
    Shadow,
    /// Governs.
    Active,
}

impl RolloutMode {
    /// The word used in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Shadow => "shadow",
            Self::Active => "active",
        }
    }
}
