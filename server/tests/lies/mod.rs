//! Lies about honest answers, and a judge that tells them.

pub mod cases;
pub mod lies_by_kind;
pub mod scripted;
