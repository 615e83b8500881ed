//! This module holds evidence items, their kinds, and references into them.

mod recognise;

use core::fmt;
use core::ops::Range;

use gsar_extraction::facts;

use crate::check;
use crate::claim::{ClaimId, IdError, checked_id};
use crate::time::Timestamp;
pub use recognise::{Nature, recognise};

/// Names an evidence item within one request. Not empty; unique within its request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceId(String);

impl EvidenceId {
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

impl fmt::Display for EvidenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What an evidence item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceKind {
    /// What a tool returned.
    ToolOutput,
    /// The structured result of a specialist's step.
    StepOutput,
    /// What started the investigation: an alert, anomaly, violation or request.
    Signal,
    /// A deployment, commit, configuration change or the like.
    Change,
    /// The result of a check that was executed.
    Verification,
    /// A claim of an earlier report.
    PriorClaim,
}

impl EvidenceKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::ToolOutput,
        Self::StepOutput,
        Self::Signal,
        Self::Change,
        Self::Verification,
        Self::PriorClaim,
    ];

    /// The word used in files and output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToolOutput => "tool_output",
            Self::StepOutput => "step_output",
            Self::Signal => "signal",
            Self::Change => "change",
            Self::Verification => "verification",
            Self::PriorClaim => "prior_claim",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Where an evidence item comes from. Kubernetes events are logs, object state is static infra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Distributed traces.
    Traces,
    /// Log lines and events.
    Logs,
    /// Metric series and samples.
    Metrics,
    /// State of objects: get, describe, inventory.
    StaticInfra,
    /// Version control and deployments.
    Change,
    /// Synthetic probes.
    Synthetic,
    /// Executed checks.
    Verification,
    /// Inferred by a language model: never evidence.
    LlmInferred,
}

impl Lane {
    /// Every lane, strongest first.
    pub const ALL: [Self; 8] = [
        Self::Verification,
        Self::Change,
        Self::Traces,
        Self::Metrics,
        Self::Logs,
        Self::StaticInfra,
        Self::Synthetic,
        Self::LlmInferred,
    ];

    /// Rank by strength, 0 to 7, 7 strongest: verification > change > traces > metrics = logs > static infra >
    /// synthetic > inferred, which is 0.
    #[must_use]
    pub const fn strength(self) -> u8 {
        match self {
            Self::Verification => 7,
            Self::Change => 6,
            Self::Traces => 5,
            Self::Metrics | Self::Logs => 4,
            Self::StaticInfra => 3,
            Self::Synthetic => 2,
            Self::LlmInferred => 0,
        }
    }

    /// Whether evidence of this lane may move a hypothesis.
    #[must_use]
    pub const fn is_hard(self) -> bool {
        !matches!(self, Self::LlmInferred)
    }

    /// The word used in files and output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Logs => "logs",
            Self::Metrics => "metrics",
            Self::StaticInfra => "static_infra",
            Self::Change => "change",
            Self::Synthetic => "synthetic",
            Self::Verification => "verification",
            Self::LlmInferred => "llm_inferred",
        }
    }

    /// The lane of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lane| lane.name() == name)
    }
}

/// How an executed check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerificationResult {
    /// What was checked holds.
    Passed,
    /// What was checked does not hold.
    Failed,
}

impl VerificationResult {
    /// Every result.
    pub const ALL: [Self; 2] = [Self::Passed, Self::Failed];

    /// The word used in files and output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
        }
    }

    /// The result of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|result| result.name() == name)
    }
}

/// The bytes of an item, exactly as they came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Plain text: logs, tables, command output.
    Text(String),
    /// One JSON document, kept byte for byte; known to parse.
    Json(String),
}

impl Content {
    /// The original text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text(text) | Self::Json(text) => text,
        }
    }
}

/// One item of the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceItem {
    /// Its name within the request.
    pub id: EvidenceId,
    /// What it is.
    pub kind: EvidenceKind,
    /// Where it comes from.
    pub lane: Lane,
    /// The tool or command line that produced it; may be empty.
    pub tool: String,
    /// What was searched for, where the tool line does not say; may be empty.
    pub query: String,
    /// What it says.
    pub content: Content,
    /// When it was collected.
    pub collected_at: Option<Timestamp>,
    /// Whether it lists everything in its scope, so that absence from it means something.
    pub exhaustive: bool,
    /// Whether it came over a channel that the server's configuration vouches for.
    pub attested: bool,
    /// The step of the investigation that produced it; at most [`ClaimId::MAX_BYTES`]; may be empty.
    pub step_id: String,
    /// The specialist that ran the step; at most [`ClaimId::MAX_BYTES`]; may be empty.
    pub specialist_id: String,
    /// How the check ended, for an item of kind [`EvidenceKind::Verification`]; `None` where it is not known.
    pub verification_result: Option<VerificationResult>,
}

impl EvidenceItem {
    /// The name of the check that it is a run of.
    #[must_use]
    pub fn check_name(&self) -> Option<&str> {
        let is_check = self.kind == EvidenceKind::Verification;
        is_check.then(|| self.tool.strip_prefix(check::TOOL)).flatten()
    }

    /// Whether it is an executed check that is known to have passed.
    #[must_use]
    pub fn is_passed_check(&self) -> bool {
        self.kind == EvidenceKind::Verification
            && self.verification_result == Some(VerificationResult::Passed)
    }
}

impl<'e> From<&'e EvidenceItem> for facts::Item<'e> {
    /// What facts are read off: the content, and what was asked for it.
    fn from(item: &'e EvidenceItem) -> Self {
        Self {
            tool: &item.tool,
            query: &item.query,
            content: item.content.as_str(),
            exhaustive: item.exhaustive,
        }
    }
}

/// What a citation points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An evidence item, or a field of it.
    Evidence {
        /// The item.
        id: EvidenceId,
        /// JSON pointer (RFC 6901) of the field; empty for the whole item.
        field_path: String,
    },
    /// Another claim of the same report.
    Claim(ClaimId),
}

/// A reference to evidence, with the words that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// What it points at.
    pub target: Target,
    /// Verbatim words of the item; empty when none are quoted.
    pub quote: String,
    /// Where the quote stands in the item's original content: half-open, in bytes, where known.
    pub bytes: Option<Range<usize>>,
}
