//! Tests that hostile input is rejected with the name of its field, quickly and on a small stack.

use gsar_core::{Preset, preset};
use gsar_proto::parse::{self, Limits};
use gsar_proto::v1;
use gsar_proto::violations::Violations;

use crate::requests::{claim, json_item, text_item};
use crate::{fields, fields_and_descriptions, parse_invalid, parse_valid};

/// Numbers that are not decimals from 0 to 1 with at most six places.
const INVALID_SHARES: [f64; 10] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    -0.0,
    -0.5,
    1.000_000_1,
    1.000_001,
    0.123_456_7,
    f64::MIN_POSITIVE,
    1e300,
];

/// The maximum size of headers that common clients accept, in bytes.
const MAX_HEADER_BYTES: usize = 8 << 10;

/// A field of the overrides, and a function that sets it.
type Override = (&'static str, fn(f64) -> v1::PolicyOverrides);

fn no_limits() -> Limits {
    let max = usize::MAX;
    Limits { max_claims: max, max_evidence_items: max, ..Limits::default() }
}

#[test]
fn h19_rejects_an_invalid_confidence() {
    for value in INVALID_SHARES {
        let report = v1::Report {
            synthesis: "It is.".to_owned(),
            confidence: Some(value),
            ..v1::Report::default()
        };
        let violations =
            parse_invalid(|violations| parse::report(report, &Limits::default(), violations));
        assert_eq!(fields(violations), ["report.confidence"], "{value}");
    }
}

#[test]
fn h19_rejects_invalid_overrides() {
    let field_setters: [Override; 5] = [
        ("rho", |value| v1::PolicyOverrides { rho: Some(value), ..Default::default() }),
        ("ungrounded_floor", |value| v1::PolicyOverrides {
            ungrounded_floor: Some(value),
            ..Default::default()
        }),
        ("tau_proceed", |value| v1::PolicyOverrides {
            tau_proceed: Some(value),
            ..Default::default()
        }),
        ("tau_regenerate", |value| v1::PolicyOverrides {
            tau_regenerate: Some(value),
            ..Default::default()
        }),
        ("weights[0].weight", |weight| v1::PolicyOverrides {
            weights: vec![v1::TypeWeight { r#type: 8, weight }],
            ..Default::default()
        }),
    ];
    for (field, set_field) in field_setters {
        for value in INVALID_SHARES {
            if field == "rho" && value == 1.000_001 {
                continue;
            }
            let base = preset(Preset::Reference).values().clone();
            let violations =
                parse_invalid(|violations| parse::overrides(set_field(value), base, violations));
            assert_eq!(fields(violations), [format!("policy_overrides.{field}")], "{value}");
        }
    }
}

#[test]
fn h19_rejects_an_invalid_confidence_to_cap() {
    for confidence in INVALID_SHARES {
        let message = v1::CapConfidenceRequest { confidence, strength: 1, ..Default::default() };
        let violations = parse_invalid(|violations| parse::cap_confidence(&message, violations));
        assert_eq!(fields(violations), ["confidence"], "{confidence}");
    }
}

#[test]
fn h19_rejects_an_invalid_threshold() {
    let parse_threshold = |threshold| {
        let content = Some(v1::classify_verdict_request::Content::Text("cpu 0.9".to_owned()));
        let message = v1::ClassifyVerdictRequest {
            content,
            threshold: Some(threshold),
            ..Default::default()
        };
        let mut violations = Violations::default();
        let parsed = parse::classify_verdict(message, &Limits::default(), &mut violations);
        (parsed.and_then(|parsed| parsed.threshold), fields(violations))
    };
    let invalid_thresholds = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        1.000_000_1,
        0.1 + 0.2,
        f64::MIN_POSITIVE,
        1e300,
    ];
    for value in invalid_thresholds {
        assert_eq!(parse_threshold(value), (None, vec!["threshold".to_owned()]), "{value}");
    }
    for (value, decimal) in [(0.0, "0"), (0.8, "0.8"), (-40.5, "-40.5"), (5e8, "500000000")] {
        assert_eq!(parse_threshold(value), (Some(decimal.to_owned()), Vec::new()), "{value}");
    }
}

#[test]
fn h27_rejects_duplicate_claim_ids() {
    let claims = vec![claim("c1", "It is."), claim("c2", "It was."), claim("c1", "It is not.")];
    let report = v1::Report { claims, ..v1::Report::default() };
    let violations =
        parse_invalid(|violations| parse::report(report, &Limits::default(), violations));
    let reported = fields_and_descriptions(violations);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert_eq!(reported[0].0, "report.claims[2].id");
    assert!(reported[0].1.contains("claims[0]"), "{reported:?}");
}

#[test]
fn rejects_a_depth_bomb_on_a_small_stack() {
    let small_stack = std::thread::Builder::new().stack_size(512 * 1024);
    let thread = small_stack.spawn(|| {
        [("[", "]"), ("{\"a\":", "}")].map(|(open, close)| {
            let bomb = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
            let mut violations = Violations::default();
            parse::evidence(vec![json_item("e1", &bomb)], &Limits::default(), &mut violations);
            fields_and_descriptions(violations)
        })
    });
    for reported in thread.unwrap().join().unwrap() {
        assert_eq!(reported.len(), 1);
        assert_eq!(reported[0].0, "evidence[0].json");
        assert!(reported[0].1.contains("deeper than 100"), "{reported:?}");
    }
}

#[test]
fn accepts_the_maximum_depth_on_a_small_stack() {
    let small_stack = std::thread::Builder::new().stack_size(512 * 1024);
    let thread = small_stack.spawn(|| {
        let nested = format!("{}{}", "[".repeat(100), "]".repeat(100));
        let mut violations = Violations::default();
        parse::evidence(vec![json_item("e1", &nested)], &Limits::default(), &mut violations);
        fields_and_descriptions(violations)
    });
    assert!(thread.unwrap().join().unwrap().is_empty());
}

#[test]
fn a_million_empty_claims_cause_one_violation() {
    let report =
        v1::Report { claims: vec![v1::Claim::default(); 1_000_000], ..v1::Report::default() };
    let violations =
        parse_invalid(|violations| parse::report(report, &Limits::default(), violations));
    let reported = fields_and_descriptions(violations);
    assert_eq!(reported.len(), 1);
    assert_eq!(reported[0].0, "report.claims");
    assert!(reported[0].1.contains("1000000") && reported[0].1.contains("2000"), "{reported:?}");
}

#[test]
fn stops_after_a_hundred_invalid_elements() {
    let report =
        v1::Report { claims: vec![v1::Claim::default(); 1_000_000], ..v1::Report::default() };
    let status =
        parse_invalid(|violations| parse::report(report, &no_limits(), violations)).into_status();
    // Two violations for each of the first hundred claims.
    assert!(status.message().contains("(and 199 more)"), "{}", status.message());
}

#[test]
fn stops_after_a_hundred_duplicate_ids() {
    let report =
        v1::Report { claims: vec![claim("c1", "It is."); 50_000], ..v1::Report::default() };
    let status =
        parse_invalid(|violations| parse::report(report, &no_limits(), violations)).into_status();
    assert!(status.message().contains("(and 99 more)"), "{}", status.message());
}

#[test]
fn parses_fifty_thousand_claims() {
    let claims = (0..50_000).map(|index| claim(&format!("c{index}"), "It is.")).collect();
    let report = v1::Report { claims, ..v1::Report::default() };
    let report = parse_valid(|violations| parse::report(report, &no_limits(), violations));
    assert_eq!(report.claims.len(), 50_000);
}

#[test]
fn rejected_texts_are_not_repeated_in_full() {
    let long_text = "é".repeat(5 << 20);
    let items = vec![
        text_item(&long_text, &long_text),
        text_item(&long_text, ""),
        json_item("e2", &long_text),
    ];
    let mut violations = Violations::default();
    parse::evidence(items, &Limits::default(), &mut violations);
    let reported = fields_and_descriptions(violations);
    let fields: Vec<&str> = reported.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(
        fields,
        ["evidence[0].id", "evidence[0].text", "evidence[1].id", "evidence[2].json"]
    );
    assert!(reported.iter().all(|(_, description)| description.len() < 200), "{reported:?}");
}

#[test]
fn responses_with_many_violations_are_small() {
    let id = "\u{1F525}\n".repeat(50);
    let claims = vec![claim(&id, "It is."); 2_000];
    let mut violations = Violations::default();
    parse::report(v1::Report { claims, ..Default::default() }, &Limits::default(), &mut violations);
    let status = violations.into_status();
    let base64_length = status.details().len().div_ceil(3) * 4;
    assert!(base64_length + status.message().len() < MAX_HEADER_BYTES, "{base64_length}");
    let details = tonic_types::StatusExt::get_error_details(&status);
    let reported = &details.bad_request().unwrap().field_violations;
    assert!(reported.len() > 10);
    assert!(reported.iter().all(|violation| !violation.description.contains('\n')));
}
