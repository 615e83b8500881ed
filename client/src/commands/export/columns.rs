//! Converts records to rows of flat columns. Enumerations become their JSON names, fractions become numerator and
//! denominator, and lists of messages become JSON.

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
        Record::Partition(record) => partition(record),
        Record::Grade(record) => Ok(vec![grade(record)]),
        Record::Preference(record) => Ok(vec![preference(*record)?]),
        Record::ClaimReward(record) => Ok(vec![claim_reward(record)]),
    }
}

fn evaluation(evaluation: Option<v1::ExportedEvaluation>) -> Vec<Cell> {
    let evaluation = evaluation.unwrap_or_default();
    let tier = Cell::Text(evaluation.tier().as_str_name().to_owned());
    let policy = evaluation.policy.unwrap_or_default();
    vec![
        Cell::Text(evaluation.evaluation_id),
        instant(evaluation.evaluated_at),
        Cell::Text(evaluation.report_id),
        Cell::Text(evaluation.investigation_id),
        Cell::Text(policy.name),
        Cell::Text(policy.digest),
        Cell::Text(evaluation.judge),
        tier,
    ]
}

fn partition(record: v1::PartitionRecord) -> Result<Vec<Vec<Cell>>, Failure> {
    let outcome = record.outcome().as_str_name().to_owned();
    let mut head = evaluation(record.evaluation);
    head.push(Cell::Text(outcome));
    head.extend(score(record.score));
    head.extend(score(record.guarded_score));
    let row = |claim: &v1::JudgedClaim| {
        let of_claim = |correction: &&v1::Correction| correction.claim_id == claim.id;
        Ok([
            Cell::Text(claim.id.clone()),
            Cell::Text(claim.text.clone()),
            name(claim.class().as_str_name()),
            name(claim.r#type().as_str_name()),
            name(claim.role().as_str_name()),
            look(claim),
            list(claim.citations.iter())?,
            list(record.corrections.iter().filter(of_claim))?,
        ])
    };
    let claims = record.claims.iter().map(row).collect::<Result<Vec<_>, Failure>>()?;
    let rows: Vec<_> =
        claims.into_iter().map(|claim| [head.as_slice(), claim.as_slice()].concat()).collect();
    if rows.is_empty() {
        head.resize(PARTITION.len(), Cell::Null);
        return Ok(vec![head]);
    }
    Ok(rows)
}

fn grade(record: v1::GradeRecord) -> Vec<Cell> {
    use v1::grade::Subject;
    let (class, of) = (record.evaluated_class(), record.evaluated_type());
    let mut row = evaluation(record.evaluation);
    let recorded = record.grade.unwrap_or_default();
    let grade = recorded.grade.unwrap_or_default();
    row.extend([Cell::Text(recorded.grader), instant(recorded.graded_at)]);
    match grade.subject {
        Some(Subject::Claim(claim)) => row.extend([
            Cell::Null,
            Cell::Text(claim.claim_id.clone()),
            Cell::Text(record.claim_text),
            name(claim.class().as_str_name()),
            name(class.as_str_name()),
            name(of.as_str_name()),
        ]),
        Some(Subject::Report(report)) => {
            row.push(name(report.tier().as_str_name()));
            row.extend([const { Cell::Null }; 5]);
        }
        None => row.extend([const { Cell::Null }; 6]),
    }
    row.push(Cell::Text(grade.note));
    row
}

fn preference(record: v1::PreferenceRecord) -> Result<Vec<Cell>, Failure> {
    let (chosen, rejected) =
        (record.chosen.unwrap_or_default(), record.rejected.unwrap_or_default());
    let mut row = evaluation(chosen.evaluation);
    row.push(Cell::Text(chosen.synthesis));
    row.extend(score(chosen.guarded_score));
    let other = rejected.evaluation.unwrap_or_default();
    let tier = name(other.tier().as_str_name());
    row.extend([
        Cell::Text(other.evaluation_id),
        instant(other.evaluated_at),
        Cell::Text(other.judge),
        tier,
        Cell::Text(rejected.synthesis),
    ]);
    row.extend(score(rejected.guarded_score));
    row.extend([
        Cell::Number(record.tau_proceed_millionths.into()),
        Cell::Number(record.tau_regenerate_millionths.into()),
        list(record.evidence.iter())?,
    ]);
    Ok(row)
}

fn claim_reward(record: v1::ClaimRewardRecord) -> Vec<Cell> {
    let (class, of) = (record.class(), record.r#type());
    let mut row = evaluation(record.evaluation);
    row.extend([
        Cell::Text(record.claim_id),
        Cell::Text(record.text),
        name(class.as_str_name()),
        name(of.as_str_name()),
        Cell::Number(record.reward_millionths.into()),
    ]);
    row
}

fn look(claim: &v1::JudgedClaim) -> Cell {
    claim.second_look.as_ref().map_or(Cell::Null, |look| name(look.verdict().as_str_name()))
}

fn name(name: &str) -> Cell {
    Cell::Text(name.to_owned())
}

fn instant(at: Option<prost_types::Timestamp>) -> Cell {
    at.map_or(Cell::Null, |at| {
        let micros = at.seconds.saturating_mul(1_000_000);
        Cell::Number(micros.saturating_add(i64::from(at.nanos / 1_000)))
    })
}

fn score(score: Option<v1::Score>) -> [Cell; 2] {
    score.map_or([const { Cell::Null }; 2], |score| {
        [score.numerator, score.denominator].map(|part| Cell::Number(part.cast_signed()))
    })
}

fn list<'a, T: Named + prost::Message + 'a>(
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
        let graded = |subject| {
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
            (Kind::Grades, graded(Some(Subject::Report(v1::ReportGrade::default()))), 1),
            (Kind::Grades, graded(Some(Subject::Claim(v1::ClaimGrade::default()))), 1),
            (Kind::Grades, graded(None), 1),
            (Kind::Preferences, Record::Preference(Box::default()), 1),
            (Kind::ClaimRewards, Record::ClaimReward(v1::ClaimRewardRecord::default()), 1),
        ] {
            let rows = rows(record).unwrap();
            assert_eq!(rows.len(), expected, "{kind:?}");
            for row in rows {
                assert_eq!(row.len(), columns(kind).len(), "{kind:?}");
                for (cell, (name, of)) in row.iter().zip(columns(kind)) {
                    let fits = match of {
                        Type::Text => matches!(cell, Cell::Text(_) | Cell::Null),
                        Type::Signed | Type::Unsigned | Type::Instant => {
                            matches!(cell, Cell::Number(_) | Cell::Null)
                        }
                    };
                    assert!(fits, "{kind:?}: {name}: {cell:?}");
                }
            }
        }
    }
}
