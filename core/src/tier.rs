//! The tiers of a decision.

/// The outcome for a report, ordered from least to most cautious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// The report may be sent.
    Proceed,
    /// The report should be rewritten from the same evidence.
    Regenerate,
    /// The incident should be investigated again.
    Replan,
    /// No judgement is possible without more evidence.
    Abstain,
}

impl Tier {
    /// All tiers, least cautious first.
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

    /// Parses a tier name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }
}
