//! This module keeps contents of evidence, each once for all evaluations that have it. It never looks into them; what no
//! evaluation has any more is deleted by triggers of the schema.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::batch::KnownRows;

/// LZ4 makes nothing shorter than by this factor.
const MAX_RATIO: usize = 255;

/// The content of one evidence item. Copies share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    digest: [u8; 32],
    text: Arc<str>,
}

impl Content {
    /// A content of which the BLAKE3 is known. It is packed when it is written, which it seldom is: reports about one
    /// incident share their evidence.
    #[must_use]
    pub fn new(digest: [u8; 32], content: &str) -> Self {
        Self { digest, text: content.into() }
    }

    /// How many bytes it has.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }

    fn packed(&self) -> Vec<u8> {
        lz4_flex::compress_prepend_size(self.text.as_bytes())
    }
}

/// The row of a content, which is written where there is none.
pub(super) fn known_row(
    transaction: &Transaction<'_>,
    known: &mut KnownRows,
    content: &Content,
) -> rusqlite::Result<i64> {
    if let Some(id) = known.content(&content.digest) {
        return Ok(id);
    }
    let id = row(transaction, content)?;
    known.add_content(content.digest, id);
    Ok(id)
}

fn row(transaction: &Transaction<'_>, content: &Content) -> rusqlite::Result<i64> {
    if let Some(id) = id(transaction, &content.digest)? {
        return Ok(id);
    }
    transaction
        .prepare_cached("INSERT INTO contents (digest, packed) VALUES (?1, ?2)")?
        .execute(params![content.digest, content.packed()])?;
    Ok(transaction.last_insert_rowid())
}

fn id(connection: &Connection, digest: &[u8; 32]) -> rusqlite::Result<Option<i64>> {
    let mut known = connection.prepare_cached("SELECT id FROM contents WHERE digest = ?1")?;
    known.query_row([digest], |row| row.get(0)).optional()
}

/// A content of an evaluation; `None` where the evaluation has none of that digest.
pub(super) fn read(
    connection: &Connection,
    evaluation_id: &str,
    digest: &[u8; 32],
) -> rusqlite::Result<Option<String>> {
    let packed: Option<Vec<u8>> = connection
        .prepare_cached(
            "SELECT packed FROM contents JOIN evidence_set_contents ON content_id = id \
             WHERE digest = ?2 AND set_id = (SELECT evidence_set_id FROM evaluations WHERE evaluation_id = ?1)",
        )?
        .query_row(params![evaluation_id, digest], |row| row.get(0))
        .optional()?;
    packed.map(|packed| unpacked(&packed)).transpose()
}

/// A content as it was. Bytes that are no packed text come from a damaged file.
fn unpacked(packed: &[u8]) -> rusqlite::Result<String> {
    let damaged = |error: Box<dyn std::error::Error + Send + Sync>| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Blob, error)
    };
    let (size, block) =
        lz4_flex::block::uncompressed_size(packed).map_err(|error| damaged(error.into()))?;
    if size / MAX_RATIO > block.len() {
        return Err(damaged(format!("{} bytes cannot hold {size}", block.len()).into()));
    }
    let bytes = lz4_flex::decompress(block, size).map_err(|error| damaged(error.into()))?;
    if bytes.len() != size {
        return Err(damaged(format!("{} bytes of {size}", bytes.len()).into()));
    }
    String::from_utf8(bytes).map_err(|error| damaged(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_comes_back_as_it_was() {
        for text in ["", "a", "line\n".repeat(10_000).as_str(), "\u{0}\u{feff}ß"] {
            let content = Content::new([1; 32], text);
            assert_eq!(unpacked(&content.packed()).unwrap(), text);
        }
        let long = Content::new([1; 32], &"ts=1 level=info msg=served\n".repeat(1_000));
        assert!(long.packed().len() < 1_000, "{}", long.packed().len());
    }

    #[test]
    fn damage_is_an_error_and_no_panic() {
        let packed = Content::new([1; 32], &"line\n".repeat(100)).packed();
        for cut in 0..packed.len() {
            unpacked(&packed[..cut]).unwrap_err();
        }
        unpacked(&[0xff; 16]).unwrap_err();
    }
}
