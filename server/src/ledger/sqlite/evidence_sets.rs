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

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use crate::ledger::sqlite::contents;
    use crate::ledger::sqlite::schema::SCHEMA;
    use crate::owner::Owner;
    use crate::storage::Schema;

    /// Two evaluations of schema 5 with a content each, and one that they share.
    const RECORDED: &str = "
        INSERT INTO policies VALUES (1, zeroblob(32), '');
        INSERT INTO contents VALUES (1, zeroblob(32), x'0000000000'), (2, randomblob(32), x''), (3, randomblob(32), x'');
        INSERT INTO evaluations SELECT value, 'e' || value, 0, '', '', '', 1, '', 1, 1, NULL, NULL, 0, NULL,
            zeroblob(32), x'', x'', unhex('0' || value) FROM json_each('[7, 9]');
        INSERT INTO evaluation_contents VALUES (7, 1), (7, 2), (9, 1), (9, 3);";

    #[test]
    fn evidence_recorded_before_sets_were_shared_is_found_and_goes_with_its_evaluation() {
        let mut connection = Connection::open_in_memory().unwrap();
        let before = Schema { migrations: &SCHEMA.migrations[..5], ..SCHEMA };
        before.migrate(&mut connection).unwrap();
        connection.execute_batch(RECORDED).unwrap();
        SCHEMA.migrate(&mut connection).unwrap();

        let found = contents::read(&connection, &Owner::default(), "e9", &[0; 32]).unwrap();
        assert_eq!(found.as_deref(), Some(""));
        let ask = |sql: &str| -> i64 { connection.query_row(sql, [], |row| row.get(0)).unwrap() };
        let kept = "SELECT hex(evidence) = '09' FROM evaluations JOIN evidence_sets ON id = evidence_set_id
                    WHERE evaluation_id = 'e9'";
        assert_eq!(ask(kept), 1);
        connection.execute("DELETE FROM evaluations WHERE evaluation_id = 'e7'", []).unwrap();
        assert_eq!(ask("SELECT count(*) FROM evidence_sets"), 1);
        assert_eq!(ask("SELECT sum(id) FROM contents"), 4);
        connection.execute("DELETE FROM evaluations", []).unwrap();
        assert_eq!(ask("SELECT count(*) FROM contents"), 0);
    }
}
