//! Finds the ranges in a report that are in no assertion.

use super::{Assertion, Reason, Uncovered, merge_ranges, subtract, visible};

pub(super) fn uncovered(
    report: &str,
    assertions: &[Assertion],
    non_claims: &[Uncovered],
) -> Vec<Uncovered> {
    let claimed = merge_ranges(assertions.iter().map(|assertion| assertion.span.clone()).collect());
    let mut rest = subtract(&visible(report), &claimed);
    let mut all = Vec::new();
    for reason in Reason::ALL.into_iter().filter(|reason| *reason != Reason::Markup) {
        let matching = non_claims.iter().filter(|non_claim| non_claim.reason == reason);
        let spans = merge_ranges(matching.map(|non_claim| non_claim.span.clone()).collect());
        let left = subtract(&rest, &spans);
        all.extend(subtract(&rest, &left).into_iter().map(|span| Uncovered { span, reason }));
        rest = left;
    }
    all.extend(rest.into_iter().map(|span| Uncovered { span, reason: Reason::Markup }));
    all.sort_by_key(|uncovered| uncovered.span.start);
    all
}
