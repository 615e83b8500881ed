//! Tests that all violations in a request are reported at once, under the path that a caller writes.

use gsar_core::evidence::Content;
use gsar_core::fixed_point::Millionths;
use gsar_core::policy::{PolicyValues, VerificationMode};
use gsar_core::{Class, EvidenceType, Leaning, Preset, preset};
use gsar_proto::parse::{self, Limits};
use gsar_proto::v1;
use gsar_proto::violations::Violations;

use crate::{fields, fields_and_descriptions, parse_invalid, parse_valid};

pub(crate) fn claim(id: &str, text: &str) -> v1::Claim {
    v1::Claim { id: id.to_owned(), text: text.to_owned(), span: None }
}

fn claim_at(id: &str, start: u64, end: u64) -> v1::Claim {
    v1::Claim { span: Some(v1::ByteRange { start, end }), ..claim(id, "The pod restarted.") }
}

pub(crate) fn text_item(id: &str, text: &str) -> v1::EvidenceItem {
    v1::EvidenceItem {
        id: id.to_owned(),
        kind: v1::EvidenceKind::ToolOutput.into(),
        lane: v1::EvidenceLane::Logs.into(),
        content: Some(v1::evidence_item::Content::Text(text.to_owned())),
        ..v1::EvidenceItem::default()
    }
}

pub(crate) fn json_item(id: &str, json: &str) -> v1::EvidenceItem {
    v1::EvidenceItem {
        content: Some(v1::evidence_item::Content::Json(json.to_owned())),
        ..text_item(id, "")
    }
}

fn report_fields(report: v1::Report) -> Vec<String> {
    let mut violations = Violations::default();
    let parsed = parse::report(report, &Limits::default(), &mut violations);
    let fields = fields(violations);
    assert!(parsed.is_none() || fields.iter().all(|field| field == "report.synthesis"));
    fields
}

fn evidence_violations(items: Vec<v1::EvidenceItem>) -> Vec<(String, String)> {
    let mut violations = Violations::default();
    parse::evidence(items, &Limits::default(), &mut violations);
    fields_and_descriptions(violations)
}

fn reference_values() -> PolicyValues {
    preset(Preset::Reference).values().clone()
}

#[test]
fn a_report_requires_text_or_claims() {
    assert_eq!(report_fields(v1::Report::default()), ["report.synthesis"]);
    let blank = v1::Report { synthesis: " \n".to_owned(), ..v1::Report::default() };
    assert_eq!(report_fields(blank), ["report.synthesis"]);
    let claims_only = v1::Report { claims: vec![claim("c1", "It is.")], ..v1::Report::default() };
    assert!(report_fields(claims_only).is_empty());
    let text_only = v1::Report { synthesis: "It is.".to_owned(), ..v1::Report::default() };
    assert!(report_fields(text_only).is_empty());
}

#[test]
fn reports_all_violations_of_a_report() {
    let report = v1::Report {
        id: "r".repeat(257),
        synthesis: "Ärger".to_owned(),
        claims: vec![
            claim("", "It is."),
            claim("c1", " "),
            claim("c1", "It is."),
            claim_at("c3", 3, 2),
            claim_at("c4", 0, 7),
            claim_at("c5", 1, 6),
            claim_at("c6", 0, u64::MAX),
            claim(&"c".repeat(257), &"x".repeat(16_385)),
        ],
        generator_model: "m".repeat(257),
        confidence: Some(1.5),
    };
    let reported = report_fields(report);
    for field in [
        "report.id",
        "report.claims[0].id",
        "report.claims[1].text",
        "report.claims[2].id",
        "report.claims[3].span",
        "report.claims[4].span",
        "report.claims[5].span",
        "report.claims[6].span",
        "report.claims[7].id",
        "report.claims[7].text",
        "report.generator_model",
        "report.confidence",
    ] {
        assert_eq!(
            reported.iter().filter(|reported| *reported == field).count(),
            1,
            "{field} in {reported:?}"
        );
    }
    assert_eq!(reported.len(), 12, "{reported:?}");
}

#[test]
fn a_duplicate_id_names_both_elements() {
    let items = vec![text_item("a", ""), text_item("b", ""), text_item("a", "")];
    let reported = evidence_violations(items);
    let [(field, description)] = reported.as_slice() else { panic!("{reported:?}") };
    assert_eq!(field, "evidence[2].id");
    assert!(description.contains("`a`") && description.contains("evidence[0]"), "{description}");
}

#[test]
fn reports_all_violations_of_evidence() {
    let items = vec![
        v1::EvidenceItem::default(),
        v1::EvidenceItem { kind: 99, lane: -1, ..text_item("a", "") },
        json_item("b", "{\"a\": }"),
        v1::EvidenceItem {
            collected_at: Some(prost_types::Timestamp { seconds: i64::MAX, nanos: 0 }),
            tool: "t".repeat(16_385),
            query: "q".repeat(16_385),
            ..text_item("c", "")
        },
    ];
    let reported = evidence_violations(items);
    let fields: Vec<&str> = reported.iter().map(|(field, _)| field.as_str()).collect();
    let expected = [
        "evidence[0].id",
        "evidence[0].content",
        "evidence[1].kind",
        "evidence[1].lane",
        "evidence[2].json",
        "evidence[3].tool",
        "evidence[3].query",
        "evidence[3].collected_at",
    ];
    assert_eq!(fields, expected);
    let description = &reported[2].1;
    assert!(
        description.contains("99") && description.contains("EVIDENCE_KIND_TOOL_OUTPUT (1)"),
        "{description}"
    );
    assert!(reported[4].1.contains("line 1 column 7"), "{}", reported[4].1);
}

#[test]
fn json_evidence_is_unchanged_and_not_attested() {
    let json = " {\"b\": 1.0,\n \"a\": [1e2, \"\\u0041\"], \"a\": null} ";
    let mut violations = Violations::default();
    let items = parse::evidence(vec![json_item("e1", json)], &Limits::default(), &mut violations);
    assert!(violations.is_empty());
    assert_eq!(items[0].content, Content::Json(json.to_owned()));
    assert!(!items[0].attested);
}

#[test]
fn check_results_require_the_kind_verification() {
    let check = v1::EvidenceItem {
        kind: v1::EvidenceKind::Verification.into(),
        step_id: "step-3".to_owned(),
        specialist_id: "database".to_owned(),
        verification_result: v1::VerificationResult::Failed.into(),
        ..text_item("check", "3 of 50 requests succeeded")
    };
    let mut violations = Violations::default();
    let items = parse::evidence(vec![check.clone()], &Limits::default(), &mut violations);
    assert!(violations.is_empty());
    assert_eq!(
        (items[0].step_id.as_str(), items[0].specialist_id.as_str()),
        ("step-3", "database")
    );
    assert!(!items[0].is_passed_check());

    let reported = evidence_violations(vec![
        v1::EvidenceItem { kind: v1::EvidenceKind::ToolOutput.into(), ..check.clone() },
        v1::EvidenceItem {
            id: "long".to_owned(),
            step_id: "s".repeat(257),
            specialist_id: "s".repeat(257),
            verification_result: 9,
            ..check
        },
    ]);
    let fields: Vec<&str> = reported.iter().map(|(field, _)| field.as_str()).collect();
    let expected = [
        "evidence[0].verification_result",
        "evidence[1].step_id",
        "evidence[1].specialist_id",
        "evidence[1].verification_result",
    ];
    assert_eq!(fields, expected);
    assert!(reported[0].1.contains("EVIDENCE_KIND_VERIFICATION (5)"), "{}", reported[0].1);
}

#[test]
fn parsing_does_not_copy_texts() {
    let item = text_item("e1", &"x".repeat(1000));
    let Some(v1::evidence_item::Content::Text(text)) = &item.content else { panic!() };
    let address = text.as_ptr();
    let items = parse::evidence(vec![item], &Limits::default(), &mut Violations::default());
    assert_eq!(items[0].content.as_str().as_ptr(), address);
}

#[test]
fn overrides_change_only_the_given_values() {
    let message = v1::PolicyOverrides {
        rho: Some(2.0),
        weights: vec![v1::TypeWeight { r#type: v1::EvidenceType::Domain.into(), weight: 0.25 }],
        verification: v1::VerificationMode::Observe.into(),
        ..v1::PolicyOverrides::default()
    };
    let policy =
        parse_valid(|violations| parse::overrides(message, reference_values(), violations));
    let mut expected = reference_values();
    expected.rho = Millionths::new(2_000_000);
    expected.weights.set(EvidenceType::Domain, Millionths::new(250_000));
    expected.verification = VerificationMode::Observe;
    assert_eq!(policy.values(), &expected);
}

#[test]
fn empty_overrides_do_not_change_the_policy() {
    let policy = parse_valid(|violations| {
        parse::overrides(v1::PolicyOverrides::default(), reference_values(), violations)
    });
    assert_eq!(policy.digest(), preset(Preset::Reference).digest());
}

#[test]
fn reports_all_violations_of_overrides() {
    let weight = |number, weight| v1::TypeWeight { r#type: number, weight };
    let message = v1::PolicyOverrides {
        rho: Some(10.000_001),
        ungrounded_floor: Some(f64::NAN),
        tau_proceed: Some(0.5),
        tau_regenerate: Some(0.6),
        weights: vec![weight(1, 0.5), weight(1, 0.5), weight(99, -0.0), weight(2, 1.5)],
        verification: 9,
        gate: Some(v1::GateLimits { max_turns: Some(0), ..Default::default() }),
    };
    let violations =
        parse_invalid(|violations| parse::overrides(message, reference_values(), violations));
    let mut reported = fields(violations);
    reported.sort();
    let mut expected = [
        "policy_overrides.rho",
        "policy_overrides.ungrounded_floor",
        "policy_overrides.tau_regenerate",
        "policy_overrides.weights[1].type",
        "policy_overrides.weights[2].type",
        "policy_overrides.weights[2].weight",
        "policy_overrides.weights[3].weight",
        "policy_overrides.verification",
        "policy_overrides.gate.max_turns",
    ];
    expected.sort_unstable();
    assert_eq!(reported, expected);
}

#[test]
fn violations_name_the_inconsistent_overrides() {
    let problems = |message: v1::PolicyOverrides| {
        fields(parse_invalid(|violations| {
            parse::overrides(message, reference_values(), violations)
        }))
    };
    let weight = |evidence_type: v1::EvidenceType, weight| v1::TypeWeight {
        r#type: evidence_type.into(),
        weight,
    };
    let lowered = v1::PolicyOverrides { tau_proceed: Some(0.5), ..Default::default() };
    assert_eq!(problems(lowered), ["policy_overrides.tau_regenerate"]);
    let zero_weight = v1::PolicyOverrides {
        weights: vec![
            weight(v1::EvidenceType::Domain, 0.5),
            weight(v1::EvidenceType::Inference, 0.0),
        ],
        ..Default::default()
    };
    assert_eq!(problems(zero_weight), ["policy_overrides.weights[1].weight"]);
}

#[test]
fn parses_counts() {
    let count = |class: v1::ClaimClass, evidence_type: v1::EvidenceType, count| v1::ClaimCount {
        class: class.into(),
        r#type: evidence_type.into(),
        count,
        undecided: false,
    };
    let undecided = v1::ClaimCount {
        undecided: true,
        ..count(v1::ClaimClass::Contradicted, v1::EvidenceType::Domain, 2)
    };
    let message = v1::PartitionCounts {
        counts: vec![
            undecided,
            count(v1::ClaimClass::Grounded, v1::EvidenceType::ToolMatch, 4),
            count(v1::ClaimClass::Contradicted, v1::EvidenceType::Domain, 1),
            count(v1::ClaimClass::Complementary, v1::EvidenceType::Synthesis, 0),
        ],
    };
    let mut violations = Violations::default();
    let counts = parse::counts(message, &mut violations);
    assert!(violations.is_empty());
    assert_eq!(counts.decided.total(), 5);
    assert_eq!(counts.decided.of_class(Class::Grounded)[0], 4);
    assert_eq!(counts.decided.of_class(Class::Contradicted)[7], 1);
    assert_eq!(counts.undecided.total(), 2);
    assert_eq!(counts.undecided.of_class(Class::Contradicted)[7], 2);
}

#[test]
fn parses_undecided_claims() {
    let parse_claim = |class: v1::ClaimClass, likelihood| {
        let claim = v1::JudgedClaim {
            id: "c1".to_owned(),
            text: "The pool is full.".to_owned(),
            class: class.into(),
            r#type: v1::EvidenceType::Inference.into(),
            undecided: Some(v1::Leaning { class: v1::ClaimClass::Contradicted.into(), likelihood }),
            ..v1::JudgedClaim::default()
        };
        let partition =
            v1::JudgedPartition { claims: vec![claim], ..v1::JudgedPartition::default() };
        let mut violations = Violations::default();
        let parsed = parse::judged_partition(partition, &Limits::default(), &mut violations);
        let claims = parsed.map(|parsed| parsed.judged).unwrap_or_default();
        (claims.first().map(|judged| (judged.class, judged.undecided)), fields(violations))
    };
    let leaning = |likelihood| Some(Leaning { class: Class::Contradicted, likelihood });
    let half = Some(Millionths::new(500_000));
    for class in [v1::ClaimClass::Unspecified, v1::ClaimClass::Ungrounded] {
        assert_eq!(parse_claim(class, Some(0.5)).0, Some((Class::Ungrounded, leaning(half))));
        assert_eq!(parse_claim(class, None).0, Some((Class::Ungrounded, leaning(None))));
    }
    assert_eq!(parse_claim(v1::ClaimClass::Grounded, None).1, ["judged.claims[0].class"]);
    assert_eq!(
        parse_claim(v1::ClaimClass::Unspecified, Some(1.5)).1,
        ["judged.claims[0].undecided.likelihood"]
    );
}

#[test]
fn rejects_invalid_counts() {
    let count = |class, evidence_type, count| v1::ClaimCount {
        class,
        r#type: evidence_type,
        count,
        undecided: false,
    };
    let invalid_fields = |counts| {
        let mut violations = Violations::default();
        parse::counts(v1::PartitionCounts { counts }, &mut violations);
        fields(violations)
    };
    assert_eq!(
        invalid_fields(vec![count(1, 1, 1), count(0, 99, 1), count(1, 1, 0)]),
        ["counts.counts[1].class", "counts.counts[1].type", "counts.counts[2]"]
    );
    assert_eq!(invalid_fields(vec![count(1, 1, 1_800_000)]), [""; 0]);
    assert_eq!(invalid_fields(vec![count(1, 1, 1_800_000), count(2, 1, 1)]), ["counts.counts"]);
    assert_eq!(
        invalid_fields(vec![count(1, 1, u32::MAX), count(2, 1, u32::MAX)]),
        ["counts.counts"]
    );
    assert_eq!(invalid_fields(vec![count(1, 1, 1); 1_000_000]), ["counts.counts"]);
}
