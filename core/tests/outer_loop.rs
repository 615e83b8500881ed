//! Explores every sequence of events up to a certain length. The loop must end within its limits, and unexpected events
//! and interruptions must not change it.

use std::cell::Cell;

use gsar_core::Tier;
use gsar_core::fixed_point::Fraction;
use gsar_core::outer_loop::{
    Action, ClaimKey, DegradedCause, Ending, Event, Judgement, LoopLimits, OuterLoop, ReplanCause,
    StopCause, SubjectDigest,
};

/// The events that can occur while a report awaits its judgement.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    Judged(Tier),
    JudgeFailed,
    /// The caller sends an unexpected event.
    CallerError,
    /// The connection breaks, and the loop is restored from the recorded events.
    Disconnect,
    BudgetExhausted,
}

const OUTCOMES: [Outcome; 8] = [
    Outcome::Judged(Tier::Proceed),
    Outcome::Judged(Tier::Regenerate),
    Outcome::Judged(Tier::Replan),
    Outcome::Judged(Tier::Abstain),
    Outcome::JudgeFailed,
    Outcome::CallerError,
    Outcome::Disconnect,
    Outcome::BudgetExhausted,
];

/// A loop with its recorded events.
#[derive(Clone)]
struct LoopDriver {
    limits: LoopLimits,
    outer_loop: OuterLoop,
    action: Action,
    events: Vec<Event>,
    submitted_count: u8,
    judged_count: u32,
    failure_count: u32,
    rewrites_under_plan: u32,
}

impl LoopDriver {
    fn start(limits: LoopLimits) -> Self {
        let mut driver = Self {
            limits,
            outer_loop: OuterLoop::start(limits),
            action: Action::Synthesize,
            events: Vec::new(),
            submitted_count: 0,
            judged_count: 0,
            failure_count: 0,
            rewrites_under_plan: 0,
        };
        driver.submit();
        driver
    }

    fn apply(&mut self, event: Event) {
        self.action = self.outer_loop.apply(event.clone()).unwrap();
        self.events.push(event);
    }

    /// Submits new reports as long as they are expected.
    fn submit(&mut self) {
        match &self.action {
            Action::Rewrite { .. } => {
                self.rewrites_under_plan += 1;
                assert!(self.rewrites_under_plan <= self.limits.regenerations_per_plan);
            }
            Action::Replan { .. } => self.rewrites_under_plan = 0,
            Action::Synthesize => {}
            Action::Evaluate | Action::Finish(_) => return,
        }
        self.submitted_count += 1;
        self.apply(Event::Submitted(SubjectDigest([self.submitted_count; 32])));
        assert_eq!(self.action, Action::Evaluate, "a new report is judged");
    }

    fn handle(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Judged(tier) => {
                self.judged_count += 1;
                let rewrites = self.rewrites_under_plan;
                self.apply(judgement(tier));
                let is_last_rewrite = rewrites == self.limits.regenerations_per_plan;
                if tier == Tier::Regenerate && is_last_rewrite {
                    let is_replan = matches!(
                        self.action,
                        Action::Replan { cause: ReplanCause::SecondRegenerate, .. }
                    );
                    let has_ended = matches!(self.action, Action::Finish(_));
                    assert!(
                        is_replan || has_ended,
                        "a second regenerate under the same plan leads to a replan"
                    );
                }
            }
            Outcome::JudgeFailed => {
                self.failure_count += 1;
                let plan = self.outer_loop.replans();
                self.apply(Event::JudgeFailed { reason: "timeout".to_owned() });
                assert_eq!(
                    self.outer_loop.replans(),
                    plan,
                    "a judge failure does not use up a replan"
                );
            }
            Outcome::CallerError => {
                let state = format!("{:?}", self.outer_loop);
                self.outer_loop.apply(Event::Submitted(SubjectDigest([0; 32]))).unwrap_err();
                assert_eq!(format!("{:?}", self.outer_loop), state);
            }
            Outcome::Disconnect => {
                let mut restored = OuterLoop::start(self.limits);
                let mut action = Action::Synthesize;
                for event in &self.events {
                    action = restored.apply(event.clone()).unwrap();
                }
                assert_eq!(action, self.action);
                assert_eq!(format!("{restored:?}"), format!("{:?}", self.outer_loop));
            }
            Outcome::BudgetExhausted => self.apply(Event::Stopped(StopCause::MoneySpent)),
        }
        self.submit();
    }

    /// Returns `true` if the loop has ended, and checks its ending.
    fn is_over(&self) -> bool {
        let Action::Finish(ending) = &self.action else { return false };
        assert!(self.outer_loop.is_finished());
        let trajectory = self.outer_loop.trajectory();
        assert_eq!(
            trajectory.len(),
            self.judged_count as usize,
            "every judged report is in the trajectory once"
        );
        match ending {
            Ending::Proceed { index } => {
                assert_eq!(trajectory[*index].tier, Tier::Proceed);
            }
            Ending::Degraded { cause, best, last } => {
                assert!(trajectory.iter().all(|step| step.tier != Tier::Proceed));
                assert_eq!(
                    (best.is_some(), last.is_some()),
                    (self.judged_count > 0, self.judged_count > 0)
                );
                if let DegradedCause::JudgeFailed { .. } = cause {
                    assert_eq!(self.failure_count, self.limits.max_judge_retries + 1);
                }
            }
        }
        true
    }
}

fn judgement(tier: Tier) -> Event {
    let score = match tier {
        Tier::Proceed => Fraction::new(9, 10),
        Tier::Regenerate => Fraction::new(7, 10),
        Tier::Replan => Fraction::new(1, 10),
        Tier::Abstain => None,
    };
    Event::Judged(Judgement {
        tier,
        score,
        contradictions: Vec::new(),
        partition: vec![ClaimKey("it crashed".to_owned())],
        stated: vec![ClaimKey("it crashed".to_owned())],
        reasons: Vec::new(),
    })
}

fn explore(driver: &LoopDriver, depth: usize, sequences: &Cell<u64>) {
    let bound = (driver.limits.max_replans + 1) * (driver.limits.regenerations_per_plan + 1);
    assert!(driver.judged_count <= bound);
    if driver.is_over() || depth == 0 {
        sequences.set(sequences.get() + 1);
        return;
    }
    for outcome in OUTCOMES {
        let mut next = driver.clone();
        next.handle(outcome);
        explore(&next, depth - 1, sequences);
    }
}

/// Explores every sequence of up to `depth` outcomes. Returns the number of sequences.
fn explore_all(depth: usize) -> u64 {
    let mut total = 0;
    for max_replans in 0..4 {
        let limits = LoopLimits { max_replans, regenerations_per_plan: 1, max_judge_retries: 2 };
        let sequences = Cell::new(0);
        explore(&LoopDriver::start(limits), depth, &sequences);
        total += sequences.get();
    }
    total
}

#[test]
fn every_sequence_of_six_outcomes_stays_within_the_limits() {
    assert!(explore_all(6) > 10_000);
}

#[test]
#[ignore = "deep"]
fn every_sequence_of_eight_outcomes_stays_within_the_limits() {
    assert!(explore_all(8) > 1_000_000);
}

#[test]
fn a_loop_that_never_proceeds_ends_within_the_limits() {
    for max_replans in 0..4 {
        for regenerations_per_plan in 0..3 {
            let limits = LoopLimits { max_replans, regenerations_per_plan, max_judge_retries: 0 };
            let mut driver = LoopDriver::start(limits);
            while !driver.is_over() {
                driver.handle(Outcome::Judged(Tier::Regenerate));
            }
            assert_eq!(driver.judged_count, (max_replans + 1) * (regenerations_per_plan + 1));
        }
    }
}
