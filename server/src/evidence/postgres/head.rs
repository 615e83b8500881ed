//! Reads and writes the metadata of items.

use gsar_core::evidence::{EvidenceId, EvidenceKind, Lane, VerificationResult};
use gsar_core::time::Timestamp;
use tokio_postgres::Row;

use crate::evidence::error::StoreError;
use crate::evidence::store::Head;

/// The columns that [`head`] reads.
pub(super) const HEAD_COLUMNS: &str = "items.id, items.kind, items.lane, items.tool, items.query, items.is_json, \
     items.collected_at, items.exhaustive, items.attested, items.step_id, items.specialist_id, items.verification_result";

/// Reads the metadata of an item; `from` is the index of its first column.
pub(super) fn head(row: &Row, from: usize) -> Result<Head, StoreError> {
    let damaged = |what: &str| StoreError::Damaged {
        place: "a corpus in the database".to_owned(),
        reason: what.to_owned(),
    };
    let (id, kind, lane): (String, &str, &str) =
        (row.get(from), row.get(from + 1), row.get(from + 2));
    Ok(Head {
        id: EvidenceId::new(id).map_err(|_| damaged("an item without an id"))?,
        kind: EvidenceKind::from_name(kind).ok_or_else(|| damaged("an unknown kind"))?,
        lane: Lane::from_name(lane).ok_or_else(|| damaged("an unknown lane"))?,
        tool: row.get(from + 3),
        query: row.get(from + 4),
        is_json: row.get(from + 5),
        collected_at: row.get::<_, Option<i64>>(from + 6).map(Timestamp::from_micros),
        exhaustive: row.get(from + 7),
        attested: row.get(from + 8),
        step_id: row.get(from + 9),
        specialist_id: row.get(from + 10),
        verification_result: match row.get(from + 11) {
            "" => None,
            name => {
                let result = VerificationResult::from_name(name);
                Some(result.ok_or_else(|| damaged("an unknown result of a check"))?)
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
