//! This module ranks reports over the same evidence by what was decided on them. It decides on none.

use core::cmp::Ordering;

use crate::decision::Tier;
use crate::fixed::Fraction;
use crate::outer_loop::compare;

/// What came of one report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The tier.
    pub tier: Tier,
    /// The score it was decided on.
    pub score: Option<Fraction>,
    /// How many of its claims are at fault, a count.
    pub at_fault: usize,
}

/// A report with its place among others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which report it is, in the order given.
    pub index: usize,
    /// Its rank, from 1; reports with nothing between them have the same.
    pub rank: usize,
    /// The reports of the same rank, in the order given.
    pub tied_with: Vec<usize>,
    /// Why it is behind the one before it; empty for the first.
    pub reason: String,
}

/// Ranks reports, the best first: by tier, then by score, then by fewer claims at fault, then in the order given.
/// `None` stands for a report that nobody judged, which is behind all others.
#[must_use]
pub fn rank(outcomes: &[Option<Outcome>]) -> Vec<Place> {
    let mut order: Vec<(usize, Option<Outcome>)> = outcomes.iter().copied().enumerate().collect();
    // The sort is stable, so that reports with nothing between them stay in the order given.
    order.sort_by(|(_, a), (_, b)| better_first(*a, *b));
    let is_tied = |a: Option<Outcome>, b: Option<Outcome>| better_first(a, b) == Ordering::Equal;
    let mut places: Vec<Place> = Vec::with_capacity(order.len());
    let mut before: Option<(usize, Option<Outcome>)> = None;
    for (at, (index, outcome)) in order.iter().copied().enumerate() {
        let of_same = |(other, its): &(usize, Option<Outcome>)| {
            (*other != index && is_tied(*its, outcome)).then_some(*other)
        };
        let same_as_before = before.is_some_and(|(_, its)| is_tied(its, outcome));
        let rank = match places.last() {
            Some(last) if same_as_before => last.rank,
            _ => at + 1,
        };
        places.push(Place {
            index,
            rank,
            tied_with: order.iter().filter_map(of_same).collect(),
            reason: before.map_or_else(String::new, |(other, its)| behind(other, its, outcome)),
        });
        before = Some((index, outcome));
    }
    places
}

fn better_first(a: Option<Outcome>, b: Option<Outcome>) -> Ordering {
    let (Some(a), Some(b)) = (a, b) else { return b.is_some().cmp(&a.is_some()) };
    a.tier
        .cmp(&b.tier)
        .then_with(|| score(b.score, a.score))
        .then_with(|| a.at_fault.cmp(&b.at_fault))
}

/// No score is the least.
fn score(a: Option<Fraction>, b: Option<Fraction>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => compare(a, b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// Why a report is behind the one before it.
fn behind(other: usize, before: Option<Outcome>, outcome: Option<Outcome>) -> String {
    let (Some(before), Some(outcome)) = (before, outcome) else {
        return match before {
            Some(_) => format!("Behind candidate {other}: no judge judged it."),
            None => format!("As candidate {other}, it was judged by nobody; it comes later."),
        };
    };
    if before.tier != outcome.tier {
        let (was, is) = (before.tier.name(), outcome.tier.name());
        return format!("Behind candidate {other}: its tier is {is} against {was}.");
    }
    if score(before.score, outcome.score) != Ordering::Equal {
        let (was, is) = (shown(before.score), shown(outcome.score));
        return format!("Behind candidate {other}: its score is {is} against {was}.");
    }
    if before.at_fault != outcome.at_fault {
        let (was, is) = (before.at_fault, outcome.at_fault);
        return format!("Behind candidate {other}: {is} of its claims are at fault against {was}.");
    }
    format!("Nothing is between it and candidate {other}; it comes later in the request.")
}

fn shown(score: Option<Fraction>) -> String {
    match score {
        Some(score) => format!("{}/{}", score.numerator(), score.denominator()),
        None => String::from("none"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(tier: Tier, score: Option<(u128, u128)>, at_fault: usize) -> Option<Outcome> {
        let score = score.and_then(|(n, d)| Fraction::new(n, d));
        Some(Outcome { tier, score, at_fault })
    }

    fn order(outcomes: &[Option<Outcome>]) -> Vec<(usize, usize)> {
        rank(outcomes).iter().map(|place| (place.index, place.rank)).collect()
    }

    #[test]
    fn tier_goes_before_score_and_score_before_faults() {
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
        let reasons: Vec<String> = rank(&outcomes).into_iter().map(|place| place.reason).collect();
        assert_eq!(reasons[0], "");
        assert_eq!(reasons[1], "Behind candidate 4: its score is 4/5 against 5/6.");
        assert_eq!(reasons[2], "Behind candidate 5: 2 of its claims are at fault against 1.");
        assert_eq!(reasons[3], "Behind candidate 3: its tier is regenerate against proceed.");
        assert_eq!(reasons[6], "Behind candidate 1: no judge judged it.");
    }

    #[test]
    fn reports_with_nothing_between_them_share_a_rank_in_the_order_given() {
        let same = outcome(Tier::Proceed, Some((1, 1)), 0);
        let outcomes = [outcome(Tier::Replan, None, 1), same, None, same, None];
        assert_eq!(order(&outcomes), [(1, 1), (3, 1), (0, 3), (2, 4), (4, 4)]);
        let places = rank(&outcomes);
        assert_eq!(
            (places[0].tied_with.as_slice(), places[1].tied_with.as_slice()),
            (&[3][..], &[1][..])
        );
        assert!(places[1].reason.starts_with("Nothing is between it and candidate 1"));
    }

    #[test]
    fn scores_that_round_to_the_same_number_differ() {
        let a = outcome(Tier::Proceed, Some((10_000_000_000_000_000, 10_000_000_000_000_001)), 0);
        let b = outcome(Tier::Proceed, Some((10_000_000_000_000_001, 10_000_000_000_000_002)), 0);
        assert_eq!(order(&[a, b]), [(1, 1), (0, 2)]);
    }
}
