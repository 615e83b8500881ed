//! Parses, assesses and renders the cases in `datasets/cases`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::allow_attributes,
    reason = "tests fail by panicking"
)]

use gsar_core::assess::{Subject, assess};
use gsar_core::budget::Budget;
use gsar_core::open_points::open_points;
use gsar_core::undecided::decide_counts;
use gsar_core::{Origin, Policy, Preset, preset};
use gsar_datasets::{cases, differences};
use gsar_proto::json::{from_json, to_json};
use gsar_proto::v1::score_request::Partition;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};

#[test]
fn every_case_is_scored_as_expected() {
    let mut failures = Vec::new();
    for case in cases().unwrap() {
        let request: v1::ScoreRequest = from_json(&case.request.to_string())
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let response = score(request);
        let response = serde_json::from_str(&to_json(&response).unwrap()).unwrap();
        for difference in differences(&case.expect, &response) {
            failures.push(format!("{}{difference} ({})", case.name, case.why));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn score(request: v1::ScoreRequest) -> v1::ScoreResponse {
    let mut violations = Violations::default();
    let policy = preset(Preset::from_name(&request.policy).unwrap());
    let policy = match request.policy_overrides {
        Some(overrides) => {
            parse::overrides(overrides, policy.values().clone(), &mut violations).unwrap()
        }
        None => policy,
    };
    let limits = parse::Limits::default();
    let mut gate =
        request.gate.map(|gate| parse::gate_inputs(gate, &limits, &mut violations).unwrap());
    match request.partition.unwrap() {
        Partition::Counts(counts) => {
            let counts = parse::counts(counts, &mut violations);
            let decision = decide_counts(&policy, &counts.decided, &counts.undecided);
            response_from_decision(&policy, &decision)
        }
        Partition::Judged(judged) => {
            let judged = parse::judged_partition(judged, &limits, &mut violations).unwrap();
            let claims = judged.report.claims.clone();
            if let Some(gate) = &mut gate {
                let items = judged.evidence.iter();
                gate.resolve(
                    &items.map(|item| (item.id.clone(), parse::NamedItem::from(item))).collect(),
                );
            }
            let investigation = gate.as_ref().map(parse::ParsedGate::investigation);
            let subject = Subject {
                synthesis: &judged.report.synthesis,
                investigation: investigation.as_ref(),
                confidence: judged.report.confidence,
                ..Subject::new(&claims, judged.judged, &judged.evidence, Origin::Caller)
            };
            let assessment = assess(&policy, subject, &Budget::unlimited());
            let gate = gate.as_ref();
            let hypotheses = gate.map(|gate| gate.hypotheses.as_slice()).unwrap_or_default();
            let changes = gate.map(|gate| gate.change_records.as_slice()).unwrap_or_default();
            let points = open_points(&assessment, hypotheses, &policy);
            let decision = render::assessed_decision(&assessment);
            let is_grounded = assessment.tally.is_grounded();
            let safety = assessment.safety;
            v1::ScoreResponse {
                claims: assessment
                    .claims
                    .into_iter()
                    .map(|claim| render::judged_claim(claim.judged))
                    .collect(),
                corrections: assessment.corrections.iter().map(render::correction).collect(),
                gate: safety
                    .gate
                    .map(|gate| Box::new(render::gate_verdict(&gate, hypotheses, &policy.gate))),
                chain: assessment
                    .chain
                    .map(|chain| Box::new(render::evidence_chain(chain, changes))),
                cap: safety.cap.map(render::cap_verdict).map(Box::new),
                action: safety.action.as_ref().map(render::action_verdict).map(Box::new),
                decision: Some(decision),
                is_grounded,
                verification_needed: !points.is_empty(),
                verification_reasons: points.iter().map(render::open_point).collect(),
                ..response_from_decision(&policy, &assessment.decision)
            }
        }
    }
}

fn response_from_decision(policy: &Policy, decision: &gsar_core::Decision) -> v1::ScoreResponse {
    v1::ScoreResponse {
        score: decision.score.map(render::score),
        guarded_score: decision.guarded_score.map(render::score),
        terms: Some(render::terms(&decision.terms, policy)),
        decision: Some(render::decision(decision)),
        ..v1::ScoreResponse::default()
    }
}
