//! Ranks reports that are based on the same evidence by their decisions.

use core::cmp::Ordering;

use crate::fixed_point::Fraction;
use crate::tier::Tier;

/// The part of a report's outcome that determines its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportOutcome {
    /// The tier.
    pub tier: Tier,
    /// The score that determined the tier.
    pub score: Option<Fraction>,
    /// The number of claims at fault.
    pub at_fault: usize,
}

/// A report and its rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedReport {
    /// The report's index in the input.
    pub index: usize,
    /// The rank, starting at 1. Reports with equal outcomes share a rank.
    pub rank: usize,
    /// The other reports with the same rank, in input order.
    pub tied_with: Vec<usize>,
    /// The reason why the report ranks below the previous one; empty for the first report.
    pub reason: String,
}

/// Ranks reports, best first. Reports that were not judged (`None`) rank last.
#[must_use]
pub fn rank(outcomes: &[Option<ReportOutcome>]) -> Vec<RankedReport> {
    let mut order: Vec<(usize, Option<ReportOutcome>)> =
        outcomes.iter().copied().enumerate().collect();
    // A stable sort preserves the input order of equal outcomes.
    order.sort_by(|(_, a), (_, b)| better_first(*a, *b));
    let is_tied =
        |a: Option<ReportOutcome>, b: Option<ReportOutcome>| better_first(a, b) == Ordering::Equal;
    let mut ranked: Vec<RankedReport> = Vec::with_capacity(order.len());
    let mut previous: Option<(usize, Option<ReportOutcome>)> = None;
    for (position, (index, outcome)) in order.iter().copied().enumerate() {
        let tied_index = |(other, other_outcome): &(usize, Option<ReportOutcome>)| {
            (*other != index && is_tied(*other_outcome, outcome)).then_some(*other)
        };
        let is_tied_with_previous =
            previous.is_some_and(|(_, other_outcome)| is_tied(other_outcome, outcome));
        let rank = match ranked.last() {
            Some(last) if is_tied_with_previous => last.rank,
            _ => position + 1,
        };
        ranked.push(RankedReport {
            index,
            rank,
            tied_with: order.iter().filter_map(tied_index).collect(),
            reason: previous.map_or_else(String::new, |(other, other_outcome)| {
                explain_rank(other, other_outcome, outcome)
            }),
        });
        previous = Some((index, outcome));
    }
    ranked
}

fn better_first(a: Option<ReportOutcome>, b: Option<ReportOutcome>) -> Ordering {
    let (Some(a), Some(b)) = (a, b) else { return b.is_some().cmp(&a.is_some()) };
    a.tier
        .cmp(&b.tier)
        .then_with(|| b.score.cmp(&a.score))
        .then_with(|| a.at_fault.cmp(&b.at_fault))
}

fn explain_rank(
    other: usize,
    other_outcome: Option<ReportOutcome>,
    outcome: Option<ReportOutcome>,
) -> String {
    let (Some(other_outcome), Some(outcome)) = (other_outcome, outcome) else {
        return match other_outcome {
            Some(_) => format!("Behind candidate {other}: it was not judged."),
            None => {
                format!("Like candidate {other}, it was not judged; it is later in the request.")
            }
        };
    };
    if other_outcome.tier != outcome.tier {
        let (other_value, value) = (other_outcome.tier.name(), outcome.tier.name());
        return format!("Behind candidate {other}: its tier is {value} against {other_value}.");
    }
    if other_outcome.score != outcome.score {
        let (other_value, value) = (format_score(other_outcome.score), format_score(outcome.score));
        return format!("Behind candidate {other}: its score is {value} against {other_value}.");
    }
    if other_outcome.at_fault != outcome.at_fault {
        let (other_value, value) = (other_outcome.at_fault, outcome.at_fault);
        return format!(
            "Behind candidate {other}: {value} of its claims are at fault against {other_value}."
        );
    }
    format!("Equal to candidate {other}; it is later in the request.")
}

fn format_score(score: Option<Fraction>) -> String {
    score.map_or_else(|| "none".to_owned(), |score| score.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(tier: Tier, score: Option<(u128, u128)>, at_fault: usize) -> Option<ReportOutcome> {
        let score = score.and_then(|(n, d)| Fraction::new(n, d));
        Some(ReportOutcome { tier, score, at_fault })
    }

    fn order(outcomes: &[Option<ReportOutcome>]) -> Vec<(usize, usize)> {
        rank(outcomes).iter().map(|report| (report.index, report.rank)).collect()
    }

    #[test]
    fn ranks_by_tier_then_by_score_then_by_claims_at_fault() {
        let outcomes = [
            None,
            outcome(Tier::Abstain, None, 0),
            outcome(Tier::Replan, Some((99, 100)), 0),
            outcome(Tier::Proceed, Some((4, 5)), 2),
            outcome(Tier::Proceed, Some((5, 6)), 9),
            outcome(Tier::Proceed, Some((8, 10)), 1),
            outcome(Tier::Regenerate, Some((1, 1)), 0),
        ];
        let expected = [(4, 1), (5, 2), (3, 3), (6, 4), (2, 5), (1, 6), (0, 7)];
        assert_eq!(order(&outcomes), expected);
        let reasons: Vec<String> =
            rank(&outcomes).into_iter().map(|report| report.reason).collect();
        assert_eq!(reasons[0], "");
        assert_eq!(reasons[1], "Behind candidate 4: its score is 4/5 against 5/6.");
        assert_eq!(reasons[2], "Behind candidate 5: 2 of its claims are at fault against 1.");
        assert_eq!(reasons[3], "Behind candidate 3: its tier is regenerate against proceed.");
        assert_eq!(reasons[6], "Behind candidate 1: it was not judged.");
    }

    #[test]
    fn equal_outcomes_share_a_rank_and_keep_their_input_order() {
        let tied = outcome(Tier::Proceed, Some((1, 1)), 0);
        let outcomes = [outcome(Tier::Replan, None, 1), tied, None, tied, None];
        assert_eq!(order(&outcomes), [(1, 1), (3, 1), (0, 3), (2, 4), (4, 4)]);
        let ranked = rank(&outcomes);
        assert_eq!(
            (ranked[0].tied_with.as_slice(), ranked[1].tied_with.as_slice()),
            (&[3][..], &[1][..])
        );
        assert!(ranked[1].reason.starts_with("Equal to candidate 1"));
    }

    #[test]
    fn scores_are_compared_exactly() {
        let a = outcome(Tier::Proceed, Some((10_000_000_000_000_000, 10_000_000_000_000_001)), 0);
        let b = outcome(Tier::Proceed, Some((10_000_000_000_000_001, 10_000_000_000_000_002)), 0);
        assert_eq!(order(&[a, b]), [(1, 1), (0, 2)]);
    }
}
