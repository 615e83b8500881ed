//! Computes M1 to M5 (arXiv:2604.23366) and the effects of the ablations, with bootstrap intervals over
//! rows.

use gsar_core::{Class, Tier};
use serde::Serialize;

use super::cell::{Cell, Row};
use super::loop_results::LoopMeasures;
use super::variant::Variant;
use crate::statistics::{Counts, Interval, Share, interval, mean_interval, spearman};

/// A statistic of the rows with its 95 % bootstrap interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) interval: Interval,
}

impl Estimate {
    /// Returns `None` if there are no values.
    pub(super) fn mean(values: &[f64]) -> Option<Self> {
        let value = values.iter().sum::<f64>() / values.len() as f64;
        Some(Self { value, interval: mean_interval(values)? })
    }

    /// Returns `None` if the statistic is undefined.
    pub(super) fn of<T>(rows: &[T], statistic: impl Fn(&[&T]) -> Option<f64>) -> Option<Self> {
        let value = statistic(&rows.iter().collect::<Vec<_>>())?;
        let of_draw = |drawn: &mut dyn Iterator<Item = &T>| statistic(&drawn.collect::<Vec<_>>());
        Some(Self { value, interval: interval(rows, of_draw)? })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Measures {
    /// M1 for a single pass: the share of rows that proceed when judged once.
    pub(crate) proceeds: Share,
    /// M2 for a single pass: the number of replans per proceeding row; `None` if no row proceeds.
    pub(crate) replans_per_proceed: Option<Estimate>,
    /// M3: Spearman's correlation between S and faithfulness.
    pub(crate) correlation: Option<Estimate>,
    /// M4: the share of claims labelled contradicted that are counted as contradicted.
    pub(crate) contradictions_caught: Share,
    /// M5: the share of claims labelled complementary that are counted as complementary. If no claim is labelled
    /// complementary, the claims labelled ungrounded are used instead.
    pub(crate) complementary_separate: Share,
    pub(crate) wrong_proceeds: Share,
    /// The measures of the whole loop; `None` if each row was judged only once.
    pub(crate) loop_measures: Option<LoopMeasures>,
}

impl Measures {
    pub(crate) fn of(cell: &Cell) -> Self {
        let rows = &cell.rows;
        let replans_per_proceed = |rows: &[&Row]| {
            let count =
                |tier| rows.iter().filter(|row| row.has_tier(Variant::Policy, tier)).count();
            let proceeds = count(Tier::Proceed);
            (proceeds > 0).then(|| count(Tier::Replan) as f64 / proceeds as f64)
        };
        let scored: Vec<(f64, f64)> = rows
            .iter()
            .filter_map(|row| Some((row.under(Variant::Policy).score?, row.faithfulness)))
            .collect();
        let has_complementary =
            rows.iter().flat_map(|row| &row.claims).any(|(gold, _)| *gold == Class::Complementary);
        let separate = if has_complementary { Class::Complementary } else { Class::Ungrounded };
        let is_proceed = |row: &Row| row.has_tier(Variant::Policy, Tier::Proceed);
        Self {
            proceeds: share(rows, |_| true, is_proceed),
            replans_per_proceed: Estimate::of(rows, replans_per_proceed),
            correlation: correlation(&scored),
            contradictions_caught: counted_as(rows, Class::Contradicted, Class::Contradicted),
            complementary_separate: counted_as(rows, separate, Class::Complementary),
            wrong_proceeds: share(rows, is_proceed, |row| row.is_wrong_proceed(Variant::Policy)),
            loop_measures: LoopMeasures::of(rows),
        }
    }
}

/// Returns Spearman's rank correlation of the pairs.
pub(super) fn correlation(pairs: &[(f64, f64)]) -> Option<Estimate> {
    Estimate::of(pairs, |drawn| spearman(&drawn.iter().map(|pair| **pair).collect::<Vec<_>>()))
}

pub(super) fn share<T>(rows: &[T], of: impl Fn(&T) -> bool, hit: impl Fn(&T) -> bool) -> Share {
    let counts = rows.iter().map(|row| match of(row) {
        true => Counts { hits: u32::from(hit(row)), of: 1 },
        false => Counts::default(),
    });
    Share::by_claim(&counts.collect::<Vec<_>>())
}

fn counted_as(rows: &[Row], gold: Class, class: Class) -> Share {
    let counts = rows.iter().filter(|row| row.claims_were_sent).map(|row| {
        let of_gold = row.claims.iter().filter(|(label, _)| *label == gold);
        of_gold.map(|(_, counted)| *counted == Some(class)).collect::<Counts>()
    });
    Share::by_claim(&counts.collect::<Vec<_>>())
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Effect {
    pub(crate) variant: Variant,
    pub(crate) tiers: [usize; 4],
    pub(crate) score: Option<f64>,
    pub(crate) more_proceeds: Option<Estimate>,
    pub(crate) more_score: Option<Estimate>,
    pub(crate) false_proceeds: usize,
    pub(crate) wrong_proceeds: usize,
}

impl Effect {
    pub(crate) fn of(cell: &Cell, variant: Variant) -> Self {
        let rows = &cell.rows;
        let scores: Vec<f64> = rows.iter().filter_map(|row| row.under(variant).score).collect();
        let proceeds =
            |row: &Row, variant| f64::from(u8::from(row.has_tier(variant, Tier::Proceed)));
        let more_proceeds: Vec<f64> = rows
            .iter()
            .map(|row| proceeds(row, variant) - proceeds(row, Variant::Policy))
            .collect();
        let more_score: Vec<f64> = rows
            .iter()
            .filter_map(|row| Some(row.under(variant).score? - row.under(Variant::Policy).score?))
            .collect();
        Self {
            variant,
            tiers: cell.tiers(variant),
            score: (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64),
            more_proceeds: Estimate::mean(&more_proceeds),
            more_score: Estimate::mean(&more_score),
            false_proceeds: rows.iter().filter(|row| row.is_false_proceed(variant)).count(),
            wrong_proceeds: rows.iter().filter(|row| row.is_wrong_proceed(variant)).count(),
        }
    }
}
