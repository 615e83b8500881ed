//! Checks the laws about duplicate claims and about verification, which require texts and citations.

use gsar_core::assess::{Assessment, Subject, assess};
use gsar_core::budget::Budget;
use gsar_core::duplicates::{Keys, canonical_tally};
use gsar_core::evidence::{Citation, Content, EvidenceId, EvidenceItem, EvidenceKind, Lane};
use gsar_core::policy::{PolicyValues, VerificationMode};
use gsar_core::verify::VerdictStatus;
use gsar_core::{
    Claim, ClaimId, Class, EvidenceType, JudgedClaim, Origin, Policy, Preset, decide, preset,
};
use proptest::prelude::*;
use proptest::sample::select;

fn guarded_preset() -> impl Strategy<Value = Policy> {
    select(vec![Preset::Reference, Preset::Strict]).prop_map(preset)
}

type StatedClaim = (usize, Class, EvidenceType);

const TEXTS: [&str; 6] = [
    "The cart pod restarted 7 times.",
    "the cart pod  restarted 7 times",
    "The cart pod restarted 4 times.",
    "The memory limit is 512Mi.",
    "There were no evictions in namespace shop.",
    "The cache warm-up was likely to blame.",
];

fn any_claim() -> impl Strategy<Value = StatedClaim> {
    (0..TEXTS.len(), select(Class::ALL.to_vec()), select(EvidenceType::ALL.to_vec()))
}

fn decide_claims(policy: &Policy, claims: &[StatedClaim]) -> gsar_core::Decision {
    let keys = Keys::new(claims.iter().map(|(text, ..)| TEXTS[*text]), policy);
    let claims = claims
        .iter()
        .map(|(_, class, evidence_type)| (*class, *evidence_type, VerdictStatus::AsJudged));
    decide(policy, &canonical_tally(&keys, claims, policy).0, Origin::Caller, None)
}

const ITEMS: [(&str, EvidenceKind, &str); 4] = [
    ("pods", EvidenceKind::ToolOutput, "cart restarted 7 times, reason OOMKilled"),
    ("alert", EvidenceKind::Signal, "CartErrorRate firing, value 12.4 %"),
    ("deploy", EvidenceKind::Change, "memory limit 1Gi -> 512Mi"),
    ("step", EvidenceKind::StepOutput, "no evictions in namespace shop"),
];

fn corpus() -> Vec<EvidenceItem> {
    let item = |(id, kind, text): &(&str, EvidenceKind, &str)| {
        let content = Content::Text((*text).to_owned());
        EvidenceItem {
            kind: *kind,
            attested: *id == "pods",
            ..EvidenceItem::new(EvidenceId::new(*id).unwrap(), Lane::Logs, content)
        }
    };
    ITEMS.iter().map(item).collect()
}

/// Generates a judge's answer for a claim, with valid and invented citations.
fn any_answer() -> impl Strategy<Value = (usize, Class, EvidenceType, Vec<(usize, usize)>)> {
    (
        0..10_usize,
        select(Class::ALL.to_vec()),
        select(EvidenceType::ALL.to_vec()),
        prop::collection::vec((0..6_usize, 0..5_usize), 0..3),
    )
}

fn citation((item, quote): (usize, usize)) -> Citation {
    let id = ITEMS.get(item).map_or("nowhere", |item| item.0);
    let quote = match quote {
        0 => "",
        1 => "made up",
        _ => ITEMS.get(item).map_or("made up", |item| item.2),
    };
    Citation::new(EvidenceId::new(id).unwrap(), quote)
}

fn assess_with_mode(
    policy: &Policy,
    mode: VerificationMode,
    claims: &[Claim],
    judged: Vec<JudgedClaim>,
    evidence: &[EvidenceItem],
) -> Assessment {
    let values = PolicyValues { verification: mode, ..policy.values().clone() };
    let subject = Subject {
        synthesis: "The cart pod restarted 7 times. The memory limit is 512Mi.",
        ..Subject::new(claims, judged, evidence, Origin::Judge)
    };
    assess(&Policy::new(values).unwrap(), subject, &Budget::unlimited())
}

proptest! {

    #[test]
    fn duplicates_never_raise_a_score(
        policy in guarded_preset(),
        claims in prop::collection::vec(any_claim(), 1..10),
        copy_index in any::<prop::sample::Index>(),
    ) {
        let copy = *copy_index.get(&claims);
        let before = decide_claims(&policy, &claims);
        let mut with_copy = claims;
        with_copy.push(copy);
        let after = decide_claims(&policy, &with_copy);
        if matches!(copy.1, Class::Grounded | Class::Complementary) {
            prop_assert_eq!((before.score, before.guarded_score), (after.score, after.guarded_score));
        }
        prop_assert!(after.score <= before.score);
        prop_assert!(after.guarded_score <= before.guarded_score);
        prop_assert!(after.tier >= before.tier);
    }

    #[test]
    fn verification_never_improves_the_tier(
        policy in guarded_preset(),
        texts in prop::collection::vec(0..TEXTS.len(), 1..6),
        answers in prop::collection::vec(any_answer(), 0..7),
    ) {
        let claims: Vec<Claim> = texts
            .iter()
            .enumerate()
            .map(|(index, text)| Claim::new(ClaimId::new(format!("c{index}")).unwrap(), TEXTS[*text]))
            .collect();
        let unknown_claim =
            Claim::new(ClaimId::new("unknown").unwrap(), "A claim that was not given.");
        let judged: Vec<JudgedClaim> = answers
            .into_iter()
            .map(|(claim, class, evidence_type, citations)| {
                let claim = claims.get(claim).unwrap_or(&unknown_claim).clone();
                let citations = citations.into_iter().map(citation).collect();
                JudgedClaim { citations, ..JudgedClaim::new(claim, class, evidence_type) }
            })
            .collect();
        let evidence = corpus();
        let before = assess_with_mode(&policy, VerificationMode::Off, &claims, judged.clone(), &evidence);
        let after = assess_with_mode(&policy, VerificationMode::Enforce, &claims, judged, &evidence);
        prop_assert!(
            after.decision.tier >= before.decision.tier,
            "{:?} then {:?}", before.decision, after.decision
        );
    }
}
