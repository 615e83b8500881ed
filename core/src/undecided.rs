//! This module decides partitions with undecided claims. It decides twice, with the claims at their worst and at their
//! best; a tier that both share holds whatever the claims turn out to be. It never guesses.
//!
//! *Worst*: each claim is ungrounded, or contradicted if the judge leans to that. *Best*: each is grounded. Both use the
//! heaviest type that the evidence allows. Grounding a claim never lowers the score and never makes a guard stricter, so
//! every other outcome lies in between, except a contradiction that the judge does not lean to.

use crate::claim::{Class, EvidenceType, JudgedClaim};
use crate::decision::{Bounds, Decision, Hypothetical, Origin, Tier, decide_with};
use crate::policy::{Policy, PolicyValues, Undecided};
use crate::reason::Reason;
use crate::tally::Tally;

/// How claims that a judge leaves undecided are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// As ungrounded, or contradicted where the judge leans to that.
    Worst,
    /// As grounded.
    Best,
}

impl Filling {
    /// The class that a claim counts as if its judge leans to `leans_to`.
    #[must_use]
    pub const fn class(self, leans_to: Class) -> Class {
        match (self, leans_to) {
            (Self::Best, _) => Class::Grounded,
            (Self::Worst, Class::Contradicted) => Class::Contradicted,
            (Self::Worst, _) => Class::Ungrounded,
        }
    }
}

/// What the undecided claims of a partition count as.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filled {
    pub(crate) filling: Filling,
    /// The heaviest type that the evidence allows.
    pub(crate) evidence_type: EvidenceType,
}

impl Filled {
    /// The class and type that a claim counts as, decided or not.
    pub(crate) fn counts(
        self,
        policy: &PolicyValues,
        judged: &JudgedClaim,
    ) -> (Class, EvidenceType) {
        match judged.undecided.filter(|_| policy.undecided == Undecided::Bounds) {
            Some(leaning) => (self.filling.class(leaning.class), self.evidence_type),
            None => (judged.class, judged.evidence_type),
        }
    }
}

/// Decides a partition given as counts. `undecided` counts claims by the class that the judge leans to and by the heaviest
/// type they may have.
#[must_use]
pub fn decide_counts(policy: &Policy, decided: &Tally, undecided: &Tally) -> Decision {
    let with = |class_of: &dyn Fn(Class) -> Class| {
        let mut tally = *decided;
        for class in Class::ALL {
            for (evidence_type, count) in EvidenceType::ALL.iter().zip(undecided.of_class(class)) {
                tally.add(class_of(class), *evidence_type, *count);
            }
        }
        decide_with(policy, &tally, Origin::Caller, None)
    };
    let count = undecided.total();
    if policy.undecided == Undecided::Ungrounded || count == 0 {
        return with(&|_| Class::Ungrounded);
    }
    let worst = with(&|leans_to| Filling::Worst.class(leans_to));
    let best = with(&|leans_to| Filling::Best.class(leans_to));
    between(&worst, &best, count).0
}

/// Combines the decisions with `count` undecided claims at their worst and at their best, and says which of the two it
/// took. If the tiers agree it is the one whose reasons hold a fortiori: the worst if the report may go out, else the
/// best. If they differ it abstains, with the reasons that hold even at the best.
pub(crate) fn between(worst: &Decision, best: &Decision, count: u64) -> (Decision, Filling) {
    let (decision, filling) = match (worst.tier, best.tier) {
        (Tier::Proceed, Tier::Proceed) => (worst.clone(), Filling::Worst),
        (worst, tier) if worst == tier => (best.clone(), Filling::Best),
        _ => (open(worst, best, count), Filling::Worst),
    };
    let bounds = Bounds { worst: Hypothetical::of(worst), best: Hypothetical::of(best) };
    (Decision { bounds: Some(bounds), ..decision }, filling)
}

fn open(worst: &Decision, best: &Decision, count: u64) -> Decision {
    let mut reasons = vec![Reason::JudgeUndecided { count, worst: worst.tier, best: best.tier }];
    reasons.extend(best.reasons.iter().cloned());
    Decision {
        tier: Tier::Abstain,
        score: None,
        guarded_score: None,
        reasons,
        bounds: None,
        ..worst.clone()
    }
}
