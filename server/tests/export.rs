//! Tests exports: records of every kind, filters, resuming, and preference pairs.

use crate::support::grades::{claim_grade, grade_request, report_grade};
use crate::support::{TestServer, evaluation, item};
use gsar_proto::v1;
use gsar_proto::v1::ExportKind::{ClaimRewards, Grades, Partitions, Preferences};
use gsar_proto::v1::export_record::Record;
use tonic::{Code, Status};

const TRUE: &str = "The pool size of checkout is 20.";
const FALSE: &str = "The pool size of checkout is 50.";

async fn evaluate(server: &TestServer, synthesis: &str, evidence: &str) -> v1::EvaluateResponse {
    let mut request = evaluation(synthesis, vec![item("pool", evidence)]);
    request.investigation_id = format!("about {evidence}");
    request.report.as_mut().unwrap().id = "r1".to_owned();
    server.evaluate(request).await.unwrap()
}

const POOL: &str = r#"{"name": "checkout", "pool_size": 20}"#;

fn request_for_kinds(kinds: &[v1::ExportKind]) -> v1::ExportRequest {
    let kinds = kinds.iter().map(|kind| i32::from(*kind)).collect();
    v1::ExportRequest { kinds, ..Default::default() }
}

async fn export(
    server: &TestServer,
    request: v1::ExportRequest,
) -> Result<Vec<v1::ExportResponse>, Status> {
    let mut stream = server.ledger().export(request).await?.into_inner();
    let mut responses = Vec::new();
    while let Some(response) = stream.message().await? {
        responses.push(response);
    }
    Ok(responses)
}

fn records(responses: &[v1::ExportResponse]) -> Vec<Record> {
    let records = responses.iter().flat_map(|response| &response.records);
    records.map(|record| record.record.clone().unwrap()).collect()
}

fn describe(record: &Record) -> String {
    let id = |evaluation: &Option<v1::ExportedEvaluation>| {
        evaluation.as_ref().unwrap().evaluation_id.clone()
    };
    let report = |report: &Option<v1::PairedReport>| id(&report.as_ref().unwrap().evaluation);
    match record {
        Record::Partition(partition) => format!("partition {}", id(&partition.evaluation)),
        Record::Grade(grade) => format!("grade {}", id(&grade.evaluation)),
        Record::ClaimReward(reward) => format!("reward {}", id(&reward.evaluation)),
        Record::Preference(pair) => {
            format!("{} over {}", report(&pair.chosen), report(&pair.rejected))
        }
    }
}

fn describe_all(responses: &[v1::ExportResponse]) -> Vec<String> {
    records(responses).iter().map(describe).collect()
}

async fn grade_answer(server: &TestServer, answer: &v1::EvaluateResponse) {
    let claim = claim_grade(&answer.claims[0].id, v1::ClaimClass::Grounded);
    let grades = [report_grade(v1::Tier::Proceed), claim];
    server.ledger().grade(grade_request(&answer.evaluation_id, "ada", grades)).await.unwrap();
}

#[tokio::test]
async fn exports_evaluations_oldest_first_with_grades() {
    let server = TestServer::start().await;
    let true_answer = evaluate(&server, TRUE, POOL).await;
    let false_answer = evaluate(&server, FALSE, POOL).await;
    grade_answer(&server, &false_answer).await;
    let responses =
        export(&server, request_for_kinds(&[Partitions, Grades, ClaimRewards])).await.unwrap();
    let (first, second) = (&true_answer.evaluation_id, &false_answer.evaluation_id);
    assert_eq!(
        describe_all(&responses),
        [
            format!("partition {first}"),
            format!("reward {first}"),
            format!("partition {second}"),
            format!("grade {second}"),
            format!("grade {second}"),
            format!("reward {second}"),
        ]
    );
    let exported_records = records(&responses);
    let Record::Partition(partition) = &exported_records[0] else {
        panic!("{:?}", exported_records[0])
    };
    assert_eq!(partition.claims, true_answer.claims);
    assert_eq!(partition.corrections, true_answer.corrections);
    assert_eq!(
        (partition.score, partition.guarded_score),
        (true_answer.score, true_answer.guarded_score)
    );
    let evaluation = partition.evaluation.as_ref().unwrap();
    assert_eq!(evaluation.policy, true_answer.provenance.as_ref().unwrap().policy);
    assert_eq!((evaluation.report_id.as_str(), evaluation.judge.as_str()), ("r1", "rules/2"));
    assert_eq!(evaluation.tier(), v1::Tier::Proceed);

    let Record::Grade(report_grade) = &exported_records[3] else {
        panic!("{:?}", exported_records[3])
    };
    let Record::Grade(claim_grade) = &exported_records[4] else {
        panic!("{:?}", exported_records[4])
    };
    assert_eq!(report_grade.evaluated_class(), v1::ClaimClass::Unspecified);
    assert_eq!(claim_grade.evaluated_class(), v1::ClaimClass::Contradicted);
    assert_eq!(claim_grade.claim_text, false_answer.claims[0].text);
    assert_eq!(claim_grade.grade.as_ref().unwrap().grader, "ada");

    let rewards: Vec<i32> = exported_records
        .iter()
        .filter_map(|record| match record {
            Record::ClaimReward(reward) => Some(reward.reward_millionths),
            _ => None,
        })
        .collect();
    assert_eq!(rewards, [1_000_000, -1_000_000]);
}

#[tokio::test]
async fn export_resumes_after_any_response() {
    let server = TestServer::start().await;
    for pool_size in 0..70 {
        let pool = format!(r#"{{"name": "checkout", "pool_size": {pool_size}}}"#);
        evaluate(&server, &format!("The pool size of checkout is {pool_size}."), &pool).await;
        evaluate(&server, "The pool size of checkout is 99.", &pool).await;
    }
    let request = request_for_kinds(&[Preferences, ClaimRewards]);
    let responses = export(&server, request.clone()).await.unwrap();
    let descriptions = describe_all(&responses);
    assert_eq!(descriptions.len(), 140 + 70);
    assert!(descriptions[..140].iter().all(|name| name.starts_with("reward")));
    for index in (0..responses.len()).step_by(13).chain([responses.len() - 1]) {
        let rest = v1::ExportRequest { after: responses[index].after.clone(), ..request.clone() };
        let rest = export(&server, rest).await.unwrap();
        assert_eq!(
            describe_all(&rest),
            describe_all(&responses[index + 1..]),
            "after response {index}"
        );
    }
}

#[tokio::test]
async fn exports_can_be_filtered() {
    let server = TestServer::start().await;
    let true_answer = evaluate(&server, TRUE, POOL).await;
    let false_answer = evaluate(&server, FALSE, r#"{"name": "checkout", "pool_size": 21}"#).await;
    grade_answer(&server, &false_answer).await;
    let with_filter = |change: &dyn Fn(&mut v1::ExportRequest)| {
        let mut request = request_for_kinds(&[Partitions]);
        change(&mut request);
        request
    };
    let time = true_answer.provenance.as_ref().unwrap().evaluated_at;
    let next_day =
        time.map(|time| prost_types::Timestamp { seconds: time.seconds + 86_400, ..time });
    let (first, second) = (true_answer.evaluation_id.as_str(), false_answer.evaluation_id.as_str());
    for (request, expected) in [
        (with_filter(&|request| request.graded_only = true), vec![second]),
        (with_filter(&|request| request.tier = v1::Tier::Proceed.into()), vec![first]),
        (with_filter(&|request| request.policy = "reference".to_owned()), vec![first, second]),
        (with_filter(&|request| request.policy = "strict".to_owned()), vec![]),
        (with_filter(&|request| request.judge = "rules/2".to_owned()), vec![first, second]),
        (with_filter(&|request| request.judge = "local/1".to_owned()), vec![]),
        (with_filter(&|request| request.investigation_id = format!("about {POOL}")), vec![first]),
        (with_filter(&|request| request.evaluated_from = time), vec![first, second]),
        (with_filter(&|request| request.evaluated_before = time), vec![]),
        (with_filter(&|request| request.evaluated_from = next_day), vec![]),
        (with_filter(&|request| request.evaluated_before = next_day), vec![first, second]),
    ] {
        let request_text = format!("{request:?}");
        let descriptions = describe_all(&export(&server, request).await.unwrap());
        let expected: Vec<_> = expected.iter().map(|id| format!("partition {id}")).collect();
        assert_eq!(descriptions, expected, "{request_text}");
    }
}

#[tokio::test]
async fn preference_pairs_share_evidence_and_differ_in_text() {
    let server = TestServer::start().await;
    let true_answer = evaluate(&server, TRUE, POOL).await;
    evaluate(&server, FALSE, r#"{"name": "checkout", "pool_size": 21}"#).await;
    assert_eq!(
        describe_all(&export(&server, request_for_kinds(&[Preferences])).await.unwrap()),
        [] as [&str; 0]
    );

    let false_answer = evaluate(&server, FALSE, POOL).await;
    evaluate(&server, FALSE, POOL).await;
    let exported_records =
        records(&export(&server, request_for_kinds(&[Preferences])).await.unwrap());
    let [Record::Preference(pair)] = exported_records.as_slice() else {
        panic!("{exported_records:?}")
    };
    assert_eq!(
        describe(&exported_records[0]),
        format!("{} over {}", true_answer.evaluation_id, false_answer.evaluation_id)
    );
    let (chosen, rejected) = (pair.chosen.as_ref().unwrap(), pair.rejected.as_ref().unwrap());
    assert_eq!((chosen.synthesis.as_str(), rejected.synthesis.as_str()), (TRUE, FALSE));
    assert_eq!(chosen.guarded_score, true_answer.guarded_score);
    assert_eq!((pair.tau_proceed_millionths, pair.tau_regenerate_millionths), (800_000, 650_000));
    assert_eq!(pair.evidence, true_answer.provenance.as_ref().unwrap().evidence);

    for pool_size in 30..60 {
        evaluate(&server, &format!("The pool size of checkout is {pool_size}."), POOL).await;
    }
    assert_eq!(
        describe_all(&export(&server, request_for_kinds(&[Preferences])).await.unwrap()).len(),
        8
    );
    let request = v1::DeleteEvaluationRequest { evaluation_id: true_answer.evaluation_id };
    server.ledger().delete_evaluation(request).await.unwrap();
    assert_eq!(
        describe_all(&export(&server, request_for_kinds(&[Preferences])).await.unwrap()).len(),
        0
    );
}

#[tokio::test]
async fn export_reports_invalid_fields() {
    let server = TestServer::start().await;
    evaluate(&server, TRUE, POOL).await;
    let token = export(&server, request_for_kinds(&[Partitions])).await.unwrap()[0].after.clone();
    let token_for_other_kinds = v1::ExportRequest { after: token, ..request_for_kinds(&[Grades]) };
    let invalid_token = v1::ExportRequest { after: "x".to_owned(), ..request_for_kinds(&[Grades]) };
    for (request, field) in [
        (request_for_kinds(&[]), "kinds: "),
        (token_for_other_kinds, "after: "),
        (invalid_token, "after: \"x\""),
    ] {
        let error = export(&server, request).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().starts_with(field), "{error}");
    }
}
