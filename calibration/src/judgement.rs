//! A stored verdict on a claim: class and type by name, and citations.

use gsar_core::{Class, EvidenceType};
use serde::{Deserialize, Serialize};

use crate::names;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Judgement {
    #[serde(with = "names::class")]
    pub(crate) class: Class,
    /// The provenance of its support.
    #[serde(rename = "type", with = "names::evidence_type")]
    pub(crate) evidence_type: EvidenceType,
    pub(crate) citations: Vec<Citation>,
}

/// Words of an item that decide.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Citation {
    /// The id of the item.
    pub(crate) evidence: String,
    /// A JSON pointer, where the judge gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) field_path: Option<String>,
    /// Verbatim words.
    pub(crate) quote: String,
}
