//! Reads byte ranges of stored contents.

use rusqlite::{Connection, params};

use crate::evidence::characters::whole_characters;
use crate::evidence::store::{signed, unsigned};

/// Reads a byte range of an item's content, trimmed to whole characters.
pub(super) fn content(
    connection: &Connection,
    item: i64,
    start: u64,
    end: u64,
) -> rusqlite::Result<String> {
    content_with_offset(connection, item, start, end).map(|(_, text)| text)
}

/// Reads like [`content`], and also returns the offset of the first whole character.
pub(super) fn content_with_offset(
    connection: &Connection,
    item: i64,
    start: u64,
    end: u64,
) -> rusqlite::Result<(u64, String)> {
    let mut statement = connection.prepare_cached(
        "SELECT start, bytes FROM contents
         WHERE item = ?1 AND start < ?3 AND start + length(bytes) > ?2 ORDER BY start",
    )?;
    let mut rows = statement.query(params![item, signed(start), signed(end)])?;
    let mut content: Vec<u8> = Vec::new();
    while let Some(row) = rows.next()? {
        let chunk_start: u64 = unsigned(row.get(0)?);
        let bytes = row.get_ref(1)?.as_blob()?;
        let index_in_chunk = |offset: u64| {
            usize::try_from(offset.saturating_sub(chunk_start))
                .unwrap_or(usize::MAX)
                .min(bytes.len())
        };
        content.extend(bytes.get(index_in_chunk(start)..index_in_chunk(end)).unwrap_or_default());
    }
    let (skipped, text) = whole_characters(&content);
    Ok((start + skipped as u64, text.to_owned()))
}
