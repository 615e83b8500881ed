//! Checks the invariants. Each violation is immediately written to a file.

pub(crate) mod acknowledged;
pub(crate) mod answers;
pub(crate) mod failures;
pub(crate) mod levels;
pub(crate) mod log;
pub(crate) mod privacy;
pub(crate) mod spending;

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Violation {
    /// The invariant's name in the README.
    pub(crate) invariant: &'static str,
    pub(crate) found: String,
}

impl Violation {
    pub(crate) fn new(invariant: &'static str, found: impl Into<String>) -> Self {
        Self { invariant, found: found.into() }
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct RecordedViolation {
    /// Seconds since the load began.
    pub(crate) at: f64,
    #[serde(flatten)]
    pub(crate) violation: Violation,
}

const MAX_RECORDED: usize = 1_000;

#[derive(Debug)]
pub(crate) struct Violations {
    recorded: Mutex<(Vec<RecordedViolation>, usize, File)>,
}

impl Violations {
    /// Creates a JSON Lines file with one violation per line.
    pub(crate) fn create(file: &Path) -> std::io::Result<Self> {
        Ok(Self { recorded: Mutex::new((Vec::new(), 0, File::create(file)?)) })
    }

    #[expect(clippy::print_stderr, reason = "shows violations during the run")]
    pub(crate) fn note(&self, at: Duration, violation: Violation) {
        let noted = RecordedViolation { at: at.as_secs_f64(), violation };
        eprintln!(
            "VIOLATION at {:.1} s, {}: {}",
            noted.at, noted.violation.invariant, noted.violation.found
        );
        let mut all = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let (recorded, count, file) = &mut *all;
        *count += 1;
        if recorded.len() < MAX_RECORDED {
            if let Ok(line) = serde_json::to_string(&noted) {
                // A write error can be ignored, because the report also contains the violation.
                let _in_report = writeln!(file, "{line}");
            }
            recorded.push(noted);
        }
    }

    pub(crate) fn all(&self) -> (Vec<RecordedViolation>, usize) {
        let all = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        (all.0.clone(), all.1)
    }
}
