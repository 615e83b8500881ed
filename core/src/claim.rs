//! Claims and judges' verdicts on them.

use core::ops::Range;

use crate::evidence::Citation;
use crate::fixed_point::Millionths;
use crate::ids::ClaimId;

/// A checkable statement in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The claim's id, unique in the report.
    pub id: ClaimId,
    /// The statement.
    pub text: String,
    /// The claim's byte range in the synthesis, if known.
    pub span: Option<Range<usize>>,
}

/// The classes of a partition, ordered by strictness: grounded < complementary < ungrounded < contradicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The evidence supports the claim.
    Grounded,
    /// An additional perspective that contradicts nothing.
    Complementary,
    /// No evidence supports the claim.
    Ungrounded,
    /// The evidence contradicts the claim.
    Contradicted,
}

impl Class {
    /// All classes, in the paper's order G, U, X, K.
    pub const ALL: [Self; 4] =
        [Self::Grounded, Self::Ungrounded, Self::Contradicted, Self::Complementary];

    /// The name used in files, output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Grounded => "grounded",
            Self::Ungrounded => "ungrounded",
            Self::Contradicted => "contradicted",
            Self::Complementary => "complementary",
        }
    }

    /// Parses a class name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// The provenance of a claim's support: the paper's eight evidence types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceType {
    /// Directly traceable to structured tool output.
    ToolMatch,
    /// An explicit value from a structured step output.
    SpecificData,
    /// A field of the alert.
    SignalMatch,
    /// A non-redundant perspective that conflicts with no grounded or contradicted claim.
    ComplementaryFinding,
    /// Derived from several items or claims.
    Synthesis,
    /// The absence of something that was searched for.
    NegEvidence,
    /// The author's inference.
    Inference,
    /// Domain knowledge.
    Domain,
}

impl EvidenceType {
    /// All types, by decreasing weight in the reference policy.
    pub const ALL: [Self; 8] = [
        Self::ToolMatch,
        Self::SpecificData,
        Self::SignalMatch,
        Self::ComplementaryFinding,
        Self::Synthesis,
        Self::NegEvidence,
        Self::Inference,
        Self::Domain,
    ];

    /// The name used in files, output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToolMatch => "tool_match",
            Self::SpecificData => "specific_data",
            Self::SignalMatch => "signal_match",
            Self::ComplementaryFinding => "complementary_finding",
            Self::Synthesis => "synthesis",
            Self::NegEvidence => "neg_evidence",
            Self::Inference => "inference",
            Self::Domain => "domain",
        }
    }

    /// Parses an evidence type name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|evidence_type| evidence_type.name() == name)
    }
}

/// A claim's purpose in its report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The cause of the incident, stated as a fact.
    RootCause,
    /// The effect of the incident on users, data or money.
    Impact,
    /// A remedy that is reported as done.
    RemedyDone,
    /// Advice, a plan, a question, or a cause that is stated as unknown.
    Proposal,
    /// Anything else.
    #[default]
    Observation,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 5] =
        [Self::RootCause, Self::Impact, Self::RemedyDone, Self::Proposal, Self::Observation];

    /// The name used in files, output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RootCause => "root_cause",
            Self::Impact => "impact",
            Self::RemedyDone => "remedy_done",
            Self::Proposal => "proposal",
            Self::Observation => "observation",
        }
    }

    /// Parses a role name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Returns `true` for a cause, an impact or a completed remedy.
    #[must_use]
    pub const fn is_headline(self) -> bool {
        matches!(self, Self::RootCause | Self::Impact | Self::RemedyDone)
    }
}

/// A claim with a judge's class, evidence type and citations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedClaim {
    /// The claim.
    pub claim: Claim,
    /// Its class.
    pub class: Class,
    /// The provenance of its support.
    pub evidence_type: EvidenceType,
    /// The claim's role according to the judge.
    pub role: Role,
    /// The citations behind the verdict. A grounded or contradicted claim needs at least one.
    pub citations: Vec<Citation>,
    /// The judge's explanation of the verdict.
    pub note: String,
    /// The rules that decided the claim, for rule-based judges.
    pub rules: Vec<String>,
    /// Set if the judge left the claim undecided. The class is then ungrounded; see [`crate::undecided`].
    pub undecided: Option<Leaning>,
}

/// The most likely class of an undecided claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leaning {
    /// The class.
    pub class: Class,
    /// The class's likelihood, from 0 to 1; `None` if not stated.
    pub likelihood: Option<Millionths>,
}
