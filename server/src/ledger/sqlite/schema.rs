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
    ],
};
