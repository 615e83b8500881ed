//! This crate is the contract `gsar.v1`: generated messages and services, their JSON mapping, and conversions to and
//! from the types of `gsar_core`.
//!
//! It holds no rules and does no I/O. Whatever comes in from outside becomes a core type here, in
//! [`parse`], or is refused with every violation at once; whatever goes out becomes a message in
//! [`render`]. Enumerations go both ways in [`enums`].

pub mod codec;
pub mod enums;
pub mod json;
pub mod openapi;
pub mod parse;
pub mod render;
pub mod texts;
pub mod violations;

/// Messages, clients and servers, generated from `gsar/v1/*.proto`.
#[expect(
    clippy::allow_attributes,
    reason = "generated code; the .proto files carry the documentation"
)]
pub mod v1 {
    include!("generated/gsar.v1.rs");
}

/// The file descriptors of the contract, imports included, for reflection and the JSON mapping.
pub const DESCRIPTORS: &[u8] = include_bytes!("generated/descriptors.bin");

/// `ErrorInfo.domain` of every error.
pub const ERROR_DOMAIN: &str = "gsar.dev";

impl v1::ErrorReason {
    /// `ErrorInfo.reason` of an error: the name in the contract without `ERROR_REASON_`.
    #[must_use]
    pub fn code(self) -> &'static str {
        let name = self.as_str_name();
        name.strip_prefix("ERROR_REASON_").unwrap_or(name)
    }
}
