//! The bounded loop around judged reports (arXiv:2604.23366, algorithm 1, completed).
//!
//! A state machine that is handed what happened and says what to do next. It calls no judge and no
//! planner, holds no text beyond keys and reasons, and cannot run for ever: at most (`max_replans` + 1) *
//! (`regenerations_per_plan` + 1) reports are judged, and judge failures have a bound of their own.

mod action;
mod stage;

use core::cmp::Ordering;
use std::collections::BTreeSet;

use crate::Tier;
use crate::fixed::Fraction;

pub use action::{Action, DegradedCause, Ending, ReplanCause};
pub use stage::{Reached, Stage};

/// Bounds of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopLimits {
    /// How many times the plan may be revised; the reference is 2, more than 3 is not recommended.
    pub max_replans: u32,
    /// How many times a report may be rewritten under one plan; the reference is 1.
    pub regenerations_per_plan: u32,
    /// How many failures of the judge are retried, over the whole loop.
    pub max_judge_retries: u32,
}

impl Default for LoopLimits {
    /// The reference: 2 replans, 1 regeneration under each plan, 2 retries.
    fn default() -> Self {
        Self { max_replans: 2, regenerations_per_plan: 1, max_judge_retries: 2 }
    }
}

/// Digest of a report together with the evidence it is judged on. Equal digests would be judged equally,
/// so none is judged twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubjectDigest(pub [u8; 32]);

/// The canonical form of a claim's text: equal for texts that are the same or near-same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimKey(pub String);

/// What came of judging one report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What was decided.
    pub tier: Tier,
    /// The score the tier was decided on; `None` where there is none.
    pub score: Option<Fraction>,
    /// Claims that were found contradicted, with those that [`OuterLoop::carried`] puts back.
    pub contradictions: Vec<ClaimKey>,
    /// Claims that the judge's own partition holds, of whatever class.
    pub partition: Vec<ClaimKey>,
    /// Claims that the report states, whether or not the partition holds them.
    pub standing: Vec<ClaimKey>,
    /// Explanation, gaps and, of an abstention, its reason: what goes to the planner.
    pub reasons: Vec<String>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A rewritten or newly investigated report is there.
    Submitted(SubjectDigest),
    /// The judge judged the report that was to be evaluated.
    Judged(Judgement),
    /// The judge failed: transport, budget, nothing usable in its answer.
    JudgeFailed {
        /// What happened, for a person.
        reason: String,
    },
    /// The investigation may not go on, whatever is due.
    Stopped(StopCause),
}

/// What stops an investigation from outside the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopCause {
    /// As many calls of judges as the budget allows were made.
    JudgeCallsSpent,
    /// The tokens of the budget are spent.
    TokensSpent,
    /// The money of the budget is spent.
    MoneySpent,
    /// The time of the budget has passed.
    TimeSpent,
    /// The agent goes on querying after the gate asked for its report.
    QueryingWithoutCommitting,
    /// Its caller gave it up.
    Cancelled,
}

impl StopCause {
    /// Every cause.
    pub const ALL: [Self; 6] = [
        Self::JudgeCallsSpent,
        Self::TokensSpent,
        Self::MoneySpent,
        Self::TimeSpent,
        Self::QueryingWithoutCommitting,
        Self::Cancelled,
    ];

    /// The stable code on the wire.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::JudgeCallsSpent => "JUDGE_CALLS_SPENT",
            Self::TokensSpent => "TOKENS_SPENT",
            Self::MoneySpent => "MONEY_SPENT",
            Self::TimeSpent => "TIME_SPENT",
            Self::QueryingWithoutCommitting => "QUERYING_WITHOUT_COMMITTING",
            Self::Cancelled => "CANCELLED",
        }
    }
}

impl Event {
    const fn name(&self) -> &'static str {
        match self {
            Self::Submitted(_) => "a report",
            Self::Judged(_) => "a judgement",
            Self::JudgeFailed { .. } => "a judge failure",
            Self::Stopped(_) => "a stop",
        }
    }
}

/// One judged report of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The report and its evidence.
    pub subject: SubjectDigest,
    /// The plan it came from, 0 for the first.
    pub plan: u32,
    /// What was decided, with what was put back.
    pub tier: Tier,
    /// The score it was decided on.
    pub score: Option<Fraction>,
    /// Earlier contradictions that the report still states and whose classes the judgement left out
    /// although [`OuterLoop::carried`] names them. Empty when the caller put them back before scoring.
    pub put_back: Vec<ClaimKey>,
    /// Claims of a rewritten report that the report before it did not state. A rewrite may correct or drop
    /// claims and should add none; those it adds were judged like any other.
    pub added: Vec<ClaimKey>,
    standing: Vec<ClaimKey>,
    reasons: Vec<String>,
}

/// The loop. Each event changes it and is answered with what to do next.
#[derive(Clone, Debug)]
pub struct OuterLoop {
    limits: LoopLimits,
    plan: u32,
    rewrites: u32,
    judge_failures: u32,
    contradicted: BTreeSet<ClaimKey>,
    trajectory: Vec<Step>,
    expects: Expects,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expects {
    Report,
    Judgement(SubjectDigest),
    Nothing,
}

/// An event that does not fit what the loop asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoopError {
    /// Another event is due.
    #[error("{given} was given where {expected} is due; answer the last action")]
    Unexpected {
        /// What was given.
        given: &'static str,
        /// What is due.
        expected: &'static str,
    },
    /// The loop is over.
    #[error("{given} was given after the loop ended; start another")]
    Finished {
        /// What was given.
        given: &'static str,
    },
}

impl OuterLoop {
    /// Starts; [`Action::Synthesize`] is what is due.
    #[must_use]
    pub const fn start(limits: LoopLimits) -> Self {
        Self {
            limits,
            plan: 0,
            rewrites: 0,
            judge_failures: 0,
            contradicted: BTreeSet::new(),
            trajectory: Vec::new(),
            expects: Expects::Report,
        }
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.expects == Expects::Nothing
    }

    /// Takes what happened and says what to do next.
    ///
    /// # Errors
    /// [`LoopError`] when the event does not answer the last action; nothing changes then.
    pub fn apply(&mut self, event: Event) -> Result<Action, LoopError> {
        let given = event.name();
        let action = match (self.expects, event) {
            (Expects::Report, Event::Submitted(subject)) => self.submitted(subject),
            (Expects::Judgement(subject), Event::Judged(judgement)) => {
                self.judged(subject, judgement)
            }
            (Expects::Judgement(_), Event::JudgeFailed { reason }) => self.judge_failed(reason),
            (Expects::Nothing, _) => return Err(LoopError::Finished { given }),
            (_, Event::Stopped(cause)) => self.degraded(DegradedCause::Stopped(cause)),
            (Expects::Report, _) => {
                return Err(LoopError::Unexpected { given, expected: "a report" });
            }
            (Expects::Judgement(_), Event::Submitted(_)) => {
                let expected = "a judgement or a judge failure";
                return Err(LoopError::Unexpected { given, expected });
            }
        };
        Ok(action)
    }

    /// Claims that were found contradicted before, that a report still states and that its partition
    /// leaves out: they are to be put back as contradicted before the partition is scored.
    #[must_use]
    pub fn carried(&self, standing: &[ClaimKey], partition: &[ClaimKey]) -> Vec<ClaimKey> {
        if self.contradicted.is_empty() {
            return Vec::new();
        }
        let judged: BTreeSet<&ClaimKey> = partition.iter().collect();
        let mut carried: Vec<ClaimKey> = standing
            .iter()
            .filter(|key| self.contradicted.contains(*key) && !judged.contains(key))
            .cloned()
            .collect();
        carried.sort_unstable();
        carried.dedup();
        carried
    }

    /// Every judged report, in the order in which they were judged.
    #[must_use]
    pub fn trajectory(&self) -> &[Step] {
        &self.trajectory
    }

    /// How many times the plan was revised.
    #[must_use]
    pub const fn replans(&self) -> u32 {
        self.plan
    }

    /// How many times the judge failed.
    #[must_use]
    pub const fn judge_failures(&self) -> u32 {
        self.judge_failures
    }

    fn submitted(&mut self, subject: SubjectDigest) -> Action {
        let judged = self.trajectory.iter().find(|step| step.subject == subject);
        match judged {
            // Only a report that may not go out is followed by another, so this one may not either.
            Some(step) => {
                let (tier, reasons) = (step.tier, step.reasons.clone());
                self.after(tier, reasons)
            }
            None => {
                self.expects = Expects::Judgement(subject);
                Action::Evaluate
            }
        }
    }

    fn judged(&mut self, subject: SubjectDigest, judgement: Judgement) -> Action {
        let mut put_back = self.carried(&judgement.standing, &judgement.partition);
        put_back.retain(|key| !judgement.contradictions.contains(key));
        let added = self.added(&judgement.standing);
        // What a partition says of a claim again replaces what an earlier one said.
        for key in &judgement.partition {
            self.contradicted.remove(key);
        }
        self.contradicted.extend(judgement.contradictions);
        let tier =
            if put_back.is_empty() { judgement.tier } else { judgement.tier.max(Tier::Regenerate) };
        self.trajectory.push(Step {
            subject,
            plan: self.plan,
            tier,
            score: judgement.score,
            put_back,
            added,
            standing: judgement.standing,
            reasons: judgement.reasons.clone(),
        });
        self.after(tier, judgement.reasons)
    }

    /// The claims of a rewrite that the report before it did not state, each once.
    fn added(&self, standing: &[ClaimKey]) -> Vec<ClaimKey> {
        let Some(before) = self.trajectory.last().filter(|_| self.rewrites > 0) else {
            return Vec::new();
        };
        let mut known: BTreeSet<&ClaimKey> = before.standing.iter().collect();
        standing.iter().filter(|key| known.insert(*key)).cloned().collect()
    }

    fn after(&mut self, tier: Tier, reasons: Vec<String>) -> Action {
        let cause = match tier {
            Tier::Proceed => {
                self.expects = Expects::Nothing;
                let index = self.trajectory.len().saturating_sub(1);
                return Action::Finish(Ending::Proceed { index });
            }
            Tier::Regenerate if self.rewrites < self.limits.regenerations_per_plan => {
                self.rewrites += 1;
                self.expects = Expects::Report;
                return Action::Rewrite { reasons, contradictions: self.contradictions() };
            }
            Tier::Regenerate => ReplanCause::SecondRegenerate,
            Tier::Replan => ReplanCause::Decided,
            Tier::Abstain => ReplanCause::GatherEvidence,
        };
        if self.plan >= self.limits.max_replans {
            return self.degraded(DegradedCause::ReplansSpent);
        }
        self.plan += 1;
        self.rewrites = 0;
        self.expects = Expects::Report;
        let contradictions = self.contradictions();
        Action::Replan { plan: self.plan, cause, reasons, contradictions }
    }

    fn judge_failed(&mut self, reason: String) -> Action {
        self.judge_failures = self.judge_failures.saturating_add(1);
        if self.judge_failures > self.limits.max_judge_retries {
            self.degraded(DegradedCause::JudgeFailed { reason })
        } else {
            Action::Evaluate
        }
    }

    fn degraded(&mut self, cause: DegradedCause) -> Action {
        self.expects = Expects::Nothing;
        let best = self
            .trajectory
            .iter()
            .enumerate()
            .max_by(|(earlier, a), (later, b)| quality(a, b).then(later.cmp(earlier)))
            .map(|(index, _)| index);
        let last = self.trajectory.len().checked_sub(1);
        Action::Finish(Ending::Degraded { cause, best, last })
    }

    fn contradictions(&self) -> Vec<ClaimKey> {
        self.contradicted.iter().cloned().collect()
    }
}

/// The better of two reports is the greater: by score, then by tier. A score that leaves an earlier
/// contradiction out is too high, so it ranks below every score that does not.
fn quality(a: &Step, b: &Step) -> Ordering {
    let by_score = match (a.score, b.score) {
        (Some(a), Some(b)) => compare(a, b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    };
    let complete = |step: &Step| step.score.is_some() && step.put_back.is_empty();
    complete(a).cmp(&complete(b)).then(by_score).then(b.tier.cmp(&a.tier))
}

/// Compares two fractions exactly, without a product that could overflow: whole parts first, then the
/// reciprocals of what remains.
pub(crate) fn compare(a: Fraction, b: Fraction) -> Ordering {
    let (mut a, mut b) = ((a.numerator(), a.denominator()), (b.numerator(), b.denominator()));
    let mut reversed = false;
    loop {
        let order = match ((a.0 / a.1).cmp(&(b.0 / b.1)), a.0 % a.1, b.0 % b.1) {
            (Ordering::Equal, 0, 0) => return Ordering::Equal,
            (Ordering::Equal, 0, _) => Ordering::Less,
            (Ordering::Equal, _, 0) => Ordering::Greater,
            (Ordering::Equal, rest_a, rest_b) => {
                (a, b) = ((a.1, rest_a), (b.1, rest_b));
                reversed = !reversed;
                continue;
            }
            (order, _, _) => order,
        };
        return if reversed { order.reverse() } else { order };
    }
}

#[cfg(test)]
mod tests;
