//! The principal on whose behalf money is spent, and the budgets that limit it.

use std::fmt;

use crate::identity::Principal;
use crate::owner::Owner;

/// The principal that a call is charged to. The default has no name and is limited by the total budget only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payer {
    owner: Owner,
    daily_budget: Option<u64>,
}

impl Payer {
    /// Creates a payer with a daily budget in millionths of a dollar; `None` for no budget of its own. An owner without a
    /// name has no budget of its own.
    #[must_use]
    pub fn new(owner: Owner, daily_budget: Option<u64>) -> Self {
        let is_nobody = owner.name().is_empty();
        Self { owner, daily_budget: daily_budget.filter(|_| !is_nobody) }
    }

    /// Returns its daily budget in millionths of a dollar; `None` if only the total budget applies.
    #[must_use]
    pub fn daily_budget(&self) -> Option<u64> {
        self.daily_budget
    }

    /// Returns the name of the principal; empty for the default payer.
    pub(in crate::judge) fn name(&self) -> &str {
        self.owner.name()
    }

    /// Returns its own budget; `None` for the default payer.
    pub(in crate::judge) fn budget(&self) -> Option<SpendingBudget> {
        (!self.name().is_empty()).then(|| SpendingBudget::Principal(self.name().to_owned()))
    }

    /// Returns `true` if it may see the spending of others.
    pub(super) fn sees_all(&self) -> bool {
        self.owner.only().is_none()
    }
}

impl From<&Principal> for Payer {
    fn from(principal: &Principal) -> Self {
        Self::new(principal.owner().clone(), principal.daily_budget())
    }
}

/// A daily budget of money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpendingBudget {
    /// The total budget of all callers.
    All,
    /// The budget of the principal with this name.
    Principal(String),
}

impl SpendingBudget {
    /// Returns the advice for raising it.
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
