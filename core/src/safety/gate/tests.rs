//! Tests for the gate.

use super::*;
use crate::policy::{Preset, preset};
use crate::safety::hypothesis::tests::{any_record, hypothesis, record};
use crate::safety::verdict::Verdict::{Refutes, Supports};
use proptest::prelude::*;

fn reference() -> Gate {
    preset(Preset::Reference).gate
}

fn input(hypotheses: &[Hypothesis]) -> GateInput<'_> {
    GateInput { hypotheses, turns_used: 1, elapsed_micros: 1, ..GateInput::default() }
}

fn supported_hypothesis(id: &str) -> Hypothesis {
    hypothesis(id, vec![record("promql", Lane::Metrics, Supports, Some(1))])
}

#[test]
fn a_validated_hypothesis_takes_precedence_over_an_exhausted_budget() {
    let hypotheses = [supported_hypothesis("pool")];
    let input = GateInput { turns_used: 99, elapsed_micros: u64::MAX, ..input(&hypotheses) };
    let outcome = evaluate(&reference(), &input);
    assert_eq!(outcome.state, GateState::EvidenceSufficient);
    assert_eq!(outcome.exit, GateExit::Confident);
    let codes: Vec<_> = outcome.reasons.iter().map(GateReason::code).collect();
    assert_eq!(codes, ["HYPOTHESIS_VALIDATED", "TURNS_SPENT", "TIME_SPENT"]);
}

#[test]
fn the_budget_is_exhausted_exactly_at_its_limit() {
    let policy = reference();
    for (turns_used, elapsed_micros, state) in [
        (9, 239_999_999, GateState::Investigating),
        (10, 0, GateState::BudgetExhausted),
        (0, 240_000_000, GateState::BudgetExhausted),
    ] {
        let outcome = evaluate(&policy, &GateInput { turns_used, elapsed_micros, ..input(&[]) });
        assert_eq!(outcome.state, state, "{turns_used} turns, {elapsed_micros} microseconds");
    }
}

#[test]
fn finishing_without_a_validated_hypothesis_is_not_confident() {
    let refuted = [hypothesis("h", vec![record("logs", Lane::Logs, Refutes, None)])];
    let outcome = evaluate(&reference(), &GateInput { wants_to_finish: true, ..input(&refuted) });
    assert_eq!(outcome.state, GateState::NoConfidentRootCause);
    assert_eq!(outcome.exit, GateExit::NoConfidentRootCause);
    assert_eq!(outcome.reason().code(), "FINISHED_UNVALIDATED");
    assert_eq!(outcome.root_cause, None);
}

#[test]
fn without_hypotheses_there_is_no_root_cause() {
    for base in [Preset::Paper, Preset::Reference, Preset::Strict] {
        let input = GateInput { wants_to_finish: true, ..input(&[]) };
        let outcome = evaluate(&preset(base).gate, &input);
        assert_eq!(outcome.exit, GateExit::NoConfidentRootCause);
        assert_eq!(outcome.validated_count, 0);
        assert_eq!(outcome.reason(), GateReason::FinishedWithoutEvidence);
    }
    assert_eq!(evaluate(&reference(), &input(&[])).state, GateState::Investigating);
}

#[test]
fn the_budget_takes_precedence_over_finishing() {
    let input = GateInput { wants_to_finish: true, turns_used: 10, ..input(&[]) };
    assert_eq!(evaluate(&reference(), &input).state, GateState::BudgetExhausted);
}

#[test]
fn an_agent_without_progress_is_stopped() {
    let hypotheses = [hypothesis("h", vec![])];
    let repeating = GateInput { identical_calls: 3, ..input(&hypotheses) };
    let idle = GateInput { turns_without_evidence: 4, ..input(&hypotheses) };
    for (input, code) in [(repeating, "REPEATED_IDENTICAL_CALLS"), (idle, "NO_NEW_EVIDENCE")] {
        let outcome = evaluate(&reference(), &input);
        assert_eq!(outcome.reason().code(), code);
        assert_eq!(outcome.exit, GateExit::NoConfidentRootCause);
        let paper = evaluate(&preset(Preset::Paper).gate, &input);
        assert_eq!(paper.state, GateState::Investigating, "0 means that there is no limit");
    }
    let input = GateInput { identical_calls: 2, turns_without_evidence: 3, ..input(&hypotheses) };
    assert_eq!(evaluate(&reference(), &input).state, GateState::Investigating);
}

#[test]
fn h16_a_contested_hypothesis_is_not_the_root_cause() {
    let contested = hypothesis(
        "h",
        vec![
            record("logs", Lane::Logs, Supports, Some(1)),
            record("traces", Lane::Traces, Refutes, Some(2)),
        ],
    );
    let outcome = evaluate(&reference(), &input(core::slice::from_ref(&contested)));
    assert_eq!((outcome.validated_count, outcome.contested_count), (0, 1));
    assert_eq!(outcome.root_cause, None);
    let paper = evaluate(&preset(Preset::Paper).gate, &input(&[contested]));
    assert_eq!(paper.exit, GateExit::Confident);
}

#[test]
fn h17_inferred_records_are_counted_but_have_no_effect() {
    let hypotheses = [hypothesis("h", vec![record("model", Lane::LlmInferred, Supports, None); 5])];
    let outcome = evaluate(&reference(), &input(&hypotheses));
    assert_eq!((outcome.validated_count, outcome.refused_inferred_count), (0, 5));
    assert_eq!(outcome.exit, GateExit::None);
}

#[test]
fn a_root_cause_must_target_a_suspect() {
    let hypothesis_about = |id: &str, target: Option<&str>| Hypothesis {
        target: target.map(ToString::to_string),
        ..supported_hypothesis(id)
    };
    let suspects = [Entity::parse("shop/Pod/cart-7d9f8b6c5d-x2x4q").unwrap()];
    let evaluate_target = |id, target| {
        evaluate(
            &reference(),
            &GateInput { suspects: &suspects, ..input(&[hypothesis_about(id, target)]) },
        )
    };
    for target in [None, Some(""), Some("shop/Pod/orders"), Some("two words")] {
        let outcome = evaluate_target("h", target);
        assert_eq!((outcome.exit, outcome.root_cause), (GateExit::None, None), "{target:?}");
        assert_eq!(outcome.reasons, [GateReason::OutsideSuspects { count: 1 }]);
    }
    let outcome = evaluate_target("h", Some(" shop/Pod/cart "));
    assert_eq!(outcome.exit, GateExit::Confident, "an instance has the name of its entity");

    let hypotheses =
        [hypothesis_about("far", Some("orders")), hypothesis_about("near", Some("shop/Pod/cart"))];
    let outcome = evaluate(&reference(), &GateInput { suspects: &suspects, ..input(&hypotheses) });
    assert_eq!(outcome.reason(), GateReason::Validated { count: 1 });
    assert_eq!((outcome.root_cause.unwrap().id.as_str(), outcome.ties.len()), ("near", 0));

    let input = GateInput { suspects: &suspects, wants_to_finish: true, ..input(&hypotheses[..1]) };
    let codes: Vec<_> =
        evaluate(&reference(), &input).reasons.iter().map(GateReason::code).collect();
    assert_eq!(codes, ["FINISHED_UNVALIDATED", "ROOT_CAUSE_OUTSIDE_SUSPECTS"]);
}

fn root_cause_and_ties(hypotheses: &[Hypothesis]) -> (String, Vec<String>) {
    let outcome = evaluate(&reference(), &input(hypotheses));
    let ties = outcome.ties.iter().map(ToString::to_string).collect();
    (outcome.root_cause.unwrap().id.to_string(), ties)
}

#[test]
fn the_root_cause_is_ranked_by_lane_then_tools_then_time() {
    let many_logs = hypothesis(
        "many",
        vec![
            record("a", Lane::Logs, Supports, Some(1)),
            record("b", Lane::Logs, Supports, Some(1)),
            record("c", Lane::Metrics, Supports, Some(1)),
        ],
    );
    let trace = hypothesis("trace", vec![record("a", Lane::Traces, Supports, Some(9))]);
    assert_eq!(root_cause_and_ties(&[many_logs.clone(), trace]).0, "trace");

    let same_tool = hypothesis("same", vec![record("a", Lane::Logs, Supports, Some(0)); 7]);
    assert_eq!(
        root_cause_and_ties(&[same_tool.clone(), many_logs]).0,
        "many",
        "each tool counts once"
    );

    let late = hypothesis("later", vec![record("x", Lane::Logs, Supports, Some(5))]);
    let untimed = hypothesis("untimed", vec![record("x", Lane::Logs, Supports, None)]);
    assert_eq!(
        root_cause_and_ties(&[untimed, late, same_tool]).0,
        "same",
        "the earliest support wins"
    );
}

#[test]
fn ties_are_reported() {
    let (root, ties) = root_cause_and_ties(&[
        supported_hypothesis("a"),
        supported_hypothesis("b"),
        supported_hypothesis("c"),
    ]);
    assert_eq!(root, "a");
    assert_eq!(ties, ["b", "c"]);
    let stronger = hypothesis("d", vec![record("spans", Lane::Traces, Supports, None)]);
    let (root, ties) =
        root_cause_and_ties(&[supported_hypothesis("a"), supported_hypothesis("b"), stronger]);
    assert_eq!((root.as_str(), ties.len()), ("d", 0));
}

proptest! {
    #[test]
    fn the_exit_is_confident_if_and_only_if_a_hypothesis_is_validated(
        trees in proptest::collection::vec(proptest::collection::vec(any_record(), 0..6), 0..4),
        wants_to_finish: bool, turns_used in 0u32..12, elapsed_micros in 0u64..300_000_000,
        identical_calls in 0u32..5, turns_without_evidence in 0u32..6,
    ) {
        let hypotheses: Vec<_> = trees
            .into_iter()
            .enumerate()
            .map(|(index, records)| hypothesis(&index.to_string(), records))
            .collect();
        let input = GateInput {
            hypotheses: &hypotheses, wants_to_finish, turns_used, elapsed_micros,
            identical_calls, turns_without_evidence, suspects: &[],
        };
        for base in [Preset::Paper, Preset::Reference, Preset::Strict] {
            let outcome = evaluate(&preset(base).gate, &input);
            let confident = outcome.exit == GateExit::Confident;
            prop_assert_eq!(confident, outcome.validated_count > 0);
            prop_assert_eq!(confident, outcome.root_cause.is_some());
            prop_assert_eq!(outcome.exit == GateExit::None, outcome.state == GateState::Investigating);
        }
    }
}
