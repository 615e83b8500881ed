//! Pairs the rows and claims of two traces.

use std::collections::BTreeMap;

use anyhow::Result;
use gsar_core::policy::Policy;
use gsar_core::{Class, Tier};

use crate::partition::{Partition, score};
use crate::trace::{Trace, TracedRow};

#[derive(Debug, Default)]
pub(crate) struct Pairs {
    pub(crate) tiers: Vec<(Tier, Tier)>,
    /// The scores, from 0 to 1, of the rows that have a score in both traces.
    pub(crate) scores: Vec<(f64, f64)>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) only_in_one: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub(crate) gold: Class,
    pub(crate) first: Class,
    pub(crate) second: Class,
}

pub(crate) fn pairs(first: &Trace, second: &Trace, policy: &Policy) -> Result<Pairs> {
    let mut others: BTreeMap<&str, &TracedRow> =
        second.rows.iter().map(|row| (row.row.as_str(), row)).collect();
    let mut pairs = Pairs::default();
    for row in &first.rows {
        match others.remove(row.row.as_str()) {
            Some(other) => {
                pairs.add(&RowResult::of(row, policy)?, &RowResult::of(other, policy)?, &row.gold)
            }
            None => pairs.only_in_one += 1,
        }
    }
    pairs.only_in_one += others.len();
    Ok(pairs)
}

struct RowResult {
    tier: Tier,
    score: Option<f64>,
    classes: BTreeMap<String, Class>,
}

impl RowResult {
    fn of(row: &TracedRow, policy: &Policy) -> Result<Self> {
        let Some(partition) = Partition::of(row)? else {
            return Ok(Self { tier: Tier::Abstain, score: None, classes: BTreeMap::new() });
        };
        let decision = partition.decide(policy);
        let classes = partition
            .counted(policy)
            .map(|judged| (judged.claim.id.as_str().to_owned(), judged.class));
        Ok(Self { tier: decision.tier, score: score(&decision), classes: classes.collect() })
    }
}

impl Pairs {
    fn add(&mut self, first: &RowResult, second: &RowResult, gold: &[Class]) {
        self.tiers.push((first.tier, second.tier));
        self.scores.extend(first.score.zip(second.score));
        for (gold, number) in gold.iter().zip(1..) {
            let claim = format!("c{number}");
            let classes = first.classes.get(&claim).zip(second.classes.get(&claim));
            self.claims.extend(classes.map(|(first, second)| Claim {
                gold: *gold,
                first: *first,
                second: *second,
            }));
        }
    }
}
