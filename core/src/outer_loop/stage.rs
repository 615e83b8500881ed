//! The stages of an investigation.

use crate::names;

/// A stage of an investigation. Stages are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Collect evidence.
    Collect,
    /// Name the entity in which the fault began.
    Localize,
    /// Find a root cause supported by hard evidence.
    Diagnose,
    /// Write a report that may be sent.
    Report,
    /// Apply the remedy and run the declared checks.
    Act,
    /// Pass the checks.
    Verify,
}

names!(Stage {
    Collect => "COLLECT",
    Localize => "LOCALIZE",
    Diagnose => "DIAGNOSE",
    Report => "REPORT",
    Act => "ACT",
    Verify => "VERIFY",
});

/// The progress of an investigation. Stages that were not requested count as passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageProgress {
    /// `true` if any evidence was collected.
    pub has_evidence: bool,
    /// `true` if the graph has an origin or the gate has a root cause; `None` if there is no graph.
    pub is_localized: Option<bool>,
    /// `true` if the gate has a root cause; `None` if there are no hypotheses.
    pub is_diagnosed: Option<bool>,
    /// `true` if a report may be sent.
    pub proceeds: bool,
    /// `true` if there is a diagnosis, but neither a change nor a check run.
    pub has_empty_change_set: bool,
    /// The number of checks that were declared or run.
    pub checks: usize,
    /// The number of checks that were run.
    pub run: usize,
    /// The number of checks whose last run passed.
    pub passed: usize,
}

impl StageProgress {
    /// Returns the first stage that was not passed, if any.
    #[must_use]
    pub fn failed_stage(&self) -> Option<Stage> {
        let is_passed = |stage: &Stage| match stage {
            Stage::Collect => self.has_evidence || self.proceeds,
            Stage::Localize => self.is_localized != Some(false),
            Stage::Diagnose => self.is_diagnosed != Some(false),
            Stage::Report => self.proceeds,
            Stage::Act => !self.has_empty_change_set && (self.run > 0 || self.checks == 0),
            Stage::Verify => self.passed == self.checks,
        };
        Stage::ALL.into_iter().find(|stage| !is_passed(stage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETE: StageProgress = StageProgress {
        has_evidence: true,
        is_localized: Some(true),
        is_diagnosed: Some(true),
        proceeds: true,
        has_empty_change_set: false,
        checks: 2,
        run: 2,
        passed: 2,
    };

    #[test]
    fn returns_the_first_stage_that_was_not_passed() {
        for (progress, stage) in [
            (COMPLETE, None),
            (StageProgress { checks: 0, run: 0, passed: 0, ..COMPLETE }, None),
            (StageProgress { is_diagnosed: None, ..COMPLETE }, None),
            // A report may contain its own evidence.
            (StageProgress { has_evidence: false, ..COMPLETE }, None),
            (StageProgress { passed: 1, ..COMPLETE }, Some(Stage::Verify)),
            (StageProgress { run: 1, passed: 1, ..COMPLETE }, Some(Stage::Verify)),
            (StageProgress { run: 0, passed: 0, ..COMPLETE }, Some(Stage::Act)),
            (StageProgress { proceeds: false, ..COMPLETE }, Some(Stage::Report)),
            (StageProgress { proceeds: false, run: 0, passed: 0, ..COMPLETE }, Some(Stage::Report)),
            (StageProgress { is_diagnosed: Some(false), ..COMPLETE }, Some(Stage::Diagnose)),
            (
                StageProgress { is_localized: Some(false), is_diagnosed: Some(false), ..COMPLETE },
                Some(Stage::Localize),
            ),
            (
                StageProgress {
                    has_empty_change_set: true,
                    checks: 0,
                    run: 0,
                    passed: 0,
                    ..COMPLETE
                },
                Some(Stage::Act),
            ),
            (
                StageProgress {
                    has_evidence: false,
                    is_diagnosed: None,
                    proceeds: false,
                    ..COMPLETE
                },
                Some(Stage::Collect),
            ),
        ] {
            assert_eq!(progress.failed_stage(), stage, "{progress:?}");
        }
    }
}
