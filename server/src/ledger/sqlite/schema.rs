//! The schema of the ledger.

use crate::storage::Schema;

/// Marked with the letters `gsar`.
pub(super) const SCHEMA: Schema = Schema {
    application_id: 0x6773_6172,
    migrations: &[
        include_str!("migrations/0001_evaluations.sql"),
        include_str!("migrations/0002_lists_and_retention.sql"),
        include_str!("migrations/0003_contents.sql"),
        include_str!("migrations/0004_investigations.sql"),
        include_str!("migrations/0005_grades.sql"),
        include_str!("migrations/0006_evidence_sets.sql"),
        include_str!("migrations/0007_owners.sql"),
        include_str!("migrations/0008_summaries.sql"),
    ],
};

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn investigations_of_before_there_were_owners_go_on() {
        let before = Schema { migrations: &SCHEMA.migrations[..6], ..SCHEMA };
        let mut connection = Connection::open_in_memory().unwrap();
        before.migrate(&mut connection).unwrap();
        connection
            .execute_batch(
                "INSERT INTO investigations VALUES ('i', 7, x'01', 'name = \"strict\"');
                 INSERT INTO investigation_events VALUES ('i', 1, zeroblob(32), x'0a');
                 INSERT INTO investigation_events VALUES ('i', 2, zeroblob(32), x'0b');",
            )
            .unwrap();
        SCHEMA.migrate(&mut connection).unwrap();
        let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        let start = "SELECT count(*) FROM investigations WHERE owner = '' AND investigation_id = 'i' \
             AND started_at_micros = 7 AND start = x'01' AND policy_toml = 'name = \"strict\"'";
        let events =
            "SELECT count(*) FROM investigation_events WHERE owner = '' AND investigation_id = 'i'";
        assert_eq!((count(start), count(events)), (1, 2));
        connection.execute("DELETE FROM investigations", []).unwrap();
        assert_eq!(count(events), 0);
    }
}
