//! This module reads the content of one item, or a range of it.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::content::{content, content_at};
use super::corpus::{Corpus, HEAD_COLUMNS, Head, head, signed, unsigned};
use super::error::StoreError;

/// The bytes of the head that is given where no range is asked for.
const HEAD_BYTES: u64 = 4 << 10;
/// The most bytes that are given at once.
const MAX_BYTES: u64 = 1 << 20;

/// Which item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// By its id.
    Id(String),
    /// By the BLAKE3 of its content.
    Digest([u8; 32]),
}

/// Which part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its beginning.
    Head,
    /// From an offset in bytes to before another.
    Bytes(u64, u64),
    /// From a line, counted from 1, to another, that one included.
    Lines(u64, u64),
}

/// A part of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// What the item is.
    pub head: Head,
    /// The BLAKE3 of its content.
    pub digest: [u8; 32],
    /// The bytes of its whole content.
    pub size: u64,
    /// The content in the part.
    pub content: String,
    /// The offset at which that begins; behind the one asked for where that is within a character.
    pub start: u64,
}

impl Corpus {
    /// A part of an item; `None` where the corpus has no such item.
    pub(super) fn snapshot(
        &self,
        named: &Named,
        part: Part,
    ) -> Result<Option<Snapshot>, StoreError> {
        let connection = self.reader()?;
        read(&connection, named, part).map_err(|error| self.failed(&error))
    }
}

fn read(connection: &Connection, named: &Named, part: Part) -> rusqlite::Result<Option<Snapshot>> {
    let found = |row: &Row<'_>| {
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
    let item = match named {
        Named::Id(id) => connection.query_row(&select("id"), [id], found),
        Named::Digest(digest) => connection.query_row(&select("digest"), [digest], found),
    };
    let Some((number, digest, size, head)) = item.optional()? else { return Ok(None) };
    let (start, end) = match part {
        Part::Head => (0, HEAD_BYTES),
        Part::Bytes(start, end) => (start, end),
        Part::Lines(first, last) => lines(connection, number, first, last)?,
    };
    let end = end.min(start.saturating_add(MAX_BYTES)).min(size);
    let (start, content) = content_at(connection, number, start.min(size), end)?;
    Ok(Some(Snapshot { head, digest, size, content, start }))
}

/// The bytes of some lines. The passages know where lines begin; within one they are counted.
fn lines(
    connection: &Connection,
    item: i64,
    first: u64,
    last: u64,
) -> rusqlite::Result<(u64, u64)> {
    let edge = |line: u64, is_end: bool| -> rusqlite::Result<u64> {
        let passage = connection
            .query_row(
                "SELECT start, end, first_line FROM passages
                 WHERE item = ?1 AND first_line <= ?2 ORDER BY first_line DESC, start LIMIT 1",
                params![item, signed(line)],
                |row| Ok((unsigned(row.get(0)?), unsigned(row.get(1)?), unsigned(row.get(2)?))),
            )
            .optional()?;
        let Some((start, end, from)) = passage else { return Ok(0) };
        let text = content(connection, item, start, end)?;
        let mut at = start;
        let passed = line - from + u64::from(is_end);
        for part in text.split_inclusive('\n').take(usize::try_from(passed).unwrap_or(usize::MAX)) {
            at += part.len() as u64;
        }
        Ok(at)
    };
    Ok((edge(first, false)?, edge(last, true)?))
}
