//! This module gives every message its proto3 JSON mapping, driven by the descriptors.
//!
//! Unknown fields are refused, default-valued fields are printed unless they are left out on request, 64-bit integers
//! are strings.

use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor, SerializeOptions,
};

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

/// What becomes of fields that have their default value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defaults {
    /// They are printed.
    Printed,
    /// They are left out.
    Omitted,
}

/// The JSON documents of one method.
#[derive(Clone, Debug)]
pub struct Transcoding {
    request: MessageDescriptor,
    response: MessageDescriptor,
}

impl Transcoding {
    /// Those of a method, such as `gsar.v1.GroundingService/Evaluate`.
    ///
    /// # Errors
    /// [`JsonError`] when the contract has no such method.
    pub fn of(rpc: &str) -> Result<Self, JsonError> {
        let (service, method) = rpc.split_once('/').unwrap_or((rpc, ""));
        let service = pool().and_then(|pool| pool.get_service_by_name(service));
        let found = service.and_then(|service| service.methods().find(|it| it.name() == method));
        let found = found.ok_or_else(|| unknown(rpc))?;
        Ok(Self { request: found.input(), response: found.output() })
    }

    /// The name of a request's message.
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

    /// The encoded request of a document.
    ///
    /// # Errors
    /// As [`from_json`].
    pub fn encoded(&self, document: &str) -> Result<Vec<u8>, JsonError> {
        encoded(self.request.clone(), document)
    }

    /// The document of an encoded answer.
    ///
    /// # Errors
    /// [`JsonError`] when it is no such message.
    pub fn document(&self, answer: &[u8], defaults: Defaults) -> Result<String, JsonError> {
        document(self.response.clone(), answer, defaults)
    }
}

/// Reads a message from JSON text.
///
/// # Errors
/// [`JsonError`] with line and column when the text is not JSON, names an unknown field or holds a value
/// that the field cannot.
pub fn from_json<T: Message + Default + Named>(text: &str) -> Result<T, JsonError> {
    let bytes = encoded(descriptor::<T>()?, text)?;
    T::decode(bytes.as_slice()).map_err(|error| JsonError { message: error.to_string() })
}

/// Writes a message as one line of JSON text.
///
/// # Errors
/// [`JsonError`] when the message is not of the contract: never for generated messages.
pub fn to_json<T: Message + Named>(message: &T) -> Result<String, JsonError> {
    document(descriptor::<T>()?, &message.encode_to_vec(), Defaults::Printed)
}

fn encoded(message: MessageDescriptor, text: &str) -> Result<Vec<u8>, JsonError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let options = DeserializeOptions::new().deny_unknown_fields(true);
    let dynamic = DynamicMessage::deserialize_with_options(message, &mut deserializer, &options)?;
    deserializer.end()?;
    Ok(dynamic.encode_to_vec())
}

fn document(
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
    let found = pool().and_then(|pool| pool.get_message_by_name(T::FULL_NAME));
    found.ok_or_else(|| unknown(T::FULL_NAME))
}

fn pool() -> Option<&'static DescriptorPool> {
    static POOL: LazyLock<Option<DescriptorPool>> =
        LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).ok());
    POOL.as_ref()
}

fn unknown(name: &str) -> JsonError {
    JsonError { message: format!("{name} is not in the contract") }
}
