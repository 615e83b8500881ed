//! Evidence items and citations.

mod classify;

use core::ops::Range;

use gsar_extraction::facts;

use crate::ids::ClaimId;
pub use crate::ids::EvidenceId;
use crate::names;
use crate::time::Timestamp;
pub use classify::{Classification, classify_item};

/// The kind of an evidence item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceKind {
    /// The output of a tool.
    ToolOutput,
    /// The structured result of a specialist's step.
    StepOutput,
    /// The trigger of the investigation, such as an alert, anomaly, violation or request.
    Signal,
    /// A change, such as a deployment, commit or configuration change.
    Change,
    /// The result of an executed check.
    Verification,
    /// A claim from an earlier report.
    PriorClaim,
}

names!(EvidenceKind {
    ToolOutput => "tool_output",
    StepOutput => "step_output",
    Signal => "signal",
    Change => "change",
    Verification => "verification",
    PriorClaim => "prior_claim",
}, from_name);

impl EvidenceKind {
    /// Returns the lane in which an item of this kind counts. A claim from an earlier report counts as inferred by a
    /// language model, whatever its lane.
    #[must_use]
    pub const fn effective_lane(self, lane: Lane) -> Lane {
        match self {
            Self::PriorClaim => Lane::LlmInferred,
            _ => lane,
        }
    }
}

/// The source of an evidence item. Kubernetes events belong to `Logs`, and object state belongs to `StaticInfra`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Distributed traces.
    Traces,
    /// Log lines and events.
    Logs,
    /// Metric series and samples.
    Metrics,
    /// Object state, such as the output of get, describe or an inventory.
    StaticInfra,
    /// Version control and deployments.
    Change,
    /// Synthetic probes.
    Synthetic,
    /// Executed checks.
    Verification,
    /// Inferences by a language model, which are never evidence.
    LlmInferred,
}

names!(
    /// The lanes are listed from strongest to weakest.
    Lane {
        Verification => "verification",
        Change => "change",
        Traces => "traces",
        Metrics => "metrics",
        Logs => "logs",
        StaticInfra => "static_infra",
        Synthetic => "synthetic",
        LlmInferred => "llm_inferred",
    },
    from_name
);

impl Lane {
    /// The strength of evidence in this lane, from 0 (inferred) to 7 (executed checks).
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

    /// Returns `true` if evidence in this lane can change a hypothesis.
    #[must_use]
    pub const fn is_hard(self) -> bool {
        !matches!(self, Self::LlmInferred)
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

names!(VerificationResult { Passed => "passed", Failed => "failed" }, from_name);

/// The original content of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Plain text: logs, tables, command output.
    Text(String),
    /// A valid JSON document.
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

/// The prefix of a check run's `tool`, which is followed by the check's name.
pub const CHECK_TOOL: &str = "check ";

/// An evidence item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceItem {
    /// The item's id, unique in the request.
    pub id: EvidenceId,
    /// The kind.
    pub kind: EvidenceKind,
    /// The source.
    pub lane: Lane,
    /// The tool or command line that produced the item; may be empty.
    pub tool: String,
    /// The search query, if `tool` does not contain it; may be empty.
    pub query: String,
    /// The content.
    pub content: Content,
    /// The time of collection.
    pub collected_at: Option<Timestamp>,
    /// `true` if the item lists everything in its scope, so that the absence of something is evidence.
    pub exhaustive: bool,
    /// `true` if the item arrived over a trusted channel.
    pub attested: bool,
    /// The investigation step that produced the item, at most [`ClaimId::MAX_BYTES`] bytes; may be empty.
    pub step_id: String,
    /// The specialist that ran the step, at most [`ClaimId::MAX_BYTES`] bytes; may be empty.
    pub specialist_id: String,
    /// The result of an [`EvidenceKind::Verification`] item, if known.
    pub verification_result: Option<VerificationResult>,
}

impl EvidenceItem {
    /// Creates a tool output with a lane and content. All other fields are empty or `false`.
    #[must_use]
    pub fn new(id: EvidenceId, lane: Lane, content: Content) -> Self {
        Self {
            id,
            kind: EvidenceKind::ToolOutput,
            lane,
            tool: String::new(),
            query: String::new(),
            content,
            collected_at: None,
            exhaustive: false,
            attested: false,
            step_id: String::new(),
            specialist_id: String::new(),
            verification_result: None,
        }
    }

    /// The check's name, if the item is a check run.
    #[must_use]
    pub fn check_name(&self) -> Option<&str> {
        let is_check = self.kind == EvidenceKind::Verification;
        is_check.then(|| self.tool.strip_prefix(CHECK_TOOL)).flatten()
    }

    /// Returns `true` if the item is a passed check.
    #[must_use]
    pub fn is_passed_check(&self) -> bool {
        self.kind == EvidenceKind::Verification
            && self.verification_result == Some(VerificationResult::Passed)
    }
}

impl<'e> From<&'e EvidenceItem> for facts::Item<'e> {
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
    /// An evidence item or a field in it.
    Evidence {
        /// The item.
        id: EvidenceId,
        /// The JSON pointer (RFC 6901) to the field; empty for the whole item.
        field_path: String,
    },
    /// Another claim in the same report.
    Claim(ClaimId),
}

/// A reference to evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The cited item or claim.
    pub target: Target,
    /// A verbatim quote from the item; may be empty.
    pub quote: String,
    /// The quote's byte range in the item's content, if known.
    pub bytes: Option<Range<usize>>,
}

impl Citation {
    /// Creates a citation of an item, without a field path or a known position.
    #[must_use]
    pub fn new(id: EvidenceId, quote: impl Into<String>) -> Self {
        let target = Target::Evidence { id, field_path: String::new() };
        Self { target, quote: quote.into(), bytes: None }
    }
}
