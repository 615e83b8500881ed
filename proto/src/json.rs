//! This module gives every message its proto3 JSON mapping, driven by the descriptors.
//!
//! Unknown fields are refused, default-valued fields are printed, 64-bit integers are strings.

use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{DescriptorPool, DeserializeOptions, DynamicMessage, SerializeOptions};

use crate::DESCRIPTORS;

/// Why text is not the JSON of a message.
#[derive(Debug)]
pub struct JsonError {
    /// What is wrong, with line and column.
    message: String,
}

impl core::fmt::Display for JsonError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for JsonError {}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        Self { message: error.to_string() }
    }
}

/// A message that has a JSON mapping: its full name in the contract.
pub trait Named {
    /// Such as `gsar.v1.EvaluateRequest`.
    const FULL_NAME: &'static str;
}

macro_rules! named {
    ($($message:ident),* $(,)?) => {
        $(impl Named for crate::v1::$message {
            const FULL_NAME: &'static str = concat!("gsar.v1.", stringify!($message));
        })*
    };
}

named!(
    AssembleChainRequest,
    AssembleChainResponse,
    CapConfidenceRequest,
    CapConfidenceResponse,
    CheckPolicyResponse,
    Citation,
    ClaimRewardRecord,
    ClassifyVerdictRequest,
    ClassifyVerdictResponse,
    Correction,
    CorpusSummary,
    DriveRequest,
    EvaluateGateRequest,
    EvaluateGateResponse,
    EvaluateRequest,
    EvaluateResponse,
    EvaluateStreamRequest,
    EvaluateStreamResponse,
    EvaluationSummary,
    EvidenceDigest,
    EvidenceItem,
    GetEvaluationResponse,
    ExportRequest,
    ExportResponse,
    GetPolicyResponse,
    GradeRecord,
    GradeRequest,
    GradeResponse,
    Investigation,
    ListEvaluationsResponse,
    ListPoliciesResponse,
    PartitionRecord,
    PreferenceRecord,
    PutEvidenceResponse,
    RescoreRequest,
    RescoreResponse,
    ScoreRequest,
    ScoreResponse,
    SearchResponse,
    SelectBestRequest,
    SelectBestResponse,
);

/// Reads a message from JSON text.
///
/// # Errors
/// [`JsonError`] with line and column when the text is not JSON, names an unknown field or holds a value
/// that the field cannot.
pub fn from_json<T: Message + Default + Named>(text: &str) -> Result<T, JsonError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let options = DeserializeOptions::new().deny_unknown_fields(true);
    let dynamic =
        DynamicMessage::deserialize_with_options(descriptor::<T>()?, &mut deserializer, &options)?;
    deserializer.end()?;
    T::decode(dynamic.encode_to_vec().as_slice())
        .map_err(|error| JsonError { message: error.to_string() })
}

/// Writes a message as one line of JSON text.
///
/// # Errors
/// [`JsonError`] when the message is not of the contract: never for generated messages.
pub fn to_json<T: Message + Named>(message: &T) -> Result<String, JsonError> {
    let dynamic = DynamicMessage::decode(descriptor::<T>()?, message.encode_to_vec().as_slice())
        .map_err(|error| JsonError { message: error.to_string() })?;
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::new(&mut text);
    let options = SerializeOptions::new().skip_default_fields(false);
    dynamic.serialize_with_options(&mut serializer, &options)?;
    String::from_utf8(text).map_err(|error| JsonError { message: error.to_string() })
}

fn descriptor<T: Named>() -> Result<prost_reflect::MessageDescriptor, JsonError> {
    static POOL: LazyLock<Option<DescriptorPool>> =
        LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).ok());
    POOL.as_ref()
        .and_then(|pool| pool.get_message_by_name(T::FULL_NAME))
        .ok_or_else(|| JsonError { message: format!("{} is not in the contract", T::FULL_NAME) })
}
