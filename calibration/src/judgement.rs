//! This module holds what a judge says of a claim, as files store it: class and type by name, and what is cited.

use gsar_core::{Class, EvidenceType};
use serde::{Deserialize, Serialize};

use crate::names;

/// What a judge says of a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Judgement {
    /// The class.
    #[serde(with = "names::class")]
    pub(crate) class: Class,
    /// The provenance of its support.
    #[serde(rename = "type", with = "names::evidence_type")]
    pub(crate) evidence_type: EvidenceType,
    /// What decides.
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
