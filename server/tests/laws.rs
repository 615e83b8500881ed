//! Tests shadow mode, and the score's laws P1 to P6 (arXiv:2604.23366).

use std::cmp::Ordering;

use crate::support::{TestServer, counts};
use gsar_datasets::cases;
use gsar_proto::json::from_json;
use gsar_proto::v1::{self, ClaimClass, EvidenceType};

type Kind = (ClaimClass, EvidenceType);

const CLASSES: [ClaimClass; 4] = [
    ClaimClass::Grounded,
    ClaimClass::Ungrounded,
    ClaimClass::Contradicted,
    ClaimClass::Complementary,
];
const TYPES: [EvidenceType; 8] = [
    EvidenceType::ToolMatch,
    EvidenceType::SpecificData,
    EvidenceType::SignalMatch,
    EvidenceType::NegEvidence,
    EvidenceType::Synthesis,
    EvidenceType::Domain,
    EvidenceType::Inference,
    EvidenceType::ComplementaryFinding,
];

async fn score(server: &TestServer, claims: &[Kind]) -> v1::Score {
    let count = |class: ClaimClass, evidence_type: EvidenceType| {
        let count = claims.iter().filter(|claim| **claim == (class, evidence_type)).count();
        (class, evidence_type, u32::try_from(count).unwrap())
    };
    let claim_counts = CLASSES
        .into_iter()
        .flat_map(|class| TYPES.map(|evidence_type| count(class, evidence_type)));
    let claim_counts: Vec<_> = claim_counts.filter(|(_, _, count)| *count > 0).collect();
    let request = v1::ScoreRequest { policy: "paper".to_owned(), ..counts(&claim_counts) };
    server.grounding().score(request).await.unwrap().into_inner().score.unwrap()
}

fn compare_scores(first: &v1::Score, second: &v1::Score) -> Ordering {
    let product =
        |numerator: u64, denominator: u64| u128::from(numerator) * u128::from(denominator);
    product(first.numerator, second.denominator).cmp(&product(second.numerator, first.denominator))
}

fn with_claim(claims: &[Kind], claim: Kind) -> Vec<Kind> {
    let mut claims = claims.to_vec();
    claims.push(claim);
    claims
}

fn random_claims(random: &mut fastrand::Rng) -> Vec<Kind> {
    let claims = random.usize(1..20);
    (0..claims).map(|_| (CLASSES[random.usize(..4)], TYPES[random.usize(..8)])).collect()
}

#[tokio::test]
async fn scores_obey_the_six_laws() {
    let server = TestServer::start().await;
    let mut random = fastrand::Rng::with_seed(6);
    for _ in 0..100 {
        let claims = random_claims(&mut random);
        let evidence_type = TYPES[random.usize(..8)];
        let original = score(&server, &claims).await;
        assert!(original.numerator <= original.denominator, "P1: {claims:?}");

        let ungrounded =
            score(&server, &with_claim(&claims, (ClaimClass::Ungrounded, evidence_type))).await;
        let grounded =
            score(&server, &with_claim(&claims, (ClaimClass::Grounded, evidence_type))).await;
        assert_eq!(
            compare_scores(&ungrounded, &grounded),
            Ordering::Less,
            "P2: {claims:?}, {evidence_type:?}"
        );

        let contradicted =
            score(&server, &with_claim(&claims, (ClaimClass::Contradicted, evidence_type))).await;
        assert!(
            compare_scores(&contradicted, &original).is_le(),
            "P3: {claims:?}, {evidence_type:?}"
        );

        let complementary =
            score(&server, &with_claim(&claims, (ClaimClass::Complementary, evidence_type))).await;
        assert!(
            compare_scores(&original, &complementary).is_le(),
            "P4: {claims:?}, {evidence_type:?}"
        );
        assert!(
            compare_scores(&complementary, &grounded).is_le(),
            "P4: {claims:?}, {evidence_type:?}"
        );

        let mut remaining = claims.clone();
        remaining.retain(|claim| claim.0 != ClaimClass::Contradicted);
        if !remaining.is_empty() {
            let remaining = score(&server, &remaining).await;
            assert!(compare_scores(&original, &remaining).is_le(), "P5: {claims:?}");
        }

        let tool = with_claim(&claims, (ClaimClass::Grounded, EvidenceType::ToolMatch));
        let inferred = with_claim(&claims, (ClaimClass::Grounded, EvidenceType::Inference));
        let (tool, inferred) = (score(&server, &tool).await, score(&server, &inferred).await);
        let has_unsupported_claims = claims
            .iter()
            .any(|claim| matches!(claim.0, ClaimClass::Ungrounded | ClaimClass::Contradicted));
        let expected = if has_unsupported_claims { Ordering::Less } else { Ordering::Equal };
        assert_eq!(compare_scores(&inferred, &tool), expected, "P6: {claims:?}");
    }
}

#[tokio::test]
async fn shadow_mode_changes_only_the_shadow_field() {
    let folder = tempfile::tempdir().unwrap();
    for mode in ["shadow", "off"] {
        let file = format!(
            "name = \"{mode}\"\n[rollout]\ngate = \"{mode}\"\ncap = \"{mode}\"\nladder = \"{mode}\"\n"
        );
        std::fs::write(folder.path().join(format!("{mode}.toml")), file).unwrap();
    }
    let policies = folder.path().to_owned();
    let server = TestServer::with(move |config| config.policies.dir = Some(policies)).await;
    let mut shadow_count = 0;
    for case in cases().unwrap() {
        let request: v1::ScoreRequest = from_json(&case.request.to_string()).unwrap();
        let answer = async |policy: &str| {
            let request = v1::ScoreRequest {
                policy: policy.to_owned(),
                policy_overrides: None,
                ..request.clone()
            };
            server.grounding().score(request).await.map(tonic::Response::into_inner)
        };
        let (Ok(mut with_shadow), Ok(mut without_shadow)) =
            (answer("shadow").await, answer("off").await)
        else {
            continue;
        };
        shadow_count += usize::from(with_shadow.shadow.take().is_some());
        assert_eq!(without_shadow.shadow, None);
        let digests = [&mut with_shadow, &mut without_shadow]
            .map(|answer| answer.policy.take().unwrap().digest);
        assert_eq!(digests[0], digests[1], "the digest must not depend on the rollout");
        assert_eq!(with_shadow, without_shadow, "{}", case.name);
    }
    assert!(shadow_count > 10, "only {shadow_count} answers had a shadow");
}
