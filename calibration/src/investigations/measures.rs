//! Computes the accuracy of recorded answers: AC@1, AC@3, majority@k, pass@k, and the F1 score of the named causes.
//! Incidents have equal weight.

use std::collections::BTreeMap;

use gsar_core::belief::Entity;
use serde::{Deserialize, Serialize};

use super::recorded::Run;
use crate::statistics::mean_interval;

/// A mean over incidents with its 95 % bootstrap interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Mean {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) of: usize,
}

impl Mean {
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let interval = mean_interval(values)?;
        let value = values.iter().sum::<f64>() / values.len() as f64;
        Some(Self { value, low: interval.low, high: interval.high, of: values.len() })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Accuracy {
    /// The share of runs with a correct first answer.
    pub(super) ac1: Option<Mean>,
    /// The share of runs with a correct answer among the first three.
    pub(super) ac3: Option<Mean>,
    /// Among incidents with several runs, the share for which more than half of the runs have a correct first
    /// answer.
    pub(super) majority: Option<Mean>,
    /// Among incidents with several runs, the share for which at least one run has a correct first answer.
    pub(super) pass: Option<Mean>,
    /// The F1 score of the named causes: the harmonic mean of the share of answers that are correct and the share of
    /// causes that are named.
    pub(super) f1: Option<Mean>,
    /// The share of runs that end with an answer.
    pub(super) answered: Option<Mean>,
    /// The share of tool calls that are invalid, over runs with recorded calls.
    pub(super) invalid: Option<Mean>,
}

/// Returns `true` if an answer names one of the true causes. Ignores case and generated suffixes. A name also
/// matches a qualified name that ends with `/` and that name.
pub(super) fn is_right(answer: &str, truth: &[String]) -> bool {
    let answer = normalize(answer);
    truth.iter().any(|cause| {
        let cause = normalize(cause);
        let ends = |whole: &str, part: &str| {
            whole.strip_suffix(part).is_some_and(|before| before.ends_with('/'))
        };
        cause == answer || ends(&cause, &answer) || ends(&answer, &cause)
    })
}

fn normalize(name: &str) -> String {
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
    let over = |of: &dyn Fn(&[&Run]) -> f64, min_runs: usize| {
        let several = incidents.iter().filter(|runs| runs.len() >= min_runs);
        Mean::of(&several.map(|runs| of(runs)).collect::<Vec<_>>())
    };
    Accuracy {
        ac1: over(&|runs| share(runs, 1), 1),
        ac3: over(&|runs| share(runs, 3), 1),
        majority: over(&|runs| f64::from(u8::from(share(runs, 1) > 0.5)), 2),
        pass: over(&|runs| f64::from(u8::from(share(runs, 1) > 0.0)), 2),
        f1: over(&|runs| runs.iter().map(|run| f1(run)).sum::<f64>() / runs.len() as f64, 1),
        answered: over(
            &|runs| {
                let has_answer =
                    |run: &&&Run| run.answers.iter().any(|answer| !answer.trim().is_empty());
                runs.iter().filter(has_answer).count() as f64 / runs.len().max(1) as f64
            },
            1,
        ),
        invalid: Mean::of(&incidents.iter().filter_map(|runs| invalid(runs)).collect::<Vec<_>>()),
    }
}

fn invalid(runs: &[&Run]) -> Option<f64> {
    let shares: Vec<f64> = runs.iter().filter_map(|run| run.invalid_calls).collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

fn f1(run: &Run) -> f64 {
    let correct = run.answers.iter().filter(|answer| is_right(answer, &run.truth)).count();
    let is_named = |cause: &&String| {
        run.answers.iter().any(|answer| is_right(answer, std::slice::from_ref(cause)))
    };
    let named = run.truth.iter().filter(is_named).count();
    if correct == 0 {
        return 0.0;
    }
    let precision = correct as f64 / run.answers.len() as f64;
    let recall = named as f64 / run.truth.len() as f64;
    2.0 * precision * recall / (precision + recall)
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
            invalid_calls: None,
        }
    }

    fn accuracies(runs: &[Run]) -> [Option<f64>; 4] {
        let found = accuracy(&by_incident(runs));
        [found.ac1, found.ac3, found.majority, found.pass].map(|mean| mean.map(|mean| mean.value))
    }

    #[test]
    fn accuracy_is_averaged_over_incidents() {
        let runs = [run("a", &["DB"]), run("b", &["cart", "`db` "]), run("b", &["cart"])];
        assert_eq!(accuracies(&runs), [Some(0.5), Some(0.75), Some(0.0), Some(0.0)]);
        assert_eq!(accuracies(&[run("a", &[])]), [Some(0.0), Some(0.0), None, None]);
    }

    #[test]
    fn runs_without_an_answer_and_invalid_calls_are_counted() {
        let with_calls = |invalid| Run { invalid_calls: Some(invalid), ..run("a", &["db"]) };
        let runs =
            [with_calls(0.5), with_calls(0.0), run("a", &[]), run("a", &[]), run("b", &[""])];
        let found = accuracy(&by_incident(&runs));
        assert_eq!(found.answered.map(|mean| (mean.value, mean.of)), Some((0.25, 2)));
        assert_eq!(found.invalid.map(|mean| (mean.value, mean.of)), Some((0.25, 1)));
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
    fn a_majority_is_more_than_half_of_the_runs() {
        let runs = |answers: &[&str]| {
            answers.iter().map(|answer| run("a", &[*answer])).collect::<Vec<_>>()
        };
        for (answers, majority, pass) in [
            (&["db", "db", "cart"][..], 1.0, 1.0),
            (&["db", "cart", "cart"], 0.0, 1.0),
            (&["db", "cart"], 0.0, 1.0),
            (&["api", "cart"], 0.0, 0.0),
            // Being the most common answer is not enough.
            (&["db", "db", "api", "cart", "web"], 0.0, 1.0),
            // Different spellings of a name are counted together.
            (&["db", "shop/Service/db", "`DB`", "cart", "cart"], 1.0, 1.0),
        ] {
            let [_, _, found, passed] = accuracies(&runs(answers));
            assert_eq!((found, passed), (Some(majority), Some(pass)), "{answers:?}");
        }
    }

    #[test]
    fn f1_counts_answers_and_causes() {
        let of = |answers: &[&str], truth: &[&str]| {
            f1(&Run {
                truth: truth.iter().map(|cause| (*cause).to_owned()).collect(),
                ..run("a", answers)
            })
        };
        assert_eq!(of(&["db"], &["db"]), 1.0);
        assert_eq!(of(&["db", "cart"], &["db"]), 2.0 / 3.0);
        assert_eq!(of(&["db"], &["db", "cart"]), 2.0 / 3.0);
        assert_eq!(of(&["api"], &["db"]), 0.0);
        assert_eq!(of(&[], &["db"]), 0.0);
    }
}
