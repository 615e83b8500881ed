//! Reports that are true throughout, and a judge that knows what shows each of their statements.

#![allow(unreachable_pub, clippy::allow_attributes, reason = "a module of tests")]

pub mod judge;
pub mod reports;
