//! Collects findings and derives the verdict from them.

use std::collections::BTreeMap;

use super::{ClassifiedVerdict, Signal, Verdict};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FindingKind {
    /// A structured signal shows a fault.
    SignalFault,
    /// A structured signal shows health.
    SignalHealth,
    /// A signal or words show a fault that is over.
    Recovered,
    /// Words state a fault.
    StatedFault,
    /// Words state the absence of a fault.
    StatedAbsence,
    /// Words state health.
    StatedHealth,
    /// A signal or words are inconclusive.
    Inconclusive,
}

#[derive(Debug, Default)]
pub(super) struct Findings {
    first_by_kind: BTreeMap<FindingKind, (String, Option<Signal>)>,
    /// `true` if a backlog signal has no threshold. In that case, other signals do not show health.
    pub(super) has_open_backlog: bool,
}

impl Findings {
    pub(super) fn add(
        &mut self,
        kind: FindingKind,
        describe: impl FnOnce() -> (String, Option<Signal>),
    ) {
        self.first_by_kind.entry(kind).or_insert_with(describe);
    }

    /// Derives the verdict. Structured signals take precedence; contradictory findings are inconclusive.
    pub(super) fn verdict(mut self) -> ClassifiedVerdict {
        let has_kind = |kind: FindingKind| self.first_by_kind.contains_key(&kind);
        let kind_against = [FindingKind::SignalHealth, FindingKind::StatedAbsence]
            .into_iter()
            .find(|kind| has_kind(*kind));
        let (verdict, deciding, against) = if has_kind(FindingKind::Recovered) {
            (Verdict::Inconclusive, FindingKind::Recovered, None)
        } else if has_kind(FindingKind::SignalFault) {
            (Verdict::Supports, FindingKind::SignalFault, None)
        } else if has_kind(FindingKind::StatedFault) {
            let verdict =
                if kind_against.is_some() { Verdict::Inconclusive } else { Verdict::Supports };
            (verdict, FindingKind::StatedFault, kind_against)
        } else if let Some(kind) = kind_against.filter(|_| !self.has_open_backlog) {
            (Verdict::Refutes, kind, None)
        } else if has_kind(FindingKind::StatedHealth)
            && !has_kind(FindingKind::Inconclusive)
            && !self.has_open_backlog
        {
            (Verdict::Refutes, FindingKind::StatedHealth, None)
        } else {
            (Verdict::Inconclusive, FindingKind::Inconclusive, None)
        };
        let against = against.and_then(|kind| self.first_by_kind.remove(&kind));
        let (mut reason, signal) = self
            .first_by_kind
            .remove(&deciding)
            .unwrap_or_else(|| ("the result shows neither health nor a fault".to_string(), None));
        if let Some((other, _)) = against {
            reason.push_str(", but ");
            reason.push_str(&other);
        }
        ClassifiedVerdict { verdict, reason, signal }
    }
}
