//! Stores evidence contents, shared by evaluations. Triggers in the schema delete unreferenced contents.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, params};

use super::batch::{MAX_CONTENTS, RowCache, cache_id};
use crate::data_owner::Owner;
use crate::ledger::evidence_content::{self, Content};

/// Returns the id of a content. Writes the content if it is missing.
pub(super) fn cached_id(
    connection: &Connection,
    cache: &mut RowCache,
    content: &Content,
) -> rusqlite::Result<i64> {
    if let Some(id) = cache.contents.get(content.digest()) {
        return Ok(*id);
    }
    let id = find_or_insert(connection, content)?;
    cache_id(&mut cache.contents, MAX_CONTENTS, *content.digest(), id);
    Ok(id)
}

fn find_or_insert(connection: &Connection, content: &Content) -> rusqlite::Result<i64> {
    if let Some(id) = find(connection, content.digest())? {
        return Ok(id);
    }
    connection
        .prepare_cached("INSERT INTO contents (digest, packed) VALUES (?1, ?2)")?
        .execute(params![content.digest(), content.pack()])?;
    Ok(connection.last_insert_rowid())
}

fn find(connection: &Connection, digest: &[u8; 32]) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare_cached("SELECT id FROM contents WHERE digest = ?1")?;
    statement.query_row([digest], |row| row.get(0)).optional()
}

pub(super) fn read(
    connection: &Connection,
    owner: &Owner,
    evaluation_id: &str,
    digest: &[u8; 32],
) -> rusqlite::Result<Option<String>> {
    let packed: Option<Vec<u8>> = connection
        .prepare_cached(
            "SELECT packed FROM contents JOIN evidence_set_contents ON content_id = id \
             WHERE digest = ?2 AND set_id = (SELECT evidence_set_id FROM evaluations \
             WHERE evaluation_id = ?1 AND (?3 IS NULL OR owner = ?3))",
        )?
        .query_row(params![evaluation_id, digest, owner.only()], |row| row.get(0))
        .optional()?;
    packed.map(|packed| unpack(&packed)).transpose()
}

pub(super) fn read_all(
    connection: &Connection,
    owner: &Owner,
    evaluation_id: &str,
) -> rusqlite::Result<Vec<Content>> {
    connection
        .prepare_cached(
            "SELECT digest, packed FROM contents JOIN evidence_set_contents ON content_id = id \
             WHERE set_id = (SELECT evidence_set_id FROM evaluations \
             WHERE evaluation_id = ?1 AND (?2 IS NULL OR owner = ?2)) ORDER BY digest",
        )?
        .query_map(params![evaluation_id, owner.only()], |row| {
            let packed: Vec<u8> = row.get(1)?;
            Ok(Content::new(row.get(0)?, &unpack(&packed)?))
        })?
        .collect()
}

fn unpack(packed: &[u8]) -> rusqlite::Result<String> {
    evidence_content::unpack(packed)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Blob, Box::new(error)))
}
