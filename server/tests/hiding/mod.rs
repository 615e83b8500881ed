//! Reports that hide a statement by its form, and a judge that knows the facts.

pub mod facts;
pub mod forms;
