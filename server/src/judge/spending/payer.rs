//! The principals to which calls are charged.

use std::fmt;

use crate::data_owner::Owner;
use crate::identity::Principal;

/// The principal to which a call is charged. The default payer has no name, and only the total budget applies
/// to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payer {
    owner: Owner,
    daily_budget: Option<u64>,
}

impl Payer {
    /// Creates a payer with an optional daily budget in millionths of a dollar. The budget is ignored if the
    /// owner has no name.
    #[must_use]
    pub fn new(owner: Owner, daily_budget: Option<u64>) -> Self {
        let has_name = !owner.name().is_empty();
        Self { owner, daily_budget: daily_budget.filter(|_| has_name) }
    }

    /// Returns the daily budget in millionths of a dollar. `None` if only the total budget applies.
    #[must_use]
    pub fn daily_budget(&self) -> Option<u64> {
        self.daily_budget
    }

    /// Returns the principal's name. Empty for the default payer.
    pub(in crate::judge) fn name(&self) -> &str {
        self.owner.name()
    }

    /// Returns the principal's budget. `None` for the default payer.
    pub(in crate::judge) fn budget(&self) -> Option<SpendingBudget> {
        (!self.name().is_empty()).then(|| SpendingBudget::Principal(self.name().to_owned()))
    }

    pub(super) fn sees_all(&self) -> bool {
        self.owner.only().is_none()
    }
}

impl From<&Principal> for Payer {
    fn from(principal: &Principal) -> Self {
        Self::new(principal.owner().clone(), principal.daily_budget())
    }
}

/// A daily budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpendingBudget {
    /// The total budget.
    All,
    /// The budget of a principal, by name.
    Principal(String),
}

impl SpendingBudget {
    pub(super) const fn how_to_raise(&self) -> &'static str {
        match self {
            Self::All => "raise judges.daily_budget",
            Self::Principal(_) => "raise daily_budget of the principal in security.principals",
        }
    }
}

impl fmt::Display for SpendingBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all callers"),
            Self::Principal(name) => f.write_str(name),
        }
    }
}
