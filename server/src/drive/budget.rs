//! An investigation's budget.

use gsar_core::outer_loop::StopCause;
use gsar_proto::v1;

/// Adds the cost of an evaluation. Calls answered from a cache are free.
pub(super) fn add_cost(spent: &mut v1::Spent, answer: &v1::EvaluateResponse) {
    let links = answer.provenance.iter().flat_map(|provenance| &provenance.judges);
    for call in links.flat_map(|link| &link.calls).filter(|call| !call.from_cache) {
        let tokens = call.input_tokens.saturating_add(call.output_tokens);
        spent.judge_calls = spent.judge_calls.saturating_add(1);
        spent.tokens = spent.tokens.saturating_add(tokens);
        spent.cost_micros = spent.cost_micros.saturating_add(call.cost_micros.unwrap_or(0));
    }
}

pub(super) fn add(spent: &mut v1::Spent, step: &v1::Spent) {
    spent.judge_calls = spent.judge_calls.saturating_add(step.judge_calls);
    spent.tokens = spent.tokens.saturating_add(step.tokens);
    spent.cost_micros = spent.cost_micros.saturating_add(step.cost_micros);
}

pub(super) fn exhausted_budget(
    budget: &v1::InvestigationBudget,
    spent: &v1::Spent,
    elapsed_micros: u64,
) -> Option<StopCause> {
    let is_exhausted = |bound: u64, spent: u64| bound > 0 && spent >= bound;
    let wall_clock = budget.wall_clock.as_ref().map(|bound| {
        let micros = u64::try_from(bound.seconds).unwrap_or(0).saturating_mul(1_000_000);
        micros.saturating_add(u64::try_from(bound.nanos / 1_000).unwrap_or(0))
    });
    let causes = [
        (
            is_exhausted(budget.judge_calls.into(), spent.judge_calls.into()),
            StopCause::JudgeCallsSpent,
        ),
        (is_exhausted(budget.tokens, spent.tokens), StopCause::TokensSpent),
        (is_exhausted(budget.cost_micros, spent.cost_micros), StopCause::MoneySpent),
        (wall_clock.is_some_and(|bound| elapsed_micros >= bound), StopCause::TimeSpent),
    ];
    causes.into_iter().find(|(is_exhausted, _)| *is_exhausted).map(|(_, cause)| cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_the_first_exhausted_limit() {
        let second = prost_types::Duration { seconds: 1, nanos: 0 };
        let budget = v1::InvestigationBudget {
            judge_calls: 2,
            tokens: 100,
            cost_micros: 0,
            wall_clock: Some(second),
        };
        let spent = |judge_calls, tokens| v1::Spent { judge_calls, tokens, ..Default::default() };
        assert_eq!(exhausted_budget(&budget, &spent(1, 99), 999_999), None);
        assert_eq!(exhausted_budget(&budget, &spent(1, 100), 0), Some(StopCause::TokensSpent));
        assert_eq!(exhausted_budget(&budget, &spent(2, 100), 0), Some(StopCause::JudgeCallsSpent));
        assert_eq!(exhausted_budget(&budget, &spent(0, 0), 1_000_000), Some(StopCause::TimeSpent));
        assert_eq!(
            exhausted_budget(&v1::InvestigationBudget::default(), &spent(9, 9), u64::MAX),
            None
        );
    }
}
