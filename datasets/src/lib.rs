//! Test data: cases, incidents, long reports, and claims generated from a seed.

mod cases;
pub mod generated;
mod incidents;
mod random;
mod reports;

pub use cases::{Case, cases, differences};
pub use incidents::{Incident, Label, ReportKind, incidents, incidents_in};
pub use random::Random;
pub use reports::{LongReport, ReportEvidence, Statement, long_reports};

use std::path::PathBuf;

/// Returns the path of this crate's folder.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
