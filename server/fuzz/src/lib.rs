//! What reads tokens, keys, principals and certificates, as the fuzzer calls it: the modules of the server themselves, without
//! the rest of it.
#![expect(dead_code, reason = "the server uses the rest of these modules")]

pub mod identity;
#[path = "../../src/owner.rs"]
mod owner;
