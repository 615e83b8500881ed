//! This module says on whose behalf money is spent, and which budgets bound that. It counts nothing.

use std::fmt;

use crate::identity::Principal;
use crate::owner::Owner;

/// On whose behalf a call is made. The default is nobody, whom only the budget of all bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payer {
    owner: Owner,
    daily_budget: Option<u64>,
}

impl Payer {
    /// An owner with what may be spent on its behalf each day, in millionths of a dollar, `None` for no bound of its
    /// own. One without a name is nobody.
    #[must_use]
    pub fn new(owner: Owner, daily_budget: Option<u64>) -> Self {
        let is_nobody = owner.name().is_empty();
        Self { owner, daily_budget: daily_budget.filter(|_| !is_nobody) }
    }

    /// What may be spent on its behalf each day; `None` where only the budget of all bounds it.
    #[must_use]
    pub fn daily_budget(&self) -> Option<u64> {
        self.daily_budget
    }

    /// The name of the principal; empty of nobody.
    pub(in crate::judge) fn name(&self) -> &str {
        self.owner.name()
    }

    /// Its own budget; nobody has none.
    pub(in crate::judge) fn budget(&self) -> Option<Budget> {
        (!self.name().is_empty()).then(|| Budget::Principal(self.name().to_owned()))
    }

    /// Whether it may know what others have spent.
    pub(super) fn sees_all(&self) -> bool {
        self.owner.only().is_none()
    }
}

impl From<&Principal> for Payer {
    fn from(principal: &Principal) -> Self {
        Self::new(principal.owner().clone(), principal.daily_budget())
    }
}

/// What is counted against a limit of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Budget {
    /// What is spent on behalf of all callers together.
    All,
    /// What is spent on behalf of the principal of that name.
    Principal(String),
}

impl Budget {
    /// How it is raised.
    pub(super) const fn fix(&self) -> &'static str {
        match self {
            Self::All => "raise judges.daily_budget",
            Self::Principal(_) => "raise daily_budget of the principal in security.principals",
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all callers"),
            Self::Principal(name) => f.write_str(name),
        }
    }
}
