//! Finds the ranges in a report that are in no assertion.

use super::{Assertion, Reason, Uncovered, merge_ranges, subtract, visible};

pub(super) fn uncovered(
    report: &str,
    assertions: &[Assertion],
    non_claims: &[Uncovered],
) -> Vec<Uncovered> {
    let claimed = merge_ranges(assertions.iter().map(|assertion| assertion.span.clone()).collect());
    let mut remaining = subtract(&visible(report), &claimed);
    let mut uncovered_ranges = Vec::new();
    for reason in Reason::ALL.into_iter().filter(|reason| *reason != Reason::Markup) {
        let matching = non_claims.iter().filter(|non_claim| non_claim.reason == reason);
        let spans = merge_ranges(matching.map(|non_claim| non_claim.span.clone()).collect());
        let unmatched = subtract(&remaining, &spans);
        uncovered_ranges.extend(
            subtract(&remaining, &unmatched).into_iter().map(|span| Uncovered { span, reason }),
        );
        remaining = unmatched;
    }
    uncovered_ranges
        .extend(remaining.into_iter().map(|span| Uncovered { span, reason: Reason::Markup }));
    uncovered_ranges.sort_by_key(|uncovered| uncovered.span.start);
    uncovered_ranges
}
