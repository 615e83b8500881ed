//! Claims, and the verdicts of judges on them.

use core::ops::Range;

use crate::evidence::Citation;
use crate::fixed_point::Millionths;
use crate::ids::ClaimId;
use crate::names;

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

impl Claim {
    /// Creates a claim without a known position in the synthesis.
    #[must_use]
    pub fn new(id: ClaimId, text: impl Into<String>) -> Self {
        Self { id, text: text.into(), span: None }
    }
}

/// The class of a claim. Classes are ordered by strictness: grounded < complementary < ungrounded < contradicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The evidence supports the claim.
    Grounded,
    /// The claim adds a perspective that contradicts nothing.
    Complementary,
    /// No evidence supports the claim.
    Ungrounded,
    /// The evidence contradicts the claim.
    Contradicted,
}

names!(Class {
    Grounded => "grounded",
    Ungrounded => "ungrounded",
    Contradicted => "contradicted",
    Complementary => "complementary",
}, from_name);

/// The provenance of a claim's support: the paper's eight evidence types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceType {
    /// The claim is directly traceable to structured tool output.
    ToolMatch,
    /// The claim states an explicit value from a structured step output.
    SpecificData,
    /// The claim states a field of the alert.
    SignalMatch,
    /// The claim adds a perspective that is not redundant and conflicts with no grounded or contradicted claim.
    ComplementaryFinding,
    /// The claim is derived from several items or claims.
    Synthesis,
    /// The claim states the absence of something that was searched for.
    NegEvidence,
    /// The claim is the author's inference.
    Inference,
    /// The claim is domain knowledge.
    Domain,
}

names!(
    /// The evidence types are listed by decreasing weight in the reference policy.
    EvidenceType {
        ToolMatch => "tool_match",
        SpecificData => "specific_data",
        SignalMatch => "signal_match",
        ComplementaryFinding => "complementary_finding",
        Synthesis => "synthesis",
        NegEvidence => "neg_evidence",
        Inference => "inference",
        Domain => "domain",
    },
    from_name
);

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

names!(Role {
    RootCause => "root_cause",
    Impact => "impact",
    RemedyDone => "remedy_done",
    Proposal => "proposal",
    Observation => "observation",
}, from_name);

impl Role {
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
    /// The citations that support the verdict. A grounded or contradicted claim needs at least one.
    pub citations: Vec<Citation>,
    /// The judge's explanation of the verdict.
    pub note: String,
    /// The rules that decided the claim, if the judge is rule-based.
    pub rules: Vec<String>,
    /// Set if the judge left the claim undecided. The class is then ungrounded; see [`crate::undecided`].
    pub undecided: Option<Leaning>,
}

impl JudgedClaim {
    /// Creates a decided verdict on an observation, without citations or a note.
    #[must_use]
    pub fn new(claim: Claim, class: Class, evidence_type: EvidenceType) -> Self {
        Self {
            claim,
            class,
            evidence_type,
            role: Role::default(),
            citations: Vec::new(),
            note: String::new(),
            rules: Vec::new(),
            undecided: None,
        }
    }
}

/// The most likely class of an undecided claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leaning {
    /// The class.
    pub class: Class,
    /// The likelihood of the class, from 0 to 1; `None` if the judge did not state it.
    pub likelihood: Option<Millionths>,
}
