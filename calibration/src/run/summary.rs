//! This module counts what a trace says: tiers, outcomes, and which judge decided each row.

use std::collections::BTreeMap;

use gsar_core::Tier;
use gsar_proto::enums::Enumeration as _;

use crate::trace::Trace;

/// What was said of the rows of a trace.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    /// How many rows came to each tier, in the order of [`Tier::ALL`].
    pub(super) tiers: [usize; 4],
    /// How many rows each judge decided; the empty name: none of them could.
    pub(super) judges: BTreeMap<String, usize>,
    /// How many claims there are.
    pub(super) claims: usize,
}

impl Summary {
    /// Of a trace.
    pub(super) fn of(trace: &Trace) -> Self {
        let mut summary = Self::default();
        for row in &trace.rows {
            let tier = row.evaluation.decision.as_ref().map_or(0, |decision| decision.tier);
            let place =
                Tier::from_number(tier).and_then(|tier| summary.tiers.get_mut(tier as usize));
            if let Some(count) = place {
                *count += 1;
            }
            *summary.judges.entry(row.judge().to_owned()).or_default() += 1;
            summary.claims += row.evaluation.claims.len();
        }
        summary
    }
}
