//! This module says what a finding of verification does, per check. It knows no check's rules.

/// A check of meaning: what it compares between a claim and the words it cites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// Whether a citation's field and quote belong together and single out what they show.
    Citations,
    /// Figures.
    Figures,
    /// Times of day and dates.
    Times,
    /// Denial and statement.
    Negation,
    /// Names, versions, addresses and codes.
    Names,
    /// Whether what is cited is about the claim.
    Bearing,
    /// Whether an absence was looked for.
    Absence,
    /// Whether a rule finds that the cited records say something else.
    Rules,
    /// Whether a second judge, where one was asked, finds the claim shown at all.
    SecondOpinion,
}

impl Check {
    /// Every check, in the order of policy files.
    pub const ALL: [Self; 9] = [
        Self::Citations,
        Self::Figures,
        Self::Times,
        Self::Negation,
        Self::Names,
        Self::Bearing,
        Self::Absence,
        Self::Rules,
        Self::SecondOpinion,
    ];

    /// The word used in files and output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Citations => "citations",
            Self::Figures => "figures",
            Self::Times => "times",
            Self::Negation => "negation",
            Self::Names => "names",
            Self::Bearing => "bearing",
            Self::Absence => "absence",
            Self::Rules => "rules",
            Self::SecondOpinion => "second_opinion",
        }
    }

    /// The check of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.name() == name)
    }
}

/// What a finding does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FindingMode {
    /// It is listed and changes nothing.
    Note,
    /// The judge is asked once more. What it does not clear by a citation blocks proceed. A judge that cannot be
    /// asked is corrected.
    Ask,
    /// The claim's class becomes stricter.
    Correct,
}

impl FindingMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Note, Self::Ask, Self::Correct];

    /// The word used in files and output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Ask => "ask",
            Self::Correct => "correct",
        }
    }
}

/// What the findings of each check do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindingModes([FindingMode; 9]);

impl FindingModes {
    /// The same for every check.
    #[must_use]
    pub const fn all(mode: FindingMode) -> Self {
        Self([mode; 9])
    }

    /// What the findings of a check do.
    #[must_use]
    pub const fn of(&self, check: Check) -> FindingMode {
        let [citations, figures, times, negation, names, bearing, absence, rules, second_opinion] =
            self.0;
        match check {
            Check::Citations => citations,
            Check::Figures => figures,
            Check::Times => times,
            Check::Negation => negation,
            Check::Names => names,
            Check::Bearing => bearing,
            Check::Absence => absence,
            Check::Rules => rules,
            Check::SecondOpinion => second_opinion,
        }
    }

    /// Sets what the findings of a check do.
    pub fn set(&mut self, check: Check, mode: FindingMode) {
        for (slot, candidate) in self.0.iter_mut().zip(Check::ALL) {
            if candidate == check {
                *slot = mode;
            }
        }
    }
}
