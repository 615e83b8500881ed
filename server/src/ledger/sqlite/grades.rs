//! Stores grades. A new grade replaces the same person's earlier grade for the same subject.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::data_owner::Owner;
use crate::ledger::grades::{NewGrade, NewGrades, StoredGrade};

pub(super) fn write(
    connection: &mut Connection,
    owner: &Owner,
    new_grades: &NewGrades,
) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let sequence: Option<i64> = transaction
        .prepare_cached("SELECT sequence FROM evaluations WHERE evaluation_id = ?1 AND (?2 IS NULL OR owner = ?2)")?
        .query_row(params![new_grades.evaluation_id, owner.only()], |row| row.get(0))
        .optional()?;
    let Some(sequence) = sequence else { return Ok(false) };
    for grade in &new_grades.grades {
        transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO grades (sequence, claim_id, grader, graded_at_micros, verdict, note) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                sequence,
                grade.claim_id,
                new_grades.grader,
                new_grades.graded_at_micros,
                grade.verdict,
                grade.note
            ])?;
    }
    transaction.commit()?;
    Ok(true)
}

/// Reads the grades of an evaluation. Grades for the report come first, then grades for claims in order of
/// claim id and grader.
pub(super) fn read(connection: &Connection, sequence: i64) -> rusqlite::Result<Vec<StoredGrade>> {
    connection
        .prepare_cached(
            "SELECT claim_id, grader, graded_at_micros, verdict, note FROM grades WHERE sequence = ?1 \
             ORDER BY claim_id, grader",
        )?
        .query_map([sequence], |row| {
            Ok(StoredGrade {
                grade: NewGrade {
                    claim_id: row.get(0)?,
                    verdict: row.get(3)?,
                    note: row.get(4)?,
                },
                grader: row.get(1)?,
                graded_at_micros: row.get(2)?,
            })
        })?
        .collect()
}
