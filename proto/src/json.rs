//! The proto3 JSON mapping of all messages, driven by the descriptors.
//!
//! Unknown fields are rejected, default values are printed unless the caller omits them, and 64-bit integers are
//! strings.

use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor, SerializeOptions,
};

use crate::DESCRIPTORS;

/// An error from JSON encoding or decoding.
#[derive(Debug)]
pub struct JsonError {
    /// The message, with line and column.
    message: String,
}

impl core::fmt::Display for JsonError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for JsonError {}

impl JsonError {
    pub(crate) const fn new(message: String) -> Self {
        Self { message }
    }
}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        Self { message: error.to_string() }
    }
}

/// A message with a JSON mapping.
pub trait Named {
    /// The full name, such as `gsar.v1.EvaluateRequest`.
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
    Graph,
    GraphState,
    GradeRequest,
    GradeResponse,
    Investigation,
    LookAtEntityResponse,
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

/// The handling of fields with default values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defaults {
    /// They are printed.
    Printed,
    /// They are omitted.
    Omitted,
}

/// Transcodes a method's requests and responses between JSON and bytes.
#[derive(Clone, Debug)]
pub struct Transcoding {
    request: MessageDescriptor,
    response: MessageDescriptor,
}

impl Transcoding {
    /// Returns the transcoding of a method, such as `gsar.v1.GroundingService/Evaluate`.
    ///
    /// # Errors
    /// Returns a [`JsonError`] if the method is unknown.
    pub fn for_method(rpc: &str) -> Result<Self, JsonError> {
        let (service, method) = rpc.split_once('/').unwrap_or((rpc, ""));
        let service = pool().and_then(|pool| pool.get_service_by_name(service));
        let method_descriptor = service
            .and_then(|service| service.methods().find(|candidate| candidate.name() == method));
        let method_descriptor = method_descriptor.ok_or_else(|| unknown_name(rpc))?;
        Ok(Self { request: method_descriptor.input(), response: method_descriptor.output() })
    }

    /// Returns the full name of the request message.
    #[must_use]
    pub fn request_name(&self) -> &str {
        self.request.full_name()
    }

    pub(crate) const fn request(&self) -> &MessageDescriptor {
        &self.request
    }

    pub(crate) const fn response(&self) -> &MessageDescriptor {
        &self.response
    }

    /// Converts a request from JSON to bytes.
    ///
    /// # Errors
    /// Returns the same errors as [`from_json`].
    pub fn encode(&self, document: &str) -> Result<Vec<u8>, JsonError> {
        encode_json(self.request.clone(), document)
    }

    /// Converts a response from bytes to JSON.
    ///
    /// # Errors
    /// Returns a [`JsonError`] if the bytes are not a valid message.
    pub fn decode(&self, bytes: &[u8], defaults: Defaults) -> Result<String, JsonError> {
        decode_to_json(self.response.clone(), bytes, defaults)
    }
}

/// Parses a message from JSON.
///
/// # Errors
/// Returns a [`JsonError`] with line and column if the text is not JSON, has an unknown field, or has an invalid value.
pub fn from_json<T: Message + Default + Named>(text: &str) -> Result<T, JsonError> {
    let bytes = encode_json(descriptor::<T>()?, text)?;
    T::decode(bytes.as_slice()).map_err(|error| JsonError { message: error.to_string() })
}

/// Formats a message as one line of JSON.
///
/// # Errors
/// Returns a [`JsonError`] if the message is not in the contract, which does not happen for generated messages.
pub fn to_json<T: Message + Named>(message: &T) -> Result<String, JsonError> {
    decode_to_json(descriptor::<T>()?, &message.encode_to_vec(), Defaults::Printed)
}

fn encode_json(message: MessageDescriptor, text: &str) -> Result<Vec<u8>, JsonError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let options = DeserializeOptions::new().deny_unknown_fields(true);
    let dynamic = DynamicMessage::deserialize_with_options(message, &mut deserializer, &options)?;
    deserializer.end()?;
    Ok(dynamic.encode_to_vec())
}

fn decode_to_json(
    message: MessageDescriptor,
    bytes: &[u8],
    defaults: Defaults,
) -> Result<String, JsonError> {
    let dynamic = DynamicMessage::decode(message, bytes)
        .map_err(|error| JsonError { message: error.to_string() })?;
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::new(&mut text);
    let options = SerializeOptions::new().skip_default_fields(defaults == Defaults::Omitted);
    dynamic.serialize_with_options(&mut serializer, &options)?;
    String::from_utf8(text).map_err(|error| JsonError { message: error.to_string() })
}

pub(crate) fn descriptor<T: Named>() -> Result<MessageDescriptor, JsonError> {
    let message = pool().and_then(|pool| pool.get_message_by_name(T::FULL_NAME));
    message.ok_or_else(|| unknown_name(T::FULL_NAME))
}

fn pool() -> Option<&'static DescriptorPool> {
    static POOL: LazyLock<Option<DescriptorPool>> =
        LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).ok());
    POOL.as_ref()
}

fn unknown_name(name: &str) -> JsonError {
    JsonError { message: format!("{name} is not in the contract") }
}
