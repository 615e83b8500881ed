//! Test data: cases, incidents, long reports, and claims generated from a seed.

mod cases;
pub mod generated;
mod incidents;
mod random;
mod reports;

pub use cases::{Case, cases, differences};
pub use incidents::{Incident, Label, ReportKind, incidents, incidents_in};
pub use random::Random;
pub use reports::{Citation, LongReport, ReportEvidence, Statement, long_reports};

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// Returns the path of this crate's folder.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the paths of a folder's entries, sorted by name.
fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
