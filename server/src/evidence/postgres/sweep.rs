//! Deletes leftover rows: replaced and discarded items, items abandoned by a stopped server, and deleted
//! corpora. Uses short transactions, so that several servers can sweep at once.

use deadpool_postgres::Object;
use tokio_postgres::Error;

use super::{index, vector_cache};
use crate::storage::postgres::query;
use crate::storage::postgres::{Database, Failure};

const PASSAGES: i64 = 2_000;
const CONTENTS: i64 = 256;
/// The time after which an item that is still being received is considered abandoned.
const ABANDONED_AFTER: &str = "1 hour";

pub(super) async fn sweep(database: &Database) -> Result<(), Failure> {
    database.run((), |client, (), _| Box::pin(mark_gone(client))).await?;
    while let Some(item) = database.run((), |client, (), _| Box::pin(next_item(client))).await? {
        while database.run(item, |client, item, _| Box::pin(delete_step(client, *item))).await? {}
    }
    while database.run((), |client, (), _| Box::pin(delete_corpus(client))).await? {}
    vector_cache::evict(database).await
}

/// Marks abandoned items and the items of deleted corpora as gone.
async fn mark_gone(client: &mut Object) -> Result<(), Error> {
    let mark_abandoned = format!(
        "UPDATE evidence_items SET state = 'gone' WHERE state = 'receiving' AND touched_at < now() - interval '{ABANDONED_AFTER}'"
    );
    const MARK_DELETED: &str = "UPDATE evidence_items SET state = 'gone' WHERE state <> 'gone' \
         AND corpus IN (SELECT number FROM evidence_corpora WHERE name IS NULL)";
    query::execute(client, &mark_abandoned, &[]).await?;
    query::execute(client, MARK_DELETED, &[]).await.map(drop)
}

async fn next_item(client: &mut Object) -> Result<Option<i64>, Error> {
    const FIND_GONE: &str =
        "SELECT number FROM evidence_items WHERE state = 'gone' ORDER BY touched_at LIMIT 1";
    Ok(query::optional(client, FIND_GONE, &[]).await?.map(|row| row.get(0)))
}

/// Deletes some rows of an item, and finally the item. Returns `true` if rows remain.
async fn delete_step(client: &mut Object, item: i64) -> Result<bool, Error> {
    const DELETE_PASSAGES: &str = "WITH gone AS (DELETE FROM evidence_passages WHERE number IN \
             (SELECT number FROM evidence_passages WHERE item = $1 LIMIT $2 FOR UPDATE) RETURNING words) \
         SELECT substring(lexeme FROM position(' ' IN lexeme) + 1), count(*), (SELECT count(*) FROM gone) \
         FROM gone, unnest(words) GROUP BY 1";
    const SUBTRACT_COUNTS: &str = "UPDATE evidence_common_terms AS terms SET passages = greatest(terms.passages - gone.count, 0) \
         FROM unnest($2::text[], $3::bigint[]) AS gone (term, count) \
         WHERE terms.corpus = $1 AND terms.term = gone.term";
    const LOCK_TERMS: &str = "SELECT 1 FROM evidence_common_terms WHERE corpus = $1 AND term = ANY($2) ORDER BY term FOR NO KEY UPDATE";
    const DELETE_CONTENTS: &str = "DELETE FROM evidence_contents WHERE item = $1 AND start IN \
         (SELECT start FROM evidence_contents WHERE item = $1 LIMIT $2)";
    const DELETE_ITEM: &str = "DELETE FROM evidence_items WHERE number = $1 AND state = 'gone' \
         AND NOT EXISTS (SELECT 1 FROM evidence_passages WHERE item = $1)";
    const CORPUS: &str = "SELECT corpus FROM evidence_items WHERE number = $1";
    let transaction = client.transaction().await?;
    let Some(row) = query::optional(&transaction, CORPUS, &[&item]).await? else {
        return Ok(false);
    };
    let corpus: i64 = row.get(0);
    let rows = query::all(&transaction, DELETE_PASSAGES, &[&item, &PASSAGES]).await?;
    if let Some(first) = rows.first() {
        let has_more = first.get::<_, i64>(2) == PASSAGES;
        let (terms, counts): (Vec<String>, Vec<i64>) =
            rows.iter().map(|row| (row.get::<_, String>(0), row.get::<_, i64>(1))).unzip();
        // Locks the rows in the same order as writers do.
        query::all(&transaction, LOCK_TERMS, &[&corpus, &terms]).await?;
        query::execute(&transaction, SUBTRACT_COUNTS, &[&corpus, &terms, &counts]).await?;
        if has_more {
            transaction.commit().await?;
            return Ok(true);
        }
    }
    let contents = query::execute(&transaction, DELETE_CONTENTS, &[&item, &CONTENTS]).await?;
    let has_more = contents == u64::try_from(CONTENTS).unwrap_or_default();
    if !has_more {
        query::execute(&transaction, DELETE_ITEM, &[&item]).await?;
    }
    transaction.commit().await?;
    Ok(has_more)
}

/// Removes a deleted corpus that has no items left. Returns `false` if there is none.
async fn delete_corpus(client: &mut Object) -> Result<bool, Error> {
    const EMPTY: &str = "SELECT number FROM evidence_corpora AS corpora WHERE name IS NULL \
         AND NOT EXISTS (SELECT 1 FROM evidence_items WHERE corpus = corpora.number) LIMIT 1";
    const TERMS: &str = "DELETE FROM evidence_common_terms WHERE corpus = $1";
    const CORPUS: &str = "DELETE FROM evidence_corpora WHERE number = $1 AND name IS NULL";
    let Some(row) = query::optional(client, EMPTY, &[]).await? else { return Ok(false) };
    let number: i64 = row.get(0);
    index::drop_all(client, number).await?;
    let transaction = client.transaction().await?;
    query::execute(&transaction, TERMS, &[&number]).await?;
    query::execute(&transaction, CORPUS, &[&number]).await?;
    transaction.commit().await?;
    Ok(true)
}
