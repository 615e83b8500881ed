//! Decides partitions with undecided claims twice: with the worst and with the best verdicts for these claims.
//!
//! At worst, an undecided claim is ungrounded, or contradicted if the judge leans towards that class. At best, it is
//! grounded. If both tiers are equal, the undecided claims do not matter.

use crate::claim::{Class, EvidenceType, JudgedClaim};
use crate::policy::{Policy, PolicyValues, Undecided};
use crate::reason::Reason;
use crate::tally::Tally;
use crate::tier::Tier;
use crate::tier_decision::{Bounds, Decision, Hypothetical, Origin, decide};

/// An assumption about undecided claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// Undecided claims are ungrounded, or contradicted if the judge leans towards that class.
    Worst,
    /// Undecided claims are grounded.
    Best,
}

impl Assumption {
    /// The assumed class of a claim, given the class towards which the judge leans.
    #[must_use]
    pub const fn class(self, leans_to: Class) -> Class {
        match (self, leans_to) {
            (Self::Best, _) => Class::Grounded,
            (Self::Worst, Class::Contradicted) => Class::Contradicted,
            (Self::Worst, _) => Class::Ungrounded,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct AssumedVerdict {
    pub(crate) assumption: Assumption,
    /// The heaviest evidence type available.
    pub(crate) evidence_type: EvidenceType,
}

impl AssumedVerdict {
    pub(crate) fn class_and_type(
        self,
        policy: &PolicyValues,
        judged: &JudgedClaim,
    ) -> (Class, EvidenceType) {
        match judged.undecided.filter(|_| policy.undecided == Undecided::Bounds) {
            Some(leaning) => (self.assumption.class(leaning.class), self.evidence_type),
            None => (judged.class, judged.evidence_type),
        }
    }
}

/// Decides a partition that is given as counts. `undecided` contains the undecided claims by the class towards which
/// the judge leans and by the heaviest evidence type that they may have.
#[must_use]
pub fn decide_counts(policy: &Policy, decided: &Tally, undecided: &Tally) -> Decision {
    let decide_as = |class_of: &dyn Fn(Class) -> Class| {
        let mut tally = *decided;
        for class in Class::ALL {
            for (evidence_type, count) in EvidenceType::ALL.iter().zip(undecided.of_class(class)) {
                tally.add(class_of(class), *evidence_type, *count);
            }
        }
        decide(policy, &tally, Origin::Caller, None)
    };
    let count = undecided.total();
    if policy.undecided == Undecided::Ungrounded || count == 0 {
        return decide_as(&|_| Class::Ungrounded);
    }
    let worst = decide_as(&|leans_to| Assumption::Worst.class(leans_to));
    let best = decide_as(&|leans_to| Assumption::Best.class(leans_to));
    combine(&worst, &best, count).0
}

/// Combines the worst and the best decision. Abstains if their tiers differ.
pub(crate) fn combine(worst: &Decision, best: &Decision, count: u64) -> (Decision, Assumption) {
    let (decision, assumption) = match (worst.tier, best.tier) {
        (Tier::Proceed, Tier::Proceed) => (worst.clone(), Assumption::Worst),
        (worst, tier) if worst == tier => (best.clone(), Assumption::Best),
        _ => (abstain(worst, best, count), Assumption::Worst),
    };
    let bounds = Bounds { worst: Hypothetical::new(worst), best: Hypothetical::new(best) };
    (Decision { bounds: Some(bounds), ..decision }, assumption)
}

fn abstain(worst: &Decision, best: &Decision, count: u64) -> Decision {
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
