//! Reports that are true throughout, and a judge that knows what shows each of their statements.

pub mod judge;
pub mod reports;
