//! Reads byte ranges of stored contents.

use rusqlite::{Connection, params};

use super::corpus::{signed, unsigned};
use crate::evidence::characters::whole_characters;

/// Reads a byte range of an item's content, trimmed to whole characters.
pub(super) fn content(
    connection: &Connection,
    item: i64,
    start: u64,
    end: u64,
) -> rusqlite::Result<String> {
    content_at(connection, item, start, end).map(|(_, text)| text)
}

/// Reads like [`content`], and also returns the offset of the first whole character.
pub(super) fn content_at(
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
        let at: u64 = unsigned(row.get(0)?);
        let bytes = row.get_ref(1)?.as_blob()?;
        let within = |edge: u64| {
            usize::try_from(edge.saturating_sub(at)).unwrap_or(usize::MAX).min(bytes.len())
        };
        content.extend(bytes.get(within(start)..within(end)).unwrap_or_default());
    }
    let (skipped, text) = whole_characters(&content);
    Ok((start + skipped as u64, text.to_owned()))
}
