//! Checks the grades of a `Grade` request.

use std::collections::HashSet;

use gsar_core::time::Timestamp;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::parse::{GradedSubject, ParsedGrade, ParsedGrades};
use gsar_proto::v1;
use gsar_proto::violations::Violations;
use tonic::Status;

use crate::ledger::{NewGrade, NewGrades};

pub(super) fn check(
    parsed: ParsedGrades,
    claims: &[v1::JudgedClaim],
    graded_at: Timestamp,
) -> Result<NewGrades, Status> {
    let claim_ids: HashSet<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
    let mut violations = Violations::default();
    for (index, grade) in parsed.grades.iter().enumerate() {
        if let GradedSubject::Claim { id, .. } = &grade.subject
            && !claim_ids.contains(id.as_str())
        {
            violations.add(
                format!("grades[{index}].claim.claim_id"),
                format_args!(
                    "{id:?} is not a claim of the evaluation; GetEvaluation and `gsar ledger show` list its {} claims",
                    claims.len()
                ),
            );
        }
    }
    violations.finish(Some(NewGrades {
        evaluation_id: parsed.evaluation_id,
        grader: parsed.grader,
        graded_at_micros: graded_at.as_micros(),
        grades: parsed.grades.into_iter().map(new_grade).collect(),
    }))
}

fn new_grade(grade: ParsedGrade) -> NewGrade {
    let ParsedGrade { subject, note } = grade;
    match subject {
        GradedSubject::Report(tier) => {
            NewGrade { claim_id: String::new(), verdict: tier.number(), note }
        }
        GradedSubject::Claim { id, class } => {
            NewGrade { claim_id: id, verdict: class.number(), note }
        }
    }
}
