//! Decides the rows of a run under each variant.

use anyhow::Result;
use gsar_core::policy::Policy;
use gsar_core::{Class, EvidenceType, JudgedClaim, Tier};

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
    /// Each claim's gold class, and the class it was counted in; `None` if it was not judged.
    pub(crate) claims: Vec<(Class, Option<Class>)>,
    /// Each claim's evidence type; `None` if it was not judged. Empty if no claim of the row was judged.
    pub(crate) types: Vec<Option<EvidenceType>>,
    /// `true` if the labelled claims were sent with the report. Otherwise, the server split the report.
    pub(crate) claims_were_sent: bool,
    /// The share of claims labelled grounded or complementary, from 0 to 1.
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
        Tier::ALL.map(|tier| self.rows.iter().filter(|row| row.has_tier(variant, tier)).count())
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
        // Claims that the server split off a whole report have no labels.
        let counted = |number: usize| {
            let mut counted = partition.counted(policy).filter(|_| !whole);
            counted.find(|claim| claim.claim.id.as_str() == format!("c{number}"))
        };
        let judged: Vec<Option<&JudgedClaim>> = (1..=row.gold.len()).map(counted).collect();
        let claims = row.gold.iter().zip(&judged);
        let claims = claims.map(|(gold, judged)| (*gold, judged.map(|judged| judged.class)));
        let types = judged.iter().map(|judged| judged.map(|judged| judged.evidence_type)).collect();
        Ok(Self { types, ..Self::new(row, whole, claims.collect(), outcomes) })
    }

    fn new(
        row: &TracedRow,
        whole: bool,
        claims: Vec<(Class, Option<Class>)>,
        outcomes: [Outcome; Variant::ALL.len()],
    ) -> Self {
        let (faithfulness, is_wrong) = (row.faithfulness(), row.is_wrong());
        let (name, loop_end) = (row.row.clone(), row.loop_end.clone());
        let (types, claims_were_sent) = (Vec::new(), !whole);
        Self { name, claims, types, claims_were_sent, faithfulness, is_wrong, loop_end, outcomes }
    }

    pub(crate) fn under(&self, variant: Variant) -> Outcome {
        let index = Variant::ALL.iter().position(|other| *other == variant);
        index.and_then(|index| self.outcomes.get(index).copied()).unwrap_or(Outcome::ABSTAINED)
    }

    pub(crate) fn is_wrong_proceed(&self, variant: Variant) -> bool {
        self.has_tier(variant, Tier::Proceed) && self.is_wrong
    }

    pub(crate) fn is_false_proceed(&self, variant: Variant) -> bool {
        let is_false = self.claims.iter().any(|(gold, _)| *gold == Class::Contradicted);
        self.has_tier(variant, Tier::Proceed) && is_false
    }

    pub(crate) fn has_tier(&self, variant: Variant, tier: Tier) -> bool {
        self.under(variant).tier == tier
    }
}

#[cfg(test)]
impl Row {
    pub(crate) fn unjudged(claims: Vec<(Class, Option<Class>)>, claims_were_sent: bool) -> Self {
        let outcomes = [Outcome::ABSTAINED; Variant::ALL.len()];
        Self {
            name: String::new(),
            claims,
            types: Vec::new(),
            claims_were_sent,
            faithfulness: 0.0,
            is_wrong: false,
            loop_end: None,
            outcomes,
        }
    }
}
