//! Tests open points, the claims that belong to reasons, and the affected specialists.

use gsar_core::assess::{Assessment, Subject, assess};
use gsar_core::budget::Budget;
use gsar_core::evidence::{
    Citation, Content, EvidenceId, EvidenceItem, EvidenceKind, Lane, VerificationResult,
};
use gsar_core::open_points::{OpenPoint, open_points, open_without_partition};
use gsar_core::policy::VerificationMode;
use gsar_core::{
    Claim, ClaimId, Class, EvidenceType, JudgedClaim, Origin, Policy, Preset, Reason, Tier, preset,
};

fn item(id: &str, specialist: &str, text: &str) -> EvidenceItem {
    EvidenceItem {
        tool: String::from("kubectl logs"),
        specialist_id: String::from(specialist),
        ..EvidenceItem::new(
            EvidenceId::new(id).unwrap(),
            Lane::Logs,
            Content::Text(String::from(text)),
        )
    }
}

fn check(result: Option<VerificationResult>, text: &str) -> EvidenceItem {
    EvidenceItem {
        kind: EvidenceKind::Verification,
        lane: Lane::Verification,
        verification_result: result,
        ..item("check", "", text)
    }
}

fn judged_claim(id: &str, text: &str, class: Class, quotes: &[(&str, &str)]) -> JudgedClaim {
    let citation =
        |(item, quote): &(&str, &str)| Citation::new(EvidenceId::new(*item).unwrap(), *quote);
    let claim = Claim::new(ClaimId::new(id).unwrap(), text);
    JudgedClaim {
        citations: quotes.iter().map(citation).collect(),
        ..JudgedClaim::new(claim, class, EvidenceType::ToolMatch)
    }
}

fn assess_claims(
    policy: &Policy,
    evidence: &[EvidenceItem],
    claims: &[Claim],
    judged: Vec<JudgedClaim>,
) -> Assessment {
    let subject = Subject::new(claims, judged, evidence, Origin::Judge);
    assess(policy, subject, &Budget::unlimited())
}

fn assess_with_reference(evidence: &[EvidenceItem], judged: Vec<JudgedClaim>) -> Assessment {
    let claims: Vec<Claim> = judged.iter().map(|judged| judged.claim.clone()).collect();
    assess_claims(&preset(Preset::Reference), evidence, &claims, judged)
}

fn open(assessment: &Assessment) -> Vec<OpenPoint> {
    open_points(assessment, &[], &preset(Preset::Reference))
}

fn ids(claims: &[ClaimId]) -> Vec<&str> {
    claims.iter().map(ClaimId::as_str).collect()
}

const RESTARTED: &str = "pod checkout restarted 3 times";

#[test]
fn a_reason_names_its_claims_and_contains_advice() {
    let evidence =
        [item("logs", "k8s", RESTARTED), item("sql", "database", "the pool has 20 connections")];
    let assessment = assess_with_reference(
        &evidence,
        vec![
            judged_claim(
                "c1",
                "The pod checkout restarted 3 times.",
                Class::Grounded,
                &[("logs", RESTARTED)],
            ),
            judged_claim(
                "c2",
                "The pool has 50 connections.",
                Class::Contradicted,
                &[("sql", "the pool has 20 connections")],
            ),
            judged_claim("c3", "The node lost power.", Class::Ungrounded, &[]),
        ],
    );
    assert_ne!(assessment.decision.tier, Tier::Proceed);
    let blocking_reasons = assessment.decision.reasons.iter();
    let blocking_reasons = blocking_reasons
        .filter(|reason| reason.code() == "CONTRADICTED_CLAIMS")
        .collect::<Vec<_>>();
    let claims = blocking_reasons[0].claims(&assessment.claims, &assessment.corrections);
    assert_eq!(ids(&claims), ["c2"]);
    let sentence = blocking_reasons[0].sentence_with_claims(&claims);
    assert!(sentence.contains(": c2; state what the evidence says"), "{sentence}");
    let below = &assessment.decision.reasons[0];
    assert!(below.code().starts_with("SCORE_BELOW"), "{below:?}");
    assert_eq!(ids(&below.claims(&assessment.claims, &assessment.corrections)), ["c2", "c3"]);
    // The claim without citations cites no specialist, and the grounded claim is not at fault.
    assert_eq!(assessment.affected_specialists, ["database"]);
    assert!(!assessment.tally.is_grounded());
}

#[test]
fn affected_specialists_are_those_cited_before_verification() {
    let evidence = [item("a", "k8s", RESTARTED), item("b", "k8s", "the node is ready")];
    let assessment = assess_with_reference(
        &evidence,
        vec![
            judged_claim("c1", "The disk is full.", Class::Grounded, &[("a", "disk full")]),
            judged_claim(
                "c2",
                "The disk failed.",
                Class::Grounded,
                &[("b", "disk failed"), ("x", "y")],
            ),
        ],
    );
    assert!(assessment.claims.iter().all(|claim| claim.judged.citations.is_empty()));
    assert_eq!(assessment.affected_specialists, ["k8s"]);
}

#[test]
fn no_specialist_is_affected_if_the_report_proceeds() {
    let answer = judged_claim(
        "c1",
        "The pod checkout restarted 3 times.",
        Class::Grounded,
        &[("a", RESTARTED)],
    );
    let assessment = assess_with_reference(&[item("a", "k8s", RESTARTED)], vec![answer]);
    assert_eq!(assessment.decision.tier, Tier::Proceed);
    assert!(assessment.affected_specialists.is_empty() && assessment.tally.is_grounded());
    assert_eq!(open(&assessment), []);
}

#[test]
fn h15_only_a_passed_check_verifies_a_fix() {
    let quote = "the checkout deployment was rolled back";
    for (result, verified) in [
        (None, false),
        (Some(VerificationResult::Failed), false),
        (Some(VerificationResult::Passed), true),
    ] {
        let fix = judged_claim(
            "c1",
            "The checkout deployment was rolled back.",
            Class::Grounded,
            &[("check", quote)],
        );
        let assessment = assess_with_reference(&[check(result, quote)], vec![fix]);
        let points = open(&assessment);
        assert_eq!(points.is_empty(), verified, "{result:?}: {points:?}");
        if let [point] = points.as_slice() {
            assert_eq!((point.code(), ids(point.claims())), ("UNVERIFIED_FIX", vec!["c1"]));
            assert!(point.sentence().contains("c1"), "{}", point.sentence());
        }
    }
}

#[test]
fn lists_unverified_contradictions_and_dropped_claims() {
    let quoted =
        judged_claim("c1", "The pod restarted.", Class::Contradicted, &[("a", "no such words")]);
    let missing = judged_claim("c2", "The node is ready.", Class::Grounded, &[]).claim;
    let claims = [quoted.claim.clone(), missing];
    let policy = preset(Preset::Reference);
    let evidence = [item("a", "", RESTARTED)];
    let assessment = assess_claims(&policy, &evidence, &claims, vec![quoted]);
    let codes: Vec<_> = open(&assessment)
        .iter()
        .map(|point| (point.code(), ids(point.claims()).concat()))
        .collect();
    let expected = [("UNVERIFIED_CONTRADICTION", "c1"), ("CLAIM_DROPPED", "c2")];
    assert_eq!(codes, expected.map(|(code, id)| (code, String::from(id))));
}

#[test]
fn a_correction_that_is_only_noted_is_an_open_point() {
    let mut values = preset(Preset::Reference).values().clone();
    values.verification = VerificationMode::Observe;
    let policy = Policy::new(values).unwrap();
    let forged = judged_claim("c1", "The disk is full.", Class::Grounded, &[("a", "disk full")]);
    let claims = [forged.claim.clone()];
    let assessment = assess_claims(&policy, &[item("a", "", RESTARTED)], &claims, vec![forged]);
    let points = open_points(&assessment, &[], &policy);
    assert_eq!(points.iter().map(OpenPoint::code).collect::<Vec<_>>(), ["CORRECTION_NOT_APPLIED"]);
}

#[test]
fn without_a_partition_the_open_point_names_what_happened_to_the_judge() {
    let policy = preset(Preset::Reference);
    let codes = |reason: Reason| {
        let points = open_without_partition(&reason, &[], &policy);
        points.iter().map(OpenPoint::code).collect::<Vec<_>>()
    };
    let reason = String::from("no evidence bears on it");
    assert_eq!(codes(Reason::JudgeAbstained { reason: reason.clone() }), ["JUDGE_ABSTAINED"]);
    assert_eq!(codes(Reason::JudgeFailed { reason }), ["JUDGE_FAILED"]);
}
