//! Tests that principals do not see each other's data without the right to audit.

use std::path::Path;

use gsar_proto::v1;
use gsar_proto::v1::evidence_service_client::EvidenceServiceClient;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_proto::v1::investigation_service_client::InvestigationServiceClient;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient;
use gsar_server::telemetry::metrics::recorder;
use tonic::Code;

use crate::identity::{Caller, TOKENS, code, start_server, with_token};
use crate::support::corpora::{put, search};
use crate::support::grades::{grade_request, report_grade};
use crate::support::investigations::{start, submission, turn};
use crate::support::tokens::Issuer;
use crate::support::{item, request};

#[tokio::test]
async fn principals_do_not_see_each_others_data() {
    let server = start_server(&Issuer::new()).await;
    let [ada, ben, auditor, ..] = TOKENS.map(|token| with_token(&server.channel, Some(token)));
    let grounding = |caller: &Caller| GroundingServiceClient::new(caller.clone());
    let ledger = |caller: &Caller| LedgerServiceClient::new(caller.clone());
    let evidence = |caller: &Caller| EvidenceServiceClient::new(caller.clone());
    let keyed_request = v1::EvaluateRequest { idempotency_key: "one".to_owned(), ..request() };
    let id =
        grounding(&ada).evaluate(keyed_request.clone()).await.unwrap().into_inner().evaluation_id;
    let bens_id = grounding(&ben).evaluate(keyed_request).await.unwrap().into_inner().evaluation_id;
    assert_ne!(id, bens_id, "idempotency keys belong to a principal");

    let evaluation_request =
        |id: &str| v1::GetEvaluationRequest { evaluation_id: id.to_owned(), redact: false };
    for (caller, id, expected) in [
        (&ada, &id, Code::Ok),
        (&ben, &id, Code::NotFound),
        (&auditor, &id, Code::Ok),
        (&ada, &bens_id, Code::NotFound),
    ] {
        assert_eq!(code(ledger(caller).get_evaluation(evaluation_request(id)).await), expected);
    }
    let record =
        ledger(&auditor).get_evaluation(evaluation_request(&bens_id)).await.unwrap().into_inner();
    assert_eq!(record.principal, "ben");
    let list_ids = async |caller: &Caller| -> Vec<String> {
        let list = v1::ListEvaluationsRequest::default();
        let page = ledger(caller).list_evaluations(list).await.unwrap().into_inner();
        page.evaluations
            .into_iter()
            .map(|evaluation| format!("{} {}", evaluation.principal, evaluation.evaluation_id))
            .collect()
    };
    assert_eq!(list_ids(&ada).await, [format!("ada {id}")]);
    assert_eq!(list_ids(&auditor).await, [format!("ben {bens_id}"), format!("ada {id}")]);
    let delete = v1::DeleteEvaluationRequest { evaluation_id: id.clone() };
    assert_eq!(code(ledger(&ben).delete_evaluation(delete).await), Code::NotFound);
    let rescore = v1::RescoreRequest { evaluation_id: id.clone(), ..Default::default() };
    assert_eq!(code(grounding(&ben).rescore(rescore).await), Code::NotFound);
    let grade = grade_request(&id, "ben", [report_grade(v1::Tier::Proceed)]);
    assert_eq!(code(ledger(&ben).grade(grade).await), Code::NotFound);
    let evidence_request =
        v1::GetEvaluationEvidenceRequest { evaluation_id: id.clone(), evidence_id: "e".to_owned() };
    assert_eq!(code(ledger(&ben).get_evaluation_evidence(evidence_request).await), Code::NotFound);
    let export_text = async |caller: &Caller| -> String {
        let kinds = vec![v1::ExportKind::Partitions.into(), v1::ExportKind::Grades.into()];
        let every_kind = v1::ExportRequest { kinds, ..Default::default() };
        let mut chunks = ledger(caller).export(every_kind).await.unwrap().into_inner();
        let mut text = String::new();
        while let Some(chunk) = chunks.message().await.unwrap() {
            text.push_str(&format!("{chunk:?}"));
        }
        text
    };
    assert!(export_text(&ada).await.contains(&id));
    assert!(!export_text(&ben).await.contains(&id));

    let upload = |text: &str| put("inc-7", [item("of-one", text)]);
    evidence(&ada).put_evidence(upload("only ada knows this")).await.unwrap();
    evidence(&ben).put_evidence(upload("only ben knows that")).await.unwrap();
    let search = |corpus: &str| search(corpus, "only knows");
    for (caller, corpus, text) in [
        (&ada, "inc-7", "only ada"),
        (&ben, "inc-7", "only ben"),
        (&auditor, "ada@inc-7", "only ada"),
        (&ada, "ada@inc-7", "only ada"),
    ] {
        let results = evidence(caller).search(search(corpus)).await.unwrap().into_inner();
        assert!(results.hits[0].text.contains(text), "{corpus}: {results:?}");
    }
    let corpora = async |caller: &Caller| -> Vec<String> {
        let list = v1::ListCorporaRequest::default();
        let page = evidence(caller).list_corpora(list).await.unwrap().into_inner();
        page.corpora.into_iter().map(|corpus| corpus.corpus_id).collect()
    };
    assert_eq!(corpora(&ada).await, ["inc-7"]);
    assert_eq!(corpora(&auditor).await, ["ada@inc-7", "ben@inc-7"]);
    for corpus in ["ada@inc-7", "@inc-7"] {
        assert_eq!(code(evidence(&ben).search(search(corpus)).await), Code::NotFound);
        let snapshot = v1::GetSnapshotRequest {
            corpus_id: corpus.to_owned(),
            item: Some(v1::get_snapshot_request::Item::EvidenceId("of-one".to_owned())),
            ..Default::default()
        };
        assert_eq!(code(evidence(&ben).get_snapshot(snapshot).await), Code::NotFound);
        let delete = v1::DeleteCorpusRequest { corpus_id: corpus.to_owned() };
        assert_eq!(code(evidence(&ben).delete_corpus(delete).await), Code::NotFound);
        let evaluate = v1::EvaluateRequest { corpus_id: corpus.to_owned(), ..request() };
        assert_eq!(code(grounding(&ben).evaluate(evaluate).await), Code::NotFound);
    }

    let investigations = |caller: &Caller| InvestigationServiceClient::new(caller.clone());
    investigations(&ada).start_investigation(start("i")).await.unwrap();
    let get_request =
        || v1::GetInvestigationRequest { investigation_id: "i".to_owned(), ..Default::default() };
    assert_eq!(code(investigations(&ben).get_investigation(get_request()).await), Code::NotFound);
    let turn = turn("i", 1, Vec::new());
    assert_eq!(code(investigations(&ben).record_turn(turn).await), Code::NotFound);
    let submit = submission("i", 1, "The connection pool size is 20.", Vec::new());
    assert_eq!(code(investigations(&ben).submit_report(submit).await), Code::NotFound);
    let cancel = v1::CancelInvestigationRequest { investigation_id: "i".to_owned() };
    assert_eq!(code(investigations(&ben).cancel_investigation(cancel).await), Code::NotFound);
    investigations(&ben).start_investigation(start("i")).await.unwrap();
    assert_eq!(code(investigations(&ada).get_investigation(get_request()).await), Code::Ok);

    let metrics = recorder().unwrap().render();
    for token in TOKENS {
        assert!(!metrics.contains(token), "{token}");
        assert!(!contains_text(server.folder.path(), token), "{token}");
    }
}

fn contains_text(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().map(Result::unwrap).any(|entry| {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            return contains_text(&entry.path(), text);
        }
        kind.is_file()
            && std::fs::read(entry.path())
                .unwrap()
                .windows(text.len())
                .any(|window| window == text.as_bytes())
    })
}
