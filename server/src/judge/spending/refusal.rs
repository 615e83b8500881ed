//! This module says why a call is not allowed, and how much of that its caller may know.

use std::fmt;

use gsar_core::time::Timestamp;

use super::money::{Dollars, written};
use super::payer::{Budget, Payer};

/// Why a call is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A budget of the day does not suffice.
    #[error(
        "the daily budget of {budget} is {}, of which {spent}, and this call may cost {}; {}, or try again after {}",
        Dollars(*limit), Dollars(*estimate), budget.fix(), written(*resets_at)
    )]
    Spent {
        /// Which one.
        budget: Budget,
        /// What may be spent of it in a day, in millionths of a dollar.
        limit: u64,
        /// What was spent and reserved of it today.
        spent: Spent,
        /// What was asked for, in millionths of a dollar.
        estimate: u64,
        /// When the next day begins.
        resets_at: Timestamp,
    },
    /// Whether the budgets suffice cannot be known.
    #[error("no call is made while the budget cannot be written down: {reason}")]
    Unavailable {
        /// What happened, and the fix.
        reason: String,
    },
}

/// What was spent and reserved of a budget today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// As many millionths of a dollar.
    Micros(u64),
    /// Too much; how much says what others spend.
    TooMuch,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Micros(micros) => write!(f, "{} are spent or set aside", Dollars(*micros)),
            Self::TooMuch => f.write_str("too little is left"),
        }
    }
}

impl Refusal {
    /// As the caller may know it on whose behalf the call would have been.
    pub(super) fn shown_to(self, payer: &Payer) -> Self {
        match self {
            Self::Spent { budget: Budget::All, limit, estimate, resets_at, .. }
                if !payer.sees_all() =>
            {
                let (budget, spent) = (Budget::All, Spent::TooMuch);
                Self::Spent { budget, limit, spent, estimate, resets_at }
            }
            other => other,
        }
    }
}
