//! The schema of the ledger.

use crate::storage::Schema;

/// The application id is `GSRL` in ASCII, `gsar` in development versions.
pub(super) const SCHEMA: Schema = Schema {
    application_id: 0x4753_524c,
    development_id: 0x6773_6172,
    sql: include_str!("schema.sql"),
};
