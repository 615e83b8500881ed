//! Deletes evaluations, and shared rows that are no longer referenced. If a concurrent transaction starts
//! to reference such a row, a constraint makes one of the two transactions retry. If two transactions
//! delete the last two references concurrently, a later walk deletes the row.

use deadpool_postgres::{Object, Transaction};
use tokio_postgres::{Error, Row};

use crate::data_owner::Owner;
use crate::storage::postgres::query;

pub(super) async fn delete(
    client: &mut Object,
    owner: &Owner,
    evaluation_id: &str,
) -> Result<bool, Error> {
    const ID: &str = "DELETE FROM evaluation_ids WHERE evaluation_id = $1 AND ($2::text IS NULL OR owner = $2) \
         RETURNING sequence";
    let transaction = client.transaction().await?;
    let Some(row) = query::optional(&transaction, ID, &[&evaluation_id, &owner.only()]).await?
    else {
        return Ok(false);
    };
    delete_rows(&transaction, &[row.get(0)]).await?;
    transaction.commit().await?;
    Ok(true)
}

/// Deletes up to `max_rows` evaluations that started before `oldest_kept`, oldest first. Returns the number
/// of deleted evaluations.
pub(super) async fn delete_old(
    client: &mut Object,
    oldest_kept: i64,
    max_rows: i64,
) -> Result<u64, Error> {
    const IDS: &str = "DELETE FROM evaluation_ids WHERE sequence IN (SELECT sequence FROM evaluation_ids \
         WHERE evaluated_at_micros < $1 ORDER BY evaluated_at_micros LIMIT $2) RETURNING sequence";
    let transaction = client.transaction().await?;
    let ids = query::all(&transaction, IDS, &[&oldest_kept, &max_rows]).await?;
    let sequences: Vec<i64> = ids.iter().map(|row| row.get(0)).collect();
    delete_rows(&transaction, &sequences).await?;
    transaction.commit().await?;
    Ok(u64::try_from(sequences.len()).unwrap_or(u64::MAX))
}

/// Deletes the other rows of evaluations whose ids were deleted.
async fn delete_rows(transaction: &Transaction<'_>, sequences: &[i64]) -> Result<(), Error> {
    const ROWS: &str = "DELETE FROM evaluations WHERE sequence = ANY($1) \
         RETURNING policy_id, evidence_set_id, owner, investigation_id";
    let rows = query::all(transaction, ROWS, &[&sequences]).await?;
    delete_unused(transaction, &ids(&rows, 0), &ids(&rows, 1)).await?;
    let owners: Vec<String> = rows.iter().map(|row| row.get(2)).collect();
    let investigations: Vec<String> = rows.iter().map(|row| row.get(3)).collect();
    const INVESTIGATIONS: &str = "DELETE FROM investigations AS old \
         USING unnest($1::text[], $2::text[]) AS gone (owner, investigation_id) \
         WHERE old.owner = gone.owner AND old.investigation_id = gone.investigation_id \
         AND NOT EXISTS (SELECT 1 FROM evaluations WHERE evaluations.investigation_id = old.investigation_id \
         AND evaluations.investigation_id <> '' AND evaluations.owner = old.owner)";
    query::execute(transaction, INVESTIGATIONS, &[&owners, &investigations]).await?;
    Ok(())
}

/// Deletes those of the given policies and evidence sets that are unreferenced. Also deletes the contents
/// of the sets if nothing else refers to them.
async fn delete_unused(
    transaction: &Transaction<'_>,
    policies: &[i64],
    sets: &[i64],
) -> Result<(), Error> {
    const POLICIES: &str = "DELETE FROM policies WHERE id = ANY($1) \
         AND NOT EXISTS (SELECT 1 FROM evaluations WHERE policy_id = policies.id)";
    const MEMBERS: &str =
        "SELECT DISTINCT content_id FROM evidence_set_contents WHERE set_id = ANY($1)";
    const SETS: &str = "DELETE FROM evidence_sets WHERE id = ANY($1) \
         AND NOT EXISTS (SELECT 1 FROM evaluations WHERE evidence_set_id = evidence_sets.id)";
    const CONTENTS: &str = "DELETE FROM contents WHERE id = ANY($1) \
         AND NOT EXISTS (SELECT 1 FROM evidence_set_contents WHERE content_id = contents.id)";
    query::execute(transaction, POLICIES, &[&policies]).await?;
    let contents = ids(&query::all(transaction, MEMBERS, &[&sets]).await?, 0);
    query::execute(transaction, SETS, &[&sets]).await?;
    query::execute(transaction, CONTENTS, &[&contents]).await?;
    Ok(())
}

fn ids(rows: &[Row], column: usize) -> Vec<i64> {
    rows.iter().map(|row| row.get(column)).collect()
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Walk {
    policy: i64,
    set: i64,
    content: i64,
}

impl Walk {
    /// Checks the next `max_rows` rows of each table and deletes unreferenced rows. Such rows remain if
    /// their evaluation was never written or was dropped with its partition.
    pub(super) async fn step(self, client: &mut Object, max_rows: i64) -> Result<Self, Error> {
        const POLICIES: &str = "SELECT id FROM policies WHERE id > $1 ORDER BY id LIMIT $2";
        const SETS: &str = "SELECT id FROM evidence_sets WHERE id > $1 ORDER BY id LIMIT $2";
        const CONTENTS: &str = "SELECT id FROM contents WHERE id > $1 ORDER BY id LIMIT $2";
        const UNUSED: &str = "DELETE FROM contents WHERE id = ANY($1) \
             AND NOT EXISTS (SELECT 1 FROM evidence_set_contents WHERE content_id = contents.id)";
        let transaction = client.transaction().await?;
        let policies =
            ids(&query::all(&transaction, POLICIES, &[&self.policy, &max_rows]).await?, 0);
        let sets = ids(&query::all(&transaction, SETS, &[&self.set, &max_rows]).await?, 0);
        let contents =
            ids(&query::all(&transaction, CONTENTS, &[&self.content, &max_rows]).await?, 0);
        delete_unused(&transaction, &policies, &sets).await?;
        query::execute(&transaction, UNUSED, &[&contents]).await?;
        transaction.commit().await?;
        // After the last row, the walk starts over.
        let last_id = |ids: &[i64]| ids.last().copied().unwrap_or_default();
        Ok(Self { policy: last_id(&policies), set: last_id(&sets), content: last_id(&contents) })
    }
}

pub(super) async fn delete_empty_investigations(
    client: &mut Object,
    oldest_kept: i64,
    max_rows: i64,
) -> Result<u64, Error> {
    const UNJUDGED: &str = "DELETE FROM investigations WHERE (owner, investigation_id) IN (SELECT owner, investigation_id \
         FROM investigations AS old WHERE started_at_micros < $1 AND NOT EXISTS (SELECT 1 FROM evaluations \
         WHERE evaluations.investigation_id = old.investigation_id AND evaluations.investigation_id <> '' \
         AND evaluations.owner = old.owner) LIMIT $2)";
    query::execute(&*client, UNJUDGED, &[&oldest_kept, &max_rows]).await
}
