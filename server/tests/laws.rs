//! Tests of the laws of the score, P1 to P6 (arXiv:2604.23366), and of shadow mode.

use std::cmp::Ordering;

use crate::support::{TestServer, TestServerOptions};
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
    let count = |class: ClaimClass, of: EvidenceType| {
        let count = claims.iter().filter(|claim| **claim == (class, of)).count();
        v1::ClaimCount {
            class: class.into(),
            r#type: of.into(),
            count: u32::try_from(count).unwrap(),
            undecided: false,
        }
    };
    let counts = CLASSES.into_iter().flat_map(|class| TYPES.map(|of| count(class, of)));
    let counts = v1::PartitionCounts { counts: counts.filter(|of| of.count > 0).collect() };
    let request = v1::ScoreRequest {
        policy: "paper".to_owned(),
        partition: Some(v1::score_request::Partition::Counts(counts)),
        ..v1::ScoreRequest::default()
    };
    server.grounding().score(request).await.unwrap().into_inner().score.unwrap()
}

fn compared(one: &v1::Score, other: &v1::Score) -> Ordering {
    let side = |up: u64, down: u64| u128::from(up) * u128::from(down);
    side(one.numerator, other.denominator).cmp(&side(other.numerator, one.denominator))
}

fn with(claims: &[Kind], more: Kind) -> Vec<Kind> {
    let mut claims = claims.to_vec();
    claims.push(more);
    claims
}

fn random_claims(random: &mut fastrand::Rng) -> Vec<Kind> {
    let claims = random.usize(1..20);
    (0..claims).map(|_| (CLASSES[random.usize(..4)], TYPES[random.usize(..8)])).collect()
}

#[tokio::test]
async fn scores_keep_the_six_laws() {
    let server = TestServer::start().await;
    let mut random = fastrand::Rng::with_seed(6);
    for _ in 0..100 {
        let claims = random_claims(&mut random);
        let of = TYPES[random.usize(..8)];
        let before = score(&server, &claims).await;
        assert!(before.numerator <= before.denominator, "P1: {claims:?}");

        let ungrounded = score(&server, &with(&claims, (ClaimClass::Ungrounded, of))).await;
        let grounded = score(&server, &with(&claims, (ClaimClass::Grounded, of))).await;
        assert_eq!(compared(&ungrounded, &grounded), Ordering::Less, "P2: {claims:?}, {of:?}");

        let contradicted = score(&server, &with(&claims, (ClaimClass::Contradicted, of))).await;
        assert!(compared(&contradicted, &before).is_le(), "P3: {claims:?}, {of:?}");

        let complementary = score(&server, &with(&claims, (ClaimClass::Complementary, of))).await;
        assert!(compared(&before, &complementary).is_le(), "P4: {claims:?}, {of:?}");
        assert!(compared(&complementary, &grounded).is_le(), "P4: {claims:?}, {of:?}");

        let mut kept = claims.clone();
        kept.retain(|claim| claim.0 != ClaimClass::Contradicted);
        if !kept.is_empty() {
            let kept = score(&server, &kept).await;
            assert!(compared(&before, &kept).is_le(), "P5: {claims:?}");
        }

        let tool = with(&claims, (ClaimClass::Grounded, EvidenceType::ToolMatch));
        let inferred = with(&claims, (ClaimClass::Grounded, EvidenceType::Inference));
        let (tool, inferred) = (score(&server, &tool).await, score(&server, &inferred).await);
        let is_lowered = claims
            .iter()
            .any(|claim| matches!(claim.0, ClaimClass::Ungrounded | ClaimClass::Contradicted));
        let expected = if is_lowered { Ordering::Less } else { Ordering::Equal };
        assert_eq!(compared(&inferred, &tool), expected, "P6: {claims:?}");
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
    let server = TestServerOptions::default()
        .start(move |config| config.policies.dir = Some(policies))
        .await;
    let mut shadows = 0;
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
        let (Ok(mut shadowed), Ok(mut off)) = (answer("shadow").await, answer("off").await) else {
            continue;
        };
        shadows += usize::from(shadowed.shadow.take().is_some());
        assert_eq!(off.shadow, None);
        let digests = [&mut shadowed, &mut off].map(|of| of.policy.take().unwrap().digest);
        assert_eq!(digests[0], digests[1], "the digest must not depend on the rollout");
        assert_eq!(shadowed, off, "{}", case.name);
    }
    assert!(shadows > 10, "{shadows} answers had a shadow");
}
