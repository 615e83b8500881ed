//! This module holds the worth of rules against cases that they were not chosen by: folds of whole cases. It prints
//! nothing.

use gsar_core::Class;
use gsar_extraction::rules::RuleId;
use serde::Serialize;

use super::counted::Totals;
use super::rulings::{Row, Said};

/// A rule earns its place with this much more recall of either class: one claim in 200, half a point.
const EARNED: i64 = 200;

/// What a rule adds to recall, in points, from fold to fold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Spread {
    /// The least of all folds, in percentage points.
    pub(super) least: f64,
    /// The greatest of all folds, in percentage points.
    pub(super) greatest: f64,
}

/// What a rule is worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Worth {
    /// What it adds to the recall of grounded claims; absent where no fold has any.
    pub(super) grounded: Option<Spread>,
    /// What it adds to the recall of contradicted claims.
    pub(super) contradicted: Option<Spread>,
    /// The number of folds that keep it, chosen by the cases of the other folds.
    pub(super) kept: usize,
}

/// What comes of folds.
pub(super) struct Folded {
    /// For each rule what it is worth.
    pub(super) worth: Vec<(RuleId, Worth)>,
    /// What is said of each fold by the rules that the others keep, over all folds.
    pub(super) totals: Totals,
}

/// How many more claims of a class are said to be of it with a rule than without, and how many there are.
#[derive(Clone, Copy, Default)]
struct Gain {
    more: i64,
    of: i64,
}

impl Gain {
    fn points(self) -> Option<f64> {
        let exact = |number: i64| i32::try_from(number).ok().map(f64::from);
        (self.of > 0).then(|| Some(exact(self.more)? * 100.0 / exact(self.of)?)).flatten()
    }

    const fn is_earned(self) -> bool {
        self.more > 0 && self.more * EARNED >= self.of
    }
}

/// Deals the cases to folds and measures each rule, and the rules that would be kept.
pub(super) fn folded(rows: &[Row], cases: &[String], folds: usize, rules: &[RuleId]) -> Folded {
    let fold_of = deal(cases, folds);
    let fold = |row: &Row| fold_of.get(row.case).copied().unwrap_or_default();
    let mut worth = Vec::new();
    let mut kept: Vec<(usize, RuleId)> = Vec::new();
    for rule in rules {
        let gains = |class| -> Vec<Gain> {
            (0..folds).map(|at| gain(rows, *rule, class, |row| fold(row) == at)).collect()
        };
        let (grounded, contradicted) = (gains(Class::Grounded), gains(Class::Contradicted));
        let kept_in: Vec<usize> = (0..folds)
            .filter(|at| {
                others(&grounded, *at).is_earned() || others(&contradicted, *at).is_earned()
            })
            .collect();
        kept.extend(kept_in.iter().map(|at| (*at, *rule)));
        let (grounded, contradicted) = (spread(&grounded), spread(&contradicted));
        worth.push((*rule, Worth { grounded, contradicted, kept: kept_in.len() }));
    }
    let totals = Totals::new(rows.iter().map(|row| {
        let fold = fold(row);
        (row, row.said_by(|rule| kept.contains(&(fold, rule))))
    }));
    Folded { worth, totals }
}

/// The fold of each case: in the order of their names, one after the other, so that alike names are spread.
fn deal(cases: &[String], folds: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|at| cases.get(*at));
    let mut fold_of = vec![0; cases.len()];
    for (place, case) in order.into_iter().enumerate() {
        if let Some(fold) = fold_of.get_mut(case) {
            *fold = place % folds.max(1);
        }
    }
    fold_of
}

fn gain(rows: &[Row], rule: RuleId, class: Class, among: impl Fn(&Row) -> bool) -> Gain {
    let mut gain = Gain::default();
    for row in rows.iter().filter(|row| row.class == class && among(row)) {
        let is_found = |said: Said| i64::from(said.class() == Some(class));
        gain.of += 1;
        gain.more += is_found(row.said_by(|_| true)) - is_found(row.said_by(|of| of != rule));
    }
    gain
}

/// The gain in all folds but one.
fn others(gains: &[Gain], fold: usize) -> Gain {
    let others = gains.iter().enumerate().filter(|(at, _)| *at != fold);
    others.fold(Gain::default(), |sum, (_, gain)| Gain {
        more: sum.more + gain.more,
        of: sum.of + gain.of,
    })
}

fn spread(gains: &[Gain]) -> Option<Spread> {
    let mut points: Vec<f64> = gains.iter().filter_map(|gain| gain.points()).collect();
    points.sort_unstable_by(f64::total_cmp);
    Some(Spread { least: *points.first()?, greatest: *points.last()? })
}

#[cfg(test)]
mod tests {
    use super::super::rulings::tests::row;
    use super::*;
    use Class::{Contradicted as X, Grounded as G};

    fn names(number: usize) -> Vec<String> {
        (0..number).map(|at| format!("case/{at:02}")).collect()
    }

    #[test]
    fn cases_are_dealt_by_name_and_evenly() {
        let mut cases = names(5);
        cases.swap(0, 4);
        assert_eq!(deal(&cases, 2), [0, 1, 0, 1, 0]);
        assert_eq!(deal(&names(4), 3), [0, 1, 2, 0]);
    }

    #[test]
    fn a_rule_of_one_case_is_not_kept_where_that_case_is_held_out() {
        let (value, rank) = (RuleId("value"), RuleId("rank"));
        let rows = [
            row(0, G, &["+value", "+rank"]),
            row(0, X, &[]),
            row(1, G, &["+value"]),
            row(2, G, &["+value"]),
            row(2, G, &["+rank"]),
            row(3, G, &[]),
        ];
        let Folded { worth, totals } = folded(&rows, &names(4), 4, &[value, rank]);
        let of = |rule| &worth.iter().find(|(of, _)| *of == rule).unwrap().1;
        assert_eq!(of(value).grounded, Some(Spread { least: 0.0, greatest: 100.0 }));
        assert_eq!(of(value).contradicted, Some(Spread { least: 0.0, greatest: 0.0 }));
        assert_eq!(of(value).kept, 4);
        assert_eq!(of(rank).kept, 3, "without case 2 it brings nothing that value does not");
        assert_eq!((totals.grounded_recall.hits, totals.grounded_recall.of), (3, 5));
    }

    #[test]
    fn half_a_point_earns_a_place() {
        assert!(Gain { more: 1, of: 200 }.is_earned());
        assert!(!Gain { more: 1, of: 201 }.is_earned());
        assert!(!Gain { more: 0, of: 0 }.is_earned());
        assert!(!Gain { more: -1, of: 5 }.is_earned());
    }
}
