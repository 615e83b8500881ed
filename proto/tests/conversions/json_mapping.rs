//! Tests the proto3 JSON mapping: field names, printed default values, and 64-bit integers as strings.

use gsar_core::{Class, Decision, EvidenceType, Origin, Preset, Tally, decide, preset};
use gsar_proto::enums::Enumeration;
use gsar_proto::json::{Named, from_json, to_json};
use gsar_proto::{render, v1};
use proptest::prelude::*;
use prost::Message;

const MIN_REQUEST: &str = r#"
{"report": {"id": "r1", "synthesis": "…", "claims": [{"id": "c1", "text": "…"}]},
 "evidence": [{"id": "e1", "kind": "EVIDENCE_KIND_TOOL_OUTPUT", "lane": "EVIDENCE_LANE_STATIC_INFRA", "tool": "kubectl get pods -n shop", "text": "…"}],
 "policy": "reference"}"#;

/// The smallest request as it is formatted, with default values.
const FORMATTED_MIN_REQUEST: &str = concat!(
    r#"{"report":{"id":"r1","synthesis":"…","claims":[{"id":"c1","text":"…"}],"generatorModel":""},"#,
    r#""evidence":[{"id":"e1","kind":"EVIDENCE_KIND_TOOL_OUTPUT","lane":"EVIDENCE_LANE_STATIC_INFRA","#,
    r#""tool":"kubectl get pods -n shop","query":"","text":"…","exhaustive":false,"stepId":"","specialistId":"","#,
    r#""verificationResult":"VERIFICATION_RESULT_UNSPECIFIED"}],"#,
    r#""policy":"reference","investigationId":"","idempotencyKey":"","corpusId":""}"#,
);

/// The smallest response as a client receives it.
const FORMATTED_MIN_RESPONSE: &str = concat!(
    r#"{"evaluationId":"01","outcome":"OUTCOME_SCORED","claims":[{"id":"c1","text":"…","#,
    r#""class":"CLAIM_CLASS_GROUNDED","type":"EVIDENCE_TYPE_TOOL_MATCH","#,
    r#""citations":[{"evidenceId":"e1","claimId":"","fieldPath":"","quote":"…"}],"note":"","considered":[],"votes":[],"rules":[],"role":"CLAIM_ROLE_UNSPECIFIED","judge":""}],"#,
    r#""score":{"value":1.0,"numerator":"1","denominator":"1"},"#,
    r#""guardedScore":{"value":1.0,"numerator":"1","denominator":"1"},"#,
    r#""terms":{"grounded":1.0,"ungrounded":0.0,"contradicted":0.0,"complementary":0.0,"unverified":0.0,"rho":0.5},"#,
    r#""decision":{"tier":"TIER_PROCEED","reasons":[],"notApplicable":["duplicates","coverage","verification"],"affectedSpecialists":[],"inShadow":false},"#,
    r#""explanation":"","gaps":[],"contradictions":[],"corrections":[],"warnings":[],"#,
    r#""isGrounded":true,"verificationNeeded":false,"verificationReasons":[],"#,
    r#""judgeStatus":"JUDGE_STATUS_RESOLVED","abstainReason":""}"#,
);

fn assert_round_trips<T: Message + Default + Named + PartialEq + core::fmt::Debug>(message: &T) {
    let text = to_json(message).unwrap();
    assert_eq!(&from_json::<T>(&text).unwrap(), message, "{text}");
}

fn one_grounded_claim() -> (Tally, Decision) {
    let tally = Tally::from_claims([(Class::Grounded, EvidenceType::ToolMatch)]);
    let decision = decide(&preset(Preset::Reference), &tally, Origin::Caller, None);
    (tally, decision)
}

fn smallest_response() -> v1::EvaluateResponse {
    let (tally, decision) = one_grounded_claim();
    let policy = preset(Preset::Reference);
    v1::EvaluateResponse {
        evaluation_id: "01".to_owned(),
        outcome: v1::Outcome::Scored.into(),
        claims: vec![v1::JudgedClaim {
            id: "c1".to_owned(),
            text: "…".to_owned(),
            class: Class::Grounded.number(),
            r#type: EvidenceType::ToolMatch.number(),
            citations: vec![v1::Citation {
                evidence_id: "e1".to_owned(),
                quote: "…".to_owned(),
                ..v1::Citation::default()
            }],
            ..v1::JudgedClaim::default()
        }],
        score: decision.score.map(render::score),
        guarded_score: decision.guarded_score.map(render::score),
        terms: Some(render::terms(&decision.terms, &policy)),
        decision: Some(render::decision(&decision)),
        is_grounded: tally.is_grounded(),
        judge_status: v1::JudgeStatus::Resolved.into(),
        ..v1::EvaluateResponse::default()
    }
}

#[test]
fn the_smallest_request_round_trips() {
    let request: v1::EvaluateRequest = from_json(MIN_REQUEST).unwrap();
    assert_eq!(request.evidence[0].lane(), v1::EvidenceLane::StaticInfra);
    assert_eq!(request.policy, "reference");
    assert_eq!(to_json(&request).unwrap(), FORMATTED_MIN_REQUEST);
    assert_round_trips(&request);
}

#[test]
fn formats_the_smallest_response() {
    assert_eq!(to_json(&smallest_response()).unwrap(), FORMATTED_MIN_RESPONSE);
    assert_round_trips(&smallest_response());
}

#[test]
fn enumerations_are_accepted_by_name_and_number() {
    let by_name: v1::CapConfidenceRequest =
        from_json(r#"{"strength": "GROUNDING_STRENGTH_GROUNDED", "confidence": 0.9}"#).unwrap();
    let by_number: v1::CapConfidenceRequest =
        from_json(r#"{"strength": 1, "confidence": 0.9}"#).unwrap();
    assert_eq!(by_name, by_number);
}

#[test]
fn rejects_invalid_messages_with_their_position() {
    for (text, expected) in [
        (r#"{"report": {"sythesis": "x"}}"#, "sythesis"),
        (r#"{"evidence": [{"kind": "EVIDENCE_KIND_OTHER"}]}"#, "EVIDENCE_KIND_OTHER"),
        (r#"{"policy": 7}"#, "line 1"),
        (r#"{"policy": "a"} {}"#, "line 1"),
        (r#"{"policy": "a""#, "line 1"),
        ("", "line 1"),
    ] {
        let error = from_json::<v1::EvaluateRequest>(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn decimals_preserve_their_digits() {
    let request: v1::ScoreRequest = from_json(
        r#"{"counts": {"counts": []}, "policyOverrides": {"rho": 0.1, "tauProceed": 0.800001}}"#,
    )
    .unwrap();
    let overrides = request.policy_overrides.as_ref().unwrap();
    assert_eq!((overrides.rho, overrides.tau_proceed), (Some(0.1), Some(0.800_001)));
    assert_round_trips(&request);
}

proptest! {
    #[test]
    fn texts_and_numbers_round_trip(
        id in any::<String>(),
        synthesis in any::<String>(),
        confidence in proptest::option::of(0u32..=1_000_000),
        (start, end) in any::<(u64, u64)>(),
        seconds in -62_135_596_800i64..=253_402_300_799,
        nanos in 0i32..1_000_000_000,
        number in 0i32..=8,
    ) {
        let span = Some(v1::ByteRange { start, end });
        let claims = vec![v1::Claim { id: id.clone(), text: synthesis.clone(), span }];
        let confidence = confidence.map(|millionths| f64::from(millionths) / 1e6);
        let item = v1::EvidenceItem {
            id: id.clone(),
            lane: number,
            collected_at: Some(prost_types::Timestamp { seconds, nanos }),
            content: Some(v1::evidence_item::Content::Json(synthesis.clone())),
            ..v1::EvidenceItem::default()
        };
        assert_round_trips(&v1::EvaluateRequest {
            report: Some(v1::Report { id, synthesis, claims, confidence, ..v1::Report::default() }),
            evidence: vec![item],
            ..v1::EvaluateRequest::default()
        });
    }
}
