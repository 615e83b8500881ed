//! This module takes and shows grades for `gsar.v1.LedgerService`. It changes no evaluation, and no decision rests on it.

use std::collections::HashSet;

use gsar_core::time::Timestamp;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::parse::{GradedSubject, ParsedGrade, ParsedGrades};
use gsar_proto::violations::Violations;
use gsar_proto::{render, v1};
use tonic::Status;

use crate::ledger::{NewGrade, NewGrades, StoredGrade};

/// What the ledger is to keep; every claim has to be one of the evaluation.
pub(super) fn checked(
    parsed: ParsedGrades,
    claims: &[v1::JudgedClaim],
    graded_at: Timestamp,
) -> Result<NewGrades, Status> {
    let known: HashSet<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
    let mut violations = Violations::default();
    for (index, grade) in parsed.grades.iter().enumerate() {
        if let GradedSubject::Claim { id, .. } = &grade.subject
            && !known.contains(id.as_str())
        {
            violations.add(
                format!("grades[{index}].claim.claim_id"),
                format_args!(
                    "{id:?} is no claim of the evaluation; GetEvaluation and `gsar ledger show` list its {}",
                    claims.len()
                ),
            );
        }
    }
    violations.finish(Some(NewGrades {
        evaluation_id: parsed.evaluation_id,
        grader: parsed.grader,
        graded_at_micros: graded_at.as_micros(),
        grades: parsed.grades.into_iter().map(new).collect(),
    }))
}

fn new(grade: ParsedGrade) -> NewGrade {
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

/// A grade as the contract has it.
pub(super) fn recorded(stored: StoredGrade) -> v1::RecordedGrade {
    use v1::grade::Subject;
    let StoredGrade { grade: NewGrade { claim_id, verdict, note }, grader, graded_at_micros } =
        stored;
    let subject = if claim_id.is_empty() {
        Subject::Report(v1::ReportGrade { tier: verdict })
    } else {
        Subject::Claim(v1::ClaimGrade { claim_id, class: verdict })
    };
    v1::RecordedGrade {
        grade: Some(v1::Grade { subject: Some(subject), note }),
        grader,
        graded_at: Some(render::timestamp(Timestamp::from_micros(graded_at_micros))),
    }
}
