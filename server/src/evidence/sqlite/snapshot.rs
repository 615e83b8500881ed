//! Reads parts of items.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::content::{content, content_with_offset};
use super::corpus::{HEAD_COLUMNS, head};
use crate::evidence::snapshot::{HEAD_BYTES, ItemRef, MAX_BYTES, Part, Snapshot};
use crate::evidence::store::{signed, unsigned};

pub(super) fn read(
    connection: &Connection,
    item: &ItemRef,
    part: Part,
) -> rusqlite::Result<Option<Snapshot>> {
    let parse_row = |row: &Row<'_>| {
        Ok((
            row.get::<_, i64>(0)?,
            row.get::<_, [u8; 32]>(1)?,
            unsigned(row.get(2)?),
            head(row, 3)?,
        ))
    };
    let select = |column: &str| {
        format!(
            "SELECT number, digest, size, {HEAD_COLUMNS} FROM items
             WHERE {column} = ?1 AND is_complete = 1 ORDER BY number LIMIT 1"
        )
    };
    let row = match item {
        ItemRef::Id(id) => connection.query_row(&select("id"), [id], parse_row),
        ItemRef::Digest(digest) => connection.query_row(&select("digest"), [digest], parse_row),
    };
    let Some((number, digest, size, head)) = row.optional()? else { return Ok(None) };
    let (start, end) = match part {
        Part::Head => (0, HEAD_BYTES),
        Part::Bytes(start, end) => (start, end),
        Part::Lines(first, last) => byte_range(connection, number, first, last)?,
    };
    let end = end.min(start.saturating_add(MAX_BYTES)).min(size);
    let (start, content) = content_with_offset(connection, number, start.min(size), end)?;
    Ok(Some(Snapshot { head, digest, size, content, start }))
}

/// Converts a range of lines to a byte range. Counts lines only in the passages at its edges.
fn byte_range(
    connection: &Connection,
    item: i64,
    first: u64,
    last: u64,
) -> rusqlite::Result<(u64, u64)> {
    let offset_of_line = |line: u64, is_end: bool| -> rusqlite::Result<u64> {
        let passage = connection
            .query_row(
                "SELECT start, end, first_line FROM passages
                 WHERE item = ?1 AND first_line <= ?2 ORDER BY first_line DESC, start LIMIT 1",
                params![item, signed(line)],
                |row| Ok((unsigned(row.get(0)?), unsigned(row.get(1)?), unsigned(row.get(2)?))),
            )
            .optional()?;
        let Some((start, end, first_line)) = passage else { return Ok(0) };
        let text = content(connection, item, start, end)?;
        let mut offset = start;
        let line_count = line - first_line + u64::from(is_end);
        for line_text in
            text.split_inclusive('\n').take(usize::try_from(line_count).unwrap_or(usize::MAX))
        {
            offset += line_text.len() as u64;
        }
        Ok(offset)
    };
    Ok((offset_of_line(first, false)?, offset_of_line(last, true)?))
}
