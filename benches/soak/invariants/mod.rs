//! What must hold. Each module below checks one kind of it and asks no server; this one keeps what was found that must not
//! be, and writes it down at once.

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

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Violation {
    /// The invariant, as the README names it.
    pub(crate) invariant: &'static str,
    /// What was found, with the ids to look for.
    pub(crate) found: String,
}

impl Violation {
    /// Of an invariant.
    pub(crate) fn new(invariant: &'static str, found: impl Into<String>) -> Self {
        Self { invariant, found: found.into() }
    }
}

/// One that was found, and when.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Noted {
    /// Seconds since the load began.
    pub(crate) at: f64,
    /// What.
    #[serde(flatten)]
    pub(crate) violation: Violation,
}

/// The most that are kept; they are counted beyond.
const MAX_KEPT: usize = 1_000;

/// What was found so far.
#[derive(Debug)]
pub(crate) struct Violations {
    noted: Mutex<(Vec<Noted>, usize, File)>,
}

impl Violations {
    /// None yet. Each is appended to this file as it is found, as a JSON line.
    pub(crate) fn written_to(file: &Path) -> std::io::Result<Self> {
        Ok(Self { noted: Mutex::new((Vec::new(), 0, File::create(file)?)) })
    }

    /// Notes one.
    #[expect(clippy::print_stderr, reason = "who watches the run sees it at once")]
    pub(crate) fn note(&self, at: Duration, violation: Violation) {
        let noted = Noted { at: at.as_secs_f64(), violation };
        eprintln!(
            "VIOLATION at {:.1} s, {}: {}",
            noted.at, noted.violation.invariant, noted.violation.found
        );
        let mut all = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let (kept, count, file) = &mut *all;
        *count += 1;
        if kept.len() < MAX_KEPT {
            if let Ok(line) = serde_json::to_string(&noted) {
                // The report has them as well.
                let _is_beside = writeln!(file, "{line}");
            }
            kept.push(noted);
        }
    }

    /// All that are kept, and how many there were.
    pub(crate) fn all(&self) -> (Vec<Noted>, usize) {
        let all = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        (all.0.clone(), all.1)
    }
}
