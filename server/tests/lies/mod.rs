//! This module has honest answers, lies about them, and a judge that gives either.

pub mod cases;
pub mod lies_by_kind;
pub mod scripted;
