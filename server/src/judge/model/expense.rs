//! This module reserves what a call may cost before it and settles it afterwards.

use gsar_chat::{Request, Usage};

use super::{Failed, ModelJudge, otherwise};
use crate::judge::spending::{Refusal, Reservation};

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
    /// Sets aside what a call may cost; nothing where its price is not known or nobody counts.
    pub(super) async fn expense(&self, request: &Request) -> Result<Option<Expense>, Failed> {
        let (Some(price), Some(spending)) = (&self.options.price, &self.options.spending) else {
            return Ok(None);
        };
        let turns: usize = request.messages.iter().map(|turn| turn.text.len()).sum();
        let bytes = (request.system.len() + turns) as u64;
        let output = u64::from(self.options.max_output_tokens);
        let usage = Usage { input: bytes / BYTES_OF_TOKEN, output, cached: None, reasoning: None };
        let estimate = price.cost(&usage);
        match spending.admit(&self.name, estimate).await {
            Ok(reservation) => Ok(Some(Expense { reservation: Some(reservation), estimate })),
            Err(refusal @ Refusal::Spent { .. }) => Err(otherwise("BUDGET_SPENT", &refusal)),
            Err(refusal) => Err(otherwise("BUDGET_UNAVAILABLE", &refusal)),
        }
    }
}
