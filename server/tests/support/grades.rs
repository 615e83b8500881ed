//! Requests that grade evaluations.

use gsar_proto::v1;
use gsar_proto::v1::grade::Subject;

pub fn report_grade(tier: v1::Tier) -> v1::Grade {
    grade(Subject::Report(v1::ReportGrade { tier: tier.into() }))
}

pub fn claim_grade(claim_id: &str, class: v1::ClaimClass) -> v1::Grade {
    grade(Subject::Claim(v1::ClaimGrade { claim_id: claim_id.to_owned(), class: class.into() }))
}

fn grade(subject: Subject) -> v1::Grade {
    v1::Grade { subject: Some(subject), note: String::new() }
}

pub fn grade_request(
    evaluation_id: &str,
    grader: &str,
    grades: impl Into<Vec<v1::Grade>>,
) -> v1::GradeRequest {
    v1::GradeRequest {
        evaluation_id: evaluation_id.to_owned(),
        grader: grader.to_owned(),
        grades: grades.into(),
    }
}
