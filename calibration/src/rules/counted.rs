//! This module counts what rules say against what people say. It prints nothing.

use gsar_core::Class;
use gsar_extraction::rules::RuleId;
use serde::Serialize;

use super::rulings::{Row, Said};
use crate::statistics::{Counts, Interval, Share, per_case, wilson};

/// Some of many, with the 95 % interval of the share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Count {
    /// How many of `of` are so.
    pub(super) hits: u32,
    /// How many could be so.
    pub(super) of: u32,
    /// The interval of the share, low and high, in percent; absent where there is too little to say.
    pub(super) interval: Option<[f64; 2]>,
}

impl Count {
    fn by_case(share: &Share) -> Self {
        Self::new(share.counts, share.interval)
    }

    fn single(counts: Counts) -> Self {
        Self::new(counts, wilson(counts))
    }

    fn new(Counts { hits, of }: Counts, interval: Option<Interval>) -> Self {
        let percent = |interval: Interval| [interval.low * 100.0, interval.high * 100.0];
        Self { hits, of, interval: interval.map(percent) }
    }
}

/// What rules together say. Complementary claims are neither right nor wrong to rule on and stand apart.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Totals {
    pub(super) grounded_precision: Count,
    pub(super) grounded_recall: Count,
    pub(super) contradicted_precision: Count,
    pub(super) contradicted_recall: Count,
    /// Of complementary claims, those that are supported.
    pub(super) complementary_supported: Count,
    /// Of complementary claims, those that are refuted.
    pub(super) complementary_refuted: Count,
}

impl Totals {
    /// Counts what is said of each row; intervals come of drawing cases.
    pub(super) fn new<'a>(rows: impl Iterator<Item = (&'a Row, Said)>) -> Self {
        let rows: Vec<(&Row, Said)> = rows.collect();
        let count = |of: &dyn Fn(&Row, Said) -> bool, hit: &dyn Fn(&Row, Said) -> bool| {
            let of = |(row, said): &(&Row, Said)| of(row, *said);
            let hit = |(row, said): &(&Row, Said)| hit(row, *said);
            Count::by_case(&Share::by_claim(&per_case(&rows, |(row, _)| row.case, of, hit)))
        };
        let precision = |wanted: Said| {
            count(&|row, said| said == wanted && is_judged(row), &|row, said| is_right(row, said))
        };
        let recall = |class: Class, wanted: Said| {
            count(&|row, _| row.class == class, &|_, said| said == wanted)
        };
        Self {
            grounded_precision: precision(Said::Supported),
            grounded_recall: recall(Class::Grounded, Said::Supported),
            contradicted_precision: precision(Said::Refuted),
            contradicted_recall: recall(Class::Contradicted, Said::Refuted),
            complementary_supported: recall(Class::Complementary, Said::Supported),
            complementary_refuted: recall(Class::Complementary, Said::Refuted),
        }
    }

    /// What the rules that are kept say of rows.
    pub(super) fn by(rows: &[Row], kept: impl Fn(RuleId) -> bool) -> Self {
        Self::new(rows.iter().map(|row| (row, row.said_by(&kept))))
    }
}

/// What one rule by itself says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Alone {
    /// How many claims it rules on, complementary ones apart.
    pub(super) applied: u32,
    /// How many of `applied` are right.
    pub(super) right: u32,
    /// How many of `applied` are wrong.
    pub(super) wrong: u32,
    /// Right of applied, with Wilson's interval.
    pub(super) precision: Count,
    /// Right of those that it supports.
    pub(super) supports: Count,
    /// Right of those that it refutes.
    pub(super) refutes: Count,
    /// How many complementary claims it rules on.
    pub(super) complementary: u32,
}

impl Alone {
    pub(super) fn new(rows: &[Row], rule: RuleId) -> Self {
        let (mut supports, mut refutes) = (Counts::default(), Counts::default());
        let mut complementary = 0;
        for row in rows {
            let said = row.said_alone(rule);
            let counts = match said {
                Said::Supported => &mut supports,
                Said::Refuted => &mut refutes,
                Said::Nothing => continue,
            };
            if is_judged(row) {
                counts.of += 1;
                counts.hits += u32::from(is_right(row, said));
            } else {
                complementary += 1;
            }
        }
        let all = Counts { hits: supports.hits + refutes.hits, of: supports.of + refutes.of };
        Self {
            applied: all.of,
            right: all.hits,
            wrong: all.of - all.hits,
            precision: Count::single(all),
            supports: Count::single(supports),
            refutes: Count::single(refutes),
            complementary,
        }
    }
}

fn is_judged(row: &Row) -> bool {
    row.class != Class::Complementary
}

/// Whether a person says the same class.
pub(super) fn is_right(row: &Row, said: Said) -> bool {
    said.class() == Some(row.class)
}

#[cfg(test)]
mod tests {
    use super::super::rulings::tests::row;
    use super::*;
    use Class::{Complementary as C, Contradicted as X, Grounded as G, Ungrounded as U};

    fn rows() -> Vec<Row> {
        vec![
            row(0, G, &["+value"]),
            row(0, G, &["+value", "-owner"]),
            row(0, G, &[]),
            row(1, X, &["-owner"]),
            row(1, U, &["-owner"]),
            row(1, C, &["+value"]),
            row(1, U, &["+value"]),
        ]
    }

    fn counted(count: Count) -> (u32, u32) {
        (count.hits, count.of)
    }

    #[test]
    fn totals_leave_out_claims_on_which_rules_differ_and_count_complementary_ones_apart() {
        let totals = Totals::by(&rows(), |_| true);
        assert_eq!(counted(totals.grounded_precision), (1, 2));
        assert_eq!(counted(totals.grounded_recall), (1, 3));
        assert_eq!(counted(totals.contradicted_precision), (1, 2));
        assert_eq!(counted(totals.contradicted_recall), (1, 1));
        assert_eq!(counted(totals.complementary_supported), (1, 1));
        assert_eq!(counted(totals.complementary_refuted), (0, 1));
        let without = Totals::by(&rows(), |rule| rule.0 != "owner");
        assert_eq!(counted(without.grounded_recall), (2, 3));
        assert_eq!(counted(without.contradicted_recall), (0, 1));
    }

    #[test]
    fn a_rule_alone_is_counted_even_where_another_differs() {
        let owner = Alone::new(&rows(), RuleId("owner"));
        assert_eq!((owner.applied, owner.right, owner.wrong), (3, 1, 2));
        assert_eq!(counted(owner.refutes), (1, 3));
        let value = Alone::new(&rows(), RuleId("value"));
        assert_eq!((value.applied, value.right, value.complementary), (3, 2, 1));
        assert!(value.precision.interval.is_some());
        assert_eq!(Alone::new(&rows(), RuleId("rank")).precision.interval, None);
    }
}
