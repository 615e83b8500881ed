//! Evidence items, their kinds, and references to them.

mod classify;

use core::ops::Range;

use gsar_extraction::facts;

use crate::ids::ClaimId;
pub use crate::ids::EvidenceId;
use crate::time::Timestamp;
pub use classify::{Classification, classify_item};

/// The kind of an evidence item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceKind {
    /// The output of a tool.
    ToolOutput,
    /// The structured result of a specialist's step.
    StepOutput,
    /// The trigger of the investigation: an alert, anomaly, violation or request.
    Signal,
    /// A change, such as a deployment, commit or configuration change.
    Change,
    /// The result of an executed check.
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

    /// The name used in files and output.
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

    /// Returns the kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The source of an evidence item. Kubernetes events are logs, object state is static infra.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Distributed traces.
    Traces,
    /// Log lines and events.
    Logs,
    /// Metric series and samples.
    Metrics,
    /// Object state: get, describe, inventory.
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

    /// The strength, 0 to 7: verification > change > traces > metrics = logs > static infra > synthetic > inferred, which
    /// is 0.
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

    /// Returns `true` if evidence of this lane may move a hypothesis.
    #[must_use]
    pub const fn is_hard(self) -> bool {
        !matches!(self, Self::LlmInferred)
    }

    /// The name used in files and output.
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

    /// Returns the lane with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lane| lane.name() == name)
    }
}

/// The result of an executed check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerificationResult {
    /// The check passed.
    Passed,
    /// The check failed.
    Failed,
}

impl VerificationResult {
    /// Every result.
    pub const ALL: [Self; 2] = [Self::Passed, Self::Failed];

    /// The name used in files and output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
        }
    }

    /// Returns the result with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|result| result.name() == name)
    }
}

/// The content of an item, unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Plain text: logs, tables, command output.
    Text(String),
    /// One JSON document, unchanged; valid JSON.
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

/// The prefix of the `tool` of an item that is the run of a check; followed by the name of the check.
pub const CHECK_TOOL: &str = "check ";

/// One item of the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceItem {
    /// Its id within the request.
    pub id: EvidenceId,
    /// The kind of the item.
    pub kind: EvidenceKind,
    /// The source of the item.
    pub lane: Lane,
    /// The tool or command line that produced it; may be empty.
    pub tool: String,
    /// The search query, if the tool line does not contain it; may be empty.
    pub query: String,
    /// The content.
    pub content: Content,
    /// The time of collection.
    pub collected_at: Option<Timestamp>,
    /// `true` if the item lists everything in its scope, so that absence from it is evidence.
    pub exhaustive: bool,
    /// `true` if the item was received over a channel that the server's configuration trusts.
    pub attested: bool,
    /// The investigation step that produced it; at most [`ClaimId::MAX_BYTES`]; may be empty.
    pub step_id: String,
    /// The specialist that ran the step; at most [`ClaimId::MAX_BYTES`]; may be empty.
    pub specialist_id: String,
    /// The result of the check, for an item of kind [`EvidenceKind::Verification`]; `None` if unknown.
    pub verification_result: Option<VerificationResult>,
}

impl EvidenceItem {
    /// The name of the check, if the item is the run of one.
    #[must_use]
    pub fn check_name(&self) -> Option<&str> {
        let is_check = self.kind == EvidenceKind::Verification;
        is_check.then(|| self.tool.strip_prefix(CHECK_TOOL)).flatten()
    }

    /// Returns `true` if the item is an executed check that passed.
    #[must_use]
    pub fn is_passed_check(&self) -> bool {
        self.kind == EvidenceKind::Verification
            && self.verification_result == Some(VerificationResult::Passed)
    }
}

impl<'e> From<&'e EvidenceItem> for facts::Item<'e> {
    /// Borrows the content and its query.
    fn from(item: &'e EvidenceItem) -> Self {
        Self {
            tool: &item.tool,
            query: &item.query,
            content: item.content.as_str(),
            exhaustive: item.exhaustive,
        }
    }
}

/// The target of a citation.
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

/// A reference to evidence, with the quoted words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The cited item or claim.
    pub target: Target,
    /// Verbatim words of the item; empty if none are quoted.
    pub quote: String,
    /// The byte range of the quote in the item's original content, if known.
    pub bytes: Option<Range<usize>>,
}
