//! Evidence items.

use gsar_core::evidence::{EvidenceKind, Lane};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;
use gsar_proto::v1::evidence_item::Content;

/// An evidence item.
#[derive(Clone, Debug, PartialEq)]
pub struct Item(v1::EvidenceItem);

impl Item {
    /// Creates a text item, such as a log, a table or command output. The kind defaults to tool output, the lane to
    /// static infrastructure.
    #[must_use]
    pub fn text(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(id.into(), Content::Text(text.into()))
    }

    /// Creates an item from a JSON document.
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

    /// Sets the tool or command that produced the item.
    #[must_use]
    pub fn tool(mut self, tool: impl Into<String>) -> Self {
        self.0.tool = tool.into();
        self
    }

    /// Sets the kind.
    #[must_use]
    pub fn kind(mut self, kind: EvidenceKind) -> Self {
        self.0.kind = kind.number();
        self
    }

    /// Sets the lane.
    #[must_use]
    pub fn lane(mut self, lane: Lane) -> Self {
        self.0.lane = lane.number();
        self
    }

    /// Marks the item as exhaustive: whatever it does not list does not exist in its scope.
    #[must_use]
    pub fn exhaustive(mut self) -> Self {
        self.0.exhaustive = true;
        self
    }

    /// Sets the specialist (agent) and the step that produced the item. Either can be empty.
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
