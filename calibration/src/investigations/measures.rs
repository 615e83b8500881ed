//! Computes the accuracy of recorded answers: AC@1, AC@3, majority@k and pass@k, each with an interval over incidents of
//! equal weight.

use std::collections::BTreeMap;

use gsar_core::belief::Entity;
use serde::{Deserialize, Serialize};

use super::recorded::Run;
use crate::statistics::mean_interval;

/// A mean over incidents, and the middle 95 % of means of drawn incidents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Mean {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Over how many incidents.
    pub(super) of: usize,
}

impl Mean {
    /// `None` if there is nothing to count.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let interval = mean_interval(values)?;
        let value = values.iter().sum::<f64>() / values.len() as f64;
        Some(Self { value, low: interval.low, high: interval.high, of: values.len() })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Accuracy {
    /// The share of runs whose first answer is right.
    pub(super) ac1: Option<Mean>,
    /// The share of runs of whose first three answers one is right.
    pub(super) ac3: Option<Mean>,
    /// Of incidents with several runs, how often the commonest first answer is right; of several as common as each other, each
    /// counts its part.
    pub(super) majority: Option<Mean>,
    pub(super) pass: Option<Mean>,
}

/// `true` if a name is the cause: in any case, without suffixes that a cluster generates, and by its part behind a `/` where one of the
/// two has no more.
pub(super) fn is_right(answer: &str, truth: &[String]) -> bool {
    let answer = folded(answer);
    truth.iter().any(|cause| {
        let cause = folded(cause);
        let ends = |whole: &str, part: &str| {
            whole.strip_suffix(part).is_some_and(|before| before.ends_with('/'))
        };
        cause == answer || ends(&cause, &answer) || ends(&answer, &cause)
    })
}

fn folded(name: &str) -> String {
    let name = name.trim().trim_matches('`');
    Entity::parse(name).map_or_else(|_| name.to_owned(), |entity| entity.to_string()).to_lowercase()
}

pub(super) fn by_incident(runs: &[Run]) -> Vec<Vec<&Run>> {
    let mut incidents: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
    for run in runs {
        incidents.entry(&run.incident).or_default().push(run);
    }
    incidents.into_values().collect()
}

pub(super) fn accuracy(incidents: &[Vec<&Run>]) -> Accuracy {
    let share = |runs: &[&Run], first: usize| {
        let right =
            |run: &&&Run| run.answers.iter().take(first).any(|answer| is_right(answer, &run.truth));
        runs.iter().filter(right).count() as f64 / runs.len().max(1) as f64
    };
    let over = |of: &dyn Fn(&[&Run]) -> f64, fewest: usize| {
        let several = incidents.iter().filter(|runs| runs.len() >= fewest);
        Mean::of(&several.map(|runs| of(runs)).collect::<Vec<_>>())
    };
    Accuracy {
        ac1: over(&|runs| share(runs, 1), 1),
        ac3: over(&|runs| share(runs, 3), 1),
        majority: over(&majority, 2),
        pass: over(&|runs| f64::from(u8::from(share(runs, 1) > 0.0)), 2),
    }
}

/// The share of the commonest first answers that is right.
fn majority(runs: &[&Run]) -> f64 {
    let mut votes: BTreeMap<String, (usize, bool)> = BTreeMap::new();
    for run in runs {
        let Some(answer) = run.answers.first() else { continue };
        let vote = votes.entry(folded(answer)).or_default();
        *vote = (vote.0 + 1, is_right(answer, &run.truth));
    }
    let most = votes.values().map(|(count, _)| *count).max().unwrap_or(0);
    let commonest: Vec<bool> =
        votes.values().filter(|(count, _)| *count == most).map(|(_, right)| *right).collect();
    let right = commonest.iter().filter(|right| **right).count();
    right as f64 / commonest.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(incident: &str, answers: &[&str]) -> Run {
        Run {
            incident: incident.to_owned(),
            answers: answers.iter().map(|answer| (*answer).to_owned()).collect(),
            truth: vec!["db".to_owned()],
            report: String::new(),
            evidence: Vec::new(),
            seconds: None,
        }
    }

    fn of(runs: &[Run]) -> [Option<f64>; 4] {
        let found = accuracy(&by_incident(runs));
        [found.ac1, found.ac3, found.majority, found.pass].map(|mean| mean.map(|mean| mean.value))
    }

    #[test]
    fn answers_are_counted_by_incident() {
        let runs = [run("a", &["DB"]), run("b", &["cart", "`db` "]), run("b", &["cart"])];
        assert_eq!(of(&runs), [Some(0.5), Some(0.75), Some(0.0), Some(0.0)]);
        assert_eq!(of(&[run("a", &[])]), [Some(0.0), Some(0.0), None, None]);
    }

    #[test]
    fn names_are_compared_as_entities() {
        let truth = ["shop/Pod/cart-7d9f8b6c5d-x2x4q".to_owned()];
        for (answer, right) in [
            ("shop/Pod/cart", true),
            ("`Cart`", true),
            ("Pod/cart-7d9f8b6c5d-b9k4z", true),
            ("art", false),
            ("shop/Service/cart", false),
            ("", false),
        ] {
            assert_eq!(is_right(answer, &truth), right, "{answer}");
        }
    }

    #[test]
    fn the_commonest_answer_is_the_majority_and_ties_count_in_part() {
        let runs = |answers: &[&str]| {
            answers.iter().map(|answer| run("a", &[*answer])).collect::<Vec<_>>()
        };
        for (answers, majority, pass) in [
            (&["db", "db", "cart"][..], 1.0, 1.0),
            (&["db", "cart", "cart"], 0.0, 1.0),
            (&["db", "cart"], 0.5, 1.0),
            (&["db", "cart", "api"], 1.0 / 3.0, 1.0),
            (&["api", "cart"], 0.0, 0.0),
        ] {
            let [_, _, found, passed] = of(&runs(answers));
            assert_eq!((found, passed), (Some(majority), Some(pass)), "{answers:?}");
        }
    }
}
