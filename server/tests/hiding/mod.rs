//! Reports of true sentences with one more statement in some form, and a judge that knows what is true.

#![allow(unreachable_pub, clippy::allow_attributes, reason = "a module of tests")]

pub mod facts;
pub mod forms;
