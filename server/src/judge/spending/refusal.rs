//! The reasons for refusing a call.

use std::fmt;

use gsar_core::time::Timestamp;

use super::money::{Dollars, format_instant};
use super::payer::{Payer, SpendingBudget};

/// The reason for refusing a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A daily budget is too small.
    #[error(
        "the daily budget of {budget} is {}, of which {spent}, and this call may cost up to {}; {}, or try again after {}",
        Dollars(*limit), Dollars(*estimate), budget.how_to_raise(), format_instant(*resets_at)
    )]
    Exhausted {
        /// The budget.
        budget: SpendingBudget,
        /// The daily limit, in millionths of a dollar.
        limit: u64,
        /// The amount spent and reserved today.
        spent: SpentAmount,
        /// The amount to reserve, in millionths of a dollar.
        estimate: u64,
        /// The start of the next day.
        resets_at: Timestamp,
    },
    /// The budget cannot be read or written.
    #[error("no calls are made while their cost cannot be recorded: {reason}")]
    Unavailable {
        /// The cause and the fix.
        reason: String,
    },
}

/// The amount spent and reserved today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpentAmount {
    /// The amount in millionths of a dollar.
    Micros(u64),
    /// Not disclosed, since it would reveal the spending of others.
    Undisclosed,
}

impl fmt::Display for SpentAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Micros(micros) => write!(f, "{} is spent or reserved", Dollars(*micros)),
            Self::Undisclosed => f.write_str("too little is left"),
        }
    }
}

impl Refusal {
    pub(super) fn redacted_for(self, payer: &Payer) -> Self {
        match self {
            Self::Exhausted { budget: SpendingBudget::All, limit, estimate, resets_at, .. }
                if !payer.sees_all() =>
            {
                let (budget, spent) = (SpendingBudget::All, SpentAmount::Undisclosed);
                Self::Exhausted { budget, limit, spent, estimate, resets_at }
            }
            other => other,
        }
    }
}
