//! The function to minimize, which is based on the rank correlation between S and the labels or on the cost of
//! the decisions.

use gsar_core::fixed_point::Millionths;
use gsar_core::policy::{Policy, PolicyValues};
use gsar_core::{Origin, Tally, TextFindings, Tier, decide};

use crate::statistics::spearman;

#[derive(Clone, Debug)]
pub(crate) struct Report {
    pub(crate) tally: Tally,
    pub(crate) findings: TextFindings,
    /// The share of claims labelled grounded or complementary, from 0 to 1.
    pub(crate) faithfulness: f64,
}

impl Report {
    pub(crate) fn is_wrong(&self) -> bool {
        self.faithfulness < 1.0
    }
}

/// The cost of each decision, in any unit. A correct proceed costs nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prices {
    pub(crate) replan: f64,
    pub(crate) regenerate: f64,
    pub(crate) wrong_proceed: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Objective {
    /// 1 minus Spearman's correlation between S and faithfulness, from 0 to 2.
    Correlation,
    /// The mean cost per decision.
    Cost(Prices),
}

impl Objective {
    pub(crate) fn evaluate<'a>(
        self,
        policy: &Policy,
        reports: impl Iterator<Item = &'a Report>,
    ) -> f64 {
        let decided = reports.map(|report| {
            let findings = Some(&report.findings);
            (report, decide(policy, &report.tally, Origin::Judge, findings))
        });
        match self {
            Self::Correlation => {
                let pairs: Vec<(f64, f64)> = decided
                    .filter_map(|(report, decision)| {
                        Some((decision.score?.fraction().to_f64(), report.faithfulness))
                    })
                    .collect();
                1.0 - spearman(&pairs).unwrap_or(0.0)
            }
            Self::Cost(prices) => {
                let (mut sum, mut count) = (0.0, 0.0);
                for (report, decision) in decided {
                    count += 1.0;
                    sum += match decision.tier {
                        Tier::Proceed if report.is_wrong() => prices.wrong_proceed,
                        Tier::Proceed => 0.0,
                        Tier::Regenerate => prices.regenerate,
                        Tier::Replan | Tier::Abstain => prices.replan,
                    };
                }
                sum / f64::max(count, 1.0)
            }
        }
    }
}

/// Returns the mean absolute difference between the fitted values of two policies.
pub(crate) fn distance(one: &PolicyValues, other: &PolicyValues) -> f64 {
    let difference = |one: Millionths, other: Millionths| (one.to_f64() - other.to_f64()).abs();
    let weights = one.weights.as_array().iter().zip(other.weights.as_array());
    let sum: f64 = weights.map(|(one, other)| difference(*one, *other)).sum::<f64>()
        + difference(one.rho, other.rho)
        + difference(one.tau_proceed, other.tau_proceed)
        + difference(one.tau_regenerate, other.tau_regenerate);
    sum / 11.0
}
