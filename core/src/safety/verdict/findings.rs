//! This module collects what was found in a tool result and comes to the verdict. It reads nothing.

use std::collections::BTreeMap;

use super::{ClassifiedVerdict, Signal, Verdict};

/// What a single finding says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A structured signal shows a fault.
    Bad,
    /// A structured signal shows health.
    Healthy,
    /// A fault was there and is over.
    Recovered,
    /// Words state a fault.
    Fault,
    /// Words state the absence of a fault.
    Cleared,
    /// Words state health.
    Fine,
    /// Something that decides nothing.
    Doubt,
}

/// The first finding of each kind.
#[derive(Debug, Default)]
pub(super) struct Findings {
    first: BTreeMap<Kind, (String, Option<Signal>)>,
    /// There is some of a backlog that only a threshold could judge: that there is none of something else, or elsewhere,
    /// shows no health.
    pub(super) open: bool,
}

impl Findings {
    /// Adds a finding; its words are only made for the first of its kind.
    pub(super) fn add(&mut self, kind: Kind, words: impl FnOnce() -> (String, Option<Signal>)) {
        self.first.entry(kind).or_insert_with(words);
    }

    /// The verdict: structured signals first, then words; where findings disagree, none.
    pub(super) fn verdict(mut self) -> ClassifiedVerdict {
        let has = |kind: Kind| self.first.contains_key(&kind);
        let opposed = [Kind::Healthy, Kind::Cleared].into_iter().find(|kind| has(*kind));
        let (verdict, deciding, against) = if has(Kind::Recovered) {
            (Verdict::Inconclusive, Kind::Recovered, None)
        } else if has(Kind::Bad) {
            (Verdict::Supports, Kind::Bad, None)
        } else if has(Kind::Fault) {
            let verdict = if opposed.is_some() { Verdict::Inconclusive } else { Verdict::Supports };
            (verdict, Kind::Fault, opposed)
        } else if let Some(kind) = opposed.filter(|_| !self.open) {
            (Verdict::Refutes, kind, None)
        } else if has(Kind::Fine) && !has(Kind::Doubt) && !self.open {
            (Verdict::Refutes, Kind::Fine, None)
        } else {
            (Verdict::Inconclusive, Kind::Doubt, None)
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
