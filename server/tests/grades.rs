//! Tests how grades are stored, replaced and rejected.

use crate::support::grades::{claim_grade, grade_request, report_grade};
use crate::support::{TestServer, request};
use gsar_proto::v1;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

async fn grade(
    server: &TestServer,
    evaluation_id: &str,
    grader: &str,
    grades: Vec<v1::Grade>,
) -> Result<v1::GradeResponse, Status> {
    let request = grade_request(evaluation_id, grader, grades);
    server.ledger().grade(request).await.map(tonic::Response::into_inner)
}

async fn list_ids(server: &TestServer, graded: v1::GradedFilter) -> Vec<String> {
    let request = v1::ListEvaluationsRequest { graded: graded.into(), ..Default::default() };
    let page = server.list_evaluations(request).await;
    page.into_iter().map(|summary| summary.evaluation_id).collect()
}

#[tokio::test]
async fn latest_grade_is_stored_with_its_evaluation() {
    let server = TestServer::start().await;
    let answer = server.evaluate(request()).await.unwrap();
    let (id, claim) = (answer.evaluation_id.as_str(), answer.claims[0].id.as_str());
    assert_eq!(server.get_evaluation(id).await.grades, []);

    let mut grades =
        vec![claim_grade(claim, v1::ClaimClass::Contradicted), report_grade(v1::Tier::Replan)];
    grades[0].note = "as the console shows".to_owned();
    let first_graded_at = grade(&server, id, "ada", grades.clone()).await.unwrap().graded_at;
    grade(&server, id, "ben", vec![report_grade(v1::Tier::Abstain)]).await.unwrap();
    let recorded = |grade: &v1::Grade, grader: &str, graded_at| v1::RecordedGrade {
        grade: Some(grade.clone()),
        grader: grader.to_owned(),
        graded_at,
    };
    let stored_grades = server.get_evaluation(id).await.grades;
    assert_eq!(stored_grades.len(), 3);
    assert_eq!(stored_grades[0], recorded(&grades[1], "ada", first_graded_at));
    assert_eq!(stored_grades[1].grader, "ben");
    assert_eq!(stored_grades[2], recorded(&grades[0], "ada", first_graded_at));

    let replacement = report_grade(v1::Tier::Proceed);
    let replaced_at = grade(&server, id, "ada", vec![replacement.clone()]).await.unwrap().graded_at;
    let stored_grades = server.get_evaluation(id).await.grades;
    assert_eq!(
        (stored_grades.len(), &stored_grades[0]),
        (3, &recorded(&replacement, "ada", replaced_at))
    );
    assert_eq!(
        stored_grades[2],
        recorded(&grades[0], "ada", first_graded_at),
        "the grade of another subject is kept"
    );
}

#[tokio::test]
async fn lists_can_be_filtered_by_whether_evaluations_are_graded() {
    let server = TestServer::start().await;
    let first = server.evaluate(request()).await.unwrap().evaluation_id;
    let second = server.evaluate(request()).await.unwrap().evaluation_id;
    grade(&server, &first, "ada", vec![report_grade(v1::Tier::Proceed)]).await.unwrap();
    assert_eq!(list_ids(&server, v1::GradedFilter::Graded).await, [first.as_str()]);
    assert_eq!(list_ids(&server, v1::GradedFilter::NotGraded).await, [second.as_str()]);
    assert_eq!(list_ids(&server, v1::GradedFilter::Unspecified).await.len(), 2);

    let request = v1::ListEvaluationsRequest { graded: 3, ..Default::default() };
    let error = server.ledger().list_evaluations(request).await.unwrap_err();
    assert!(error.message().starts_with("graded: 3 is unknown"), "{error}");

    let request = v1::DeleteEvaluationRequest { evaluation_id: first };
    server.ledger().delete_evaluation(request).await.unwrap();
    assert!(list_ids(&server, v1::GradedFilter::Graded).await.is_empty());
}

#[tokio::test]
async fn request_with_an_invalid_grade_is_rejected() {
    let server = TestServer::start().await;
    let answer = server.evaluate(request()).await.unwrap();
    let id = answer.evaluation_id.as_str();
    let valid_grade = claim_grade(&answer.claims[0].id, v1::ClaimClass::Grounded);
    let unknown_claim = claim_grade("c99", v1::ClaimClass::Grounded);
    let error =
        grade(&server, id, "ada", vec![valid_grade.clone(), unknown_claim]).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    let violations = error.get_error_details().bad_request().unwrap().field_violations.clone();
    let fields: Vec<_> = violations.iter().map(|violation| violation.field.as_str()).collect();
    assert_eq!(fields, ["grades[1].claim.claim_id"]);
    assert!(violations[0].description.starts_with("\"c99\" is not a claim of the evaluation"));
    assert_eq!(server.get_evaluation(id).await.grades, []);

    let error = grade(&server, "e0", "ada", vec![valid_grade.clone()]).await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    let error = grade(&server, id, "", vec![valid_grade]).await.unwrap_err();
    assert!(error.message().starts_with("grader: is missing"), "{error}");
}
