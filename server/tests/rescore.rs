//! Tests that rescoring under another policy gives the same result as evaluating under it, or reports the differences.

use crate::lies::cases::cases;
use crate::lies::lies_by_kind::LIES;
use crate::lies::scripted::{ScriptedServer, allow_any_policy, judgement};
use crate::support::corpora::put;
use crate::support::{TestServer, invalid_fields, item, request};
use gsar_core::JudgedClaim;
use gsar_proto::v1;
use gsar_server::config::{Config, EvidenceRetention};
use tonic::{Code, Status};

type PolicyChoice = (&'static str, Option<v1::VerificationMode>);

const POLICY_CHOICES: [PolicyChoice; 4] = [
    ("reference", None),
    ("strict", None),
    ("reference", Some(v1::VerificationMode::Off)),
    ("reference", Some(v1::VerificationMode::Observe)),
];

fn overrides(mode: Option<v1::VerificationMode>) -> Option<v1::PolicyOverrides> {
    mode.map(|mode| v1::PolicyOverrides { verification: mode.into(), ..Default::default() })
}

async fn evaluate(
    server: &TestServer,
    request: &v1::EvaluateRequest,
    (policy, mode): PolicyChoice,
) -> v1::EvaluateResponse {
    let request = v1::EvaluateRequest {
        policy: policy.to_owned(),
        policy_overrides: overrides(mode),
        ..request.clone()
    };
    server.evaluate(request).await.unwrap()
}

async fn try_rescore(
    server: &TestServer,
    id: &str,
    (policy, mode): PolicyChoice,
) -> Result<v1::RescoreResponse, Status> {
    let request = v1::RescoreRequest {
        evaluation_id: id.to_owned(),
        policy: policy.to_owned(),
        policy_overrides: overrides(mode),
        explain: false,
    };
    server.grounding().rescore(request).await.map(tonic::Response::into_inner)
}

async fn rescore(server: &TestServer, id: &str, choice: PolicyChoice) -> v1::RescoreResponse {
    try_rescore(server, id, choice).await.unwrap()
}

fn not_rescored_fields(answer: &v1::RescoreResponse) -> Vec<&str> {
    answer.not_rescored.iter().map(|omission| omission.field.as_str()).collect()
}

fn tier(decision: Option<&v1::Decision>) -> v1::Tier {
    decision.unwrap().tier()
}

#[derive(Debug, PartialEq)]
struct Verdict {
    tier: v1::Tier,
    score: Option<v1::Score>,
    guarded_score: Option<v1::Score>,
    claims: Vec<(String, i32, i32)>,
    corrections: Vec<(String, String, i32)>,
    covered: Option<(u32, u32)>,
}

fn verdict(
    decision: Option<&v1::Decision>,
    scores: (Option<v1::Score>, Option<v1::Score>),
    claims: &[v1::JudgedClaim],
    corrections: &[v1::Correction],
    coverage: Option<&v1::Coverage>,
) -> Verdict {
    let claim = |claim: &v1::JudgedClaim| (claim.id.clone(), claim.class, claim.r#type);
    let mut corrections: Vec<_> = corrections
        .iter()
        .map(|found| (found.claim_id.clone(), found.code.clone(), found.outcome))
        .collect();
    corrections.sort();
    Verdict {
        tier: tier(decision),
        score: scores.0,
        guarded_score: scores.1,
        claims: claims.iter().map(claim).collect(),
        corrections,
        covered: coverage.map(|coverage| (coverage.covered, coverage.sentences)),
    }
}

fn verdict_of_evaluation(answer: &v1::EvaluateResponse) -> Verdict {
    let scores = (answer.score, answer.guarded_score);
    let coverage = answer.coverage.as_ref();
    verdict(answer.decision.as_ref(), scores, &answer.claims, &answer.corrections, coverage)
}

fn verdict_of_rescore(answer: &v1::RescoreResponse) -> Verdict {
    let scores = (answer.score, answer.guarded_score);
    let coverage = answer.coverage.as_ref();
    verdict(answer.decision.as_ref(), scores, &answer.claims, &answer.corrections, coverage)
}

#[tokio::test]
async fn rescoring_under_the_same_policy_changes_nothing() {
    for retention in [EvidenceRetention::Full, EvidenceRetention::Head] {
        let change = |config: &mut Config| {
            allow_any_policy(config);
            config.ledger.evidence = retention;
        };
        let server = TestServer::with(change).await;
        for case in cases() {
            for choice in [POLICY_CHOICES[0], POLICY_CHOICES[1], ("paper", None)] {
                let evaluation = evaluate(&server, &case.request, choice).await;
                let answer = rescore(&server, &evaluation.evaluation_id, choice).await;
                assert_eq!(
                    verdict_of_rescore(&answer),
                    verdict_of_evaluation(&evaluation),
                    "{}",
                    case.name
                );
                assert_eq!(answer.claims, evaluation.claims, "{}", case.name);
                assert_eq!(answer.terms, evaluation.terms);
                let reasons = |decision: &v1::Decision| decision.reasons.clone();
                assert_eq!(
                    answer.decision.as_ref().map(reasons),
                    evaluation.decision.as_ref().map(reasons)
                );
                assert!(!answer.changed);
                assert_eq!(not_rescored_fields(&answer), ["ladder"], "{}", case.name);
                assert_eq!(answer.before.unwrap().tier(), tier(evaluation.decision.as_ref()));
            }
        }
    }
}

/// Evaluates a report with each lie under each policy, and rescores each evaluation under every policy.
async fn assert_lies_are_detected_again(reconsiders: bool) {
    let scripted = ScriptedServer::start_recording(reconsiders).await;
    let server = scripted.server();
    let cases = cases();
    let (mut compared, mut differing) = (0, 0);
    for (offset, lie) in LIES.iter().enumerate() {
        let lying_cases = cases.iter().cycle().skip(offset).take(cases.len());
        let Some((case, lying_answer)) = lying_cases
            .map(|case| (case, (lie.build)(case)))
            .find(|(case, lying_answer)| *lying_answer != case.honest)
        else {
            continue;
        };
        let answer: Vec<JudgedClaim> = lying_answer;
        scripted.set_answer(move |_| judgement(answer.clone()));
        let mut direct = Vec::new();
        for choice in POLICY_CHOICES {
            direct.push(evaluate(server, &case.request, choice).await);
        }
        for (original_choice, original) in POLICY_CHOICES.into_iter().zip(&direct) {
            for (new_choice, expected) in POLICY_CHOICES.into_iter().zip(&direct) {
                let answer = rescore(server, &original.evaluation_id, new_choice).await;
                let is_reported = not_rescored_fields(&answer)
                    .iter()
                    .any(|field| *field == "verification" || field.starts_with("findings."));
                if is_reported {
                    differing += 1;
                    continue;
                }
                compared += 1;
                let (actual, reference) =
                    (verdict_of_rescore(&answer), verdict_of_evaluation(expected));
                assert_eq!(
                    actual, reference,
                    "{}: {} from {original_choice:?} to {new_choice:?}",
                    lie.name, case.name
                );
            }
        }
    }
    println!("{compared} compared, {differing} with reported differences");
    assert!(
        compared > 100 && compared > differing,
        "{compared} compared, {differing} with reported differences"
    );
}

#[tokio::test]
async fn lies_are_detected_under_other_policies() {
    assert_lies_are_detected_again(false).await;
}

#[tokio::test]
async fn reconsidered_lies_are_detected_under_other_policies() {
    assert_lies_are_detected_again(true).await;
}

#[tokio::test]
async fn rescore_without_evidence_names_the_fields_not_rescored() {
    let change = |config: &mut Config| {
        allow_any_policy(config);
        config.ledger.evidence = EvidenceRetention::Head;
    };
    let server = TestServer::with(change).await;
    let without_enforcement = ("reference", Some(v1::VerificationMode::Observe));
    let evaluation = evaluate(&server, &request(), without_enforcement).await;
    let answer = rescore(&server, &evaluation.evaluation_id, ("strict", None)).await;
    let expected = ["verification", "guards.tool_match_needs_attestation", "weights", "ladder"];
    assert_eq!(not_rescored_fields(&answer), expected);
    assert!(answer.not_rescored[0].reason.contains("ledger.evidence"), "{answer:?}");

    let evaluation = evaluate(&server, &request(), ("paper", None)).await;
    let answer = rescore(&server, &evaluation.evaluation_id, ("reference", None)).await;
    assert!(
        not_rescored_fields(&answer).contains(&"guards.min_coverage"),
        "{:?}",
        answer.not_rescored
    );
    assert!(answer.coverage.is_some());

    // No evidence is needed without verification.
    let evaluation = evaluate(&server, &request(), ("reference", None)).await;
    let without_verification = ("reference", Some(v1::VerificationMode::Off));
    assert_eq!(
        not_rescored_fields(
            &rescore(&server, &evaluation.evaluation_id, without_verification).await
        ),
        ["ladder"]
    );
}

#[tokio::test]
async fn corpus_evidence_counts_as_missing() {
    let server = TestServer::with(allow_any_policy).await;
    let items = [item("pool", "connection pool size is 20")];
    server.evidence().put_evidence(put("c", items)).await.unwrap();
    let request =
        v1::EvaluateRequest { evidence: Vec::new(), corpus_id: "c".to_owned(), ..request() };
    let without_verification = ("reference", Some(v1::VerificationMode::Off));
    let evaluation = evaluate(&server, &request, without_verification).await;
    assert_eq!(tier(evaluation.decision.as_ref()), v1::Tier::Proceed);
    let answer = rescore(&server, &evaluation.evaluation_id, ("reference", None)).await;
    assert_eq!(not_rescored_fields(&answer)[0], "verification");
    assert!(answer.not_rescored[0].reason.contains("corpus"), "{answer:?}");
}

#[tokio::test]
async fn unjudged_report_abstains_under_every_policy() {
    let server = TestServer::with(allow_any_policy).await;
    let request = v1::EvaluateRequest { evidence: Vec::new(), ..request() };
    let evaluation = evaluate(&server, &request, ("reference", None)).await;
    let answer = rescore(&server, &evaluation.evaluation_id, ("strict", None)).await;
    assert_eq!(tier(answer.decision.as_ref()), v1::Tier::Abstain);
    assert_eq!(answer.decision.as_ref().unwrap().reasons[0].code, "NO_EVIDENCE");
    assert_eq!(answer.abstain_reason, evaluation.abstain_reason);
    assert!(!answer.changed && answer.score.is_none());
    let answer = rescore(&server, &evaluation.evaluation_id, ("paper", None)).await;
    assert_eq!(not_rescored_fields(&answer)[0], "undefined_score");
}

#[tokio::test]
async fn rescore_accepts_any_policy_and_records_nothing() {
    let server = TestServer::start().await;
    let evaluation = evaluate(&server, &request(), ("reference", None)).await;
    let id = &evaluation.evaluation_id;
    let answer = rescore(&server, id, ("paper", None)).await;
    assert!(answer.hypothetical);
    assert_eq!(answer.policy.unwrap().name, "paper");
    assert_eq!(answer.before.unwrap().policy.unwrap().name, "reference");
    assert!(!rescore(&server, id, ("strict", None)).await.hypothetical);
    let mut mixed = request();
    mixed.report.as_mut().unwrap().synthesis.push_str(" A nightly batch job filled the disk.");
    let evaluation = evaluate(&server, &mixed, ("reference", None)).await;
    assert_ne!(tier(evaluation.decision.as_ref()), v1::Tier::Proceed);
    let lowered_thresholds = v1::RescoreRequest {
        evaluation_id: evaluation.evaluation_id,
        policy_overrides: Some(v1::PolicyOverrides {
            tau_proceed: Some(0.2),
            tau_regenerate: Some(0.1),
            ..Default::default()
        }),
        explain: true,
        ..Default::default()
    };
    let answer = server.grounding().rescore(lowered_thresholds).await.unwrap().into_inner();
    assert!(answer.changed && answer.hypothetical, "{answer:?}");
    assert_eq!(tier(answer.decision.as_ref()), v1::Tier::Proceed);
    assert!(answer.claims[0].impact.is_some() && answer.decision.unwrap().margins.is_some());
    assert_eq!(server.list_evaluations(v1::ListEvaluationsRequest::default()).await.len(), 2);
}

#[tokio::test]
async fn unknown_evaluations_and_policies_are_not_found() {
    let server = TestServer::start().await;
    let error = try_rescore(&server, "nobody", ("reference", None)).await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    let field_error = try_rescore(&server, "", ("night", None)).await.unwrap_err();
    assert_eq!(field_error.code(), Code::InvalidArgument);
    assert_eq!(invalid_fields(&field_error), ["evaluation_id", "policy"]);

    let without_ledger = TestServer::with(|config| config.ledger.enabled = false).await;
    let error = try_rescore(&without_ledger, "nobody", ("reference", None)).await.unwrap_err();
    assert_eq!(error.code(), Code::FailedPrecondition);
}
