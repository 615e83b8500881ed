//! This module reserves what a call may cost before it and settles it afterwards.

use gsar_chat::{Request, Usage};

use super::{Failed, ModelJudge, otherwise};
use crate::judge::spending::{Payer, Refusal, Reservation};

/// The bytes of a prompt that count as one token: fewer than a token has, so that rather too much is reserved.
const BYTES_OF_TOKEN: u64 = 3;

/// What was set aside for a call. A call that is given up after it was sent counts as estimated.
pub(super) struct Expense {
    reservation: Option<Reservation>,
    estimate: u64,
}

impl Drop for Expense {
    fn drop(&mut self) {
        if let Some(reservation) = self.reservation.take() {
            reservation.settle(self.estimate);
        }
    }
}

/// Settles what a call cost, in millionths of a dollar; the estimate where the provider does not say.
pub(super) fn settle(expense: Option<Expense>, cost: Option<u64>) {
    let Some(mut expense) = expense else { return };
    if let (Some(cost), Some(reservation)) = (cost, expense.reservation.take()) {
        reservation.settle(cost);
    }
}

impl ModelJudge {
    /// Sets aside what a call on somebody's behalf may cost; nothing where its price is not known or nobody counts.
    pub(super) async fn expense(
        &self,
        request: &Request,
        payer: &Payer,
    ) -> Result<Option<Expense>, Failed> {
        let (price, spending) = match (&self.options.price, &self.options.spending) {
            (Some(price), Some(spending)) => (price, spending),
            // Principals may have been given budgets since the server has checked its models.
            (None, _) if payer.daily_budget().is_some() => return Err(unpriced()),
            _ => return Ok(None),
        };
        let turns: usize = request.messages.iter().map(|turn| turn.text.len()).sum();
        let bytes = (request.system.len() + turns) as u64;
        let output = u64::from(self.options.max_output_tokens);
        let usage = Usage { input: bytes / BYTES_OF_TOKEN, output, cached: None, reasoning: None };
        let estimate = price.cost(&usage);
        match spending.admit(&self.name, payer, estimate).await {
            Ok(reservation) => Ok(Some(Expense { reservation: Some(reservation), estimate })),
            Err(refusal @ Refusal::Spent { .. }) => Err(otherwise("BUDGET_SPENT", &refusal)),
            Err(refusal) => Err(otherwise("BUDGET_UNAVAILABLE", &refusal)),
        }
    }
}

fn unpriced() -> Failed {
    let reason = "what it costs is not known, and the daily budget of the principal counts that; give input_price and output_price";
    Failed::Otherwise { code: "BUDGET_UNAVAILABLE", reason: reason.to_owned() }
}
