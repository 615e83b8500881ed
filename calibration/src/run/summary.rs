//! Counts tiers and judges in a trace.

use std::collections::BTreeMap;

use gsar_core::Tier;
use gsar_proto::enums::Enumeration as _;

use crate::trace::Trace;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) tiers: [usize; 4],
    pub(super) judges: BTreeMap<String, usize>,
    pub(super) claims: usize,
}

impl Summary {
    pub(super) fn of(trace: &Trace) -> Self {
        let mut summary = Self::default();
        for row in &trace.rows {
            let tier = row.evaluation.decision.as_ref().map_or(0, |decision| decision.tier);
            let count =
                Tier::from_number(tier).and_then(|tier| summary.tiers.get_mut(tier as usize));
            if let Some(count) = count {
                *count += 1;
            }
            *summary.judges.entry(row.judge().to_owned()).or_default() += 1;
            summary.claims += row.evaluation.claims.len();
        }
        summary
    }
}
