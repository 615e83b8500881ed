//! Collects findings and derives the verdict.

use std::collections::BTreeMap;

use super::{ClassifiedVerdict, Signal, Verdict};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FindingKind {
    /// A structured signal shows a fault.
    SignalFault,
    /// A structured signal shows health.
    SignalHealth,
    /// A fault that is over.
    Recovered,
    /// Words state a fault.
    StatedFault,
    /// Words state the absence of a fault.
    StatedAbsence,
    /// Words state health.
    StatedHealth,
    /// Something inconclusive.
    Inconclusive,
}

#[derive(Debug, Default)]
pub(super) struct Findings {
    first: BTreeMap<FindingKind, (String, Option<Signal>)>,
    /// `true` if a backlog lacks a threshold. In that case, other signals do not show health.
    pub(super) has_open_backlog: bool,
}

impl Findings {
    pub(super) fn add(
        &mut self,
        kind: FindingKind,
        describe: impl FnOnce() -> (String, Option<Signal>),
    ) {
        self.first.entry(kind).or_insert_with(describe);
    }

    /// Derives the verdict. Structured signals take precedence; contradictory findings are inconclusive.
    pub(super) fn verdict(mut self) -> ClassifiedVerdict {
        let has = |kind: FindingKind| self.first.contains_key(&kind);
        let opposed = [FindingKind::SignalHealth, FindingKind::StatedAbsence]
            .into_iter()
            .find(|kind| has(*kind));
        let (verdict, deciding, against) = if has(FindingKind::Recovered) {
            (Verdict::Inconclusive, FindingKind::Recovered, None)
        } else if has(FindingKind::SignalFault) {
            (Verdict::Supports, FindingKind::SignalFault, None)
        } else if has(FindingKind::StatedFault) {
            let verdict = if opposed.is_some() { Verdict::Inconclusive } else { Verdict::Supports };
            (verdict, FindingKind::StatedFault, opposed)
        } else if let Some(kind) = opposed.filter(|_| !self.has_open_backlog) {
            (Verdict::Refutes, kind, None)
        } else if has(FindingKind::StatedHealth)
            && !has(FindingKind::Inconclusive)
            && !self.has_open_backlog
        {
            (Verdict::Refutes, FindingKind::StatedHealth, None)
        } else {
            (Verdict::Inconclusive, FindingKind::Inconclusive, None)
        };
        let against = against.and_then(|kind| self.first.remove(&kind));
        let (mut reason, signal) = self
            .first
            .remove(&deciding)
            .unwrap_or_else(|| ("no signal of health or fault".to_string(), None));
        if let Some((other, _)) = against {
            reason.push_str(", but ");
            reason.push_str(&other);
        }
        ClassifiedVerdict { verdict, reason, signal }
    }
}
