//! Tests of the judge `rules/2` over real incidents.

use crate::lies::cases::{Case, cases};
use crate::support::{TestServer, TestServerOptions};
use gsar_core::Class;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;
use gsar_server::judge::facts::FactsJudge;

async fn start_server() -> TestServer {
    let change = |config: &mut gsar_server::config::Config| {
        config.judges.chain = vec![FactsJudge::NAME.to_owned()];
        config.ledger.enabled = false;
    };
    TestServerOptions::default().start(change).await
}

async fn evaluate(server: &TestServer, case: &Case) -> v1::EvaluateResponse {
    server.grounding().evaluate(case.request.clone()).await.unwrap().into_inner()
}

fn is_decided(claim: &v1::JudgedClaim) -> bool {
    matches!(claim.class(), v1::ClaimClass::Grounded | v1::ClaimClass::Contradicted)
}

#[tokio::test]
async fn decisions_and_citations_are_correct() {
    let server = start_server().await;
    let (mut correct_claims, mut wrong) = (0, Vec::new());
    for case in cases() {
        let answer = evaluate(&server, &case).await;
        for (claim, honest) in answer.claims.iter().zip(&case.honest) {
            assert_eq!(claim.text, honest.claim.text);
            if !is_decided(claim) {
                continue;
            }
            if Class::from_number(claim.class) == Some(honest.class) {
                correct_claims += 1;
            } else {
                wrong.push(format!("{}: {:?} {}", case.name, claim.class(), claim.text));
            }
        }
        assert!(answer.corrections.is_empty(), "{}: {:?}", case.name, answer.corrections);
    }
    println!("{correct_claims} claims are decided rightly");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn order_of_evidence_does_not_matter() {
    let server = start_server().await;
    for mut case in cases() {
        let expected = evaluate(&server, &case).await.claims;
        case.request.evidence.reverse();
        assert_eq!(evaluate(&server, &case).await.claims, expected, "{}", case.name);
    }
}
