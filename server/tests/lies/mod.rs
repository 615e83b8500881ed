//! Lying answers derived from honest ones, and a judge that gives them.

pub mod cases;
pub mod lies_by_kind;
pub mod scripted;
