//! The bounded loop around judged reports (arXiv:2604.23366, algorithm 1, completed).
//!
//! A state machine that is handed what happened and says what to do next. It calls no judge and no
//! planner, holds no text beyond keys and reasons, and cannot run for ever: at most
//! (`max_replans` + 1) * 2 reports are judged, and judge failures have a bound of their own.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::Tier;
use crate::fixed::Fraction;

/// Bounds of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopLimits {
    /// How many times the plan may be revised; the reference is 2, more than 3 is not recommended.
    pub max_replans: u32,
    /// How many failures of the judge are retried, over the whole loop.
    pub max_judge_retries: u32,
}

impl Default for LoopLimits {
    /// The reference: 2 replans; 2 retries.
    fn default() -> Self {
        Self { max_replans: 2, max_judge_retries: 2 }
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
}

impl Event {
    const fn name(&self) -> &'static str {
        match self {
            Self::Submitted(_) => "a report",
            Self::Judged(_) => "a judgement",
            Self::JudgeFailed { .. } => "a judge failure",
        }
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Judge the report; answer with [`Event::Judged`] or [`Event::JudgeFailed`].
    Evaluate,
    /// Rewrite the report from the same evidence, keeping its claims; answer with [`Event::Submitted`].
    Rewrite {
        /// What the judge said.
        reasons: Vec<String>,
        /// Claims known to be contradicted.
        contradictions: Vec<ClaimKey>,
    },
    /// Revise the plan and investigate again; answer with [`Event::Submitted`].
    Replan {
        /// Which revision of the plan this is, from 1.
        plan: u32,
        /// Why rewriting does not do.
        cause: ReplanCause,
        /// What the judge said.
        reasons: Vec<String>,
        /// Claims known to be contradicted.
        contradictions: Vec<ClaimKey>,
    },
    /// It is over.
    Finish(Ending),
}

/// Why a plan is revised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplanCause {
    /// The decision was replan.
    Decided,
    /// The report was rewritten once under this plan and would have to be again.
    SecondRegenerate,
    /// The decision was abstain: gather more evidence first.
    GatherEvidence,
}

impl ReplanCause {
    /// The stable code on the wire.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Decided => "REPLAN",
            Self::SecondRegenerate => "SECOND_REGENERATE",
            Self::GatherEvidence => "GATHER_EVIDENCE_FIRST",
        }
    }
}

/// How a loop ends. Proceeding and being degraded exclude each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The report may go out.
    Proceed {
        /// Its place in the trajectory.
        index: usize,
    },
    /// No report may go out unmarked: the best goes out under a banner, with the last beside it.
    Degraded {
        /// Why.
        cause: DegradedCause,
        /// The best-scoring report's place in the trajectory; `None` when none was judged.
        best: Option<usize>,
        /// The last judged report's place in the trajectory; `None` when none was judged.
        last: Option<usize>,
    },
}

impl Ending {
    /// Whether the report goes out under a banner.
    #[must_use]
    pub const fn is_degraded(&self) -> bool {
        matches!(self, Self::Degraded { .. })
    }
}

/// Why a loop ends degraded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DegradedCause {
    /// The plan may not be revised again.
    ReplansSpent,
    /// The judge failed once more than it is retried.
    JudgeFailed {
        /// What happened at the last failure.
        reason: String,
    },
}

impl DegradedCause {
    /// The stable code on the wire.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ReplansSpent => "REPLANS_SPENT",
            Self::JudgeFailed { .. } => "JUDGE_FAILED",
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
    reasons: Vec<String>,
}

/// The loop. Each event consumes it and returns it with what to do next.
#[derive(Clone, Debug)]
pub struct OuterLoop {
    limits: LoopLimits,
    plan: u32,
    rewritten: bool,
    judge_failures: u32,
    contradicted: BTreeSet<ClaimKey>,
    trajectory: Vec<Step>,
    expects: Expects,
}

#[derive(Clone, Copy, Debug)]
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
    /// Starts with the first report.
    #[must_use]
    pub const fn start(limits: LoopLimits, report: SubjectDigest) -> (Self, Action) {
        let outer_loop = Self {
            limits,
            plan: 0,
            rewritten: false,
            judge_failures: 0,
            contradicted: BTreeSet::new(),
            trajectory: Vec::new(),
            expects: Expects::Judgement(report),
        };
        (outer_loop, Action::Evaluate)
    }

    /// Takes what happened and says what to do next.
    ///
    /// # Errors
    /// [`LoopError`] when the event does not answer the last action.
    pub fn apply(mut self, event: Event) -> Result<(Self, Action), LoopError> {
        let given = event.name();
        let action = match (self.expects, event) {
            (Expects::Report, Event::Submitted(subject)) => self.submitted(subject),
            (Expects::Judgement(subject), Event::Judged(judgement)) => {
                self.judged(subject, judgement)
            }
            (Expects::Judgement(_), Event::JudgeFailed { reason }) => self.judge_failed(reason),
            (Expects::Nothing, _) => return Err(LoopError::Finished { given }),
            (Expects::Report, _) => {
                return Err(LoopError::Unexpected { given, expected: "a report" });
            }
            (Expects::Judgement(_), Event::Submitted(_)) => {
                let expected = "a judgement or a judge failure";
                return Err(LoopError::Unexpected { given, expected });
            }
        };
        Ok((self, action))
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
            reasons: judgement.reasons.clone(),
        });
        self.after(tier, judgement.reasons)
    }

    fn after(&mut self, tier: Tier, reasons: Vec<String>) -> Action {
        let cause = match tier {
            Tier::Proceed => {
                self.expects = Expects::Nothing;
                let index = self.trajectory.len().saturating_sub(1);
                return Action::Finish(Ending::Proceed { index });
            }
            Tier::Regenerate if !self.rewritten => {
                self.rewritten = true;
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
        self.rewritten = false;
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
fn compare(a: Fraction, b: Fraction) -> Ordering {
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
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;
    use proptest::prelude::*;

    fn digest(number: u8) -> SubjectDigest {
        SubjectDigest([number; 32])
    }

    fn key(text: &str) -> ClaimKey {
        ClaimKey(text.to_string())
    }

    fn judgement(tier: Tier, score: Option<(u128, u128)>) -> Judgement {
        Judgement {
            tier,
            score: score.and_then(|(numerator, denominator)| Fraction::new(numerator, denominator)),
            contradictions: vec![],
            partition: vec![],
            standing: vec![],
            reasons: vec!["the deploy is not shown".to_string()],
        }
    }

    /// Drives a loop with a fresh report whenever one is due, and a judgement from `tiers` whenever one
    /// is; returns the loop and its last action.
    fn drive(
        limits: LoopLimits,
        tiers: &[(Tier, Option<(u128, u128)>)],
    ) -> (OuterLoop, Vec<Action>) {
        let (mut outer_loop, mut action) = OuterLoop::start(limits, digest(0));
        let mut actions = vec![action.clone()];
        let mut judgements = tiers.iter();
        for fresh in 1.. {
            let event = match action {
                Action::Evaluate => match judgements.next() {
                    Some((tier, score)) => Event::Judged(judgement(*tier, *score)),
                    None => break,
                },
                Action::Rewrite { .. } | Action::Replan { .. } => Event::Submitted(digest(fresh)),
                Action::Finish(_) => break,
            };
            (outer_loop, action) = outer_loop.apply(event).unwrap();
            actions.push(action.clone());
        }
        (outer_loop, actions)
    }

    fn words(actions: &[Action]) -> Vec<&'static str> {
        let word = |action: &Action| match action {
            Action::Evaluate => "evaluate",
            Action::Rewrite { .. } => "rewrite",
            Action::Replan { .. } => "replan",
            Action::Finish(Ending::Proceed { .. }) => "proceed",
            Action::Finish(Ending::Degraded { .. }) => "degraded",
        };
        actions.iter().map(word).collect()
    }

    #[test]
    fn a_grounded_report_proceeds_at_once() {
        let (_, actions) = drive(LoopLimits::default(), &[(Tier::Proceed, Some((9, 10)))]);
        assert_eq!(actions.last(), Some(&Action::Finish(Ending::Proceed { index: 0 })));
    }

    #[test]
    fn one_regeneration_per_plan_and_the_second_counts_as_replan() {
        let regenerate = (Tier::Regenerate, Some((7, 10)));
        let (outer_loop, actions) = drive(
            LoopLimits { max_replans: 1, max_judge_retries: 0 },
            &[regenerate, regenerate, regenerate, regenerate],
        );
        assert_eq!(
            words(&actions),
            [
                "evaluate", "rewrite", "evaluate", "replan", "evaluate", "rewrite", "evaluate",
                "degraded"
            ]
        );
        let Action::Replan { cause, plan, reasons, .. } = &actions[3] else {
            panic!("a replan is due");
        };
        assert_eq!((*cause, *plan), (ReplanCause::SecondRegenerate, 1));
        assert_eq!(*reasons, ["the deploy is not shown"]);
        assert_eq!(outer_loop.trajectory().len(), 4);
    }

    #[test]
    fn an_abstention_asks_the_planner_for_evidence_first() {
        let (_, actions) = drive(LoopLimits::default(), &[(Tier::Abstain, None)]);
        assert!(matches!(actions[1], Action::Replan { cause: ReplanCause::GatherEvidence, .. }));
    }

    #[test]
    fn h34_a_degraded_end_returns_the_best_report_beside_the_last() {
        let (_, actions) = drive(
            LoopLimits::default(),
            &[
                (Tier::Replan, Some((1, 10))),
                (Tier::Replan, Some((6, 10))),
                (Tier::Replan, Some((3, 10))),
            ],
        );
        let Some(Action::Finish(ending)) = actions.last() else { panic!("it must end") };
        let (best, last) = (Some(1), Some(2));
        let cause = DegradedCause::ReplansSpent;
        assert_eq!(*ending, Ending::Degraded { cause, best, last });
    }

    #[test]
    fn h34_an_unchanged_report_is_not_judged_again() {
        let limits = LoopLimits { max_replans: 1, max_judge_retries: 0 };
        let (outer_loop, _) = OuterLoop::start(limits, digest(7));
        let regenerate = judgement(Tier::Regenerate, Some((7, 10)));
        let (outer_loop, action) = outer_loop.apply(Event::Judged(regenerate)).unwrap();
        assert_eq!(words(&[action]), ["rewrite"]);
        let (outer_loop, action) = outer_loop.apply(Event::Submitted(digest(7))).unwrap();
        assert_eq!(words(&[action]), ["replan"], "not evaluated, the rewrite is spent");
        let (outer_loop, action) = outer_loop.apply(Event::Submitted(digest(7))).unwrap();
        assert_eq!(words(&[action]), ["rewrite"]);
        let (outer_loop, action) = outer_loop.apply(Event::Submitted(digest(7))).unwrap();
        assert_eq!(words(&[action]), ["degraded"]);
        assert_eq!(outer_loop.trajectory().len(), 1, "judged once");
    }

    #[test]
    fn h34_a_perfect_report_after_rewrites_proceeds_and_is_not_degraded() {
        let (_, actions) = drive(
            LoopLimits::default(),
            &[
                (Tier::Regenerate, Some((7, 10))),
                (Tier::Replan, Some((1, 2))),
                (Tier::Proceed, Some((1, 1))),
            ],
        );
        assert_eq!(actions.last(), Some(&Action::Finish(Ending::Proceed { index: 2 })));
    }

    #[test]
    fn judge_failures_have_their_own_bound_and_spend_no_replan() {
        let limits = LoopLimits { max_replans: 2, max_judge_retries: 2 };
        let (mut outer_loop, _) = OuterLoop::start(limits, digest(0));
        let failed = || Event::JudgeFailed { reason: "connection refused".to_string() };
        for _ in 0..2 {
            let action;
            (outer_loop, action) = outer_loop.apply(failed()).unwrap();
            assert_eq!(action, Action::Evaluate);
        }
        assert_eq!((outer_loop.replans(), outer_loop.judge_failures()), (0, 2));
        let (_, action) = outer_loop.apply(failed()).unwrap();
        let cause = DegradedCause::JudgeFailed { reason: "connection refused".to_string() };
        assert_eq!(action, Action::Finish(Ending::Degraded { cause, best: None, last: None }));
    }

    #[test]
    fn h07_an_earlier_contradiction_that_still_stands_is_put_back() {
        let (outer_loop, _) = OuterLoop::start(LoopLimits::default(), digest(0));
        let first = Judgement {
            contradictions: vec![key("the limit was raised")],
            partition: vec![key("the limit was raised"), key("pods restarted")],
            standing: vec![key("the limit was raised"), key("pods restarted")],
            ..judgement(Tier::Regenerate, Some((7, 10)))
        };
        let (outer_loop, action) = outer_loop.apply(Event::Judged(first)).unwrap();
        let Action::Rewrite { contradictions, .. } = action else { panic!("a rewrite is due") };
        assert_eq!(contradictions, [key("the limit was raised")]);
        let (outer_loop, _) = outer_loop.apply(Event::Submitted(digest(1))).unwrap();

        let standing = [key("pods restarted"), key("the limit was raised")];
        let partition = [key("pods restarted")];
        let carried = [key("the limit was raised")];
        assert_eq!(outer_loop.carried(&standing, &partition), carried);
        assert_eq!(outer_loop.carried(&partition, &partition), [], "no longer stated");
        assert_eq!(outer_loop.carried(&standing, &standing), [], "judged again");

        let forgetful = Judgement {
            partition: partition.to_vec(),
            standing: standing.to_vec(),
            ..judgement(Tier::Proceed, Some((1, 1)))
        };
        let (outer_loop, action) = outer_loop.apply(Event::Judged(forgetful)).unwrap();
        assert_eq!(words(&[action]), ["replan"], "it must not proceed without it");
        assert_eq!(outer_loop.trajectory()[1].put_back, carried);
    }

    #[test]
    fn a_score_that_leaves_a_contradiction_out_is_not_the_best() {
        let limits = LoopLimits { max_replans: 0, max_judge_retries: 0 };
        let (outer_loop, _) = OuterLoop::start(limits, digest(0));
        let honest = Judgement {
            contradictions: vec![key("x")],
            partition: vec![key("x")],
            standing: vec![key("x")],
            ..judgement(Tier::Regenerate, Some((7, 10)))
        };
        let (outer_loop, _) = outer_loop.apply(Event::Judged(honest)).unwrap();
        let (outer_loop, _) = outer_loop.apply(Event::Submitted(digest(1))).unwrap();
        let forgetful =
            Judgement { standing: vec![key("x")], ..judgement(Tier::Proceed, Some((1, 1))) };
        let (_, action) = outer_loop.apply(Event::Judged(forgetful)).unwrap();
        let Action::Finish(Ending::Degraded { best, last, .. }) = action else {
            panic!("it must end degraded");
        };
        assert_eq!((best, last), (Some(0), Some(1)));
    }

    #[test]
    fn events_that_do_not_answer_are_refused() {
        let (outer_loop, _) = OuterLoop::start(LoopLimits::default(), digest(0));
        let error = outer_loop.clone().apply(Event::Submitted(digest(1))).unwrap_err();
        assert!(matches!(error, LoopError::Unexpected { given: "a report", .. }));
        let proceed = Event::Judged(judgement(Tier::Proceed, Some((1, 1))));
        let (outer_loop, _) = outer_loop.apply(proceed.clone()).unwrap();
        let error = outer_loop.apply(proceed).unwrap_err();
        assert_eq!(error, LoopError::Finished { given: "a judgement" });
    }

    fn any_event() -> impl Strategy<Value = Event> {
        let keys = || proptest::collection::vec("[a-d]".prop_map(ClaimKey), 0..4);
        let judged =
            (0usize..4, proptest::option::of((0u128..20, 1u128..20)), keys(), keys(), keys());
        prop_oneof![
            3 => (0u8..30).prop_map(|number| Event::Submitted(digest(number))),
            4 => judged.prop_map(|(tier, score, contradictions, partition, standing)| {
                Event::Judged(Judgement {
                    contradictions, partition, standing, ..judgement(Tier::ALL[tier], score)
                })
            }),
            1 => Just(Event::JudgeFailed { reason: "timeout".to_string() }),
        ]
    }

    proptest! {
        #[test]
        fn judged_calls_are_bounded_by_twice_the_plans(
            max_replans in 0u32..4, max_judge_retries in 0u32..4,
            events in proptest::collection::vec(any_event(), 0..200),
        ) {
            let limits = LoopLimits { max_replans, max_judge_retries };
            let (mut outer_loop, mut action) = OuterLoop::start(limits, digest(0));
            let (mut judged, mut failures, mut ended) = (0, 0, false);
            for event in events {
                let (is_judged, is_failure) =
                    (matches!(event, Event::Judged(_)), matches!(event, Event::JudgeFailed { .. }));
                let Ok((next, then)) = outer_loop.clone().apply(event) else { continue };
                prop_assert!(!ended, "nothing is accepted after the end");
                prop_assert_eq!(is_judged || is_failure, action == Action::Evaluate);
                judged += u32::from(is_judged);
                failures += u32::from(is_failure);
                (outer_loop, action) = (next, then);
                ended = matches!(action, Action::Finish(_));
            }
            prop_assert!(judged <= (max_replans + 1) * 2);
            prop_assert!(failures <= max_judge_retries + 1);
            prop_assert_eq!(outer_loop.trajectory().len(), judged as usize);
            prop_assert!(outer_loop.replans() <= max_replans);
            let mut subjects: Vec<_> = outer_loop.trajectory().iter().map(|step| step.subject).collect();
            subjects.sort_unstable();
            subjects.dedup();
            prop_assert_eq!(subjects.len(), judged as usize, "no report is judged twice");
            let last = outer_loop.trajectory().last();
            match action {
                Action::Finish(Ending::Proceed { index }) => {
                    prop_assert_eq!(index + 1, judged as usize);
                    prop_assert!(last.is_some_and(|step| step.tier == Tier::Proceed && step.put_back.is_empty()));
                }
                Action::Finish(Ending::Degraded { best, .. }) => {
                    prop_assert!(outer_loop.trajectory().iter().all(|step| step.tier != Tier::Proceed));
                    if let Some(best) = best {
                        let best = &outer_loop.trajectory()[best];
                        prop_assert!(outer_loop.trajectory().iter().all(|step| quality(step, best).is_le()));
                    }
                }
                _ => {}
            }
        }

        #[test]
        fn every_sequence_of_answers_ends(tiers in proptest::collection::vec(0usize..4, 8..9)) {
            let tiers: Vec<_> = tiers.into_iter().map(|tier| (Tier::ALL[tier], Some((1, 2)))).collect();
            let limits = LoopLimits { max_replans: 3, max_judge_retries: 0 };
            let (_, actions) = drive(limits, &tiers);
            prop_assert!(matches!(actions.last(), Some(Action::Finish(_))));
        }

        #[test]
        fn fractions_compare_as_their_cross_products(a in 0u128..1 << 60, b in 1u128..1 << 60, c in 0u128..1 << 60, d in 1u128..1 << 60) {
            let order = compare(Fraction::new(a, b).unwrap(), Fraction::new(c, d).unwrap());
            prop_assert_eq!(order, (a * d).cmp(&(c * b)));
        }
    }
}
