//! Compares two runs over the same rows: decisions, classes, agreement and correctness.

mod page;
mod pairs;

use anyhow::{Result, ensure};
use gsar_core::{Class, Tier};

use crate::arguments::Compare;
use crate::policy::named_policy;
use crate::statistics::{Interval, kappa, mcnemar, mean_interval};
use crate::trace::read;
use pairs::Pairs;
pub(crate) use pairs::pairs;

#[derive(Debug)]
struct Comparison {
    runs: [String; 2],
    rows: usize,
    only_in_one: usize,
    tiers: [[usize; 4]; 4],
    classes: [[usize; 4]; 4],
    more_proceeds: (f64, Option<Interval>),
    more_score: (f64, Option<Interval>),
    kappas: [Option<f64>; 2],
    /// The number of claims that only the first run judges correctly, the number that only the second run does,
    /// and the exact p-value of McNemar's test.
    right: (u32, u32, Option<f64>),
}

pub(crate) fn compare(args: &Compare) -> Result<String> {
    let policy = named_policy(&args.policy)?;
    let (first, second) = (read(&args.first)?, read(&args.second)?);
    let pairs = pairs(&first, &second, &policy)?;
    ensure!(
        !pairs.tiers.is_empty(),
        "{} and {} have no rows in common",
        first.header.run,
        second.header.run
    );
    let comparison = Comparison::of([first.header.run, second.header.run], &pairs);
    Ok(page::page(&comparison, &policy.name))
}

impl Comparison {
    fn of(runs: [String; 2], pairs: &Pairs) -> Self {
        let proceeds = pairs.tiers.iter().map(|(first, second)| {
            f64::from(u8::from(*second == Tier::Proceed))
                - f64::from(u8::from(*first == Tier::Proceed))
        });
        let scores = pairs.scores.iter().map(|(first, second)| second - first);
        let classes: Vec<(Class, Class)> =
            pairs.claims.iter().map(|claim| (claim.first, claim.second)).collect();
        let count = |is_right: &dyn Fn(bool, bool) -> bool| {
            let claims = pairs.claims.iter();
            let hits = claims
                .filter(|claim| is_right(claim.first == claim.gold, claim.second == claim.gold));
            u32::try_from(hits.count()).unwrap_or(u32::MAX)
        };
        let only_first = count(&|first, second| first && !second);
        let only_second = count(&|first, second| !first && second);
        Self {
            runs,
            rows: pairs.tiers.len(),
            only_in_one: pairs.only_in_one,
            tiers: confusion(&pairs.tiers, &Tier::ALL),
            classes: confusion(&classes, &Class::ALL),
            more_proceeds: mean(&proceeds.collect::<Vec<_>>()),
            more_score: mean(&scores.collect::<Vec<_>>()),
            kappas: [kappa(&pairs.tiers), kappa(&classes)],
            right: (only_first, only_second, mcnemar(only_first, only_second)),
        }
    }
}

fn mean(values: &[f64]) -> (f64, Option<Interval>) {
    (values.iter().sum::<f64>() / values.len().max(1) as f64, mean_interval(values))
}

fn confusion<T: Copy + PartialEq>(pairs: &[(T, T)], all: &[T; 4]) -> [[usize; 4]; 4] {
    all.map(|first| all.map(|second| pairs.iter().filter(|pair| **pair == (first, second)).count()))
}
