//! Cases and incidents of this folder, for tests on every level. It knows neither rules nor contract.

mod cases;
mod incidents;

pub use cases::{Case, cases, differences};
pub use incidents::{Incident, Label, ReportKind, incidents, incidents_in};

use std::path::PathBuf;

/// This folder.
#[must_use]
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
