//! This module keeps what the ledger has of the evidence of an evaluation, once for all evaluations over the same
//! evidence: reports about one incident are many, their evidence is one. What no evaluation has any more is deleted by
//! triggers of the schema.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::batch::KnownRows;
use super::contents;
use crate::ledger::content::Content;

/// The row of a set of evidence, which is written with its contents where there is none. The same `evidence` has the same
/// contents: it names their digests and whether they are kept.
pub(super) fn row(
    connection: &Connection,
    known: &mut KnownRows,
    evidence: &[u8],
    contents: &[Content],
) -> rusqlite::Result<i64> {
    let digest = *blake3::hash(evidence).as_bytes();
    if let Some(row) = known.evidence_set(&digest) {
        return Ok(row);
    }
    let row = match found(connection, &digest)? {
        Some(row) => row,
        None => write(connection, known, &digest, evidence, contents)?,
    };
    known.add_evidence_set(digest, row);
    Ok(row)
}

fn found(connection: &Connection, digest: &[u8; 32]) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM evidence_sets WHERE digest = ?1")?
        .query_row([digest], |row| row.get(0))
        .optional()
}

fn write(
    connection: &Connection,
    known: &mut KnownRows,
    digest: &[u8; 32],
    evidence: &[u8],
    contents: &[Content],
) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("INSERT INTO evidence_sets (digest, evidence) VALUES (?1, ?2)")?
        .execute(params![digest, evidence])?;
    let set = connection.last_insert_rowid();
    let mut member = connection.prepare_cached(
        "INSERT OR IGNORE INTO evidence_set_contents (set_id, content_id) VALUES (?1, ?2)",
    )?;
    for content in contents {
        member.execute([set, contents::known_row(connection, known, content)?])?;
    }
    Ok(set)
}
