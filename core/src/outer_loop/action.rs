//! What a loop says is to be done next, and how it ends.

use super::{ClaimKey, StopCause};

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Investigate and write the first report; answer with [`Event::Submitted`](super::Event::Submitted).
    Synthesize,
    /// Judge the report; answer with [`Event::Judged`](super::Event::Judged) or [`Event::JudgeFailed`](super::Event::JudgeFailed).
    Evaluate,
    /// Rewrite the report from the same evidence, keeping its claims; answer with [`Event::Submitted`](super::Event::Submitted).
    Rewrite {
        /// What the judge said.
        reasons: Vec<String>,
        /// Claims known to be contradicted.
        contradictions: Vec<ClaimKey>,
    },
    /// Revise the plan and investigate again; answer with [`Event::Submitted`](super::Event::Submitted).
    Replan {
        /// Which revision of the plan this is, from 1.
        plan: u32,
        /// Why rewriting does not do.
        cause: ReplanCause,
        /// What the judge said.
        reasons: Vec<String>,
        /// Claims known to be contradicted.
        contradictions: Vec<ClaimKey>,
    },
    /// It is over.
    Finish(Ending),
}

/// Why a plan is revised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplanCause {
    /// The decision was replan.
    Decided,
    /// The report was rewritten once under this plan and would have to be again.
    SecondRegenerate,
    /// The decision was abstain: gather more evidence first.
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

/// How a loop ends. Proceeding and being degraded exclude each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The report may go out.
    Proceed {
        /// Its place in the trajectory.
        index: usize,
    },
    /// No report may go out unmarked: the best goes out under a banner, with the last beside it.
    Degraded {
        /// Why.
        cause: DegradedCause,
        /// The best-scoring report's place in the trajectory; `None` when none was judged.
        best: Option<usize>,
        /// The last judged report's place in the trajectory; `None` when none was judged.
        last: Option<usize>,
    },
}

impl Ending {
    /// Whether the report goes out under a banner.
    #[must_use]
    pub const fn is_degraded(&self) -> bool {
        matches!(self, Self::Degraded { .. })
    }
}

/// Why a loop ends degraded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DegradedCause {
    /// The plan may not be revised again.
    ReplansSpent,
    /// The judge failed once more than it is retried.
    JudgeFailed {
        /// What happened at the last failure.
        reason: String,
    },
    /// A budget ended, the agent did not commit, or its caller gave it up.
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
