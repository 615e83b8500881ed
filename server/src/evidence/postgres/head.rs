//! Reads and writes the metadata of items.

use gsar_core::evidence::{EvidenceId, EvidenceKind, Lane, VerificationResult};
use gsar_core::time::Timestamp;
use tokio_postgres::Row;

use crate::evidence::error::StoreError;
use crate::evidence::store::Head;

/// The columns that [`head`] reads.
pub(super) const HEAD_COLUMNS: &str = "items.id, items.kind, items.lane, items.tool, items.query, items.is_json, \
     items.collected_at, items.exhaustive, items.attested, items.step_id, items.specialist_id, items.verification_result";

/// Reads the metadata of an item; `first_column` is the index of its first column.
pub(super) fn head(row: &Row, first_column: usize) -> Result<Head, StoreError> {
    let damaged_error = |reason: &str| StoreError::Damaged {
        place: "a corpus in the database".to_owned(),
        reason: reason.to_owned(),
    };
    let (id, kind, lane): (String, &str, &str) =
        (row.get(first_column), row.get(first_column + 1), row.get(first_column + 2));
    Ok(Head {
        id: EvidenceId::new(id).map_err(|_| damaged_error("an item without an id"))?,
        kind: EvidenceKind::from_name(kind).ok_or_else(|| damaged_error("an unknown kind"))?,
        lane: Lane::from_name(lane).ok_or_else(|| damaged_error("an unknown lane"))?,
        tool: row.get(first_column + 3),
        query: row.get(first_column + 4),
        is_json: row.get(first_column + 5),
        collected_at: row.get::<_, Option<i64>>(first_column + 6).map(Timestamp::from_micros),
        exhaustive: row.get(first_column + 7),
        attested: row.get(first_column + 8),
        step_id: row.get(first_column + 9),
        specialist_id: row.get(first_column + 10),
        verification_result: match row.get(first_column + 11) {
            "" => None,
            name => {
                let result = VerificationResult::from_name(name);
                Some(result.ok_or_else(|| damaged_error("an unknown result of a check"))?)
            }
        },
    })
}

/// Returns the stored name of the check result; empty if unknown.
pub(super) fn result_name(head: &Head) -> &'static str {
    head.verification_result.map_or("", VerificationResult::name)
}

/// Converts to PostgreSQL's signed integers.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Reverses [`signed`].
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
