//! Parses grades. Claim ids are checked later, against the record.

use std::collections::HashSet;

use gsar_core::{Class, Tier};

use super::field::{Excerpt, enumeration, present, short_text, storable_text};
use super::limits::Limits;
use super::list::parse_list;
use super::path::Path;
use crate::v1;
use crate::violations::Violations;

/// The maximum number of grades in a request.
const MAX_GRADES: usize = 500;

/// The parsed grades.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedGrades {
    /// The id of the evaluation.
    pub evaluation_id: String,
    /// The name of the grader, 1 to 256 bytes long.
    pub grader: String,
    /// The grades: at least one, and at most one per subject.
    pub grades: Vec<ParsedGrade>,
}

/// A grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedGrade {
    /// The subject and its correct verdict.
    pub subject: GradedSubject,
    /// An explanation, which may be empty.
    pub note: String,
}

/// The subject of a grade, with the correct verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GradedSubject {
    /// The report as a whole.
    Report(Tier),
    /// A claim.
    Claim {
        /// The id of the claim, which is not empty.
        id: String,
        /// The correct class.
        class: Class,
    },
}

impl GradedSubject {
    /// Returns the id of the claim, or an empty string for the report.
    #[must_use]
    pub fn claim_id(&self) -> &str {
        match self {
            Self::Report(_) => "",
            Self::Claim { id, .. } => id,
        }
    }
}

/// Parses grades.
pub fn grades(
    request: v1::GradeRequest,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<ParsedGrades> {
    let v1::GradeRequest { evaluation_id, grader, grades } = request;
    let evaluation_id = required_name(Path::root("evaluation_id"), evaluation_id, violations);
    let grader = required_name(Path::root("grader"), grader, violations);
    let path = Path::root("grades");
    if grades.is_empty() {
        violations.add(path, format_args!("is empty; give 1 to {MAX_GRADES} grades"));
    }
    let mut earlier_subjects = HashSet::new();
    let grades = parse_list(path, grades, MAX_GRADES, violations, |path, message, violations| {
        let grade = grade(path, message, limits, violations)?;
        let subject = grade.subject.claim_id();
        if !earlier_subjects.insert(subject.to_owned()) {
            let subject_label = match subject {
                "" => "the report".to_owned(),
                id => format!("claim `{}`", Excerpt(id)),
            };
            violations.add(
                path,
                format_args!("grades {subject_label} again; give one grade per subject"),
            );
            return None;
        }
        Some(grade)
    });
    Some(ParsedGrades { evaluation_id: evaluation_id?, grader: grader?, grades: grades? })
}

fn grade(
    path: Path<'_>,
    message: v1::Grade,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<ParsedGrade> {
    use v1::grade::Subject;
    let note = storable_text(path.field("note"), message.note, limits.max_claim_bytes, violations);
    let subject = match message.subject {
        None => {
            violations.add(path.field("subject"), "is missing; give report or claim");
            None
        }
        Some(Subject::Report(report)) => {
            let path = path.field("report");
            enumeration(path.field("tier"), report.tier, violations).map(GradedSubject::Report)
        }
        Some(Subject::Claim(claim)) => {
            let path = path.field("claim");
            let id = required_name(path.field("claim_id"), claim.claim_id, violations);
            let class = enumeration(path.field("class"), claim.class, violations);
            id.zip(class).map(|(id, class)| GradedSubject::Claim { id, class })
        }
    };
    Some(ParsedGrade { subject: subject?, note: note? })
}

/// Parses a name of 1 to 256 bytes.
fn required_name(path: Path<'_>, value: String, violations: &mut Violations) -> Option<String> {
    let value = (!value.is_empty()).then_some(value);
    short_text(path, present(path, value, violations)?, violations)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(id: &str, class: i32) -> v1::Grade {
        let claim = v1::ClaimGrade { claim_id: id.to_owned(), class };
        v1::Grade { subject: Some(v1::grade::Subject::Claim(claim)), note: String::new() }
    }

    fn report(tier: i32) -> v1::Grade {
        let report = v1::ReportGrade { tier };
        v1::Grade { subject: Some(v1::grade::Subject::Report(report)), note: "why".to_owned() }
    }

    fn request(grades: Vec<v1::Grade>) -> v1::GradeRequest {
        let (evaluation_id, grader) = ("e1".to_owned(), "ada".to_owned());
        v1::GradeRequest { evaluation_id, grader, grades }
    }

    fn violation_message(request: v1::GradeRequest) -> String {
        let mut violations = Violations::default();
        let parsed = grades(request, &Limits::default(), &mut violations);
        violations.finish(parsed).expect_err("the request is invalid").message().to_owned()
    }

    #[test]
    fn parses_grades_of_reports_and_claims() {
        let mut violations = Violations::default();
        let graded = request(vec![report(1), claim("c1", 3)]);
        let parsed = grades(graded, &Limits::default(), &mut violations);
        let expected = [
            ParsedGrade { subject: GradedSubject::Report(Tier::Proceed), note: "why".to_owned() },
            ParsedGrade {
                subject: GradedSubject::Claim { id: "c1".to_owned(), class: Class::Contradicted },
                note: String::new(),
            },
        ];
        assert_eq!(parsed.map(|parsed| parsed.grades).as_deref(), Some(expected.as_slice()));
        assert!(violations.is_empty());
    }

    #[test]
    fn violations_name_their_field() {
        let long_name = "x".repeat(257);
        let long_note = v1::Grade { note: "x".repeat((16 << 10) + 1), ..report(1) };
        for (invalid, field) in [
            (v1::GradeRequest { grader: String::new(), ..request(vec![report(1)]) }, "grader: is"),
            (v1::GradeRequest { grader: long_name, ..request(vec![report(1)]) }, "grader: has 257"),
            (
                v1::GradeRequest { evaluation_id: String::new(), ..request(vec![report(1)]) },
                "evaluation_id: is missing",
            ),
            (request(Vec::new()), "grades: is empty"),
            (request(vec![report(1); 501]), "grades: has 501"),
            (request(vec![report(0)]), "grades[0].report.tier: is unspecified"),
            (request(vec![report(5)]), "grades[0].report.tier: 5 is unknown"),
            (request(vec![claim("c1", -1)]), "grades[0].claim.class: -1 is unknown"),
            (request(vec![claim("", 1)]), "grades[0].claim.claim_id: is missing"),
            (request(vec![v1::Grade::default()]), "grades[0].subject: is missing"),
            (request(vec![report(1), report(2)]), "grades[1]: grades the report again"),
            (request(vec![claim("a", 1), claim("a", 1)]), "grades[1]: grades claim `a` again"),
            (request(vec![long_note]), "grades[0].note: has 16385"),
        ] {
            let message = violation_message(invalid);
            assert!(message.starts_with(field), "{field}: {message}");
        }
    }
}
