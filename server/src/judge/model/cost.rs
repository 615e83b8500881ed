//! Reserves the estimated cost of a call, and settles the actual cost afterwards.

use gsar_chat::{Request, Usage};

use super::{AskError, ModelJudge};
use crate::judge::spending::{Payer, Refusal, Reservation};

/// The assumed number of bytes per token. It is below the average, so that costs are overestimated rather
/// than underestimated.
const BYTES_PER_TOKEN: u64 = 3;

/// A call's reserved cost. If it is dropped, the estimate is settled, since the call was sent.
pub(super) struct ReservedCost {
    reservation: Option<Reservation>,
    estimate: u64,
}

impl Drop for ReservedCost {
    fn drop(&mut self) {
        if let Some(reservation) = self.reservation.take() {
            reservation.settle(self.estimate);
        }
    }
}

/// Settles a call's cost in millionths of a dollar. `None` settles the estimate.
pub(super) fn settle(reserved: Option<ReservedCost>, cost: Option<u64>) {
    let Some(mut reserved) = reserved else { return };
    if let (Some(cost), Some(reservation)) = (cost, reserved.reservation.take()) {
        reservation.settle(cost);
    }
}

impl ModelJudge {
    /// Reserves a call's estimated cost. Returns `None` if there is no price or no budget.
    pub(super) async fn reserve_cost(
        &self,
        request: &Request,
        payer: &Payer,
    ) -> Result<Option<ReservedCost>, AskError> {
        let (price, spending) = match (&self.options.price, &self.options.spending) {
            (Some(price), Some(spending)) => (price, spending),
            // A principal's budget may have been set after the startup check that requires prices.
            (None, _) if payer.daily_budget().is_some() => return Err(price_missing()),
            _ => return Ok(None),
        };
        let turns: usize = request.messages.iter().map(|turn| turn.text.len()).sum();
        let bytes = (request.system.len() + turns) as u64;
        let output = u64::from(self.options.max_output_tokens);
        let usage = Usage { input: bytes / BYTES_PER_TOKEN, output, cached: None, reasoning: None };
        let estimate = price.cost(&usage);
        match spending.admit(&self.name, payer, estimate).await {
            Ok(reservation) => Ok(Some(ReservedCost { reservation: Some(reservation), estimate })),
            Err(refusal @ Refusal::Exhausted { .. }) => {
                Err(AskError::failed("BUDGET_SPENT", &refusal))
            }
            Err(refusal) => Err(AskError::failed("BUDGET_UNAVAILABLE", &refusal)),
        }
    }
}

fn price_missing() -> AskError {
    let reason = "the price of the model is unknown, but the principal has a daily budget; set input_price and output_price";
    AskError::Failed { code: "BUDGET_UNAVAILABLE", reason: reason.to_owned() }
}
