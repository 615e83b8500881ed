//! Formats the result as text and as the header of a policy file.

use std::fmt::Write as _;
use std::path::Path;

use gsar_core::EvidenceType;
use gsar_core::policy::Policy;

use super::Folds;
use super::objective::{Objective, Report};
use super::search::Search;
use crate::tables::markdown::table;

pub(super) struct Fitted<'a> {
    pub(super) base: &'a Policy,
    pub(super) fitted: &'a Policy,
    pub(super) folds: &'a Folds,
    pub(super) reports: &'a [&'a Report],
    pub(super) search: Search,
}

impl Fitted<'_> {
    pub(super) fn provenance(&self, digest: &str) -> String {
        let (before, after) = self.held_out();
        format!(
            "# Fitted by gsar-calibrate {} to {} graded reports (SHA-256 {digest}), seed {}, from policy {} ({}).\n# {}: {before:.4} before and {after:.4} after, on held-out reports.\n",
            env!("CARGO_PKG_VERSION"),
            self.reports.len(),
            self.search.seed,
            self.base.name,
            self.base.digest(),
            self.objective(),
        )
    }

    pub(super) fn page(&self, out: &Path) -> String {
        let mut page = String::new();
        let (before, after) = self.held_out();
        let value =
            |policy: &Policy| self.search.objective.evaluate(policy, self.reports.iter().copied());
        let _ = writeln!(
            page,
            "{} graded reports, from policy `{}`. {} (lower is better):\n",
            self.reports.len(),
            self.base.name,
            self.objective()
        );
        table(
            &mut page,
            &["reports", "before", "after"],
            &[
                vec!["held out, mean of the folds".to_owned(), figure(before), figure(after)],
                vec!["training".to_owned(), figure(value(self.base)), figure(value(self.fitted))],
            ],
        );
        page.push('\n');
        table(&mut page, &["value", "before", "after"], &self.changes());
        let _ = writeln!(page, "\nWritten to {}.", out.display());
        if after >= before {
            let _ = writeln!(
                page,
                "No improvement on held-out reports: keep `{}`, or grade more reports.",
                self.base.name
            );
        }
        page
    }

    fn held_out(&self) -> (f64, f64) {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        (mean(&self.folds.before), mean(&self.folds.after))
    }

    fn objective(&self) -> String {
        match self.search.objective {
            Objective::Correlation => {
                "1 - Spearman of S and the share of supported claims".to_owned()
            }
            Objective::Cost(prices) => format!(
                "Mean cost of a decision (replan {}, regenerate {}, wrong proceed {})",
                prices.replan, prices.regenerate, prices.wrong_proceed
            ),
        }
    }

    fn changes(&self) -> Vec<Vec<String>> {
        let (base, fitted) = (self.base, self.fitted);
        let mut rows = vec![
            ("tau_proceed".to_owned(), base.tau_proceed, fitted.tau_proceed),
            ("tau_regenerate".to_owned(), base.tau_regenerate, fitted.tau_regenerate),
            ("rho".to_owned(), base.rho, fitted.rho),
        ];
        rows.extend(EvidenceType::ALL.map(|t| {
            (format!("weights.{}", t.name()), base.weights.get(t), fitted.weights.get(t))
        }));
        let row = |(name, before, after): (String, _, _)| {
            vec![name, format!("{before}"), format!("{after}")]
        };
        rows.into_iter().map(row).collect()
    }
}

fn figure(value: f64) -> String {
    format!("{value:.4}")
}
