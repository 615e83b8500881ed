//! The tiers of a decision.

use crate::names;

/// The outcome for a report, ordered from least to most cautious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// The report may be sent.
    Proceed,
    /// The report should be rewritten based on the same evidence.
    Regenerate,
    /// The incident should be investigated again.
    Replan,
    /// No judgement is possible without more evidence.
    Abstain,
}

names!(Tier {
    Proceed => "proceed",
    Regenerate => "regenerate",
    Replan => "replan",
    Abstain => "abstain",
});
