//! Fuzz entry points for the server's token, key, principal and certificate parsers. Includes those
//! modules by path, so the rest of the server is not compiled.
#![expect(dead_code, reason = "the server uses the rest of these modules")]

pub mod identity;
#[path = "../../src/data_owner.rs"]
mod owner;
