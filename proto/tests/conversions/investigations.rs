//! Tests the conversion of investigations and judged partitions.

use gsar_core::budget::Budget;
use gsar_core::evidence::EvidenceId;
use gsar_core::safety::{
    GateExit, HypothesisState, Strength, assemble, assess_hypothesis, classify, evaluate_gate,
};
use gsar_core::{Preset, preset};
use gsar_proto::parse::{self, Limits, NamedItem, ParsedGate};
use gsar_proto::violations::Violations;
use gsar_proto::{render, v1};

use crate::requests::text_item;
use crate::{fields, fields_and_descriptions, parse_invalid, parse_valid};

fn timestamp(seconds: i64) -> Option<prost_types::Timestamp> {
    Some(prost_types::Timestamp { seconds, nanos: 999 })
}

fn evidence(verdict: v1::Verdict, lane: v1::EvidenceLane) -> v1::HypothesisEvidence {
    v1::HypothesisEvidence {
        tool: "kubectl".to_owned(),
        verdict: verdict.into(),
        lane: lane.into(),
        ..v1::HypothesisEvidence::default()
    }
}

fn hypothesis(id: &str, evidence: Vec<v1::HypothesisEvidence>) -> v1::Hypothesis {
    v1::Hypothesis { id: id.to_owned(), evidence, ..v1::Hypothesis::default() }
}

fn change(id: &str, seconds: i64) -> v1::ChangeRecord {
    v1::ChangeRecord {
        id: id.to_owned(),
        summary: format!("change {id}"),
        at: timestamp(seconds),
        target: "checkout".to_owned(),
        ..v1::ChangeRecord::default()
    }
}

fn parse_gate(message: v1::GateInputs) -> ParsedGate {
    parse_valid(|violations| parse::gate_inputs(message, &Limits::default(), violations))
}

fn gate_violations(message: v1::GateInputs) -> Vec<(String, String)> {
    let violations =
        parse_invalid(|violations| parse::gate_inputs(message, &Limits::default(), violations));
    fields_and_descriptions(violations)
}

fn citation(evidence_id: &str, claim_id: &str) -> v1::Citation {
    v1::Citation {
        evidence_id: evidence_id.to_owned(),
        claim_id: claim_id.to_owned(),
        ..v1::Citation::default()
    }
}

fn judged_claim(id: &str, citations: Vec<v1::Citation>) -> v1::JudgedClaim {
    v1::JudgedClaim {
        id: id.to_owned(),
        text: "It is.".to_owned(),
        class: v1::ClaimClass::Grounded.into(),
        r#type: v1::EvidenceType::Synthesis.into(),
        citations,
        ..v1::JudgedClaim::default()
    }
}

fn partition_violations(message: v1::JudgedPartition) -> Vec<(String, String)> {
    let mut violations = Violations::default();
    let parsed = parse::judged_partition(message, &Limits::default(), &mut violations);
    assert_eq!(parsed.is_none(), !violations.is_empty());
    fields_and_descriptions(violations)
}

fn partition(claims: Vec<v1::JudgedClaim>) -> v1::JudgedPartition {
    v1::JudgedPartition { claims, ..v1::JudgedPartition::default() }
}

#[test]
fn renders_gate_and_chain() {
    use v1::{EvidenceLane as Lane, Verdict};
    let gate = parse_gate(v1::GateInputs {
        hypotheses: vec![
            hypothesis("h1", vec![evidence(Verdict::Supports, Lane::LlmInferred)]),
            hypothesis(
                "h2",
                vec![
                    evidence(Verdict::Supports, Lane::Metrics),
                    evidence(Verdict::Refutes, Lane::LlmInferred),
                ],
            ),
        ],
        turns_used: 3,
        elapsed: Some(prost_types::Duration { seconds: 61, nanos: 5_000 }),
        onset: timestamp(1_000),
        onset_window: Some(v1::TimeWindow { start: timestamp(0), end: timestamp(1_000) }),
        changes: vec![change("a", 10), change("b", 900), change("c", 1_001)],
        path: vec!["shop".to_owned(), "checkout".to_owned()],
        ..v1::GateInputs::default()
    });
    assert_eq!(gate.elapsed_micros, 61_000_005);
    let policy = preset(Preset::Reference);
    let outcome = evaluate_gate(&policy.gate, &gate.input());
    assert_eq!(outcome.exit, GateExit::Confident);

    let verdict = render::gate_verdict(&outcome, &gate.hypotheses, &policy.gate);
    assert_eq!(verdict.state(), v1::GateState::EvidenceSufficient);
    assert_eq!(verdict.exit(), v1::GateExit::Confident);
    assert_eq!(verdict.root_cause, "h2");
    let states: Vec<_> = verdict.hypotheses.iter().map(|hypothesis| hypothesis.state()).collect();
    assert_eq!(states, [v1::HypothesisState::Inconclusive, v1::HypothesisState::Validated]);
    let refused_counts: Vec<_> =
        verdict.hypotheses.iter().map(|result| result.refused_inferred).collect();
    assert_eq!(refused_counts, [1, 1]);

    let root_cause = &gate.hypotheses[1];
    assert_eq!(assess_hypothesis(root_cause, &policy.gate).state, HypothesisState::Validated);
    let chain = assemble(Some(root_cause), &gate.investigation());
    assert_eq!(chain.strength, Strength::Grounded);
    let chain = render::evidence_chain(chain, &gate.change_records);
    assert_eq!(chain.strength(), v1::GroundingStrength::Grounded);
    assert_eq!((chain.lane_strength, chain.independent_supports), (4, 1));
    let cited_change = chain.change.unwrap();
    assert_eq!((cited_change.id.as_str(), cited_change.summary.as_str()), ("b", "change b"));
    assert_eq!(chain.path, ["shop", "checkout"]);
}

#[test]
fn renders_gate_reasons_and_ties() {
    let parsed = parse_gate(v1::GateInputs {
        hypotheses: vec![hypothesis(
            "h",
            vec![evidence(v1::Verdict::Supports, v1::EvidenceLane::Logs)],
        )],
        turns_used: 10,
        elapsed: Some(prost_types::Duration { seconds: 240, nanos: 0 }),
        onset: timestamp(1_000),
        onset_window: Some(v1::TimeWindow { start: timestamp(0), end: timestamp(2_000) }),
        changes: vec![
            change("deploy", 400),
            change("flag", 400),
            change("early", 300),
            v1::ChangeRecord { target: "mail".to_owned(), ..change("other", 500) },
        ],
        path: vec!["checkout".to_owned()],
        ..v1::GateInputs::default()
    });
    let policy = preset(Preset::Reference);
    let outcome = evaluate_gate(&policy.gate, &parsed.input());
    let verdict = render::gate_verdict(&outcome, &parsed.hypotheses, &policy.gate);
    let codes: Vec<&str> = verdict.reasons.iter().map(|reason| reason.code.as_str()).collect();
    assert_eq!(codes, ["HYPOTHESIS_VALIDATED", "TURNS_SPENT", "TIME_SPENT"]);
    assert_eq!(verdict.reason.as_ref(), verdict.reasons.first());

    let chain = assemble(parsed.hypotheses.first(), &parsed.investigation());
    let chain = render::evidence_chain(chain, &parsed.change_records);
    assert_eq!(chain.change.unwrap().id, "deploy");
    assert_eq!(chain.unrelated_changes, ["other"]);
    let ties: Vec<(&str, &str)> =
        chain.ties.iter().map(|tie| (tie.id.as_str(), tie.summary.as_str())).collect();
    assert_eq!(ties, [("flag", "change flag")]);
    assert_eq!(chain.change_before_onset, Some(prost_types::Duration { seconds: 600, nanos: 0 }));
}

#[test]
fn h15_items_decide_on_check_results() {
    let supports = evidence(v1::Verdict::Supports, v1::EvidenceLane::Verification);
    let record_citing = |evidence_id: &str| v1::HypothesisEvidence {
        evidence_id: evidence_id.to_owned(),
        ..supports.clone()
    };
    let mut parsed = parse_gate(v1::GateInputs {
        hypotheses: vec![
            hypothesis("whole", vec![record_citing("check")]),
            hypothesis("passage", vec![record_citing("long")]),
            hypothesis("unknown", vec![record_citing("other")]),
        ],
        ..v1::GateInputs::default()
    });
    let failed_check = |id: &str| v1::EvidenceItem {
        kind: v1::EvidenceKind::Verification.into(),
        lane: v1::EvidenceLane::Verification.into(),
        verification_result: v1::VerificationResult::Failed.into(),
        ..text_item(id, "failed")
    };
    let items = vec![failed_check("check"), failed_check("long#L1-2"), failed_check("otherwise")];
    let items = parse::evidence(items, &Limits::default(), &mut Violations::default());
    let named = [("check", &items[0]), ("long", &items[1])];
    let named = named.map(|(id, item)| (EvidenceId::new(id).unwrap(), NamedItem::from(item)));
    parsed.resolve(&named.into());
    let policy = preset(Preset::Reference);
    let states =
        parsed.hypotheses.iter().map(|hypothesis| assess_hypothesis(hypothesis, &policy.gate));
    let counts: Vec<(u32, u32)> =
        states.map(|assessment| (assessment.failed_checks, assessment.refused)).collect();
    assert_eq!(counts, [(1, 0), (1, 0), (0, 1)]);

    let misplaced = v1::HypothesisEvidence {
        verification_result: v1::VerificationResult::Passed.into(),
        ..evidence(v1::Verdict::Supports, v1::EvidenceLane::Logs)
    };
    let mut violations = Violations::default();
    let gate = v1::GateInputs {
        hypotheses: vec![hypothesis("h", vec![misplaced])],
        ..v1::GateInputs::default()
    };
    parse::gate_inputs(gate, &Limits::default(), &mut violations);
    assert_eq!(fields(violations), ["gate.hypotheses[0].evidence[0].verification_result"]);
}

#[test]
fn hypotheses_are_optional() {
    let gate = parse_gate(v1::GateInputs::default());
    let policy = preset(Preset::Reference);
    let outcome = evaluate_gate(&policy.gate, &gate.input());
    let verdict = render::gate_verdict(&outcome, &gate.hypotheses, &policy.gate);
    assert_eq!(verdict.state(), v1::GateState::Investigating);
    assert_eq!(verdict.exit(), v1::GateExit::Unspecified);
    assert_eq!(verdict.root_cause, "");
    let chain = render::evidence_chain(assemble(None, &gate.investigation()), &gate.change_records);
    assert_eq!(chain.strength(), v1::GroundingStrength::Ungrounded);
    assert_eq!((chain.lane_strength, chain.independent_supports), (0, 0));
}

#[test]
fn reports_all_violations_of_a_gate() {
    let unknown = v1::HypothesisEvidence { verdict: 99, lane: 99, ..Default::default() };
    let inferred = evidence(v1::Verdict::Supports, v1::EvidenceLane::LlmInferred);
    let misnamed = v1::HypothesisEvidence {
        evidence_id: "e".repeat(257),
        evaluated_at: timestamp(i64::MIN),
        ..inferred.clone()
    };
    let reported = gate_violations(v1::GateInputs {
        hypotheses: vec![
            hypothesis("h1", vec![inferred, unknown]),
            hypothesis("", vec![misnamed]),
            hypothesis("h1", vec![]),
        ],
        elapsed: Some(prost_types::Duration { seconds: 0, nanos: -1 }),
        onset: timestamp(i64::MAX),
        onset_window: Some(v1::TimeWindow { start: timestamp(2), end: timestamp(1) }),
        changes: vec![change("a", 1), v1::ChangeRecord::default()],
        path: vec![String::new()],
        ..v1::GateInputs::default()
    });
    let mut fields: Vec<&str> = reported.iter().map(|(field, _)| field.as_str()).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "gate.changes[1].at",
            "gate.changes[1].id",
            "gate.elapsed",
            "gate.hypotheses[0].evidence[1].lane",
            "gate.hypotheses[0].evidence[1].tool",
            "gate.hypotheses[0].evidence[1].verdict",
            "gate.hypotheses[1].evidence[0].evaluated_at",
            "gate.hypotheses[1].evidence[0].evidence_id",
            "gate.hypotheses[1].id",
            "gate.hypotheses[2].id",
            "gate.onset",
            "gate.onset_window",
            "gate.path[0]",
        ]
    );
}

#[test]
fn a_window_requires_both_ends() {
    let window = v1::TimeWindow { start: timestamp(1), end: None };
    let reported =
        gate_violations(v1::GateInputs { onset_window: Some(window), ..Default::default() });
    let [(field, _)] = reported.as_slice() else { panic!("{reported:?}") };
    assert_eq!(field, "gate.onset_window.end");
}

#[test]
fn a_list_that_is_too_long_causes_one_violation() {
    let record = evidence(v1::Verdict::Supports, v1::EvidenceLane::Logs);
    let reported = gate_violations(v1::GateInputs {
        hypotheses: vec![hypothesis("h1", vec![record; 1_001])],
        changes: vec![change("a", 1); 1_001],
        path: vec![String::new(); 1_000_000],
        ..v1::GateInputs::default()
    });
    let mut fields: Vec<&str> = reported.iter().map(|(field, _)| field.as_str()).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["gate.changes", "gate.hypotheses[0].evidence", "gate.path"]);
    let too_many = gate_violations(v1::GateInputs {
        hypotheses: vec![v1::Hypothesis::default(); 1_000_000],
        ..v1::GateInputs::default()
    });
    assert_eq!(too_many.len(), 1);
}

#[test]
fn a_citation_has_exactly_one_target() {
    let with_field = v1::Citation { field_path: "/a".to_owned(), ..citation("", "c1") };
    let reported = partition_violations(partition(vec![
        judged_claim("c1", vec![citation("e1", ""), citation("", ""), citation("e1", "c2")]),
        judged_claim("c2", vec![citation("", "c1"), with_field, citation(&"e".repeat(257), "")]),
    ]));
    let fields: Vec<&str> = reported.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "judged.claims[0].citations[1]",
            "judged.claims[0].citations[2]",
            "judged.claims[1].citations[1].field_path",
            "judged.claims[1].citations[2].evidence_id",
        ]
    );
}

#[test]
fn h27_rejects_self_citations() {
    let reported = partition_violations(partition(vec![
        judged_claim("c1", vec![citation("e1", ""), citation("", "c1")]),
        judged_claim("c2", vec![citation("", "c1")]),
    ]));
    let [(field, _)] = reported.as_slice() else { panic!("{reported:?}") };
    assert_eq!(field, "judged.claims[0].citations[1].claim_id");
}

#[test]
fn h27_rejects_and_names_cycles_of_claims() {
    let reported = partition_violations(partition(vec![
        judged_claim("a", vec![citation("", "b")]),
        judged_claim("b", vec![citation("e1", ""), citation("", "c")]),
        judged_claim("c", vec![citation("", "d"), citation("", "e")]),
        judged_claim("d", vec![citation("", "b")]),
        judged_claim("e", vec![]),
    ]));
    let [(field, description)] = reported.as_slice() else { panic!("{reported:?}") };
    assert_eq!(field, "judged.claims[1].citations");
    assert!(description.contains("`b` cites `c` cites `d` cites `b`"), "{description}");
}

#[test]
fn h27_reports_cycles_with_other_violations() {
    let reported = partition_violations(partition(vec![
        judged_claim("a", vec![citation("", "b")]),
        judged_claim("b", vec![citation("", "a")]),
        v1::JudgedClaim { class: 99, ..judged_claim("c", vec![]) },
    ]));
    let mut fields: Vec<&str> = reported.iter().map(|(field, _)| field.as_str()).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["judged.claims[0].citations", "judged.claims[2].class"]);
}

#[test]
fn h27_truncates_long_cycles() {
    let count = 2_000;
    let cycle = (0..count).map(|index| {
        judged_claim(&format!("c{index}"), vec![citation("", &format!("c{}", (index + 1) % count))])
    });
    let reported = partition_violations(partition(cycle.collect()));
    let [(_, description)] = reported.as_slice() else { panic!("{reported:?}") };
    assert!(description.contains("1995 more") && description.len() < 200, "{description}");
}

#[test]
fn verification_findings_are_not_violations() {
    let partition = v1::JudgedPartition {
        report: Some(v1::Report {
            claims: vec![v1::Claim { id: "c9".to_owned(), text: "It is.".to_owned(), span: None }],
            ..v1::Report::default()
        }),
        ..partition(vec![judged_claim("c1", vec![citation("nowhere", ""), citation("", "c7")])])
    };
    assert_eq!(partition_violations(partition), []);
    assert_eq!(partition_violations(v1::JudgedPartition::default()), []);
}

#[test]
fn reports_all_violations_of_a_partition() {
    let reversed = v1::ByteRange { start: 2, end: 1 };
    let invalid = v1::JudgedClaim {
        class: 99,
        r#type: 0,
        span: Some(v1::ByteRange { start: 0, end: 100 }),
        citations: vec![v1::Citation { bytes: Some(reversed), ..citation("e1", "") }],
        note: "n".repeat(16_385),
        ..judged_claim("c1", Vec::new())
    };
    let reported = partition_violations(v1::JudgedPartition {
        report: Some(v1::Report { confidence: Some(2.0), ..v1::Report::default() }),
        evidence: vec![text_item("e1", ""), text_item("e1", "")],
        claims: vec![invalid, judged_claim("c1", Vec::new())],
    });
    let mut fields: Vec<&str> = reported.iter().map(|(field, _)| field.as_str()).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "judged.claims[0].citations[0].bytes",
            "judged.claims[0].class",
            "judged.claims[0].note",
            "judged.claims[0].span",
            "judged.claims[0].type",
            "judged.claims[1].id",
            "judged.evidence[1].id",
            "judged.report.confidence",
        ]
    );
}

#[test]
fn a_confidence_to_cap_requires_a_strength() {
    let message = v1::CapConfidenceRequest { confidence: 0.9, strength: 99, ..Default::default() };
    let violations = parse_invalid(|violations| parse::cap_confidence(&message, violations));
    assert_eq!(fields(violations), ["strength"]);
}

#[test]
fn classifies_tool_results() {
    use v1::classify_verdict_request::Content;
    let classify_content = |content, signal: &str, threshold| {
        let message = v1::ClassifyVerdictRequest {
            content: Some(content),
            signal: signal.to_owned(),
            threshold,
        };
        let parsed = parse_valid(|violations| {
            parse::classify_verdict(message, &Limits::default(), violations)
        });
        render::classified_verdict(
            classify(&parsed.tool_result(), &Budget::unlimited()),
            &parsed.content,
        )
    };
    let text = |text: &str| Content::Text(text.to_owned());
    let healthy = classify_content(text("error_rate: 0.00"), "", None);
    assert_eq!(healthy.verdict(), v1::Verdict::Refutes);
    assert_eq!(healthy.signal, "error_rate");
    assert_eq!(healthy.summary, "error_rate: 0.00");
    let two_metrics = r#"{"error_rate": 0.4, "cpu_usage": 0.2}"#;
    let json = || Content::Json(two_metrics.to_owned());
    assert_eq!(classify_content(json(), "cpu_usage", Some(0.8)).verdict(), v1::Verdict::Refutes);
    assert_eq!(classify_content(json(), "cpu_usage", Some(0.1)).verdict(), v1::Verdict::Supports);
    assert_eq!(classify_content(json(), "error_rate", None).verdict(), v1::Verdict::Supports);
}

#[test]
fn reports_all_violations_of_a_tool_result() {
    use v1::classify_verdict_request::Content;
    let reported = |content| {
        let message = v1::ClassifyVerdictRequest {
            content,
            signal: "s".repeat(257),
            threshold: Some(f64::NAN),
        };
        fields(parse_invalid(|violations| {
            parse::classify_verdict(message, &Limits::default(), violations)
        }))
    };
    assert_eq!(reported(None), ["content", "signal", "threshold"]);
    assert_eq!(reported(Some(Content::Json("{".to_owned()))), ["json", "signal", "threshold"]);
}
