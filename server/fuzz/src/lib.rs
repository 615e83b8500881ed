//! Fuzz entry points for the server's token, key, principal and certificate parsers. Includes those
//! modules by path, so the rest of the server is not compiled.
#![expect(dead_code, reason = "the server uses the rest of these modules")]

#[path = "../../src/data_owner.rs"]
mod data_owner;
pub mod identity;

/// Replaces the server's module of this name. The principals need only this type from it.
mod compute_pool {
    #[derive(Default)]
    pub(crate) struct PrincipalSlots;
}
