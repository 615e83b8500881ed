//! The stages that an investigation goes through, and the first of them that an agent did not come through.

/// A stage of an investigation, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Evidence is collected.
    Collect,
    /// A root cause is found that hard evidence supports.
    Diagnose,
    /// A report is written that may go out.
    Report,
    /// What is to be done is done, and the declared checks are run.
    Act,
    /// The checks pass.
    Verify,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Self; 5] =
        [Self::Collect, Self::Diagnose, Self::Report, Self::Act, Self::Verify];

    /// The stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Collect => "COLLECT",
            Self::Diagnose => "DIAGNOSE",
            Self::Report => "REPORT",
            Self::Act => "ACT",
            Self::Verify => "VERIFY",
        }
    }
}

/// How far an investigation came. What was not asked for is come through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Whether any evidence came.
    pub has_evidence: bool,
    /// Whether the gate has a root cause; `None` where there are no hypotheses.
    pub is_diagnosed: Option<bool>,
    /// Whether a report may go out.
    pub proceeds: bool,
    /// How many checks were declared, or run without that.
    pub checks: usize,
    /// How many of them were run.
    pub run: usize,
    /// How many of them passed the last time.
    pub passed: usize,
}

impl Reached {
    /// The first stage that was not come through; `None` where all were.
    #[must_use]
    pub fn failed_stage(&self) -> Option<Stage> {
        let is_through = |stage: &Stage| match stage {
            Stage::Collect => self.has_evidence || self.proceeds,
            Stage::Diagnose => self.is_diagnosed != Some(false),
            Stage::Report => self.proceeds,
            Stage::Act => self.run > 0 || self.checks == 0,
            Stage::Verify => self.passed == self.checks,
        };
        Stage::ALL.into_iter().find(|stage| !is_through(stage))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THROUGH: Reached = Reached {
        has_evidence: true,
        is_diagnosed: Some(true),
        proceeds: true,
        checks: 2,
        run: 2,
        passed: 2,
    };

    #[test]
    fn the_first_stage_that_was_not_come_through_is_named() {
        for (reached, stage) in [
            (THROUGH, None),
            (Reached { checks: 0, run: 0, passed: 0, ..THROUGH }, None),
            (Reached { is_diagnosed: None, ..THROUGH }, None),
            // A report may come with evidence of its own.
            (Reached { has_evidence: false, ..THROUGH }, None),
            (Reached { passed: 1, ..THROUGH }, Some(Stage::Verify)),
            (Reached { run: 1, passed: 1, ..THROUGH }, Some(Stage::Verify)),
            (Reached { run: 0, passed: 0, ..THROUGH }, Some(Stage::Act)),
            (Reached { proceeds: false, ..THROUGH }, Some(Stage::Report)),
            (Reached { proceeds: false, run: 0, passed: 0, ..THROUGH }, Some(Stage::Report)),
            (Reached { is_diagnosed: Some(false), ..THROUGH }, Some(Stage::Diagnose)),
            (
                Reached { has_evidence: false, is_diagnosed: None, proceeds: false, ..THROUGH },
                Some(Stage::Collect),
            ),
        ] {
            assert_eq!(reached.failed_stage(), stage, "{reached:?}");
        }
    }
}
