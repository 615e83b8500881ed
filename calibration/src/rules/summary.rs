//! This module gathers what is counted of rules over one source. It prints nothing.

use gsar_extraction::rules::{RuleId, rule_ids};
use serde::Serialize;

use super::Ruled;
use super::counted::{Alone, Totals};
use super::folds::{Folded, Worth, folded};

/// Everything about one source.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) source: String,
    /// How many cases there are.
    pub(super) cases: usize,
    /// How many claims there are.
    pub(super) claims: usize,
    /// All rules together.
    pub(super) totals: Totals,
    /// The rules that the other folds keep, together.
    pub(super) cross_validated: Totals,
    pub(super) rules: Vec<OfRule>,
}

/// Everything about one rule.
#[derive(Debug, Serialize)]
pub(super) struct OfRule {
    pub(super) rule: &'static str,
    pub(super) alone: Alone,
    /// What is left without it.
    pub(super) without: Totals,
    pub(super) worth: Worth,
}

impl Summary {
    pub(super) fn new(ruled: &Ruled, folds: usize) -> Self {
        let Ruled { name, cases, rows } = ruled;
        let rules: Vec<RuleId> = rule_ids().collect();
        let Folded { worth, totals: cross_validated } = folded(rows, cases, folds, &rules);
        let of_rule = |(rule, worth): (RuleId, Worth)| OfRule {
            rule: rule.0,
            alone: Alone::new(rows, rule),
            without: Totals::by(rows, |of| of != rule),
            worth,
        };
        Self {
            source: name.clone(),
            cases: cases.len(),
            claims: rows.len(),
            totals: Totals::by(rows, |_| true),
            cross_validated,
            rules: worth.into_iter().map(of_rule).collect(),
        }
    }
}
