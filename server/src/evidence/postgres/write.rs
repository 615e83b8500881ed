//! Stores items: first the metadata, then batches of content and passages.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use deadpool_postgres::{GenericClient, Object, Transaction};
use tokio_postgres::{Error, Row};

use super::head::HEAD_COLUMNS;
use super::lexical;
use crate::evidence::store::{Batch, Head, ItemTotals, signed};
use crate::storage::postgres::query;

/// The minimum number of passages in a batch that must contain a term for the term to count as common.
/// Rarer terms are counted during searches.
const COMMON: i64 = 4;

/// A batch as columns, which are the parameters of the SQL statements.
#[derive(Debug, Default)]
pub(super) struct Columns {
    content_starts: Vec<i64>,
    contents: Vec<Vec<u8>>,
    starts: Vec<i64>,
    stops: Vec<i64>,
    first_lines: Vec<i64>,
    last_lines: Vec<i64>,
    pointers: Vec<Vec<u8>>,
    lengths: Vec<i32>,
    words: Vec<String>,
    /// The number of passages with each common term. Sorted, so that all writers lock rows in the same order.
    common_terms: BTreeMap<String, i64>,
    /// The number of the item's earlier batches. Set once it has been read.
    earlier_batches: OnceLock<i64>,
}

impl Columns {
    pub(super) fn new(corpus: i64, batch: &Batch) -> Self {
        let mut columns = Self::default();
        for (start, bytes) in &batch.contents {
            columns.content_starts.push(signed(*start));
            columns.contents.push(bytes.clone());
        }
        for passage in &batch.passages {
            let term_counts = lexical::count_terms(&passage.words);
            columns.starts.push(signed(passage.start));
            columns.stops.push(signed(passage.end));
            columns.first_lines.push(signed(passage.lines.0));
            columns.last_lines.push(signed(passage.lines.1));
            columns.pointers.push(passage.pointer.as_bytes().to_vec());
            columns.lengths.push(term_counts.length);
            columns.words.push(lexical::tsvector(corpus, &term_counts.terms));
            for term in term_counts.terms.into_keys() {
                *columns.common_terms.entry(term.to_owned()).or_default() += 1;
            }
        }
        columns.common_terms.retain(|_, count| *count >= COMMON);
        columns
    }
}

/// Starts an item and returns its number. If an attempt was interrupted, the sweep deletes its item.
pub(super) async fn begin(client: &mut Object, corpus: i64, head: &Head) -> Result<i64, Error> {
    const BEGIN: &str = "INSERT INTO evidence_items (corpus, id, kind, lane, tool, query, is_json, collected_at, \
         exhaustive, attested, step_id, specialist_id, verification_result) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING number";
    let collected_at = head.collected_at.map(gsar_core::time::Timestamp::as_micros);
    let parameters: query::Parameters<'_> = &[
        &corpus,
        &head.id.as_str(),
        &head.kind.name(),
        &head.lane.name(),
        &head.tool,
        &head.query,
        &head.is_json,
        &collected_at,
        &head.exhaustive,
        &head.attested,
        &head.step_id,
        &head.specialist_id,
        &head.result_name(),
    ];
    Ok(query::one(client, BEGIN, parameters).await?.get(0))
}

pub(super) async fn append(
    client: &mut Object,
    corpus: i64,
    item: i64,
    batch: &Columns,
) -> Result<bool, Error> {
    const LOCK_ITEM: &str = "SELECT batches FROM evidence_items WHERE number = $1 AND state = 'receiving' FOR NO KEY UPDATE";
    const TOUCH: &str = "UPDATE evidence_items SET batches = batches + 1, touched_at = now(), \
         words = words + $2 WHERE number = $1";
    const CONTENTS: &str = "INSERT INTO evidence_contents (item, start, bytes) \
         SELECT $1, * FROM unnest($2::bigint[], $3::bytea[])";
    const PASSAGES: &str = "INSERT INTO evidence_passages (item, start, stop, first_line, last_line, pointer, length, words) \
         SELECT $1, start, stop, first_line, last_line, pointer, length, words::tsvector \
         FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[], $7::integer[], $8::text[]) \
         AS new (start, stop, first_line, last_line, pointer, length, words)";
    const COMMON_TERMS: &str = "INSERT INTO evidence_common_terms (corpus, term, passages) \
         SELECT $1, * FROM unnest($2::text[], $3::bigint[]) \
         ON CONFLICT (corpus, term) DO UPDATE SET passages = evidence_common_terms.passages + excluded.passages";
    let transaction = client.transaction().await?;
    let Some(row) = query::optional(&transaction, LOCK_ITEM, &[&item]).await? else {
        return Ok(false);
    };
    let batches: i64 = row.get(0);
    if *batch.earlier_batches.get_or_init(|| batches) != batches {
        // An earlier attempt was committed, but the response was lost.
        return Ok(true);
    }
    let words: i64 = batch.lengths.iter().copied().map(i64::from).sum();
    query::execute(&transaction, TOUCH, &[&item, &words]).await?;
    if !batch.contents.is_empty() {
        let parameters: query::Parameters<'_> = &[&item, &batch.content_starts, &batch.contents];
        query::execute(&transaction, CONTENTS, parameters).await?;
    }
    if !batch.words.is_empty() {
        let parameters: query::Parameters<'_> = &[
            &item,
            &batch.starts,
            &batch.stops,
            &batch.first_lines,
            &batch.last_lines,
            &batch.pointers,
            &batch.lengths,
            &batch.words,
        ];
        query::execute(&transaction, PASSAGES, parameters).await?;
        let (terms, counts): (Vec<&str>, Vec<i64>) =
            batch.common_terms.iter().map(|(term, count)| (term.as_str(), *count)).unzip();
        query::execute(&transaction, COMMON_TERMS, &[&corpus, &terms, &counts]).await?;
    }
    transaction.commit().await?;
    Ok(true)
}

#[derive(Debug)]
pub(super) enum ItemState {
    /// The corpus was deleted or the item was swept.
    Gone,
    /// An earlier attempt completed it.
    Completed,
    /// It can be completed. Contains the row of the item with the same id, if any.
    Open(Option<Row>),
}

/// Locks the corpus and returns the state of the item.
pub(super) async fn lock_item(
    transaction: &Transaction<'_>,
    corpus: i64,
    item: i64,
    id: &str,
) -> Result<ItemState, Error> {
    const CORPUS: &str =
        "SELECT 1 FROM evidence_corpora WHERE number = $1 AND name IS NOT NULL FOR UPDATE";
    const ITEM: &str = "SELECT state FROM evidence_items WHERE number = $1";
    if query::optional(transaction, CORPUS, &[&corpus]).await?.is_none() {
        return Ok(ItemState::Gone);
    }
    match query::optional(transaction, ITEM, &[&item]).await?.as_ref().map(|row| row.get(0)) {
        Some("complete") => return Ok(ItemState::Completed),
        Some("receiving") => {}
        _ => return Ok(ItemState::Gone),
    }
    let select_existing = format!(
        "SELECT items.number, items.digest, {HEAD_COLUMNS} FROM evidence_items AS items \
         WHERE corpus = $1 AND id = $2 AND state = 'complete'"
    );
    Ok(ItemState::Open(query::optional(transaction, &select_existing, &[&corpus, &id]).await?))
}

/// Returns the id of another item with the same content and equivalent metadata.
pub(super) async fn find_duplicate(
    transaction: &Transaction<'_>,
    corpus: i64,
    head: &Head,
    totals: &ItemTotals,
) -> Result<Option<String>, Error> {
    const FIND_SAME: &str = "SELECT id FROM evidence_items WHERE corpus = $1 AND digest = $2 AND state = 'complete' \
         AND id <> $3 AND kind = $4 AND lane = $5 AND tool = $6 AND query = $7 AND is_json = $8 \
         AND attested >= $9 AND specialist_id = $10 AND verification_result = $11 ORDER BY number LIMIT 1";
    let parameters: query::Parameters<'_> = &[
        &corpus,
        &totals.digest.as_slice(),
        &head.id.as_str(),
        &head.kind.name(),
        &head.lane.name(),
        &head.tool,
        &head.query,
        &head.is_json,
        &head.attested,
        &head.specialist_id,
        &head.result_name(),
    ];
    let row = query::optional(transaction, FIND_SAME, parameters).await?;
    Ok(row.map(|row| row.get(0)))
}

/// Removes an item from its corpus. The sweep deletes its rows.
pub(super) async fn remove_item(transaction: &Transaction<'_>, item: i64) -> Result<(), Error> {
    const MARK_GONE: &str = "UPDATE evidence_items SET state = 'gone' WHERE number = $1 AND state = 'complete' \
         RETURNING corpus, passages, words, size";
    const SUBTRACT_TOTALS: &str = "UPDATE evidence_corpora SET items = items - 1, passages = passages - $2, \
         words = words - $3, size = size - $4, revision = nextval('evidence_revisions') WHERE number = $1";
    if let Some(row) = query::optional(transaction, MARK_GONE, &[&item]).await? {
        let (corpus, passages, words, size): (i64, i64, i64, i64) =
            (row.get(0), row.get(1), row.get(2), row.get(3));
        query::execute(transaction, SUBTRACT_TOTALS, &[&corpus, &passages, &words, &size]).await?;
    }
    Ok(())
}

pub(super) async fn add_item(
    transaction: &Transaction<'_>,
    corpus: i64,
    item: i64,
    totals: &ItemTotals,
) -> Result<(), Error> {
    const LINES: &str = "INSERT INTO evidence_new_lines (item, line) SELECT $1, unnest($2::bigint[]) \
         ON CONFLICT DO NOTHING";
    const MARK_COMPLETE: &str = "UPDATE evidence_items SET state = 'complete', digest = $2, size = $3, lines = $4, \
         repeated_lines = $5, passages = $6 WHERE number = $1 RETURNING words";
    const ADD_TOTALS: &str = "UPDATE evidence_corpora SET items = items + 1, passages = passages + $2, words = words + $3, \
         size = size + $4, embedded_by = NULL, revision = nextval('evidence_revisions') WHERE number = $1";
    let lines: Vec<i64> = totals.templates.iter().map(|template| signed(template.first)).collect();
    query::execute(transaction, LINES, &[&item, &lines]).await?;
    let (passages, size) = (signed(totals.passages), signed(totals.size));
    let parameters: query::Parameters<'_> = &[
        &item,
        &totals.digest.as_slice(),
        &size,
        &signed(totals.lines),
        &signed(totals.repeated_lines),
        &passages,
    ];
    let words: i64 = query::one(transaction, MARK_COMPLETE, parameters).await?.get(0);
    query::execute(transaction, ADD_TOTALS, &[&corpus, &passages, &words, &size]).await?;
    Ok(())
}

/// Discards an incomplete item. The sweep deletes its rows.
pub(super) async fn discard(client: &impl GenericClient, item: i64) -> Result<(), Error> {
    const MARK_GONE: &str =
        "UPDATE evidence_items SET state = 'gone' WHERE number = $1 AND state = 'receiving'";
    query::execute(client, MARK_GONE, &[&item]).await.map(drop)
}
