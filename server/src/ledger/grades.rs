//! This module says what grades are: what people say of evaluations and of their claims. It keeps nothing.

/// What one person says of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGrades {
    /// The evaluation.
    pub evaluation_id: String,
    /// Who says it; not empty.
    pub grader: String,
    /// When, in microseconds since 1970-01-01T00:00:00Z.
    pub graded_at_micros: i64,
    /// What is said, each subject at most once.
    pub grades: Vec<NewGrade>,
}

/// What is said of one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGrade {
    /// The claim; empty for the report as a whole.
    pub claim_id: String,
    /// The number of a `gsar.v1.Tier` for the report, of a `gsar.v1.ClaimClass` for a claim.
    pub verdict: i32,
    /// Why; may be empty.
    pub note: String,
}

/// A grade that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGrade {
    /// What was said.
    pub grade: NewGrade,
    /// Who said it.
    pub grader: String,
    /// When, in microseconds since 1970-01-01T00:00:00Z.
    pub graded_at_micros: i64,
}
