//! Converts records to rows of flat columns. Enumerations become their JSON names, a fraction becomes a numerator
//! and a denominator column, and lists of messages become JSON.

use gsar_client::json::{Named, to_json};
use gsar_client::v1;
use v1::export_record::Record;

use super::table::{Cell, Type};
use crate::arguments::Kind;
use crate::failure::Failure;

/// Prepends the columns that all kinds of records share.
macro_rules! with_evaluation {
    ($($column:expr),* $(,)?) => {
        &[
            ("evaluation_id", Type::Text),
            ("evaluated_at", Type::Instant),
            ("report_id", Type::Text),
            ("investigation_id", Type::Text),
            ("policy", Type::Text),
            ("policy_digest", Type::Text),
            ("judge", Type::Text),
            ("tier", Type::Text),
            $($column),*
        ]
    };
}

/// One row per claim, or a single row for an evaluation without claims.
const PARTITION: &[(&str, Type)] = with_evaluation![
    ("outcome", Type::Text),
    ("score_numerator", Type::Unsigned),
    ("score_denominator", Type::Unsigned),
    ("guarded_score_numerator", Type::Unsigned),
    ("guarded_score_denominator", Type::Unsigned),
    ("claim_id", Type::Text),
    ("claim_text", Type::Text),
    ("class", Type::Text),
    ("type", Type::Text),
    ("role", Type::Text),
    ("second_look", Type::Text),
    ("citations", Type::Text),
    ("corrections", Type::Text),
];

/// One row per grade.
const GRADE: &[(&str, Type)] = with_evaluation![
    ("grader", Type::Text),
    ("graded_at", Type::Instant),
    ("graded_tier", Type::Text),
    ("claim_id", Type::Text),
    ("claim_text", Type::Text),
    ("graded_class", Type::Text),
    ("evaluated_class", Type::Text),
    ("evaluated_type", Type::Text),
    ("note", Type::Text),
];

/// One row per pair. The shared columns describe the chosen report.
const PREFERENCE: &[(&str, Type)] = with_evaluation![
    ("synthesis", Type::Text),
    ("guarded_score_numerator", Type::Unsigned),
    ("guarded_score_denominator", Type::Unsigned),
    ("rejected_evaluation_id", Type::Text),
    ("rejected_evaluated_at", Type::Instant),
    ("rejected_judge", Type::Text),
    ("rejected_tier", Type::Text),
    ("rejected_synthesis", Type::Text),
    ("rejected_guarded_score_numerator", Type::Unsigned),
    ("rejected_guarded_score_denominator", Type::Unsigned),
    ("tau_proceed_millionths", Type::Signed),
    ("tau_regenerate_millionths", Type::Signed),
    ("evidence", Type::Text),
];

/// One row per claim.
const CLAIM_REWARD: &[(&str, Type)] = with_evaluation![
    ("claim_id", Type::Text),
    ("claim_text", Type::Text),
    ("class", Type::Text),
    ("type", Type::Text),
    ("reward_millionths", Type::Signed),
];

pub(super) const fn columns(kind: Kind) -> &'static [(&'static str, Type)] {
    match kind {
        Kind::Partitions => PARTITION,
        Kind::Grades => GRADE,
        Kind::Preferences => PREFERENCE,
        Kind::ClaimRewards => CLAIM_REWARD,
    }
}

/// Converts a record to rows with the [`columns`] of its kind.
pub(super) fn rows(record: Record) -> Result<Vec<Vec<Cell>>, Failure> {
    match record {
        Record::Partition(record) => partition_rows(record),
        Record::Grade(record) => Ok(vec![grade_row(record)]),
        Record::Preference(record) => Ok(vec![preference_row(*record)?]),
        Record::ClaimReward(record) => Ok(vec![claim_reward_row(record)]),
    }
}

fn evaluation_cells(evaluation: Option<v1::ExportedEvaluation>) -> Vec<Cell> {
    let evaluation = evaluation.unwrap_or_default();
    let tier = Cell::Text(evaluation.tier().as_str_name().to_owned());
    let policy = evaluation.policy.unwrap_or_default();
    vec![
        Cell::Text(evaluation.evaluation_id),
        instant_cell(evaluation.evaluated_at),
        Cell::Text(evaluation.report_id),
        Cell::Text(evaluation.investigation_id),
        Cell::Text(policy.name),
        Cell::Text(policy.digest),
        Cell::Text(evaluation.judge),
        tier,
    ]
}

fn partition_rows(record: v1::PartitionRecord) -> Result<Vec<Vec<Cell>>, Failure> {
    let outcome = record.outcome().as_str_name().to_owned();
    let mut shared_cells = evaluation_cells(record.evaluation);
    shared_cells.push(Cell::Text(outcome));
    shared_cells.extend(score_cells(record.score));
    shared_cells.extend(score_cells(record.guarded_score));
    let row = |claim: &v1::JudgedClaim| {
        let concerns_claim = |correction: &&v1::Correction| correction.claim_id == claim.id;
        Ok([
            Cell::Text(claim.id.clone()),
            Cell::Text(claim.text.clone()),
            text_cell(claim.class().as_str_name()),
            text_cell(claim.r#type().as_str_name()),
            text_cell(claim.role().as_str_name()),
            second_look_cell(claim),
            json_list_cell(claim.citations.iter())?,
            json_list_cell(record.corrections.iter().filter(concerns_claim))?,
        ])
    };
    let claims = record.claims.iter().map(row).collect::<Result<Vec<_>, Failure>>()?;
    let rows: Vec<_> = claims
        .into_iter()
        .map(|claim| [shared_cells.as_slice(), claim.as_slice()].concat())
        .collect();
    if rows.is_empty() {
        shared_cells.resize(PARTITION.len(), Cell::Null);
        return Ok(vec![shared_cells]);
    }
    Ok(rows)
}

fn grade_row(record: v1::GradeRecord) -> Vec<Cell> {
    use v1::grade::Subject;
    let (class, evidence_type) = (record.evaluated_class(), record.evaluated_type());
    let mut row = evaluation_cells(record.evaluation);
    let recorded_grade = record.grade.unwrap_or_default();
    let grade = recorded_grade.grade.unwrap_or_default();
    row.extend([Cell::Text(recorded_grade.grader), instant_cell(recorded_grade.graded_at)]);
    match grade.subject {
        Some(Subject::Claim(claim)) => row.extend([
            Cell::Null,
            Cell::Text(claim.claim_id.clone()),
            Cell::Text(record.claim_text),
            text_cell(claim.class().as_str_name()),
            text_cell(class.as_str_name()),
            text_cell(evidence_type.as_str_name()),
        ]),
        Some(Subject::Report(report)) => {
            row.push(text_cell(report.tier().as_str_name()));
            row.extend([const { Cell::Null }; 5]);
        }
        None => row.extend([const { Cell::Null }; 6]),
    }
    row.push(Cell::Text(grade.note));
    row
}

fn preference_row(record: v1::PreferenceRecord) -> Result<Vec<Cell>, Failure> {
    let (chosen, rejected) =
        (record.chosen.unwrap_or_default(), record.rejected.unwrap_or_default());
    let mut row = evaluation_cells(chosen.evaluation);
    row.push(Cell::Text(chosen.synthesis));
    row.extend(score_cells(chosen.guarded_score));
    let rejected_evaluation = rejected.evaluation.unwrap_or_default();
    let tier = text_cell(rejected_evaluation.tier().as_str_name());
    row.extend([
        Cell::Text(rejected_evaluation.evaluation_id),
        instant_cell(rejected_evaluation.evaluated_at),
        Cell::Text(rejected_evaluation.judge),
        tier,
        Cell::Text(rejected.synthesis),
    ]);
    row.extend(score_cells(rejected.guarded_score));
    row.extend([
        Cell::Number(record.tau_proceed_millionths.into()),
        Cell::Number(record.tau_regenerate_millionths.into()),
        json_list_cell(record.evidence.iter())?,
    ]);
    Ok(row)
}

fn claim_reward_row(record: v1::ClaimRewardRecord) -> Vec<Cell> {
    let (class, evidence_type) = (record.class(), record.r#type());
    let mut row = evaluation_cells(record.evaluation);
    row.extend([
        Cell::Text(record.claim_id),
        Cell::Text(record.text),
        text_cell(class.as_str_name()),
        text_cell(evidence_type.as_str_name()),
        Cell::Number(record.reward_millionths.into()),
    ]);
    row
}

fn second_look_cell(claim: &v1::JudgedClaim) -> Cell {
    claim.second_look.as_ref().map_or(Cell::Null, |look| text_cell(look.verdict().as_str_name()))
}

fn text_cell(name: &str) -> Cell {
    Cell::Text(name.to_owned())
}

fn instant_cell(timestamp: Option<prost_types::Timestamp>) -> Cell {
    timestamp.map_or(Cell::Null, |timestamp| {
        let micros = timestamp.seconds.saturating_mul(1_000_000);
        Cell::Number(micros.saturating_add(i64::from(timestamp.nanos / 1_000)))
    })
}

fn score_cells(score: Option<v1::Score>) -> [Cell; 2] {
    score.map_or([const { Cell::Null }; 2], |score| {
        [score.numerator, score.denominator].map(|part| Cell::Number(part.cast_signed()))
    })
}

fn json_list_cell<'a, T: Named + prost::Message + 'a>(
    messages: impl Iterator<Item = &'a T>,
) -> Result<Cell, Failure> {
    let messages = messages.map(to_json).collect::<Result<Vec<_>, _>>()?;
    Ok(Cell::Text(format!("[{}]", messages.join(","))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_match_the_columns_of_their_kind() {
        use v1::grade::Subject;
        let claims = vec![v1::JudgedClaim::default(); 2];
        let grade_record = |subject| {
            let grade = Some(v1::Grade { subject, note: String::new() });
            let grade = Some(v1::RecordedGrade { grade, ..v1::RecordedGrade::default() });
            Record::Grade(v1::GradeRecord { grade, ..v1::GradeRecord::default() })
        };
        for (kind, record, expected) in [
            (Kind::Partitions, Record::Partition(v1::PartitionRecord::default()), 1),
            (
                Kind::Partitions,
                Record::Partition(v1::PartitionRecord { claims, ..Default::default() }),
                2,
            ),
            (Kind::Grades, grade_record(Some(Subject::Report(v1::ReportGrade::default()))), 1),
            (Kind::Grades, grade_record(Some(Subject::Claim(v1::ClaimGrade::default()))), 1),
            (Kind::Grades, grade_record(None), 1),
            (Kind::Preferences, Record::Preference(Box::default()), 1),
            (Kind::ClaimRewards, Record::ClaimReward(v1::ClaimRewardRecord::default()), 1),
        ] {
            let rows = rows(record).unwrap();
            assert_eq!(rows.len(), expected, "{kind:?}");
            for row in rows {
                assert_eq!(row.len(), columns(kind).len(), "{kind:?}");
                for (cell, (name, column_type)) in row.iter().zip(columns(kind)) {
                    let is_valid = match column_type {
                        Type::Text => matches!(cell, Cell::Text(_) | Cell::Null),
                        Type::Signed | Type::Unsigned | Type::Instant => {
                            matches!(cell, Cell::Number(_) | Cell::Null)
                        }
                    };
                    assert!(is_valid, "{kind:?}: {name}: {cell:?}");
                }
            }
        }
    }
}
