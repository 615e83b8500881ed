//! The values of a policy before validation by [`super::Policy::new`].

use super::Preset;
use crate::claim::EvidenceType;
use crate::fixed_point::Millionths;
use crate::names;
use crate::outer_loop::LoopLimits;

/// All numbers and switches that determine a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyValues {
    /// The name, consisting of 1 to 64 letters, digits, `-`, `_` or `.`.
    pub name: String,
    /// A one-line description.
    pub description: String,
    /// The preset that the policy is based on.
    pub base: Preset,
    /// The minimum score to proceed (arXiv:2604.23366), above `tau_regenerate`; 0.8 in `reference`.
    pub tau_proceed: Millionths,
    /// The minimum score to regenerate (arXiv:2604.23366); 0.65 in `reference`.
    pub tau_regenerate: Millionths,
    /// The weight factor for contradicted claims (arXiv:2604.23366), 0 to 10; 0.5 in `reference`.
    pub rho: Millionths,
    /// The minimum weight of an ungrounded or contradicted claim, 0 to 1; 0 in `reference`.
    pub ungrounded_floor: Millionths,
    /// The score of a partition without weight.
    pub undefined_score: UndefinedScore,
    /// The effect of citation verification.
    pub verification: VerificationMode,
    /// The claims that get a second look, unless verification is off.
    pub second_look: SecondLook,
    /// The effect of a second look that fails.
    pub second_look_failure: SecondLookFailure,
    /// The treatment of undecided claims.
    pub undecided: Undecided,
    /// The weight of each evidence type. The weights in `reference` are those of arXiv:2604.23366.
    pub weights: Weights,
    /// The guards, which can only make a tier stricter.
    pub guards: Guards,
    /// The limits of an investigation.
    pub gate: Gate,
    /// The caps on self-rated confidence.
    pub cap: Cap,
    /// The confidence required for each action.
    pub ladder: Ladder,
    /// The rules for investigations. They are excluded from the digest, since they do not affect a decision.
    pub investigation: InvestigationRules,
    /// The mode of each mechanism. The modes are excluded from the digest.
    pub rollout: Rollout,
}

/// The score of a partition without weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UndefinedScore {
    /// The score is 1/2, as in the paper.
    Half,
    /// There is no score, so the tier is abstain.
    #[default]
    Absent,
}

names!(UndefinedScore { Half => "half", Absent => "absent" });

/// The effect of citation verification, ordered by strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerificationMode {
    /// Citations are not verified.
    Off,
    /// Corrections are reported but not applied.
    Observe,
    /// Corrections are reported and applied.
    #[default]
    Enforce,
}

names!(VerificationMode { Off => "off", Observe => "observe", Enforce => "enforce" });

/// The claims that get a second look, ordered by strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecondLook {
    /// No claims.
    Off,
    /// Root causes, impacts and remedies.
    Headline,
    /// All grounded and contradicted claims, and complementary statements.
    #[default]
    All,
}

names!(SecondLook { Off => "off", Headline => "headline", All => "all" });

/// The effect of a second look that fails, ordered by strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecondLookFailure {
    /// The failure is only reported.
    Note,
    /// The tier is abstain.
    #[default]
    Abstain,
}

names!(SecondLookFailure { Note => "note", Abstain => "abstain" });

/// The treatment of undecided claims, ordered by strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Undecided {
    /// Undecided claims are counted as ungrounded.
    Ungrounded,
    /// The tier is abstain if it depends on undecided claims; see [`crate::undecided`].
    #[default]
    Bounds,
}

names!(Undecided { Ungrounded => "ungrounded", Bounds => "bounds" });

/// The weight of each evidence type, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weights([Millionths; 8]);

impl Weights {
    /// Creates weights in the order of [`EvidenceType::ALL`].
    #[must_use]
    pub const fn new(weights: [Millionths; 8]) -> Self {
        Self(weights)
    }

    /// The weight of an evidence type.
    #[must_use]
    pub const fn get(&self, evidence_type: EvidenceType) -> Millionths {
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

    /// Sets the weight of an evidence type.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    /// Count duplicate claims once.
    pub duplicates_count_once: bool,
    /// Use max(rho, 1) instead of rho when deciding the tier.
    pub rho_at_least_one: bool,
    /// The maximum ratio of the complementary weight to the grounded weight, 0 to 10; 1 in `reference`.
    pub complementary_limit: Option<Millionths>,
    /// Block proceed if any claim is contradicted.
    pub contradiction_blocks: bool,
    /// The minimum number of grounded claims to proceed; 1 in `reference`.
    pub min_grounded: u32,
    /// The minimum share of the synthesis covered by claims to proceed, 0 to 1; 0.8 in `reference`.
    pub min_coverage: Option<Millionths>,
    /// Block proceed if the report's text is missing.
    pub synthesis_required: bool,
    /// Block proceed if a root cause or completed remedy is not grounded.
    pub headline_must_be_grounded: bool,
    /// Accept only attested items as tool matches.
    pub tool_match_needs_attestation: bool,
}

/// The limits of an investigation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    /// The maximum number of turns, at least 1; 10 in `reference`.
    pub max_turns: u32,
    /// The maximum duration in seconds, at least 1; 240 in `reference`.
    pub wall_clock_seconds: u32,
    /// Treat a hypothesis with hard evidence on both sides as contested.
    pub contested: bool,
    /// Let synthetic evidence alone validate a hypothesis.
    pub synthetic_validates: bool,
    /// The number of identical tool calls that ends the investigation, or 0 for no limit; 3 in `reference`.
    pub max_identical_calls: u32,
    /// The number of turns without new evidence that ends the investigation, or 0 for no limit; 4 in `reference`.
    pub max_turns_without_evidence: u32,
}

/// The rules for an investigation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InvestigationRules {
    /// The limits of the outer loop: at most 10 replans, 3 regenerations per plan and 10 judge retries.
    pub limits: LoopLimits,
    /// Use the caller's verdicts on tool results instead of deriving them from the stored items.
    pub caller_verdicts: bool,
}

/// The caps on self-rated confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cap {
    /// The maximum confidence for a partially grounded chain, below `ladder.pull_request`; 0.84 in `reference`.
    pub partially_grounded: Millionths,
    /// The maximum confidence for an ungrounded chain, below `ladder.patch`; 0.64 in `reference`.
    pub ungrounded: Millionths,
}

/// The capped confidence required for each action, ascending and at most 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ladder {
    /// The confidence required to open an issue; 0.4 in `reference`.
    pub issue: Millionths,
    /// The confidence required to propose a patch; 0.65 in `reference`.
    pub patch: Millionths,
    /// The confidence required to open a pull request; 0.85 in `reference`.
    pub pull_request: Millionths,
    /// Let the grounding decision and unverified fixes limit the action too.
    pub joins_decision: bool,
}

/// The mode of each mechanism.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rollout {
    /// The mode of the gate, which assesses hypotheses.
    pub gate: RolloutMode,
    /// The mode of the cap on confidence.
    pub cap: RolloutMode,
    /// The mode of the action ladder.
    pub ladder: RolloutMode,
    /// The mode of the decision on the report.
    pub decision: DecisionRollout,
}

/// The mode of the decision on a report, ordered by strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecisionRollout {
    /// The decision is computed and recorded, but has no effect.
    Shadow,
    /// The decision is in effect.
    #[default]
    Active,
}

names!(DecisionRollout { Shadow => "shadow", Active => "active" });

/// The mode of a mechanism.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RolloutMode {
    /// The mechanism is not computed.
    Off,
    /// The mechanism is computed and reported, but has no effect.
    Shadow,
    /// The mechanism is in effect.
    #[default]
    Active,
}

names!(RolloutMode { Off => "off", Shadow => "shadow", Active => "active" });
