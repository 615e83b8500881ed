//! Grades that people give evaluations and their claims.

/// Grades of one evaluation by one person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGrades {
    /// The evaluation.
    pub evaluation_id: String,
    /// The person who grades; not empty.
    pub grader: String,
    /// The time, in microseconds since 1970-01-01T00:00:00Z.
    pub graded_at_micros: i64,
    /// The grades, at most one per subject.
    pub grades: Vec<NewGrade>,
}

/// The grade of one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGrade {
    /// The claim; empty for the report as a whole.
    pub claim_id: String,
    /// The number of a `gsar.v1.Tier` for the report, of a `gsar.v1.ClaimClass` for a claim.
    pub verdict: i32,
    /// The reason; may be empty.
    pub note: String,
}

/// A stored grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGrade {
    /// The grade.
    pub grade: NewGrade,
    /// The person who gave it.
    pub grader: String,
    /// The time, in microseconds since 1970-01-01T00:00:00Z.
    pub graded_at_micros: i64,
}
