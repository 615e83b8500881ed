//! The bounded loop in which reports are judged and rewritten (a completed form of arXiv:2604.23366, algorithm 1).

mod action;
mod stage;

use core::cmp::Ordering;
use std::collections::BTreeSet;

use crate::fixed_point::Fraction;
use crate::names;
use crate::tier::Tier;

pub use action::{Action, DegradedCause, Ending, ReplanCause};
pub use stage::{Stage, StageProgress};

/// The limits of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopLimits {
    /// The maximum number of replans: 2 in the `reference` policy. More than 3 are not recommended.
    pub max_replans: u32,
    /// The maximum number of rewrites per plan: 1 in the `reference` policy.
    pub regenerations_per_plan: u32,
    /// The maximum number of retries after judge failures, over the whole loop.
    pub max_judge_retries: u32,
}

impl Default for LoopLimits {
    fn default() -> Self {
        Self { max_replans: 2, regenerations_per_plan: 1, max_judge_retries: 2 }
    }
}

/// The digest of a report and its evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubjectDigest(pub [u8; 32]);

/// A claim's normalized text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimKey(pub String);

/// The result of judging a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The decided tier.
    pub tier: Tier,
    /// The deciding score, if any.
    pub score: Option<Fraction>,
    /// The contradicted claims, including [`OuterLoop::carried_contradictions`].
    pub contradictions: Vec<ClaimKey>,
    /// All claims in the judge's partition.
    pub partition: Vec<ClaimKey>,
    /// All claims stated in the report, whether or not they are in the partition.
    pub stated: Vec<ClaimKey>,
    /// The explanation, the gaps and the reason for an abstention, for the planner.
    pub reasons: Vec<String>,
}

/// An event of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A rewritten or newly investigated report was submitted.
    Submitted(SubjectDigest),
    /// The judge judged the submitted report.
    Judged(Judgement),
    /// The judge failed because of a transport error, an exhausted budget or an unusable answer.
    JudgeFailed {
        /// The cause of the failure.
        reason: String,
    },
    /// The caller or a limit stopped the investigation.
    Stopped(StopCause),
}

/// The cause of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopCause {
    /// The judge call budget is exhausted.
    JudgeCallsSpent,
    /// The token budget is exhausted.
    TokensSpent,
    /// The cost budget is exhausted.
    MoneySpent,
    /// The time budget is exhausted.
    TimeSpent,
    /// The agent kept querying after the gate requested its report.
    QueryingWithoutCommitting,
    /// The caller cancelled the investigation.
    Cancelled,
}

names!(StopCause {
    JudgeCallsSpent => "JUDGE_CALLS_SPENT",
    TokensSpent => "TOKENS_SPENT",
    MoneySpent => "MONEY_SPENT",
    TimeSpent => "TIME_SPENT",
    QueryingWithoutCommitting => "QUERYING_WITHOUT_COMMITTING",
    Cancelled => "CANCELLED",
}, from_name);

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

/// A judged report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The digest of the report and its evidence.
    pub subject: SubjectDigest,
    /// The number of replans before the report.
    pub plan: u32,
    /// The tier. It is no better than regenerate if `put_back` is not empty.
    pub tier: Tier,
    /// The deciding score.
    pub score: Option<Fraction>,
    /// Earlier contradictions that the report still states but the judgement omitted.
    pub put_back: Vec<ClaimKey>,
    /// New claims in a rewrite. A rewrite should only correct or drop claims.
    pub added: Vec<ClaimKey>,
    stated: Vec<ClaimKey>,
    reasons: Vec<String>,
}

/// The state of the loop.
#[derive(Clone, Debug)]
pub struct OuterLoop {
    limits: LoopLimits,
    plan: u32,
    rewrites: u32,
    judge_failures: u32,
    contradicted: BTreeSet<ClaimKey>,
    trajectory: Vec<Step>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    AwaitingReport,
    AwaitingJudgement(SubjectDigest),
    Finished,
}

/// An event that the current state does not accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoopError {
    /// Another event is expected.
    #[error("received {given}, expected {expected}; respond to the last action")]
    Unexpected {
        /// The received event.
        given: &'static str,
        /// The expected event.
        expected: &'static str,
    },
    /// The loop has ended.
    #[error("received {given} after the loop ended; start a new loop")]
    Finished {
        /// The received event.
        given: &'static str,
    },
}

impl OuterLoop {
    /// Starts a loop. The first action is [`Action::Synthesize`].
    #[must_use]
    pub const fn start(limits: LoopLimits) -> Self {
        Self {
            limits,
            plan: 0,
            rewrites: 0,
            judge_failures: 0,
            contradicted: BTreeSet::new(),
            trajectory: Vec::new(),
            state: State::AwaitingReport,
        }
    }

    /// Returns `true` if the loop has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.state == State::Finished
    }

    /// Applies an event and returns the next action. A rejected event does not change the loop.
    pub fn apply(&mut self, event: Event) -> Result<Action, LoopError> {
        let given = event.name();
        let action = match (self.state, event) {
            (State::AwaitingReport, Event::Submitted(subject)) => self.on_submitted(subject),
            (State::AwaitingJudgement(subject), Event::Judged(judgement)) => {
                self.on_judged(subject, judgement)
            }
            (State::AwaitingJudgement(_), Event::JudgeFailed { reason }) => {
                self.on_judge_failed(reason)
            }
            (State::Finished, _) => return Err(LoopError::Finished { given }),
            (_, Event::Stopped(cause)) => self.finish_degraded(DegradedCause::Stopped(cause)),
            (State::AwaitingReport, _) => {
                return Err(LoopError::Unexpected { given, expected: "a report" });
            }
            (State::AwaitingJudgement(_), Event::Submitted(_)) => {
                let expected = "a judgement or a judge failure";
                return Err(LoopError::Unexpected { given, expected });
            }
        };
        Ok(action)
    }

    /// Returns the earlier contradictions that a report still states but its partition omits. The caller must add them
    /// to the partition as contradicted claims before scoring.
    #[must_use]
    pub fn carried_contradictions(
        &self,
        stated: &[ClaimKey],
        partition: &[ClaimKey],
    ) -> Vec<ClaimKey> {
        if self.contradicted.is_empty() {
            return Vec::new();
        }
        let judged_claims: BTreeSet<&ClaimKey> = partition.iter().collect();
        let mut carried: Vec<ClaimKey> = stated
            .iter()
            .filter(|key| self.contradicted.contains(*key) && !judged_claims.contains(key))
            .cloned()
            .collect();
        carried.sort_unstable();
        carried.dedup();
        carried
    }

    /// All judged reports, in order.
    #[must_use]
    pub fn trajectory(&self) -> &[Step] {
        &self.trajectory
    }

    /// The number of replans.
    #[must_use]
    pub const fn replans(&self) -> u32 {
        self.plan
    }

    /// The number of judge failures.
    #[must_use]
    pub const fn judge_failures(&self) -> u32 {
        self.judge_failures
    }

    fn on_submitted(&mut self, subject: SubjectDigest) -> Action {
        let judged = self.trajectory.iter().find(|step| step.subject == subject);
        match judged {
            // The loop only continues after a report was rejected, so this report was rejected.
            Some(step) => {
                let (tier, reasons) = (step.tier, step.reasons.clone());
                self.next_action(tier, reasons)
            }
            None => {
                self.state = State::AwaitingJudgement(subject);
                Action::Evaluate
            }
        }
    }

    fn on_judged(&mut self, subject: SubjectDigest, judgement: Judgement) -> Action {
        let mut put_back = self.carried_contradictions(&judgement.stated, &judgement.partition);
        put_back.retain(|key| !judgement.contradictions.contains(key));
        let added = self.added_claims(&judgement.stated);
        // A new verdict replaces the earlier one.
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
            stated: judgement.stated,
            reasons: judgement.reasons.clone(),
        });
        self.next_action(tier, judgement.reasons)
    }

    fn added_claims(&self, stated: &[ClaimKey]) -> Vec<ClaimKey> {
        let Some(previous) = self.trajectory.last().filter(|_| self.rewrites > 0) else {
            return Vec::new();
        };
        let mut known_claims: BTreeSet<&ClaimKey> = previous.stated.iter().collect();
        stated.iter().filter(|key| known_claims.insert(*key)).cloned().collect()
    }

    fn next_action(&mut self, tier: Tier, reasons: Vec<String>) -> Action {
        let cause = match tier {
            Tier::Proceed => {
                self.state = State::Finished;
                let index = self.trajectory.len().saturating_sub(1);
                return Action::Finish(Ending::Proceed { index });
            }
            Tier::Regenerate if self.rewrites < self.limits.regenerations_per_plan => {
                self.rewrites += 1;
                self.state = State::AwaitingReport;
                return Action::Rewrite { reasons, contradictions: self.contradictions() };
            }
            Tier::Regenerate => ReplanCause::SecondRegenerate,
            Tier::Replan => ReplanCause::Decided,
            Tier::Abstain => ReplanCause::GatherEvidence,
        };
        if self.plan >= self.limits.max_replans {
            return self.finish_degraded(DegradedCause::ReplansSpent);
        }
        self.plan += 1;
        self.rewrites = 0;
        self.state = State::AwaitingReport;
        let contradictions = self.contradictions();
        Action::Replan { plan: self.plan, cause, reasons, contradictions }
    }

    fn on_judge_failed(&mut self, reason: String) -> Action {
        self.judge_failures = self.judge_failures.saturating_add(1);
        if self.judge_failures > self.limits.max_judge_retries {
            self.finish_degraded(DegradedCause::JudgeFailed { reason })
        } else {
            Action::Evaluate
        }
    }

    fn finish_degraded(&mut self, cause: DegradedCause) -> Action {
        self.state = State::Finished;
        let best = self
            .trajectory
            .iter()
            .enumerate()
            .max_by(|(index, a), (other_index, b)| quality(a, b).then(other_index.cmp(index)))
            .map(|(index, _)| index);
        let last = self.trajectory.len().checked_sub(1);
        Action::Finish(Ending::Degraded { cause, best, last })
    }

    fn contradictions(&self) -> Vec<ClaimKey> {
        self.contradicted.iter().cloned().collect()
    }
}

/// Orders reports by score, then by tier. Reports whose score omits an earlier contradiction rank below others.
fn quality(a: &Step, b: &Step) -> Ordering {
    let is_complete = |step: &Step| step.score.is_some() && step.put_back.is_empty();
    is_complete(a).cmp(&is_complete(b)).then(a.score.cmp(&b.score)).then(b.tier.cmp(&a.tier))
}

#[cfg(test)]
mod tests;
