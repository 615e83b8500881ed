//! Honest answers, lies about them, and a judge that tells either.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "every test file uses its own part of this"
)]

pub mod cases;
pub mod told;
pub mod told_lies;
