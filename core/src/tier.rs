//! The tier of a decision.

/// The outcome for a report. Ordered from least to most cautious: the stricter of two tiers is their maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// The report may be sent.
    Proceed,
    /// Rewrite it from the same evidence.
    Regenerate,
    /// Investigate again.
    Replan,
    /// No judgement is possible: gather more evidence first.
    Abstain,
}

impl Tier {
    /// Every tier, least cautious first.
    pub const ALL: [Self; 4] = [Self::Proceed, Self::Regenerate, Self::Replan, Self::Abstain];

    /// The name used in files, output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proceed => "proceed",
            Self::Regenerate => "regenerate",
            Self::Replan => "replan",
            Self::Abstain => "abstain",
        }
    }

    /// Returns the tier with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }
}
