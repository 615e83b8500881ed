//! The actions and endings of a loop.

use super::{ClaimKey, StopCause};
use crate::names;

/// The next action of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Investigate and write the first report. Respond with [`Event::Submitted`](super::Event::Submitted).
    Synthesize,
    /// Judge the report. Respond with `Event::Judged` or `Event::JudgeFailed`.
    Evaluate,
    /// Rewrite the report based on the same evidence. Respond with `Event::Submitted`.
    Rewrite {
        /// The judge's reasons.
        reasons: Vec<String>,
        /// The claims known to be contradicted.
        contradictions: Vec<ClaimKey>,
    },
    /// Revise the plan and investigate again. Respond with [`Event::Submitted`](super::Event::Submitted).
    Replan {
        /// The number of the replan, starting at 1.
        plan: u32,
        /// The cause of the replan.
        cause: ReplanCause,
        /// The judge's reasons.
        reasons: Vec<String>,
        /// The claims known to be contradicted.
        contradictions: Vec<ClaimKey>,
    },
    /// The loop has ended.
    Finish(Ending),
}

/// The cause of a replan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplanCause {
    /// The decided tier was replan.
    Decided,
    /// The report needs another rewrite, but the plan's rewrites are used up.
    SecondRegenerate,
    /// The decided tier was abstain, so more evidence is needed first.
    GatherEvidence,
}

names!(ReplanCause {
    Decided => "REPLAN",
    SecondRegenerate => "SECOND_REGENERATE",
    GatherEvidence => "GATHER_EVIDENCE_FIRST",
});

/// The ending of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The report may be sent.
    Proceed {
        /// The report's index in the trajectory.
        index: usize,
    },
    /// No report may be sent as it is. The best report and the last report are returned with a warning.
    Degraded {
        /// The cause.
        cause: DegradedCause,
        /// The index of the best report in the trajectory, if any was judged.
        best: Option<usize>,
        /// The index of the last judged report in the trajectory, if any.
        last: Option<usize>,
    },
}

/// The cause of a degraded ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DegradedCause {
    /// The maximum number of replans has been reached.
    ReplansSpent,
    /// The maximum number of judge retries has been reached.
    JudgeFailed {
        /// The cause of the last failure.
        reason: String,
    },
    /// The loop was stopped.
    Stopped(StopCause),
}

impl DegradedCause {
    /// The stable code on the wire.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ReplansSpent => "REPLANS_SPENT",
            Self::JudgeFailed { .. } => "JUDGE_FAILED",
            Self::Stopped(cause) => cause.name(),
        }
    }
}
