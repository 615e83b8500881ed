//! Claims and a judge's verdicts on them.

use core::ops::Range;

use crate::evidence::Citation;
use crate::fixed::Millionths;
use crate::ids::ClaimId;

/// One checkable statement of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The id of the claim within the report.
    pub id: ClaimId,
    /// The statement.
    pub text: String,
    /// The byte range of the claim in the synthesis, if known.
    pub span: Option<Range<usize>>,
}

/// The four classes of a partition, ordered by strictness: grounded < complementary < ungrounded < contradicted.
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
    /// Every class, in the order G, U, X, K of the paper.
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

    /// Returns the class with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// The provenance of a claim's support: the eight evidence types of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceType {
    /// Directly traceable to a structured tool output.
    ToolMatch,
    /// An explicit value lifted from a structured step output.
    SpecificData,
    /// A field of the alert.
    SignalMatch,
    /// A non-redundant perspective that conflicts with nothing grounded or contradicted.
    ComplementaryFinding,
    /// Derived from several items or claims.
    Synthesis,
    /// The absence of something that was searched for.
    NegEvidence,
    /// The writer's own inference.
    Inference,
    /// An assertion from domain knowledge.
    Domain,
}

impl EvidenceType {
    /// Every type, by falling weight in the reference policy.
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

    /// Returns the type with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|evidence_type| evidence_type.name() == name)
    }
}

/// The purpose of a claim in its report.
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
    /// Every role.
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

    /// Returns the role with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Returns `true` for the roles that a report rests on: a cause, an impact or a remedy stated as a fact.
    #[must_use]
    pub const fn is_headline(self) -> bool {
        matches!(self, Self::RootCause | Self::Impact | Self::RemedyDone)
    }
}

/// A claim with the class, type and citations assigned by a judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedClaim {
    /// The claim.
    pub claim: Claim,
    /// Its class.
    pub class: Class,
    /// The provenance of its support.
    pub evidence_type: EvidenceType,
    /// The purpose of the claim in its report, according to the judge.
    pub role: Role,
    /// The citations behind the verdict; a grounded or contradicted claim needs at least one to be believed.
    pub citations: Vec<Citation>,
    /// The judge's explanation of the verdict.
    pub note: String,
    /// The names of the rules that decided the claim, for rule-based judges.
    pub rules: Vec<String>,
    /// Set if the judge leaves the claim undecided; its class is then ungrounded and counts as described in [`crate::undecided`].
    pub undecided: Option<Leaning>,
}

/// The class that a judge considers most likely for an undecided claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leaning {
    /// The class.
    pub class: Class,
    /// The likelihood of the class, from 0 to 1; `None` if the judge gives none.
    pub likelihood: Option<Millionths>,
}
