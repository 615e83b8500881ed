//! Computes the score's reliability curve and a threshold's trade-off.

use gsar_core::Tier;

use crate::ablation::{Cell, Row, Variant};

pub(super) const BINS: usize = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bin {
    pub(super) right: usize,
    pub(super) wrong: usize,
    pub(super) sum: f64,
}

impl Bin {
    pub(super) fn rows(&self) -> usize {
        self.right + self.wrong
    }

    pub(super) fn mean(&self) -> Option<f64> {
        (self.rows() > 0).then(|| self.sum / self.rows() as f64)
    }

    pub(super) fn share_right(&self) -> Option<f64> {
        (self.rows() > 0).then(|| self.right as f64 / self.rows() as f64)
    }
}

pub(super) fn bins(cell: &Cell) -> [Bin; BINS] {
    let mut bins = [Bin::default(); BINS];
    for (score, is_wrong) in scored_rows(cell) {
        let index = ((score * BINS as f64) as usize).min(BINS - 1);
        if let Some(bin) = bins.get_mut(index) {
            bin.sum += score;
            if is_wrong { bin.wrong += 1 } else { bin.right += 1 }
        }
    }
    bins
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trade {
    pub(super) threshold: f64,
    /// The share of correct rows below the threshold or without a score.
    pub(super) right_held_back: f64,
    /// The share of wrong rows at or above the threshold.
    pub(super) wrong_proceeding: f64,
}

pub(super) fn trades(cell: &Cell) -> Vec<Trade> {
    let scored: Vec<(f64, bool)> = scored_rows(cell).collect();
    let count = |is_wrong: bool| cell.rows.iter().filter(|row| row.is_wrong == is_wrong).count();
    let (right, wrong) = (count(false), count(true));
    if right == 0 || wrong == 0 {
        return Vec::new();
    }
    let trade = |hundredth: u32| {
        let threshold = f64::from(hundredth) / 100.0;
        let out = |is_wrong: bool| {
            scored.iter().filter(|(score, wrong)| *wrong == is_wrong && *score >= threshold).count()
        };
        Trade {
            threshold,
            right_held_back: 1.0 - out(false) as f64 / right as f64,
            wrong_proceeding: out(true) as f64 / wrong as f64,
        }
    };
    (0..=100).map(trade).collect()
}

fn scored_rows(cell: &Cell) -> impl Iterator<Item = (f64, bool)> {
    let score = |row: &Row| {
        let outcome = row.under(Variant::Policy);
        outcome.score.filter(|_| outcome.tier != Tier::Abstain)
    };
    cell.rows.iter().filter_map(move |row| Some((score(row)?, row.is_wrong)))
}
