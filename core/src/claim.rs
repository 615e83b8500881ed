//! This module holds claims and a judge's verdicts on them.

use core::fmt;
use core::ops::Range;

use crate::evidence::Citation;
use crate::fixed::Millionths;

/// Names a claim within one report. Not empty; unique within its report.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimId(String);

impl ClaimId {
    /// The most bytes an id may have.
    pub const MAX_BYTES: usize = 256;

    /// Checks an id.
    ///
    /// # Errors
    /// [`IdError`] when the id is empty or longer than [`ClaimId::MAX_BYTES`].
    pub fn new(id: impl Into<String>) -> Result<Self, IdError> {
        checked_id(id.into()).map(Self)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ClaimId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) fn checked_id(id: String) -> Result<String, IdError> {
    if id.is_empty() {
        Err(IdError::Empty)
    } else if id.len() > ClaimId::MAX_BYTES {
        Err(IdError::TooLong { bytes: id.len() })
    } else {
        Ok(id)
    }
}

/// Why a text is not an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// No characters.
    #[error("is empty; give it a name that is unique within the request")]
    Empty,
    /// Over [`ClaimId::MAX_BYTES`].
    #[error("has {bytes} bytes; at most {max} are allowed", max = ClaimId::MAX_BYTES)]
    TooLong {
        /// The length of the id, in bytes.
        bytes: usize,
    },
}

/// One checkable statement of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its name within the report.
    pub id: ClaimId,
    /// The statement.
    pub text: String,
    /// Its place in the synthesis, where known: half-open, in bytes.
    pub span: Option<Range<usize>>,
}

/// The four classes of a partition. The order is that of strictness when classes conflict:
/// grounded < complementary < ungrounded < contradicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// The evidence shows it.
    Grounded,
    /// A further perspective that conflicts with nothing.
    Complementary,
    /// Nothing shows it.
    Ungrounded,
    /// The evidence shows otherwise.
    Contradicted,
}

impl Class {
    /// Every class, in the order G, U, X, K in which the method writes them.
    pub const ALL: [Self; 4] =
        [Self::Grounded, Self::Ungrounded, Self::Contradicted, Self::Complementary];

    /// The word used in files, output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Grounded => "grounded",
            Self::Ungrounded => "ungrounded",
            Self::Contradicted => "contradicted",
            Self::Complementary => "complementary",
        }
    }

    /// The class of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// The provenance of a claim's support: the eight evidence types of the method.
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
    /// An absence: looked for and not there.
    NegEvidence,
    /// The writer's own inference.
    Inference,
    /// An assertion from domain knowledge.
    Domain,
}

impl EvidenceType {
    /// Every type, by falling reference weight.
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

    /// The word used in files, output and metrics.
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

    /// The type of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|evidence_type| evidence_type.name() == name)
    }
}

/// What a claim is for in its report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// What caused the incident, stated as a fact.
    RootCause,
    /// What the incident did to users, data or money.
    Impact,
    /// A remedy that is said to be done.
    RemedyDone,
    /// Advice, a plan, a question or a cause that is said to be open.
    Proposal,
    /// Anything else.
    #[default]
    Observation,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 5] =
        [Self::RootCause, Self::Impact, Self::RemedyDone, Self::Proposal, Self::Observation];

    /// The word used in files, output and metrics.
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

    /// The role of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Whether the report rests on it: a cause, an impact or a remedy that is stated as a fact.
    #[must_use]
    pub const fn is_headline(self) -> bool {
        matches!(self, Self::RootCause | Self::Impact | Self::RemedyDone)
    }
}

/// A claim with the class, type and citations that a judge gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedClaim {
    /// The claim.
    pub claim: Claim,
    /// Its class.
    pub class: Class,
    /// The provenance of its support.
    pub evidence_type: EvidenceType,
    /// What it is for in its report, in the judge's word.
    pub role: Role,
    /// What decided: at least one for a grounded or contradicted claim that is to be believed.
    pub citations: Vec<Citation>,
    /// What decided, in plain words.
    pub note: String,
    /// The names of the rules that decided it, where rules did.
    pub rules: Vec<String>,
    /// Set where the judge leaves the claim undecided; its class is ungrounded then and counts as [`crate::undecided`] says.
    pub undecided: Option<Leaning>,
}

/// The class that a judge considers most likely for a claim it leaves undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leaning {
    /// That class.
    pub class: Class,
    /// Its likelihood, from 0 to 1; `None` if the judge gives none.
    pub likelihood: Option<Millionths>,
}
