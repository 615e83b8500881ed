//! Reads passages and items.

use deadpool_postgres::{GenericClient, Object};
use tokio_postgres::{Error, Row};

use super::head::{HEAD_COLUMNS, head};
use crate::evidence::characters::whole_characters;
use crate::evidence::error::StoreError;
use crate::evidence::search::{Filter, Hit};
use crate::evidence::snapshot::{HEAD_BYTES, ItemRef, MAX_BYTES, Part};
use crate::evidence::store::{signed, unsigned};
use crate::storage::postgres::query::{self, Conditions};

/// The maximum size of a chunk of content in bytes, as in `receive`.
const CHUNK_BYTES: i64 = 64 << 10;

pub(super) fn restrict(conditions: &mut Conditions, filter: &Filter) {
    if !filter.kinds.is_empty() {
        let kinds: Vec<&str> = filter.kinds.iter().map(|kind| kind.name()).collect();
        conditions.add("items.kind = ANY(?)", kinds);
    }
    if !filter.lanes.is_empty() {
        let lanes: Vec<&str> = filter.lanes.iter().map(|lane| lane.name()).collect();
        conditions.add("items.lane = ANY(?)", lanes);
    }
    if let Some(window) = filter.window {
        conditions.add("items.collected_at >= ?", window.start().as_micros());
        conditions.add("items.collected_at <= ?", window.end().as_micros());
    }
}

/// Returns rows for [`hit`]. Skips deleted passages.
pub(super) async fn passages(
    client: &impl GenericClient,
    corpus: i64,
    numbers: &[i64],
) -> Result<Vec<Row>, Error> {
    let sql = format!(
        "SELECT passages.number, passages.item, passages.start, passages.stop, first_line, last_line, pointer, \
         {CONTENT}, {HEAD_COLUMNS} \
         FROM evidence_passages AS passages JOIN evidence_items AS items ON items.number = passages.item \
         WHERE passages.number = ANY($1) AND items.corpus = $2 AND items.state <> 'gone'"
    );
    query::all(client, &sql, &[&numbers, &corpus, &CHUNK_BYTES]).await
}

/// Selects the bytes of a passage; `$3` is [`CHUNK_BYTES`].
const CONTENT: &str = "(SELECT string_agg(substring(contents.bytes \
         FROM (greatest(passages.start - contents.start, 0) + 1)::integer \
         FOR (greatest(passages.stop - greatest(passages.start, contents.start), 0))::integer), ''::bytea \
         ORDER BY contents.start) \
     FROM evidence_contents AS contents WHERE contents.item = passages.item \
     AND contents.start < passages.stop AND contents.start > passages.start - $3)";

/// Converts a row from [`passages`] to a hit without ranks.
pub(super) fn hit(row: &Row) -> Result<Hit, StoreError> {
    let bytes: Option<&[u8]> = row.get(7);
    Ok(Hit {
        passage: row.get(0),
        item: row.get(1),
        head: head(row, 8)?,
        pointer: String::from_utf8_lossy(row.get(6)).into_owned(),
        lines: (unsigned(row.get(4)), unsigned(row.get(5))),
        bytes: (unsigned(row.get(2)), unsigned(row.get(3))),
        text: whole_characters(bytes.unwrap_or_default()).1.to_owned(),
        lexical_rank: 0,
        vector_rank: 0,
        score: 0,
        similarity: None,
    })
}

/// Reads the complete items of a corpus, ordered by id. Returns a row and the content for each item. The
/// row contains the number, the digest and the columns of [`head`].
pub(super) async fn items(client: &mut Object, corpus: i64) -> Result<Vec<(Row, Vec<u8>)>, Error> {
    const CONTENTS: &str = "SELECT bytes FROM evidence_contents WHERE item = $1 ORDER BY start";
    let heads = format!(
        "SELECT items.number, items.digest, {HEAD_COLUMNS} FROM evidence_items AS items \
         WHERE corpus = $1 AND state = 'complete' ORDER BY id COLLATE \"C\""
    );
    // The transaction's snapshot hides concurrent replacements.
    let transaction = client
        .build_transaction()
        .isolation_level(tokio_postgres::IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    let mut items = Vec::new();
    for row in query::all(&transaction, &heads, &[&corpus]).await? {
        let number: i64 = row.get(0);
        let contents = query::all(&transaction, CONTENTS, &[&number]).await?;
        let bytes: Vec<u8> =
            contents.iter().flat_map(|row| row.get::<_, &[u8]>(0)).copied().collect();
        items.push((row, bytes));
    }
    Ok(items)
}

/// Reads part of an item. Returns a row, the offset of the text, and the text. The row contains the number,
/// the digest, the size and the columns of [`head`].
pub(super) async fn snapshot(
    client: &mut Object,
    corpus: i64,
    item: &ItemRef,
    part: Part,
) -> Result<Option<(Row, u64, String)>, Error> {
    let select = |column: &str| {
        format!(
            "SELECT items.number, items.digest, items.size, {HEAD_COLUMNS} FROM evidence_items AS items \
             WHERE corpus = $1 AND {column} = $2 AND state = 'complete' ORDER BY number LIMIT 1"
        )
    };
    let row = match item {
        // PostgreSQL cannot store U+0000.
        ItemRef::Id(id) if id.contains('\0') => None,
        ItemRef::Id(id) => query::optional(client, &select("id"), &[&corpus, &id]).await?,
        ItemRef::Digest(digest) => {
            query::optional(client, &select("digest"), &[&corpus, &digest.as_slice()]).await?
        }
    };
    let Some(row) = row else { return Ok(None) };
    let (number, size) = (row.get(0), unsigned(row.get(2)));
    let (start, end) = match part {
        Part::Head => (0, HEAD_BYTES),
        Part::Bytes(start, end) => (start, end),
        Part::Lines(first, last) => (
            line_edge(client, number, first, false).await?,
            line_edge(client, number, last, true).await?,
        ),
    };
    let end = end.min(start.saturating_add(MAX_BYTES)).min(size);
    let start = start.min(size);
    let bytes = content(client, number, start, end).await?;
    let (skipped, text) = whole_characters(&bytes);
    Ok(Some((row, start + skipped as u64, text.to_owned())))
}

/// Returns the offset at which a line starts, or ends if `is_end` is set. Counts lines only in the passage
/// that contains the line.
async fn line_edge(client: &Object, item: i64, line: u64, is_end: bool) -> Result<u64, Error> {
    const PASSAGE: &str = "SELECT start, stop, first_line FROM evidence_passages \
         WHERE item = $1 AND first_line <= $2 ORDER BY first_line DESC, start LIMIT 1";
    let Some(row) = query::optional(client, PASSAGE, &[&item, &signed(line)]).await? else {
        return Ok(0);
    };
    let (start, end, first_line) =
        (unsigned(row.get(0)), unsigned(row.get(1)), unsigned(row.get(2)));
    let bytes = content(client, item, start, end).await?;
    let line_count = usize::try_from(line - first_line + u64::from(is_end)).unwrap_or(usize::MAX);
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').take(line_count);
    Ok(start + lines.map(|line| line.len() as u64).sum::<u64>())
}

async fn content(client: &Object, item: i64, start: u64, end: u64) -> Result<Vec<u8>, Error> {
    const CHUNKS: &str = "SELECT start, bytes FROM evidence_contents \
         WHERE item = $1 AND start < $3 AND start > $2::bigint - $4::bigint ORDER BY start";
    let parameters: query::Parameters<'_> = &[&item, &signed(start), &signed(end), &CHUNK_BYTES];
    let mut content = Vec::new();
    for row in query::all(client, CHUNKS, parameters).await? {
        let (chunk_start, bytes): (u64, &[u8]) = (unsigned(row.get(0)), row.get(1));
        let index_in_chunk = |offset: u64| {
            usize::try_from(offset.saturating_sub(chunk_start))
                .unwrap_or(usize::MAX)
                .min(bytes.len())
        };
        content.extend(bytes.get(index_in_chunk(start)..index_in_chunk(end)).unwrap_or_default());
    }
    Ok(content)
}
