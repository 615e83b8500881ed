//! Tests the judge `rules/2` on real incidents.

use crate::lies::cases::cases;
use crate::support::TestServer;
use gsar_core::Class;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;
use gsar_server::judge::facts::FactsJudge;

async fn start_server() -> TestServer {
    let configure = |config: &mut gsar_server::config::Config| {
        config.judges.chain = vec![FactsJudge::NAME.to_owned()];
        config.ledger.enabled = false;
    };
    TestServer::with(configure).await
}

fn is_decided(claim: &v1::JudgedClaim) -> bool {
    matches!(claim.class(), v1::ClaimClass::Grounded | v1::ClaimClass::Contradicted)
}

#[tokio::test]
async fn decisions_and_citations_are_correct() {
    let server = start_server().await;
    let (mut correct_claims, mut wrong_claims) = (0, Vec::new());
    for case in cases() {
        let answer = server.evaluate(case.request.clone()).await.unwrap();
        for (claim, honest) in answer.claims.iter().zip(&case.honest) {
            assert_eq!(claim.text, honest.claim.text);
            if !is_decided(claim) {
                continue;
            }
            if Class::from_number(claim.class) == Some(honest.class) {
                correct_claims += 1;
            } else {
                wrong_claims.push(format!("{}: {:?} {}", case.name, claim.class(), claim.text));
            }
        }
        assert!(answer.corrections.is_empty(), "{}: {:?}", case.name, answer.corrections);
    }
    println!("{correct_claims} claims were decided correctly");
    assert!(wrong_claims.is_empty(), "{wrong_claims:#?}");
}

/// Asserts that the verdicts on the first `reports` reports do not change if the order of the evidence is reversed.
pub(crate) async fn assert_order_does_not_matter(server: &TestServer, reports: usize) {
    for mut case in cases().into_iter().take(reports) {
        let expected = server.evaluate(case.request.clone()).await.unwrap().claims;
        case.request.evidence.reverse();
        let reversed = server.evaluate(case.request).await.unwrap().claims;
        assert_eq!(reversed, expected, "{}", case.name);
    }
}

#[tokio::test]
async fn order_of_evidence_does_not_matter() {
    assert_order_does_not_matter(&start_server().await, usize::MAX).await;
}
