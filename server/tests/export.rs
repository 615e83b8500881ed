//! Tests of exports: records of every kind, filters, resumption and exact pairs.

use crate::support::{self, TestServer};
use gsar_proto::v1;
use gsar_proto::v1::ExportKind::{ClaimRewards, Grades, Partitions, Preferences};
use gsar_proto::v1::export_record::Record;
use tonic::{Code, Status};

const TRUE: &str = "The pool size of checkout is 20.";
const FALSE: &str = "The pool size of checkout is 50.";

async fn evaluate(server: &TestServer, synthesis: &str, evidence: &str) -> v1::EvaluateResponse {
    let mut request = support::request();
    request.evidence = vec![support::item("pool", evidence)];
    request.investigation_id = format!("about {evidence}");
    request.report.as_mut().unwrap().synthesis = synthesis.to_owned();
    server.grounding().evaluate(request).await.unwrap().into_inner()
}

const POOL: &str = r#"{"name": "checkout", "pool_size": 20}"#;

fn request_kinds(kinds: &[v1::ExportKind]) -> v1::ExportRequest {
    let kinds = kinds.iter().map(|kind| i32::from(*kind)).collect();
    v1::ExportRequest { kinds, ..v1::ExportRequest::default() }
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
        Record::Partition(found) => format!("partition {}", id(&found.evaluation)),
        Record::Grade(found) => format!("grade {}", id(&found.evaluation)),
        Record::ClaimReward(found) => format!("reward {}", id(&found.evaluation)),
        Record::Preference(found) => {
            format!("{} over {}", report(&found.chosen), report(&found.rejected))
        }
    }
}

fn names(responses: &[v1::ExportResponse]) -> Vec<String> {
    records(responses).iter().map(describe).collect()
}

async fn grade_answer(server: &TestServer, answer: &v1::EvaluateResponse) {
    use v1::grade::Subject;
    let claim = v1::ClaimGrade {
        claim_id: answer.claims[0].id.clone(),
        class: v1::ClaimClass::Grounded.into(),
    };
    let report = v1::ReportGrade { tier: v1::Tier::Proceed.into() };
    let grades = [Subject::Report(report), Subject::Claim(claim)]
        .map(|subject| v1::Grade { subject: Some(subject), note: "seen".to_owned() });
    let request = v1::GradeRequest {
        evaluation_id: answer.evaluation_id.clone(),
        grader: "ada".to_owned(),
        grades: grades.into(),
    };
    server.ledger().grade(request).await.unwrap();
}

#[tokio::test]
async fn exports_evaluations_oldest_first_with_grades() {
    let server = TestServer::start().await;
    let true_answer = evaluate(&server, TRUE, POOL).await;
    let false_answer = evaluate(&server, FALSE, POOL).await;
    grade_answer(&server, &false_answer).await;
    let responses =
        export(&server, request_kinds(&[Partitions, Grades, ClaimRewards])).await.unwrap();
    let (first, second) = (&true_answer.evaluation_id, &false_answer.evaluation_id);
    assert_eq!(
        names(&responses),
        [
            format!("partition {first}"),
            format!("reward {first}"),
            format!("partition {second}"),
            format!("grade {second}"),
            format!("grade {second}"),
            format!("reward {second}"),
        ]
    );
    let exported = records(&responses);
    let Record::Partition(partition) = &exported[0] else { panic!("{:?}", exported[0]) };
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

    let Record::Grade(report_grade) = &exported[3] else { panic!("{:?}", exported[3]) };
    let Record::Grade(claim_grade) = &exported[4] else { panic!("{:?}", exported[4]) };
    assert_eq!(report_grade.evaluated_class(), v1::ClaimClass::Unspecified);
    assert_eq!(claim_grade.evaluated_class(), v1::ClaimClass::Contradicted);
    assert_eq!(claim_grade.claim_text, false_answer.claims[0].text);
    assert_eq!(claim_grade.grade.as_ref().unwrap().grader, "ada");

    let rewards: Vec<i32> = exported
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
    for number in 0..70 {
        let pool = format!(r#"{{"name": "checkout", "pool_size": {number}}}"#);
        evaluate(&server, &format!("The pool size of checkout is {number}."), &pool).await;
        evaluate(&server, "The pool size of checkout is 99.", &pool).await;
    }
    let request = request_kinds(&[Preferences, ClaimRewards]);
    let responses = export(&server, request.clone()).await.unwrap();
    let record_names = names(&responses);
    assert_eq!(record_names.len(), 140 + 70);
    assert!(record_names[..140].iter().all(|name| name.starts_with("reward")));
    for index in (0..responses.len()).step_by(13).chain([responses.len() - 1]) {
        let rest = v1::ExportRequest { after: responses[index].after.clone(), ..request.clone() };
        let rest = export(&server, rest).await.unwrap();
        assert_eq!(names(&rest), names(&responses[index + 1..]), "after response {index}");
    }
}

#[tokio::test]
async fn exports_can_be_filtered() {
    let server = TestServer::start().await;
    let true_answer = evaluate(&server, TRUE, POOL).await;
    let false_answer = evaluate(&server, FALSE, r#"{"name": "checkout", "pool_size": 21}"#).await;
    grade_answer(&server, &false_answer).await;
    let with_filter = |change: &dyn Fn(&mut v1::ExportRequest)| {
        let mut request = request_kinds(&[Partitions]);
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
        let names_found = names(&export(&server, request).await.unwrap());
        let expected: Vec<_> = expected.iter().map(|id| format!("partition {id}")).collect();
        assert_eq!(names_found, expected, "{request_text}");
    }
}

#[tokio::test]
async fn pairs_share_evidence_and_differ_in_text() {
    let server = TestServer::start().await;
    let true_answer = evaluate(&server, TRUE, POOL).await;
    evaluate(&server, FALSE, r#"{"name": "checkout", "pool_size": 21}"#).await;
    assert_eq!(
        names(&export(&server, request_kinds(&[Preferences])).await.unwrap()),
        [] as [&str; 0]
    );

    let false_answer = evaluate(&server, FALSE, POOL).await;
    evaluate(&server, FALSE, POOL).await;
    let exported = records(&export(&server, request_kinds(&[Preferences])).await.unwrap());
    let [Record::Preference(pair)] = exported.as_slice() else { panic!("{exported:?}") };
    assert_eq!(
        describe(&exported[0]),
        format!("{} over {}", true_answer.evaluation_id, false_answer.evaluation_id)
    );
    let (chosen, rejected) = (pair.chosen.as_ref().unwrap(), pair.rejected.as_ref().unwrap());
    assert_eq!((chosen.synthesis.as_str(), rejected.synthesis.as_str()), (TRUE, FALSE));
    assert_eq!(chosen.guarded_score, true_answer.guarded_score);
    assert_eq!((pair.tau_proceed_millionths, pair.tau_regenerate_millionths), (800_000, 650_000));
    assert_eq!(pair.evidence, true_answer.provenance.as_ref().unwrap().evidence);

    for number in 30..60 {
        evaluate(&server, &format!("The pool size of checkout is {number}."), POOL).await;
    }
    assert_eq!(names(&export(&server, request_kinds(&[Preferences])).await.unwrap()).len(), 8);
    let request = v1::DeleteEvaluationRequest { evaluation_id: true_answer.evaluation_id };
    server.ledger().delete_evaluation(request).await.unwrap();
    assert_eq!(names(&export(&server, request_kinds(&[Preferences])).await.unwrap()).len(), 0);
}

#[tokio::test]
async fn export_reports_invalid_fields() {
    let server = TestServer::start().await;
    evaluate(&server, TRUE, POOL).await;
    let token = export(&server, request_kinds(&[Partitions])).await.unwrap()[0].after.clone();
    let token_of_other_kinds = v1::ExportRequest { after: token, ..request_kinds(&[Grades]) };
    let invalid_token = v1::ExportRequest { after: "x".to_owned(), ..request_kinds(&[Grades]) };
    for (request, field) in [
        (request_kinds(&[]), "kinds: "),
        (token_of_other_kinds, "after: "),
        (invalid_token, "after: \"x\""),
    ] {
        let error = export(&server, request).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().starts_with(field), "{error}");
    }
}
