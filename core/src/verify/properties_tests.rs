//! Property tests for verification.

use proptest::prelude::*;

use super::corrections::is_supported;
use super::testing::{claims, tool};
use super::*;
use crate::claim::{Class, EvidenceType};
use crate::duplicates::{Keys, canonical_tally};
use crate::evidence::{Citation, EvidenceId, EvidenceItem, EvidenceKind};
use crate::ids::ClaimId;
use crate::policy::{Preset, preset};
use crate::score::ScoreTerms;
use crate::tally::Tally;

const WORDS: [&str; 12] = [
    "checkout restarted 3 times",
    "checkout-db restarted 5 times",
    "p99 latency rose to 1.8 s at 14:02",
    "p99 latency rose to 1200 ms at 2024-05-01T14:02:31Z",
    "the connection pool was not exhausted",
    "the connection pool was exhausted",
    "no DNS failures were found",
    "the pool was likely exhausted",
    "version v2.3.1 runs on node-6",
    "35 % of requests failed",
    "memory limit is 512Mi",
    "ö\u{200b} 🙂 1/2",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(WORDS.to_vec()).prop_map(String::from),
        1 => "\\PC{0,40}",
    ]
}

fn item(index: usize) -> impl Strategy<Value = EvidenceItem> {
    let kind = prop::sample::select(EvidenceKind::ALL.to_vec());
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (prop::collection::vec(text(), 0..4), kind, flags).prop_map(move |(lines, kind, flags)| {
        EvidenceItem {
            kind,
            exhaustive: flags.0,
            attested: flags.1,
            query: if flags.2 { String::from("dns") } else { String::new() },
            ..tool(&format!("e{index}"), &lines.join("\n"))
        }
    })
}

fn citation() -> impl Strategy<Value = Citation> {
    let target = prop_oneof![
        3 => (0_usize..4).prop_map(|index| Target::Evidence { id: EvidenceId::new(format!("e{index}")).unwrap(), field_path: String::new() }),
        1 => (0_usize..5).prop_map(|index| Target::Claim(ClaimId::new(format!("c{index}")).unwrap())),
    ];
    (
        target,
        prop_oneof![1 => Just(String::new()), 3 => text()],
        prop::option::of((0_usize..40, 0_usize..40)),
    )
        .prop_map(|(target, quote, bytes)| Citation {
            target,
            quote,
            bytes: bytes.map(|(a, b)| a..b),
        })
}

type Answer = (usize, Class, EvidenceType, Vec<Citation>);

fn answers() -> impl Strategy<Value = Vec<Answer>> {
    let class = prop::sample::select(Class::ALL.to_vec());
    let evidence_type = prop::sample::select(EvidenceType::ALL.to_vec());
    prop::collection::vec(
        (0_usize..5, class, evidence_type, prop::collection::vec(citation(), 0..3)),
        0..7,
    )
}

fn judged(submitted_claims: &[Claim], answers: Vec<Answer>) -> Vec<JudgedClaim> {
    answers
        .into_iter()
        .map(|(index, class, evidence_type, citations)| {
            let invented_claim = || claims(&["", "", "", "", "invented"]).swap_remove(4);
            let claim = submitted_claims.get(index).cloned().unwrap_or_else(invented_claim);
            JudgedClaim { citations, ..JudgedClaim::new(claim, class, evidence_type) }
        })
        .collect()
}

fn tally(policy: &PolicyValues, claims: &[VerifiedClaim]) -> Tally {
    let mut values = policy.clone();
    values.guards.duplicates_count_once = false;
    let rows = claims.iter().map(|claim| {
        let judged = &claim.judged;
        (judged.class, judged.evidence_type, claim.status)
    });
    canonical_tally(&Keys::new(std::iter::empty(), &values), rows, &values).0
}

proptest! {
    #[test]
    fn enforcement_never_raises_the_contribution_of_a_claim(
        texts in prop::collection::vec(text(), 1..5),
        items in (item(0), item(1), item(2)),
        answers in answers(),
        name in prop::sample::select(Preset::ALL.to_vec()),
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let submitted_claims = claims(&texts);
        let items = [items.0, items.1, items.2];
        let (evidence_set, policy) = (EvidenceSet::new(&items), preset(name));
        let judged = judged(&submitted_claims, answers);
        let result = verify(VerificationMode::Enforce, &policy, &submitted_claims, judged.clone(), &evidence_set);

        let ids = |claims: &[VerifiedClaim]| claims.iter().map(|claim| claim.judged.claim.clone()).collect::<Vec<_>>();
        prop_assert_eq!(ids(&result.claims), submitted_claims);
        let weight = |claim: &JudgedClaim| policy.weights.get(claim.evidence_type);
        for claim in &result.claims {
            let answers: Vec<_> = judged.iter().filter(|judged| judged.claim.id == claim.judged.claim.id).collect();
            if answers.is_empty() {
                prop_assert_eq!(claim.status, VerdictStatus::Dropped);
                continue;
            }
            for answer in answers {
                let stricter = claim.judged.class >= answer.class || claim.status == VerdictStatus::UnverifiedContradiction;
                prop_assert!(stricter, "{:?} -> {:?}", answer, claim);
                if is_supported(&claim.judged) {
                    prop_assert!(weight(&claim.judged) <= weight(answer));
                } else if answer.class == claim.judged.class {
                    prop_assert!(weight(&claim.judged) >= weight(answer));
                }
            }
            for citation in &claim.judged.citations {
                if let (Target::Evidence { id, .. }, Some(bytes)) = (&citation.target, &citation.bytes) {
                    prop_assert!(evidence_set.item(id).unwrap().content.as_str().get(bytes.clone()).is_some());
                }
            }
            prop_assert!(!is_supported(&claim.judged) || !claim.judged.citations.is_empty());
        }
    }

    #[test]
    fn enforcement_never_raises_the_score_of_a_complete_partition(
        texts in prop::collection::vec(text(), 1..5),
        items in (item(0), item(1), item(2)),
        answers in answers(),
        name in prop::sample::select(Preset::ALL.to_vec()),
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let submitted_claims = claims(&texts);
        let items = [items.0, items.1, items.2];
        let policy = preset(name);
        let mut judged = judged(&submitted_claims, answers);
        judged.retain(|judged| submitted_claims.contains(&judged.claim));
        judged.sort_by(|a, b| a.claim.id.cmp(&b.claim.id));
        judged.dedup_by(|a, b| a.claim.id == b.claim.id);
        let before = VerifiedPartition::as_judged(judged.clone(), Vec::new()).claims;
        let result = verify(VerificationMode::Enforce, &policy, &submitted_claims, judged, &EvidenceSet::new(&items));
        let (before, after) = (tally(&policy, &before), tally(&policy, &result.claims));
        let (before, after) = (ScoreTerms::new(&policy, &before), ScoreTerms::new(&policy, &after));
        let has_no_score = |terms: &ScoreTerms| terms.score(&policy).is_none();
        prop_assert!(after.guarded_score(&policy) <= before.guarded_score(&policy) || has_no_score(&before));
        prop_assert!(after.score(&policy) <= before.score(&policy) || has_no_score(&before));
    }

    #[test]
    fn observing_notes_the_corrections_that_enforcing_applies(
        texts in prop::collection::vec(text(), 1..4),
        items in (item(0), item(1)),
        answers in answers(),
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let submitted_claims = claims(&texts);
        let items = [items.0, items.1];
        let (evidence_set, policy) = (EvidenceSet::new(&items), preset(Preset::Reference));
        let judged = judged(&submitted_claims, answers);
        let observed = verify(VerificationMode::Observe, &policy, &submitted_claims, judged.clone(), &evidence_set);
        let enforced = verify(VerificationMode::Enforce, &policy, &submitted_claims, judged.clone(), &evidence_set);
        let not_verified = verify(VerificationMode::Off, &policy, &submitted_claims, judged.clone(), &evidence_set);
        prop_assert_eq!(&observed.claims, &VerifiedPartition::as_judged(judged, Vec::new()).claims);
        prop_assert_eq!(&not_verified.claims, &observed.claims);
        prop_assert!(not_verified.corrections.is_empty());
        prop_assert!(observed.corrections.iter().all(|correction| correction.outcome == CorrectionOutcome::Noted));
        prop_assert!(enforced.corrections.iter().all(|correction| correction.outcome == CorrectionOutcome::Corrected));
        let sentences = |corrections: &[Correction]| corrections.iter().map(|c| c.sentence.clone()).collect::<Vec<_>>();
        prop_assert_eq!(sentences(&observed.corrections), sentences(&enforced.corrections));
    }

    #[test]
    fn verification_is_idempotent(
        texts in prop::collection::vec(text(), 1..4),
        items in (item(0), item(1)),
        answers in answers(),
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let submitted_claims = claims(&texts);
        let items = [items.0, items.1];
        let (evidence_set, policy) = (EvidenceSet::new(&items), preset(Preset::Reference));
        let first = verify(VerificationMode::Enforce, &policy, &submitted_claims, judged(&submitted_claims, answers), &evidence_set);
        let verified_claims: Vec<JudgedClaim> = first.claims.iter().map(|claim| claim.judged.clone()).collect();
        let second = verify(VerificationMode::Enforce, &policy, &submitted_claims, verified_claims.clone(), &evidence_set);
        let classes = |claims: Vec<JudgedClaim>| claims.into_iter().map(|c| c.class).collect::<Vec<_>>();
        prop_assert_eq!(classes(second.claims.into_iter().map(|c| c.judged).collect()), classes(verified_claims));
    }
}
