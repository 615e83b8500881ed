//! The actions and the ending of a loop.

use super::{ClaimKey, StopCause};

/// The next action of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Investigate and write the first report; answer with [`Event::Submitted`](super::Event::Submitted).
    Synthesize,
    /// Judge the report; answer with [`Event::Judged`](super::Event::Judged) or [`Event::JudgeFailed`](super::Event::JudgeFailed).
    Evaluate,
    /// Rewrite the report from the same evidence, keeping its claims; answer with [`Event::Submitted`](super::Event::Submitted).
    Rewrite {
        /// The judge's reasons.
        reasons: Vec<String>,
        /// Claims known to be contradicted.
        contradictions: Vec<ClaimKey>,
    },
    /// Revise the plan and investigate again; answer with [`Event::Submitted`](super::Event::Submitted).
    Replan {
        /// The revision of the plan, from 1.
        plan: u32,
        /// Why a rewrite is not enough.
        cause: ReplanCause,
        /// The judge's reasons.
        reasons: Vec<String>,
        /// Claims known to be contradicted.
        contradictions: Vec<ClaimKey>,
    },
    /// The loop has ended.
    Finish(Ending),
}

/// The cause of a plan revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplanCause {
    /// The decision was replan.
    Decided,
    /// The report was already rewritten under this plan and would need another rewrite.
    SecondRegenerate,
    /// The decision was abstain: more evidence is needed first.
    GatherEvidence,
}

impl ReplanCause {
    /// The stable code on the wire.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Decided => "REPLAN",
            Self::SecondRegenerate => "SECOND_REGENERATE",
            Self::GatherEvidence => "GATHER_EVIDENCE_FIRST",
        }
    }
}

/// The ending of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The report may be sent.
    Proceed {
        /// The index of the report in the trajectory.
        index: usize,
    },
    /// No report may be sent unmarked: the best one is returned under a banner, together with the last.
    Degraded {
        /// The cause.
        cause: DegradedCause,
        /// The index of the best report in the trajectory; `None` if none was judged.
        best: Option<usize>,
        /// The index of the last judged report in the trajectory; `None` if none was judged.
        last: Option<usize>,
    },
}

impl Ending {
    /// Returns `true` if the report is returned under a banner.
    #[must_use]
    pub const fn is_degraded(&self) -> bool {
        matches!(self, Self::Degraded { .. })
    }
}

/// The cause of a degraded ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DegradedCause {
    /// The maximum number of plan revisions is reached.
    ReplansSpent,
    /// The maximum number of judge retries is exceeded.
    JudgeFailed {
        /// The cause of the last failure.
        reason: String,
    },
    /// The budget is used up, the agent did not commit, or the caller cancelled.
    Stopped(StopCause),
}

impl DegradedCause {
    /// The stable code on the wire.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ReplansSpent => "REPLANS_SPENT",
            Self::JudgeFailed { .. } => "JUDGE_FAILED",
            Self::Stopped(cause) => cause.code(),
        }
    }
}
