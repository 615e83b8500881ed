//! True reports, and a judge that knows the evidence for each of their statements.

pub mod judge;
pub mod reports;
