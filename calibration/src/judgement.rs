//! A stored verdict on a claim.

use gsar_core::{Class, EvidenceType};
use serde::{Deserialize, Serialize};

use crate::names;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Judgement {
    #[serde(with = "names::class")]
    pub(crate) class: Class,
    #[serde(rename = "type", with = "names::evidence_type")]
    pub(crate) evidence_type: EvidenceType,
    pub(crate) citations: Vec<Citation>,
}

/// A quote that decides a claim.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Citation {
    pub(crate) evidence: String,
    /// A JSON pointer into the item, if the judge returned one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) field_path: Option<String>,
    pub(crate) quote: String,
}
