//! This module decides partitions of which a judge leaves claims undecided: what the worst and the best that these can be
//! come to alike holds whatever they are. It never guesses.
//!
//! *Worst*: each is ungrounded, or contradicted where that is what the judge leans to. *Best*: each is grounded. Both at the
//! heaviest type that the evidence allows. A score grows with every claim that becomes grounded, and guards loosen, so
//! that everything else they may be lies between; only a contradiction that the judge does not lean to lies below.

use alloc::vec;

use crate::claim::{Class, EvidenceType, JudgedClaim};
use crate::decision::{Bounds, Decision, Hypothetical, Origin, Reason, Tier, decide_with};
use crate::policy::{Policy, PolicyValues, Undecided};
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
    /// The class that a claim counts as whose judge leans to that one.
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

/// Decides counted claims with `undecided` ones beside them: by the class that their judge leans to and by the heaviest
/// type that they may have.
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

/// What the decisions with the worst and with the best that `count` undecided claims can be have in common, and of which of the two
/// it is. Where both have one tier, the one whose reasons hold all the more: the worst of a report that may go out, the
/// best of any other. Where they differ it abstains, and names what speaks against the report at its best.
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
