//! Stores evidence sets. Evaluations with the same evidence share a set. Triggers in the schema delete
//! unreferenced sets.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::batch::{MAX_EVIDENCE_SETS, RowCache, cache_id};
use super::evidence_contents;
use crate::ledger::evidence_content::Content;

/// Returns the id of an evidence set. Creates the set if it is missing. Equal `evidence` implies equal
/// contents, because it includes their digests and whether they are stored in full.
pub(super) fn find_or_create(
    connection: &Connection,
    cache: &mut RowCache,
    evidence: &[u8],
    contents: &[Content],
) -> rusqlite::Result<i64> {
    let digest = *blake3::hash(evidence).as_bytes();
    if let Some(id) = cache.evidence_sets.get(&digest) {
        return Ok(*id);
    }
    let id = match find(connection, &digest)? {
        Some(id) => id,
        None => write(connection, cache, &digest, evidence, contents)?,
    };
    cache_id(&mut cache.evidence_sets, MAX_EVIDENCE_SETS, digest, id);
    Ok(id)
}

fn find(connection: &Connection, digest: &[u8; 32]) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM evidence_sets WHERE digest = ?1")?
        .query_row([digest], |row| row.get(0))
        .optional()
}

fn write(
    connection: &Connection,
    cache: &mut RowCache,
    digest: &[u8; 32],
    evidence: &[u8],
    contents: &[Content],
) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("INSERT INTO evidence_sets (digest, evidence) VALUES (?1, ?2)")?
        .execute(params![digest, evidence])?;
    let set_id = connection.last_insert_rowid();
    let mut insert_member = connection.prepare_cached(
        "INSERT OR IGNORE INTO evidence_set_contents (set_id, content_id) VALUES (?1, ?2)",
    )?;
    for content in contents {
        insert_member
            .execute([set_id, evidence_contents::cached_id(connection, cache, content)?])?;
    }
    Ok(set_id)
}
