//! This module sweeps away what is gone: rows of items that were replaced or given up, what servers that stopped were
//! receiving, corpora that were deleted. It works in short transactions, and several servers may do it at once.

use deadpool_postgres::Object;
use tokio_postgres::Error;

use super::{index, vector_cache};
use crate::storage::postgres::query;
use crate::storage::postgres::{Database, Failure};

/// The most passages that one transaction takes away.
const PASSAGES: i64 = 2_000;
/// The most stretches of content.
const CONTENTS: i64 = 256;
/// After how long an item that nobody adds to was left by its server.
const LEFT: &str = "1 hour";

/// Sweeps until nothing is left.
pub(super) async fn sweep(database: &Database) -> Result<(), Failure> {
    database.run(|client, _| Box::pin(mark(client))).await?;
    while let Some(item) = database.run(|client, _| Box::pin(next(client))).await? {
        while database.run(move |client, _| Box::pin(step(client, item))).await? {}
    }
    while database.run(|client, _| Box::pin(corpus(client))).await? {}
    vector_cache::make_room(database).await
}

/// Marks what servers that stopped were receiving, and the items of deleted corpora.
async fn mark(client: &mut Object) -> Result<(), Error> {
    let left = format!(
        "UPDATE evidence_items SET state = 'gone' WHERE state = 'receiving' AND touched_at < now() - interval '{LEFT}'"
    );
    const DELETED: &str = "UPDATE evidence_items SET state = 'gone' WHERE state <> 'gone' \
         AND corpus IN (SELECT number FROM evidence_corpora WHERE name IS NULL)";
    query::execute(client, &left, &[]).await?;
    query::execute(client, DELETED, &[]).await.map(drop)
}

/// An item that is gone.
async fn next(client: &mut Object) -> Result<Option<i64>, Error> {
    const GONE: &str =
        "SELECT number FROM evidence_items WHERE state = 'gone' ORDER BY touched_at LIMIT 1";
    Ok(query::optional(client, GONE, &[]).await?.map(|row| row.get(0)))
}

/// Takes away some rows of an item, and at last the item; whether there is more of it.
async fn step(client: &mut Object, item: i64) -> Result<bool, Error> {
    const PASSAGES_GONE: &str = "WITH gone AS (DELETE FROM evidence_passages WHERE number IN \
             (SELECT number FROM evidence_passages WHERE item = $1 LIMIT $2 FOR UPDATE) RETURNING words) \
         SELECT substring(lexeme FROM position(' ' IN lexeme) + 1), count(*), (SELECT count(*) FROM gone) \
         FROM gone, unnest(words) GROUP BY 1";
    const FEWER: &str = "UPDATE evidence_common_terms AS terms SET passages = greatest(terms.passages - gone.count, 0) \
         FROM unnest($2::text[], $3::bigint[]) AS gone (term, count) \
         WHERE terms.corpus = $1 AND terms.term = gone.term";
    const LOCKED: &str = "SELECT 1 FROM evidence_common_terms WHERE corpus = $1 AND term = ANY($2) ORDER BY term FOR NO KEY UPDATE";
    const CONTENTS_GONE: &str = "DELETE FROM evidence_contents WHERE item = $1 AND start IN \
         (SELECT start FROM evidence_contents WHERE item = $1 LIMIT $2)";
    const ITEM_GONE: &str = "DELETE FROM evidence_items WHERE number = $1 AND state = 'gone' \
         AND NOT EXISTS (SELECT 1 FROM evidence_passages WHERE item = $1)";
    const CORPUS: &str = "SELECT corpus FROM evidence_items WHERE number = $1";
    let transaction = client.transaction().await?;
    let Some(row) = query::optional(&transaction, CORPUS, &[&item]).await? else {
        return Ok(false);
    };
    let corpus: i64 = row.get(0);
    let rows = query::all(&transaction, PASSAGES_GONE, &[&item, &PASSAGES]).await?;
    if let Some(first) = rows.first() {
        let goes_on = first.get::<_, i64>(2) == PASSAGES;
        let (terms, counts): (Vec<String>, Vec<i64>) =
            rows.iter().map(|row| (row.get::<_, String>(0), row.get::<_, i64>(1))).unzip();
        // In the order in which those that add to them take them.
        query::all(&transaction, LOCKED, &[&corpus, &terms]).await?;
        query::execute(&transaction, FEWER, &[&corpus, &terms, &counts]).await?;
        if goes_on {
            transaction.commit().await?;
            return Ok(true);
        }
    }
    let contents = query::execute(&transaction, CONTENTS_GONE, &[&item, &CONTENTS]).await?;
    let goes_on = contents == u64::try_from(CONTENTS).unwrap_or_default();
    if !goes_on {
        query::execute(&transaction, ITEM_GONE, &[&item]).await?;
    }
    transaction.commit().await?;
    Ok(goes_on)
}

/// Takes away a deleted corpus of which no item is left; whether there was one.
async fn corpus(client: &mut Object) -> Result<bool, Error> {
    const EMPTY: &str = "SELECT number FROM evidence_corpora AS corpora WHERE name IS NULL \
         AND NOT EXISTS (SELECT 1 FROM evidence_items WHERE corpus = corpora.number) LIMIT 1";
    const TERMS: &str = "DELETE FROM evidence_common_terms WHERE corpus = $1";
    const CORPUS: &str = "DELETE FROM evidence_corpora WHERE number = $1 AND name IS NULL";
    let Some(row) = query::optional(client, EMPTY, &[]).await? else { return Ok(false) };
    let number: i64 = row.get(0);
    index::drop_of(client, number).await?;
    let transaction = client.transaction().await?;
    query::execute(&transaction, TERMS, &[&number]).await?;
    query::execute(&transaction, CORPUS, &[&number]).await?;
    transaction.commit().await?;
    Ok(true)
}
