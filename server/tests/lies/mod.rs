//! This module has honest answers, lies about them, and a judge that gives either.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "every test file uses its own part of this"
)]

pub mod cases;
pub mod lies_by_kind;
pub mod scripted;
