//! The contract `gsar.v1`: generated messages and services, their JSON mapping, and conversions to and from the types
//! of `gsar_core`.
//!
//! This crate contains no rules and does no I/O. [`parse`] converts requests to core types and reports all violations
//! at once, [`render`] converts core types to messages, and [`enums`] converts enumerations in both directions.

pub mod codec;
pub mod enums;
pub mod json;
pub mod openapi;
pub mod parse;
pub mod render;
pub mod rewrite_texts;
pub mod violations;

/// Messages, clients and servers, generated from `gsar/v1/*.proto`.
#[expect(
    clippy::allow_attributes,
    reason = "generated code; the .proto files carry the documentation"
)]
pub mod v1 {
    include!("generated/gsar.v1.rs");
}

/// The file descriptors of the contract, including imports, for reflection and the JSON mapping.
pub const DESCRIPTORS: &[u8] = include_bytes!("generated/descriptors.bin");

/// The `ErrorInfo.domain` of every error.
pub const ERROR_DOMAIN: &str = "gsar.dev";

impl v1::ErrorReason {
    /// Returns the `ErrorInfo.reason` of an error: its name without `ERROR_REASON_`.
    #[must_use]
    pub fn code(self) -> &'static str {
        let name = self.as_str_name();
        name.strip_prefix("ERROR_REASON_").unwrap_or(name)
    }
}
