//! Decides the rows of a run under every variant.

use anyhow::Result;
use gsar_core::policy::Policy;
use gsar_core::{Class, Tier};

use super::variant::{Outcome, Variant};
use crate::partition::Partition;
use crate::trace::{Header, LoopEnd, Origin, Trace, TracedRow};

#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) header: Header,
    pub(crate) origin: Origin,
    pub(crate) rows: Vec<Row>,
}

#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) claims: Vec<(Class, Option<Class>)>,
    /// `true` if the claims were given to the judge.
    pub(crate) has_given_claims: bool,
    /// The share of claims labelled grounded or complementary, 0 to 1.
    pub(crate) faithfulness: f64,
    /// `true` if a claim is labelled ungrounded or contradicted.
    pub(crate) is_wrong: bool,
    pub(crate) loop_end: Option<LoopEnd>,
    outcomes: [Outcome; Variant::ALL.len()],
}

impl Cell {
    pub(crate) fn of(trace: &Trace, policy: &Policy) -> Result<Self> {
        let mut policies = Vec::new();
        for variant in Variant::ALL {
            policies.push((variant, variant.policy(policy)?));
        }
        let whole = trace.header.whole;
        let rows = trace.rows.iter().map(|row| Row::of(row, whole, policy, &policies));
        Ok(Self {
            header: trace.header.clone(),
            origin: Origin::of(&trace.rows),
            rows: rows.collect::<Result<_>>()?,
        })
    }

    pub(crate) fn tiers(&self, variant: Variant) -> [usize; 4] {
        Tier::ALL.map(|tier| self.rows.iter().filter(|row| row.is(variant, tier)).count())
    }
}

impl Row {
    fn of(
        row: &TracedRow,
        whole: bool,
        policy: &Policy,
        policies: &[(Variant, Policy)],
    ) -> Result<Self> {
        let mut outcomes = [Outcome::ABSTAINED; Variant::ALL.len()];
        let Some(partition) = Partition::of(row)? else {
            let claims = row.gold.iter().map(|gold| (*gold, None)).collect();
            return Ok(Self::new(row, whole, claims, outcomes));
        };
        for (outcome, (variant, policy)) in outcomes.iter_mut().zip(policies) {
            *outcome = variant.decide(policy, &partition);
        }
        let counted = |claim: &str| {
            // Claims that the server split off have no labels.
            let mut counted = partition.counted(policy).filter(|_| !whole);
            counted.find(|(id, _)| *id == claim).map(|(_, class)| class)
        };
        let claims = row.gold.iter().zip(1..);
        let claims = claims.map(|(gold, number)| (*gold, counted(&format!("c{number}"))));
        Ok(Self::new(row, whole, claims.collect(), outcomes))
    }

    fn new(
        row: &TracedRow,
        whole: bool,
        claims: Vec<(Class, Option<Class>)>,
        outcomes: [Outcome; Variant::ALL.len()],
    ) -> Self {
        let (faithfulness, is_wrong) = (row.faithfulness(), row.is_wrong());
        let (name, loop_end) = (row.row.clone(), row.loop_end.clone());
        Self { name, claims, has_given_claims: !whole, faithfulness, is_wrong, loop_end, outcomes }
    }

    pub(crate) fn under(&self, variant: Variant) -> Outcome {
        let mut outcomes = Variant::ALL.into_iter().zip(self.outcomes);
        outcomes
            .find(|(found, _)| *found == variant)
            .map_or(Outcome::ABSTAINED, |(_, outcome)| outcome)
    }

    pub(crate) fn is_wrong_proceed(&self, variant: Variant) -> bool {
        self.is(variant, Tier::Proceed) && self.is_wrong
    }

    pub(crate) fn is_false_proceed(&self, variant: Variant) -> bool {
        let is_false = self.claims.iter().any(|(gold, _)| *gold == Class::Contradicted);
        self.is(variant, Tier::Proceed) && is_false
    }

    pub(crate) fn is(&self, variant: Variant, tier: Tier) -> bool {
        self.under(variant).tier == tier
    }
}

#[cfg(test)]
impl Row {
    pub(crate) fn unjudged(claims: Vec<(Class, Option<Class>)>, has_given_claims: bool) -> Self {
        let outcomes = [Outcome::ABSTAINED; Variant::ALL.len()];
        let (name, faithfulness, is_wrong, loop_end) = (String::new(), 0.0, false, None);
        Self { name, claims, has_given_claims, faithfulness, is_wrong, loop_end, outcomes }
    }
}
