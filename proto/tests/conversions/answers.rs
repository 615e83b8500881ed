//! Tests how core types are rendered as messages.

use gsar_core::explain::{impact, margins};
use gsar_core::fixed_point::{Fraction, Millionths};
use gsar_core::policy::VerificationMode;
use gsar_core::safety::{
    Action, ActionLimit, ActionVerdict, Confidence, LadderGate, LadderInput, Strength,
    UnverifiedFix, action, cap,
};
use gsar_core::tally::Group;
use gsar_core::verify::{EvidenceSet, verify};
use gsar_core::{
    Claim, ClaimId, Class, EvidenceType, JudgedClaim, Origin, Policy, Preset, Tally, Tier, decide,
    preset,
};
use gsar_proto::{render, v1};

/// The worked example in the paper. With the weights of any preset (0.60 for an inference), its score is 28/37.
fn worked_example() -> Tally {
    Tally::from_claims([
        (Class::Grounded, EvidenceType::ToolMatch),
        (Class::Grounded, EvidenceType::SpecificData),
        (Class::Ungrounded, EvidenceType::Inference),
        (Class::Complementary, EvidenceType::ComplementaryFinding),
        (Class::Contradicted, EvidenceType::Inference),
    ])
}

fn confidence(millionths: u32) -> Confidence {
    Confidence::new(Millionths::new(millionths)).unwrap()
}

#[test]
fn renders_scores_exactly() {
    let policy = preset(Preset::Paper);
    let decision = decide(&policy, &worked_example(), Origin::Caller, None);
    let score = render::score(decision.score.unwrap());
    assert_eq!((score.numerator, score.denominator), (28, 37));
    assert_eq!(score.value, 28.0 / 37.0);
    let terms = render::terms(&decision.terms, &policy);
    let expected = v1::ScoreTerms {
        grounded: 1.95,
        ungrounded: 0.6,
        contradicted: 0.6,
        complementary: 0.85,
        unverified: 0.0,
        rho: 0.5,
    };
    assert_eq!(terms, expected);
}

#[test]
fn fractions_are_clamped_to_64_bits() {
    let score = render::fraction(Fraction::new(u128::MAX - 1, u128::MAX).unwrap());
    assert_eq!((score.numerator, score.denominator), (u64::MAX, u64::MAX));
}

#[test]
fn renders_reasons_and_inapplicable_guards() {
    let decision = render::decision(&decide(
        &preset(Preset::Reference),
        &worked_example(),
        Origin::Caller,
        None,
    ));
    assert_eq!(decision.tier(), v1::Tier::Regenerate);
    let codes: Vec<&str> = decision.reasons.iter().map(|reason| reason.code.as_str()).collect();
    assert!(codes.contains(&"CONTRADICTED_CLAIMS"), "{codes:?}");
    assert!(decision.reasons.iter().all(|reason| !reason.sentence.is_empty()));
    assert_eq!(decision.not_applicable, ["duplicates", "coverage", "verification"]);
}

#[test]
fn renders_margins_and_impacts() {
    let policy = preset(Preset::Paper);
    let tally = worked_example();
    let decision = decide(&policy, &tally, Origin::Caller, None);
    let margin = margins(&policy, &tally, &decision, None).better.unwrap();
    let rendered = render::margins(&margins(&policy, &tally, &decision, None)).better.unwrap();
    assert_eq!(rendered.tier(), v1::Tier::Proceed);
    assert_eq!(rendered.claims, margin.claims);
    assert_eq!(rendered.changes.iter().map(|change| change.count).sum::<u64>(), margin.claims);
    assert_eq!(rendered.changes[0].action, margin.changes[0].remedy.name());
    assert!(rendered.score.is_some() && rendered.claim_ids.is_empty());

    let group = Group::Class(Class::Contradicted, EvidenceType::Inference);
    let rendered = render::impact(&impact(&policy, &tally, group, None));
    assert_eq!(rendered.contribution, 0.3);
    let without_claim = rendered.without_claim.unwrap();
    let expected =
        decide(&policy, &without_contradiction(), Origin::Caller, None).score.map(render::score);
    assert_eq!(without_claim.score, expected);
    assert!(rendered.if_grounded.is_some());
}

fn without_contradiction() -> Tally {
    Tally::from_claims([
        (Class::Grounded, EvidenceType::ToolMatch),
        (Class::Grounded, EvidenceType::SpecificData),
        (Class::Ungrounded, EvidenceType::Inference),
        (Class::Complementary, EvidenceType::ComplementaryFinding),
    ])
}

#[test]
fn renders_corrections() {
    let claim = |id: &str| Claim::new(ClaimId::new(id).unwrap(), "The pod restarted.");
    let judged = JudgedClaim::new(claim("c1"), Class::Grounded, EvidenceType::ToolMatch);
    let policy = preset(Preset::Reference);
    let claims = [claim("c1"), claim("c2")];
    for (mode, is_applied) in
        [(VerificationMode::Enforce, true), (VerificationMode::Observe, false)]
    {
        let verified = verify(mode, &policy, &claims, vec![judged.clone()], &EvidenceSet::new(&[]));
        let rendered: Vec<_> = verified.corrections.iter().map(render::correction).collect();
        let find_code =
            |code: &str| rendered.iter().find(|correction| correction.code == code).unwrap();
        let uncited = find_code("NO_VALID_CITATION");
        assert_eq!(uncited.claim_id, "c1");
        assert_eq!(uncited.class_before(), v1::ClaimClass::Grounded);
        assert_eq!(uncited.class_after(), v1::ClaimClass::Ungrounded);
        assert_eq!(uncited.type_before(), v1::EvidenceType::ToolMatch);
        assert_eq!(uncited.applied, is_applied);
        let dropped = find_code("CLAIM_DROPPED");
        assert_eq!(dropped.claim_id, "c2");
        assert_eq!(dropped.class_before(), v1::ClaimClass::Unspecified);
        assert_eq!(dropped.type_before(), v1::EvidenceType::Unspecified);
        assert_eq!(dropped.class_after(), v1::ClaimClass::Ungrounded);
    }
}

#[test]
fn renders_caps_and_actions() {
    let policy = preset(Preset::Reference);
    let capped = cap(&policy.cap, Strength::PartiallyGrounded, confidence(910_000));
    let rendered = render::cap_verdict(capped);
    assert_eq!((rendered.before, rendered.after, rendered.cap), (0.91, 0.84, Some(0.84)));
    let unlimited = render::cap_verdict(cap(&policy.cap, Strength::Grounded, confidence(910_000)));
    assert_eq!((unlimited.before, unlimited.after, unlimited.cap), (0.91, 0.91, None));

    let input = LadderInput {
        confidence: Some(capped.after),
        gate: LadderGate { is_on: true, outcome: None },
        tier: Some(Tier::Regenerate),
        unverified_fix: UnverifiedFix::Absent,
    };
    let verdict = action(&policy.ladder, &input);
    let rendered = render::action_verdict(&verdict);
    assert_eq!(rendered.action(), v1::Action::Notify);
    let codes: Vec<&str> = rendered.held_by.iter().map(|reason| reason.code.as_str()).collect();
    assert_eq!(codes, [ActionLimit::NoGate.code(), ActionLimit::Regenerate.code()]);
    let unlimited = ActionVerdict {
        action: Action::PullRequest,
        by_confidence: Some(Action::PullRequest),
        limited_by: Vec::new(),
    };
    assert_eq!(render::action_verdict(&unlimited).action(), v1::Action::PullRequest);
}

#[test]
fn renders_policies() {
    let policy: Policy = preset(Preset::Strict);
    let applied = render::applied_policy(&policy, true);
    assert_eq!((applied.name.as_str(), applied.overridden), ("strict", true));
    assert_eq!(applied.digest.len(), 64);
    let summary = render::policy_summary(&policy, "preset".to_owned(), true);
    assert_eq!((summary.digest, summary.is_default), (applied.digest, true));
    let mut values = policy.values().clone();
    values.tau_regenerate = Millionths::ONE;
    let mut problems = Policy::new(values).unwrap_err().problems.into_iter();
    let problem = render::policy_problem(problems.next().unwrap());
    assert_eq!((problem.field.as_str(), problem.line), ("tau_regenerate", 0));
    assert_eq!(render::verification_mode(policy.verification), v1::VerificationMode::Enforce);
}
