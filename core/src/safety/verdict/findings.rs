//! What was found in a tool result, and the verdict it comes to.

use alloc::string::{String, ToString};

use super::{ClassifiedVerdict, Signal, Verdict};

/// What a single finding says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

#[derive(Debug, Default)]
struct Slot {
    count: u32,
    first: Option<(String, Option<Signal>)>,
}

/// Counts of findings, and the first of each kind.
#[derive(Debug, Default)]
pub(super) struct Findings {
    bad: Slot,
    healthy: Slot,
    recovered: Slot,
    fault: Slot,
    cleared: Slot,
    fine: Slot,
    doubt: Slot,
}

impl Findings {
    /// Adds a finding; its words are only made for the first of its kind.
    pub(super) fn add(&mut self, kind: Kind, words: impl FnOnce() -> (String, Option<Signal>)) {
        let slot = match kind {
            Kind::Bad => &mut self.bad,
            Kind::Healthy => &mut self.healthy,
            Kind::Recovered => &mut self.recovered,
            Kind::Fault => &mut self.fault,
            Kind::Cleared => &mut self.cleared,
            Kind::Fine => &mut self.fine,
            Kind::Doubt => &mut self.doubt,
        };
        slot.count = slot.count.saturating_add(1);
        slot.first.get_or_insert_with(words);
    }

    /// The verdict: structured signals first, then words; where findings disagree, none.
    pub(super) fn verdict(self) -> ClassifiedVerdict {
        let there = |slot: &Slot| slot.count > 0;
        let (verdict, deciding) = if there(&self.bad) {
            if there(&self.recovered) {
                (Verdict::Inconclusive, self.recovered)
            } else {
                (Verdict::Supports, self.bad)
            }
        } else if there(&self.recovered) {
            (Verdict::Inconclusive, self.recovered)
        } else if there(&self.fault) {
            if there(&self.healthy) {
                (Verdict::Inconclusive, against(self.fault, &self.healthy))
            } else if there(&self.cleared) {
                (Verdict::Inconclusive, against(self.fault, &self.cleared))
            } else {
                (Verdict::Supports, self.fault)
            }
        } else if there(&self.healthy) {
            (Verdict::Refutes, self.healthy)
        } else if there(&self.cleared) {
            (Verdict::Refutes, self.cleared)
        } else if there(&self.fine) && !there(&self.doubt) {
            (Verdict::Refutes, self.fine)
        } else {
            (Verdict::Inconclusive, self.doubt)
        };
        let (reason, signal) =
            deciding.first.unwrap_or_else(|| ("no signal of health or fault".to_string(), None));
        ClassifiedVerdict { verdict, reason, signal }
    }
}

/// A fault that something else in the result speaks against.
fn against(mut fault: Slot, other: &Slot) -> Slot {
    if let (Some((reason, _)), Some((opposed, _))) = (&mut fault.first, &other.first) {
        reason.push_str(", but ");
        reason.push_str(opposed);
    }
    fault
}
