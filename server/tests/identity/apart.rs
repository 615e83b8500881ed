//! Tests that principals do not see each other's data without the right to audit.

use std::path::Path;

use gsar_proto::v1;
use gsar_proto::v1::evidence_service_client::EvidenceServiceClient;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_proto::v1::investigation_service_client::InvestigationServiceClient;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient;
use gsar_server::telemetry::metrics::recorder;
use tonic::Code;

use crate::identity::{As, TOKENS, code, started, with};
use crate::support::tokens::Issuer;
use crate::support::{item, request};

#[tokio::test]
async fn principals_do_not_see_each_others_data() {
    let server = started(&Issuer::new()).await;
    let [ada, ben, auditor, ..] = TOKENS.map(|token| with(&server.channel, Some(token)));
    let grounding = |caller: &As| GroundingServiceClient::new(caller.clone());
    let ledger = |caller: &As| LedgerServiceClient::new(caller.clone());
    let evidence = |caller: &As| EvidenceServiceClient::new(caller.clone());
    let keyed = v1::EvaluateRequest { idempotency_key: "one".to_owned(), ..request() };
    let id = grounding(&ada).evaluate(keyed.clone()).await.unwrap().into_inner().evaluation_id;
    let bens_id = grounding(&ben).evaluate(keyed).await.unwrap().into_inner().evaluation_id;
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
    let recorded =
        ledger(&auditor).get_evaluation(evaluation_request(&bens_id)).await.unwrap().into_inner();
    assert_eq!(recorded.principal, "ben");
    let list_ids = async |caller: &As| -> Vec<String> {
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
    let rescore = v1::RescoreRequest { evaluation_id: id.clone(), ..v1::RescoreRequest::default() };
    assert_eq!(code(grounding(&ben).rescore(rescore).await), Code::NotFound);
    let grade = v1::GradeRequest {
        evaluation_id: id.clone(),
        grader: "ben".to_owned(),
        grades: vec![v1::Grade {
            subject: Some(v1::grade::Subject::Report(v1::ReportGrade {
                tier: v1::Tier::Proceed.into(),
            })),
            note: String::new(),
        }],
    };
    assert_eq!(code(ledger(&ben).grade(grade).await), Code::NotFound);
    let evidence_request =
        v1::GetEvaluationEvidenceRequest { evaluation_id: id.clone(), evidence_id: "e".to_owned() };
    assert_eq!(code(ledger(&ben).get_evaluation_evidence(evidence_request).await), Code::NotFound);
    let exported_ids = async |caller: &As| -> String {
        let kinds = vec![v1::ExportKind::Partitions.into(), v1::ExportKind::Grades.into()];
        let every_kind = v1::ExportRequest { kinds, ..v1::ExportRequest::default() };
        let mut chunks = ledger(caller).export(every_kind).await.unwrap().into_inner();
        let mut exported = String::new();
        while let Some(chunk) = chunks.message().await.unwrap() {
            exported.push_str(&format!("{chunk:?}"));
        }
        exported
    };
    assert!(exported_ids(&ada).await.contains(&id));
    assert!(!exported_ids(&ben).await.contains(&id));

    let messages = |text: &str| {
        use v1::put_evidence_request::Part;
        let corpus = v1::CorpusHead { corpus_id: "inc-7".to_owned(), ..v1::CorpusHead::default() };
        let parts = [Part::Corpus(corpus), Part::Item(item("of-one", text))];
        tokio_stream::iter(parts.map(|part| v1::PutEvidenceRequest { part: Some(part) }))
    };
    evidence(&ada).put_evidence(messages("only ada knows this")).await.unwrap();
    evidence(&ben).put_evidence(messages("only ben knows that")).await.unwrap();
    let search = |corpus: &str| v1::SearchRequest {
        corpus_id: corpus.to_owned(),
        query: "only knows".to_owned(),
        ..v1::SearchRequest::default()
    };
    for (caller, corpus, text) in [
        (&ada, "inc-7", "only ada"),
        (&ben, "inc-7", "only ben"),
        (&auditor, "ada@inc-7", "only ada"),
        (&ada, "ada@inc-7", "only ada"),
    ] {
        let found = evidence(caller).search(search(corpus)).await.unwrap().into_inner();
        assert!(found.hits[0].text.contains(text), "{corpus}: {found:?}");
    }
    let corpora = async |caller: &As| -> Vec<String> {
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
            ..v1::GetSnapshotRequest::default()
        };
        assert_eq!(code(evidence(&ben).get_snapshot(snapshot).await), Code::NotFound);
        let delete = v1::DeleteCorpusRequest { corpus_id: corpus.to_owned() };
        assert_eq!(code(evidence(&ben).delete_corpus(delete).await), Code::NotFound);
        let evaluate = v1::EvaluateRequest { corpus_id: corpus.to_owned(), ..request() };
        assert_eq!(code(grounding(&ben).evaluate(evaluate).await), Code::NotFound);
    }

    let investigations = |caller: &As| InvestigationServiceClient::new(caller.clone());
    let start = v1::StartInvestigationRequest {
        investigation_id: "i".to_owned(),
        ..v1::StartInvestigationRequest::default()
    };
    investigations(&ada).start_investigation(start.clone()).await.unwrap();
    let get_request = || v1::GetInvestigationRequest {
        investigation_id: "i".to_owned(),
        ..v1::GetInvestigationRequest::default()
    };
    assert_eq!(code(investigations(&ben).get_investigation(get_request()).await), Code::NotFound);
    let turn = v1::RecordTurnRequest {
        investigation_id: "i".to_owned(),
        step: 1,
        ..v1::RecordTurnRequest::default()
    };
    assert_eq!(code(investigations(&ben).record_turn(turn).await), Code::NotFound);
    let submit = v1::SubmitReportRequest {
        investigation_id: "i".to_owned(),
        step: 1,
        report: request().report,
        ..v1::SubmitReportRequest::default()
    };
    assert_eq!(code(investigations(&ben).submit_report(submit).await), Code::NotFound);
    let cancel = v1::CancelInvestigationRequest { investigation_id: "i".to_owned() };
    assert_eq!(code(investigations(&ben).cancel_investigation(cancel).await), Code::NotFound);
    investigations(&ben).start_investigation(start).await.unwrap();
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
