//! Tests round trips between core types and messages.

use gsar_core::evidence::{
    Citation, Content, EvidenceId, EvidenceItem, EvidenceKind, Lane, Target, VerificationResult,
};
use gsar_core::policy::VerificationMode;
use gsar_core::report::Reason;
use gsar_core::safety::{
    Action, EvidenceRecord, GateState, Hypothesis, HypothesisId, HypothesisState, Strength,
    Verdict, summary,
};
use gsar_core::time::Timestamp;
use gsar_core::verify::CorrectionOutcome;
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim, Role, Tier};
use gsar_proto::enums::Enumeration;
use gsar_proto::parse::{self, Limits};
use gsar_proto::violations::Violations;
use gsar_proto::{render, v1};
use proptest::prelude::*;
use proptest::{collection, option, sample};
use prost::Message;

use crate::parse_valid;

/// The valid instants in microseconds, from year 1 to 9999.
const INSTANTS: core::ops::RangeInclusive<i64> = -62_135_596_800_000_000..=253_402_300_799_999_999;

fn id() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9/_é-]{1,20}"
}

fn evidence_id() -> impl Strategy<Value = EvidenceId> {
    id().prop_map(|id| EvidenceId::new(id).unwrap())
}

fn instant() -> impl Strategy<Value = Timestamp> {
    INSTANTS.prop_map(Timestamp::from_micros)
}

fn any_value<T: Enumeration + core::fmt::Debug>() -> impl Strategy<Value = T> {
    sample::select(T::ALL)
}

/// Generates a synthesis, and claims with spans on character boundaries.
fn report() -> impl Strategy<Value = (String, Vec<Claim>)> {
    let synthesis = "[a-zäß€🔥 .]{1,60}";
    let drafts = collection::vec(("[a-zäß€🔥]{1,30}", option::of((0usize..60, 0usize..60))), 0..8);
    (synthesis, drafts).prop_map(|(synthesis, drafts): (String, Vec<(String, Option<_>)>)| {
        let boundaries: Vec<usize> = synthesis
            .char_indices()
            .map(|(boundary, _)| boundary)
            .chain([synthesis.len()])
            .collect();
        let claims = drafts.into_iter().enumerate().map(|(index, (text, span))| Claim {
            id: ClaimId::new(format!("c{index}")).unwrap(),
            text,
            span: span.map(|(start, end)| {
                let (start, end) =
                    (boundaries[start % boundaries.len()], boundaries[end % boundaries.len()]);
                start.min(end)..start.max(end)
            }),
        });
        let claims = claims.collect();
        (format!("{synthesis}x"), claims)
    })
}

fn content() -> impl Strategy<Value = Content> {
    let json = any::<Vec<(String, Option<i64>)>>().prop_map(|entries| {
        let entries = entries.into_iter().map(|(name, value)| (name, serde_json::json!([value])));
        serde_json::Value::Object(entries.collect()).to_string()
    });
    prop_oneof![any::<String>().prop_map(Content::Text), json.prop_map(Content::Json)]
}

fn item() -> impl Strategy<Value = EvidenceItem> {
    let texts = (any::<String>(), any::<String>(), content());
    let time_and_scope = (option::of(instant()), any::<bool>());
    // Short texts are names, which must not contain U+0000.
    let name = "[^\\x00]{0,60}";
    let step = (name, name, option::of(any_value::<VerificationResult>()));
    (evidence_id(), any_value::<EvidenceKind>(), any_value::<Lane>(), texts, time_and_scope, step)
        .prop_map(|(id, kind, lane, (tool, query, content), (collected_at, exhaustive), step)| {
            EvidenceItem {
                id,
                kind,
                lane,
                tool,
                query,
                content,
                collected_at,
                exhaustive,
                attested: false,
                step_id: step.0,
                specialist_id: step.1,
                verification_result: step.2.filter(|_| kind == EvidenceKind::Verification),
            }
        })
}

/// Generates a citation of an item, or of the claim `c0`.
fn citation() -> impl Strategy<Value = Citation> {
    let item = (evidence_id(), any::<String>())
        .prop_map(|(id, field_path)| Target::Evidence { id, field_path });
    let claim = Just(Target::Claim(ClaimId::new("c0").unwrap()));
    let bytes = option::of(
        (0usize..1 << 40, 0usize..1 << 20).prop_map(|(start, length)| start..start + length),
    );
    (prop_oneof![item, claim], any::<String>(), bytes).prop_map(|(target, quote, bytes)| Citation {
        target,
        quote,
        bytes,
    })
}

/// Generates judged claims for a synthesis. They cite no claim except `c0`, which cites no claim.
fn judged() -> impl Strategy<Value = (String, Vec<JudgedClaim>)> {
    let verdicts = collection::vec(
        (
            any_value::<Class>(),
            any_value::<EvidenceType>(),
            any_value::<Role>(),
            collection::vec(citation(), 0..4),
            any::<String>(),
        ),
        8,
    );
    (report(), verdicts).prop_map(|((synthesis, claims), verdicts)| {
        let judged = claims.into_iter().zip(verdicts).map(|(claim, verdict)| {
            let (class, evidence_type, role, mut citations, note) = verdict;
            if claim.id.as_str() == "c0" {
                citations.retain(|citation| !matches!(citation.target, Target::Claim(_)));
            }
            JudgedClaim { role, citations, note, ..JudgedClaim::new(claim, class, evidence_type) }
        });
        let judged = judged.collect();
        (synthesis, judged)
    })
}

fn record() -> impl Strategy<Value = EvidenceRecord> {
    let core_fields =
        ("[a-z_.]{1,20}", any::<String>(), any_value::<Verdict>(), any_value::<Lane>());
    let result = option::of(any_value::<VerificationResult>());
    (core_fields, option::of(instant()), option::of(evidence_id()), result).prop_map(
        |((tool, line, verdict, lane), evaluated_at, evidence_id, result)| EvidenceRecord {
            tool,
            summary: summary(&line),
            verdict,
            lane,
            evaluated_at,
            evidence_id,
            verification_result: result.filter(|_| lane == Lane::Verification),
            attested: false,
            is_refused: false,
        },
    )
}

fn hypothesis() -> impl Strategy<Value = Hypothesis> {
    (id(), any::<String>(), collection::vec(record(), 0..5), option::of("[a-z-]{1,20}")).prop_map(
        |(id, statement, records, target)| Hypothesis {
            id: HypothesisId::new(id).unwrap(),
            statement,
            records,
            target,
        },
    )
}

/// Encodes and decodes a message.
fn encode_and_decode<T: Message + Default>(message: &T) -> T {
    T::decode(message.encode_to_vec().as_slice()).unwrap()
}

fn with_distinct_ids<T>(items: Vec<T>, id: impl Fn(&T) -> &str) -> Vec<T> {
    let mut ids = std::collections::HashSet::new();
    items.into_iter().filter(|item| ids.insert(id(item).to_owned())).collect()
}

fn assert_round_trips<T: Enumeration + PartialEq + core::fmt::Debug>(count: usize) {
    assert_eq!(T::ALL.len(), count);
    for value in T::ALL {
        assert_ne!(value.number(), 0);
        assert_eq!(T::from_number(value.number()), Some(*value));
    }
    for number in [0, -1, 99, i32::MAX, i32::MIN] {
        assert_eq!(T::from_number(number), None, "{number}");
    }
}

#[test]
fn enumerations_round_trip() {
    assert_round_trips::<Class>(Class::ALL.len());
    assert_round_trips::<EvidenceType>(EvidenceType::ALL.len());
    assert_round_trips::<EvidenceKind>(EvidenceKind::ALL.len());
    assert_round_trips::<Lane>(Lane::ALL.len());
    assert_round_trips::<Tier>(Tier::ALL.len());
    assert_round_trips::<VerificationMode>(VerificationMode::ALL.len());
    assert_round_trips::<Verdict>(Verdict::ALL.len());
    assert_round_trips::<HypothesisState>(HypothesisState::ALL.len());
    assert_round_trips::<GateState>(GateState::ALL.len());
    assert_round_trips::<Strength>(Strength::ALL.len());
    assert_round_trips::<Action>(Action::ALL.len());
    assert_round_trips::<CorrectionOutcome>(CorrectionOutcome::ALL.len());
    assert_round_trips::<Reason>(Reason::ALL.len());
}

#[test]
fn wire_names_end_with_the_core_names() {
    fn check<T: Enumeration>(prefix: &str, name: impl Fn(T) -> &'static str) {
        for value in T::ALL {
            let expected = format!("{prefix}_{}", name(*value).to_ascii_uppercase());
            assert_eq!(value.wire_name(), expected);
        }
    }
    check("CLAIM_CLASS", Class::name);
    check("EVIDENCE_TYPE", EvidenceType::name);
    check("EVIDENCE_KIND", EvidenceKind::name);
    check("EVIDENCE_LANE", Lane::name);
    check("TIER", Tier::name);
    check("HYPOTHESIS_STATE", HypothesisState::name);
    check("GATE_STATE", GateState::name);
    check("GROUNDING_STRENGTH", Strength::name);
    check("ACTION", Action::name);
    check("VERDICT", Verdict::name);
}

proptest! {
    #[test]
    fn reports_round_trip((synthesis, claims) in report(), confidence in option::of(0u32..=1_000_000)) {
        let message = v1::Report {
            id: "r1".to_owned(),
            synthesis: synthesis.clone(),
            claims: claims.iter().cloned().map(render::claim).collect(),
            generator_model: "m".to_owned(),
            confidence: confidence.map(|millionths| f64::from(millionths) / 1e6),
        };
        let message = encode_and_decode(&message);
        let parsed = parse_valid(|violations| parse::report(message, &Limits::default(), violations));
        prop_assert_eq!(parsed.synthesis, synthesis);
        prop_assert_eq!(parsed.claims, claims);
    }

    #[test]
    fn evidence_round_trips(items in collection::vec(item(), 0..6)) {
        let items = with_distinct_ids(items, |item| item.id.as_str());
        let messages: Vec<_> =
            items.iter().cloned().map(render::evidence_item).map(|item| encode_and_decode(&item)).collect();
        let mut violations = Violations::default();
        let parsed = parse::evidence(messages, &Limits::default(), &mut violations);
        prop_assert!(violations.is_empty());
        prop_assert_eq!(parsed, items);
    }

    #[test]
    fn judged_claims_round_trip((synthesis, judged) in judged(), items in collection::vec(item(), 0..3)) {
        let items = with_distinct_ids(items, |item| item.id.as_str());
        let message = v1::JudgedPartition {
            report: Some(v1::Report { synthesis, ..v1::Report::default() }),
            evidence: items.iter().cloned().map(render::evidence_item).collect(),
            claims: judged.iter().cloned().map(render::judged_claim).collect(),
        };
        let message = encode_and_decode(&message);
        let parsed =
            parse_valid(|violations| parse::judged_partition(message, &Limits::default(), violations));
        prop_assert_eq!(parsed.judged, judged);
        prop_assert_eq!(parsed.evidence, items);
    }

    #[test]
    fn hypotheses_round_trip(hypotheses in collection::vec(hypothesis(), 0..4)) {
        let hypotheses = with_distinct_ids(hypotheses, |hypothesis| hypothesis.id.as_str());
        let message = v1::GateInputs {
            hypotheses: hypotheses.iter().cloned().map(render::hypothesis).collect(),
            ..v1::GateInputs::default()
        };
        let message = encode_and_decode(&message);
        let parsed =
            parse_valid(|violations| parse::gate_inputs(message, &Limits::default(), violations));
        prop_assert_eq!(parsed.hypotheses, hypotheses);
    }
}
