//! Counts the results of a watch.

use std::fmt;

use gsar_proto::v1;

use crate::human::{count, verdict};

/// The order of the decisions in the summary.
const DECISION_ORDER: [&str; 6] =
    ["PROCEED", "REGENERATE", "REPLAN", "ABSTAIN", "FAILED", "SHADOW"];

#[derive(Debug, Default)]
pub(super) struct Tally {
    evaluated: Vec<(String, u64)>,
    failed_count: u64,
    /// The number of files that are due or changing.
    pub(super) pending: usize,
}

impl Tally {
    pub(super) fn add_evaluation(&mut self, answer: &v1::EvaluateResponse) {
        let (decision, _) = verdict(answer);
        match self.evaluated.iter_mut().find(|(name, _)| *name == decision) {
            Some((_, times)) => *times += 1,
            None => self.evaluated.push((decision, 1)),
        }
    }

    /// Counts a file or request that could not be evaluated.
    pub(super) fn add_failure(&mut self) {
        self.failed_count += 1;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.evaluated.iter().map(|(_, times)| times).sum();
        write!(f, "{} evaluated", count(total, "report"))?;
        let rank = |decision: &str| DECISION_ORDER.iter().position(|name| *name == decision);
        let mut evaluated: Vec<&(String, u64)> = self.evaluated.iter().collect();
        evaluated.sort_by_key(|(decision, _)| rank(decision).unwrap_or(DECISION_ORDER.len()));
        for (index, (decision, times)) in evaluated.into_iter().enumerate() {
            let separator = if index == 0 { ": " } else { ", " };
            write!(f, "{separator}{times} {}", decision.to_lowercase())?;
        }
        if self.failed_count > 0 {
            write!(f, "; {} could not be evaluated", self.failed_count)?;
        }
        if self.pending > 0 {
            write!(f, "; {} left", count(self.pending as u64, "file"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_listed_in_order() {
        let answer = |tier: v1::Tier, outcome: v1::Outcome| v1::EvaluateResponse {
            outcome: outcome.into(),
            decision: Some(v1::Decision { tier: tier.into(), ..Default::default() }),
            ..Default::default()
        };
        let mut tally = Tally::default();
        assert_eq!(tally.to_string(), "0 reports evaluated");
        tally.add_evaluation(&answer(v1::Tier::Abstain, v1::Outcome::Failed));
        tally.add_evaluation(&answer(v1::Tier::Regenerate, v1::Outcome::Scored));
        tally.add_evaluation(&answer(v1::Tier::Proceed, v1::Outcome::Scored));
        tally.add_evaluation(&answer(v1::Tier::Proceed, v1::Outcome::Scored));
        tally.add_failure();
        tally.pending = 2;
        assert_eq!(
            tally.to_string(),
            "4 reports evaluated: 2 proceed, 1 regenerate, 1 failed; 1 could not be evaluated; 2 files left"
        );
    }
}
