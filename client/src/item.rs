//! This module makes evidence items: what a tool returned, with where it comes from.

use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;
use gsar_proto::v1::evidence_item::Content;

/// One item of evidence to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Item(v1::EvidenceItem);

impl Item {
    /// Plain text: logs, tables, command output. A tool's output about infrastructure, unless said otherwise.
    #[must_use]
    pub fn text(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(id.into(), Content::Text(text.into()))
    }

    /// One JSON document.
    #[must_use]
    pub fn json(id: impl Into<String>, document: impl Into<String>) -> Self {
        Self::new(id.into(), Content::Json(document.into()))
    }

    fn new(id: String, content: Content) -> Self {
        Self(v1::EvidenceItem {
            id,
            kind: EvidenceKind::ToolOutput.number(),
            lane: Lane::StaticInfra.number(),
            content: Some(content),
            ..v1::EvidenceItem::default()
        })
    }

    /// The tool or the command line that produced it.
    #[must_use]
    pub fn tool(mut self, tool: impl Into<String>) -> Self {
        self.0.tool = tool.into();
        self
    }

    /// What it is.
    #[must_use]
    pub fn kind(mut self, kind: EvidenceKind) -> Self {
        self.0.kind = kind.number();
        self
    }

    /// Where it comes from.
    #[must_use]
    pub fn lane(mut self, lane: Lane) -> Self {
        self.0.lane = lane.number();
        self
    }

    /// It lists everything in its scope, so that absence from it means something.
    #[must_use]
    pub fn exhaustive(mut self) -> Self {
        self.0.exhaustive = true;
        self
    }

    /// The specialist (agent) that ran the step, and the step; either may be empty.
    #[must_use]
    pub fn produced_by(mut self, specialist: impl Into<String>, step: impl Into<String>) -> Self {
        self.0.specialist_id = specialist.into();
        self.0.step_id = step.into();
        self
    }
}

impl From<Item> for v1::EvidenceItem {
    fn from(item: Item) -> Self {
        item.0
    }
}

impl From<v1::EvidenceItem> for Item {
    fn from(item: v1::EvidenceItem) -> Self {
        Self(item)
    }
}
