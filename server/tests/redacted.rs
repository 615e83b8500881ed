//! Tests that answers are redacted on request, and that the stored records stay unredacted.

use gsar_proto::v1;

use crate::support::investigations::start;
use crate::support::{TestServer, evaluation, invalid_fields, item};

const SECRET: &str = "hunter22";
const NUMBER: &str = "ACME-4711";

fn redact_request(redact: bool) -> v1::EvaluateRequest {
    let synthesis = format!(
        "# Pool\n\nThe pool is reached at postgres://shop:{SECRET}@db/orders. Customer {NUMBER} wrote of it. Was it slow?"
    );
    let url = item("pool", &format!("url: postgres://shop:{SECRET}@db/orders\n"));
    v1::EvaluateRequest {
        options: Some(v1::EvaluateOptions { redact, ..Default::default() }),
        ..evaluation(&synthesis, vec![url])
    }
}

async fn start_server() -> TestServer {
    TestServer::with(|config| {
        config.judges.hidden.insert("CUSTOMER".to_owned(), "ACME-[0-9]{4}".to_owned());
    })
    .await
}

#[tokio::test]
async fn redacts_the_answer_but_not_the_record() {
    let server = start_server().await;
    let answer = server.evaluate(redact_request(true)).await.unwrap();
    let output = format!("{answer:?}");
    assert!(!output.contains(SECRET) && !output.contains(NUMBER), "{output}");
    assert!(answer.claims[0].text.contains("@db/orders"), "{output}");
    let provenance = answer.provenance.unwrap();
    assert!(provenance.redacted && provenance.recorded);

    let id = answer.evaluation_id;
    let read = async |redact| {
        let request = v1::GetEvaluationRequest { evaluation_id: id.clone(), redact };
        server.ledger().get_evaluation(request).await.unwrap().into_inner()
    };
    let original = read(false).await;
    assert!(format!("{original:?}").contains(SECRET));
    assert_eq!(original.report, redact_request(true).report);
    let redacted = read(true).await;
    let output = format!("{redacted:?}");
    assert!(!output.contains(SECRET) && !output.contains(NUMBER), "{output}");
    let evaluation = redacted.evaluation.unwrap();
    assert_eq!(evaluation.evaluation_id, id);
    let digests =
        |provenance: &v1::Provenance| (provenance.report_digest.clone(), provenance.policy.clone());
    assert_eq!(
        digests(&evaluation.provenance.unwrap()),
        digests(&original.evaluation.unwrap().provenance.unwrap())
    );

    // Claim positions refer to the redacted report.
    let synthesis = redacted.report.unwrap().synthesis;
    let spans: Vec<&str> = evaluation
        .claims
        .iter()
        .filter_map(|claim| claim.span)
        .map(|span| {
            let (start, end) = (span.start.try_into().unwrap(), span.end.try_into().unwrap());
            synthesis.get::<std::ops::Range<usize>>(start..end).unwrap()
        })
        .collect();
    assert!(spans.len() >= 2, "{spans:?}");
    assert!(spans[0].starts_with("The pool is reached at ") && spans[0].contains("@db/orders"));
    assert!(spans[1].starts_with("Customer [") && spans[1].contains("] wrote of it"), "{spans:?}");
}

#[tokio::test]
async fn answers_are_not_redacted_by_default() {
    let server = start_server().await;
    let answer = server.evaluate(redact_request(false)).await.unwrap();
    assert!(!answer.provenance.unwrap().redacted);
    assert!(answer.claims[0].text.contains(SECRET));
}

#[tokio::test]
async fn redacts_selections_but_rejects_redacted_investigations() {
    let server = start_server().await;
    let v1::EvaluateRequest { report, evidence, options, .. } = redact_request(true);
    let best = v1::SelectBestRequest {
        candidates: vec![report.unwrap()],
        evidence,
        options: options.clone(),
        ..Default::default()
    };
    let best = server.grounding().select_best(best).await.unwrap().into_inner();
    assert!(!format!("{best:?}").contains(SECRET), "{best:?}");
    let start = v1::StartInvestigationRequest { options, ..start("i") };
    let error = server.investigations().start_investigation(start).await.unwrap_err();
    assert_eq!(invalid_fields(&error), ["options.redact"]);
}
