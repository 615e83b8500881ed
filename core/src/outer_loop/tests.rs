use super::*;
use proptest::prelude::*;

fn digest(byte: u8) -> SubjectDigest {
    SubjectDigest([byte; 32])
}

fn key(text: &str) -> ClaimKey {
    ClaimKey(text.to_string())
}

fn start_loop(limits: LoopLimits, report: SubjectDigest) -> OuterLoop {
    let mut outer_loop = OuterLoop::start(limits);
    assert_eq!(outer_loop.apply(Event::Submitted(report)), Ok(Action::Evaluate));
    outer_loop
}

fn judgement(tier: Tier, score: Option<(u128, u128)>) -> Judgement {
    Judgement {
        tier,
        score: score.and_then(|(numerator, denominator)| Fraction::new(numerator, denominator)),
        contradictions: vec![],
        partition: vec![],
        stated: vec![],
        reasons: vec!["the deploy is not shown".to_string()],
    }
}

fn run_loop(
    limits: LoopLimits,
    tiers: &[(Tier, Option<(u128, u128)>)],
) -> (OuterLoop, Vec<Action>) {
    let mut outer_loop = start_loop(limits, digest(0));
    let mut action = Action::Evaluate;
    let mut actions = vec![action.clone()];
    let mut judgements = tiers.iter();
    for next_digest in 1.. {
        let event = match action {
            Action::Evaluate => match judgements.next() {
                Some((tier, score)) => Event::Judged(judgement(*tier, *score)),
                None => break,
            },
            Action::Synthesize | Action::Rewrite { .. } | Action::Replan { .. } => {
                Event::Submitted(digest(next_digest))
            }
            Action::Finish(_) => break,
        };
        action = outer_loop.apply(event).unwrap();
        actions.push(action.clone());
    }
    (outer_loop, actions)
}

fn names(actions: &[Action]) -> Vec<&'static str> {
    let name = |action: &Action| match action {
        Action::Synthesize => "synthesize",
        Action::Evaluate => "evaluate",
        Action::Rewrite { .. } => "rewrite",
        Action::Replan { .. } => "replan",
        Action::Finish(Ending::Proceed { .. }) => "proceed",
        Action::Finish(Ending::Degraded { .. }) => "degraded",
    };
    actions.iter().map(name).collect()
}

#[test]
fn a_grounded_report_proceeds_at_once() {
    let (_, actions) = run_loop(LoopLimits::default(), &[(Tier::Proceed, Some((9, 10)))]);
    assert_eq!(actions.last(), Some(&Action::Finish(Ending::Proceed { index: 0 })));
}

#[test]
fn a_second_regenerate_leads_to_a_replan() {
    let regenerate = (Tier::Regenerate, Some((7, 10)));
    let (outer_loop, actions) = run_loop(
        LoopLimits { max_replans: 1, regenerations_per_plan: 1, max_judge_retries: 0 },
        &[regenerate, regenerate, regenerate, regenerate],
    );
    assert_eq!(
        names(&actions),
        [
            "evaluate", "rewrite", "evaluate", "replan", "evaluate", "rewrite", "evaluate",
            "degraded"
        ]
    );
    let Action::Replan { cause, plan, reasons, .. } = &actions[3] else {
        panic!("expected a replan");
    };
    assert_eq!((*cause, *plan), (ReplanCause::SecondRegenerate, 1));
    assert_eq!(*reasons, ["the deploy is not shown"]);
    assert_eq!(outer_loop.trajectory().len(), 4);
}

#[test]
fn an_abstention_leads_to_a_replan_that_gathers_evidence() {
    let (_, actions) = run_loop(LoopLimits::default(), &[(Tier::Abstain, None)]);
    assert!(matches!(actions[1], Action::Replan { cause: ReplanCause::GatherEvidence, .. }));
}

#[test]
fn h34_a_degraded_ending_returns_the_best_and_the_last_report() {
    let (_, actions) = run_loop(
        LoopLimits::default(),
        &[
            (Tier::Replan, Some((1, 10))),
            (Tier::Replan, Some((6, 10))),
            (Tier::Replan, Some((3, 10))),
        ],
    );
    let Some(Action::Finish(ending)) = actions.last() else { panic!("expected an ending") };
    let (best, last) = (Some(1), Some(2));
    let cause = DegradedCause::ReplansSpent;
    assert_eq!(*ending, Ending::Degraded { cause, best, last });
}

#[test]
fn h34_an_unchanged_report_is_not_judged_again() {
    let limits = LoopLimits { max_replans: 1, regenerations_per_plan: 1, max_judge_retries: 0 };
    let mut outer_loop = start_loop(limits, digest(7));
    let regenerate = judgement(Tier::Regenerate, Some((7, 10)));
    let action = outer_loop.apply(Event::Judged(regenerate)).unwrap();
    assert_eq!(names(&[action]), ["rewrite"]);
    let action = outer_loop.apply(Event::Submitted(digest(7))).unwrap();
    assert_eq!(
        names(&[action]),
        ["replan"],
        "the report is not evaluated again, and the rewrite is used up"
    );
    let action = outer_loop.apply(Event::Submitted(digest(7))).unwrap();
    assert_eq!(names(&[action]), ["rewrite"]);
    let action = outer_loop.apply(Event::Submitted(digest(7))).unwrap();
    assert_eq!(names(&[action]), ["degraded"]);
    assert_eq!(outer_loop.trajectory().len(), 1, "the report is judged once");
}

#[test]
fn h34_a_rewritten_report_can_proceed() {
    let (_, actions) = run_loop(
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
fn judge_failures_do_not_use_up_replans() {
    let limits = LoopLimits { max_replans: 2, regenerations_per_plan: 1, max_judge_retries: 2 };
    let mut outer_loop = start_loop(limits, digest(0));
    let failed = || Event::JudgeFailed { reason: "connection refused".to_string() };
    for _ in 0..2 {
        let action = outer_loop.apply(failed()).unwrap();
        assert_eq!(action, Action::Evaluate);
    }
    assert_eq!((outer_loop.replans(), outer_loop.judge_failures()), (0, 2));
    let action = outer_loop.apply(failed()).unwrap();
    let cause = DegradedCause::JudgeFailed { reason: "connection refused".to_string() };
    assert_eq!(action, Action::Finish(Ending::Degraded { cause, best: None, last: None }));
}

#[test]
fn h07_an_omitted_contradiction_is_put_back() {
    let mut outer_loop = start_loop(LoopLimits::default(), digest(0));
    let first = Judgement {
        contradictions: vec![key("the limit was raised")],
        partition: vec![key("the limit was raised"), key("pods restarted")],
        stated: vec![key("the limit was raised"), key("pods restarted")],
        ..judgement(Tier::Regenerate, Some((7, 10)))
    };
    let action = outer_loop.apply(Event::Judged(first)).unwrap();
    let Action::Rewrite { contradictions, .. } = action else { panic!("expected a rewrite") };
    assert_eq!(contradictions, [key("the limit was raised")]);
    outer_loop.apply(Event::Submitted(digest(1))).unwrap();

    let stated = [key("pods restarted"), key("the limit was raised")];
    let partition = [key("pods restarted")];
    let carried = [key("the limit was raised")];
    assert_eq!(outer_loop.carried_contradictions(&stated, &partition), carried);
    assert_eq!(
        outer_loop.carried_contradictions(&partition, &partition),
        [],
        "the claim is no longer stated"
    );
    assert_eq!(
        outer_loop.carried_contradictions(&stated, &stated),
        [],
        "the claim was judged again"
    );

    let incomplete = Judgement {
        partition: partition.to_vec(),
        stated: stated.to_vec(),
        ..judgement(Tier::Proceed, Some((1, 1)))
    };
    let action = outer_loop.apply(Event::Judged(incomplete)).unwrap();
    assert_eq!(
        names(&[action]),
        ["replan"],
        "a report must not proceed if the judgement omits a contradiction"
    );
    assert_eq!(outer_loop.trajectory()[1].put_back, carried);
}

#[test]
fn a_score_that_omits_a_contradiction_ranks_last() {
    let limits = LoopLimits { max_replans: 0, regenerations_per_plan: 1, max_judge_retries: 0 };
    let mut outer_loop = start_loop(limits, digest(0));
    let complete = Judgement {
        contradictions: vec![key("x")],
        partition: vec![key("x")],
        stated: vec![key("x")],
        ..judgement(Tier::Regenerate, Some((7, 10)))
    };
    outer_loop.apply(Event::Judged(complete)).unwrap();
    outer_loop.apply(Event::Submitted(digest(1))).unwrap();
    let incomplete = Judgement { stated: vec![key("x")], ..judgement(Tier::Proceed, Some((1, 1))) };
    let action = outer_loop.apply(Event::Judged(incomplete)).unwrap();
    let Action::Finish(Ending::Degraded { best, last, .. }) = action else {
        panic!("expected a degraded ending");
    };
    assert_eq!((best, last), (Some(0), Some(1)));
}

#[test]
fn rejects_events_that_do_not_respond_to_the_last_action() {
    let mut outer_loop = start_loop(LoopLimits::default(), digest(0));
    let error = outer_loop.clone().apply(Event::Submitted(digest(1))).unwrap_err();
    assert!(matches!(error, LoopError::Unexpected { given: "a report", .. }));
    let proceed = Event::Judged(judgement(Tier::Proceed, Some((1, 1))));
    outer_loop.apply(proceed.clone()).unwrap();
    let error = outer_loop.apply(proceed).unwrap_err();
    assert_eq!(error, LoopError::Finished { given: "a judgement" });
}

fn any_event() -> impl Strategy<Value = Event> {
    let keys = || proptest::collection::vec("[a-d]".prop_map(ClaimKey), 0..4);
    let judged = (0usize..4, proptest::option::of((0u128..20, 1u128..20)), keys(), keys(), keys());
    prop_oneof![
        3 => (0u8..30).prop_map(|byte| Event::Submitted(digest(byte))),
        4 => judged.prop_map(|(tier, score, contradictions, partition, stated)| {
            Event::Judged(Judgement {
                contradictions, partition, stated, ..judgement(Tier::ALL[tier], score)
            })
        }),
        1 => Just(Event::JudgeFailed { reason: "timeout".to_string() }),
    ]
}

proptest! {
    #[test]
    fn each_plan_is_judged_at_most_twice(
        max_replans in 0u32..4, max_judge_retries in 0u32..4,
        events in proptest::collection::vec(any_event(), 0..200),
    ) {
        let limits = LoopLimits { max_replans, regenerations_per_plan: 1, max_judge_retries };
        let mut outer_loop = start_loop(limits, digest(0));
        let mut action = Action::Evaluate;
        let (mut judged, mut failures, mut ended) = (0, 0, false);
        for event in events {
            let (is_judged, is_failure) =
                (matches!(event, Event::Judged(_)), matches!(event, Event::JudgeFailed { .. }));
            let Ok(next_action) = outer_loop.apply(event) else { continue };
            prop_assert!(!ended, "no event is accepted after the end");
            prop_assert_eq!(is_judged || is_failure, action == Action::Evaluate);
            judged += u32::from(is_judged);
            failures += u32::from(is_failure);
            action = next_action;
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
    fn every_sequence_of_judgements_ends_the_loop(tiers in proptest::collection::vec(0usize..4, 8..9)) {
        let tiers: Vec<_> = tiers.into_iter().map(|tier| (Tier::ALL[tier], Some((1, 2)))).collect();
        let limits = LoopLimits { max_replans: 3, regenerations_per_plan: 1, max_judge_retries: 0 };
        let (_, actions) = run_loop(limits, &tiers);
        prop_assert!(matches!(actions.last(), Some(Action::Finish(_))));
    }
}
