//! Stores grades. A new grade replaces the same person's earlier grade for the same subject.

use std::collections::HashMap;

use deadpool_postgres::{GenericClient, Object};
use tokio_postgres::{Error, Row};

use crate::data_owner::Owner;
use crate::ledger::grades::{NewGrade, NewGrades, StoredGrade};
use crate::storage::postgres::query;

pub(super) async fn write(
    client: &mut Object,
    owner: &Owner,
    new_grades: &NewGrades,
) -> Result<bool, Error> {
    const GRADED: &str = "SELECT sequence FROM evaluation_ids \
         WHERE evaluation_id = $1 AND ($2::text IS NULL OR owner = $2) FOR KEY SHARE";
    const UPSERT: &str = "INSERT INTO grades (sequence, claim_id, grader, graded_at_micros, verdict, note) \
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (sequence, claim_id, grader) DO UPDATE SET \
         graded_at_micros = excluded.graded_at_micros, verdict = excluded.verdict, note = excluded.note";
    let transaction = client.transaction().await?;
    let Some(row) =
        query::optional(&transaction, GRADED, &[&new_grades.evaluation_id, &owner.only()]).await?
    else {
        return Ok(false);
    };
    let sequence: i64 = row.get(0);
    // Locks rows in a fixed order, so that concurrent graders do not deadlock.
    let mut grades: Vec<&NewGrade> = new_grades.grades.iter().collect();
    grades.sort_by(|left, right| left.claim_id.cmp(&right.claim_id));
    for grade in grades {
        query::execute(
            &transaction,
            UPSERT,
            &[
                &sequence,
                &grade.claim_id,
                &new_grades.grader,
                &new_grades.graded_at_micros,
                &grade.verdict,
                &grade.note,
            ],
        )
        .await?;
    }
    transaction.commit().await?;
    Ok(true)
}

/// Reads the grades of evaluations, keyed by sequence. Grades for the report come first, then grades for
/// claims in order of claim id and grader.
pub(super) async fn read(
    client: &impl GenericClient,
    sequences: &[i64],
) -> Result<HashMap<i64, Vec<StoredGrade>>, Error> {
    const GRADES: &str = "SELECT sequence, claim_id, grader, graded_at_micros, verdict, note FROM grades \
         WHERE sequence = ANY($1) ORDER BY sequence, claim_id COLLATE \"C\", grader COLLATE \"C\"";
    let mut grades: HashMap<i64, Vec<StoredGrade>> = HashMap::new();
    for row in query::all(client, GRADES, &[&sequences]).await? {
        grades.entry(row.get(0)).or_default().push(convert_grade(&row));
    }
    Ok(grades)
}

fn convert_grade(row: &Row) -> StoredGrade {
    StoredGrade {
        grade: NewGrade { claim_id: row.get(1), verdict: row.get(4), note: row.get(5) },
        grader: row.get(2),
        graded_at_micros: row.get(3),
    }
}
