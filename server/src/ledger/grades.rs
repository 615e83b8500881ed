//! Grades of evaluations and claims by people.

/// Grades for one evaluation by one person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGrades {
    /// The id of the evaluation.
    pub evaluation_id: String,
    /// The name of the person; not empty.
    pub grader: String,
    /// The time, in microseconds since 1970-01-01T00:00:00Z.
    pub graded_at_micros: i64,
    /// The grades, at most one per subject.
    pub grades: Vec<NewGrade>,
}

/// A grade for the report or a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGrade {
    /// The id of the claim; empty for the report.
    pub claim_id: String,
    /// A `gsar.v1.Tier` for the report, a `gsar.v1.ClaimClass` for a claim.
    pub verdict: i32,
    /// The reason; may be empty.
    pub note: String,
}

/// A stored grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGrade {
    /// The grade.
    pub grade: NewGrade,
    /// The name of the person.
    pub grader: String,
    /// The time, in microseconds since 1970-01-01T00:00:00Z.
    pub graded_at_micros: i64,
}
