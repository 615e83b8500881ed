//! Reads the metadata of items.

use gsar_core::time::Timestamp;
use tokio_postgres::Row;

use crate::evidence::error::StoreError;
use crate::evidence::store::{Head, parse_names};

/// The columns that [`head`] reads.
pub(super) const HEAD_COLUMNS: &str = "items.id, items.kind, items.lane, items.tool, items.query, items.is_json, \
     items.collected_at, items.exhaustive, items.attested, items.step_id, items.specialist_id, items.verification_result";

/// Reads the metadata of an item; `first_column` is the index of its first column.
pub(super) fn head(row: &Row, first_column: usize) -> Result<Head, StoreError> {
    let column = |index| row.get::<_, &str>(first_column + index);
    let names = parse_names(row.get(first_column), column(1), column(2), column(11));
    let (id, kind, lane, verification_result) = names.map_err(|reason| StoreError::Damaged {
        place: "a corpus in the database".to_owned(),
        reason: reason.to_owned(),
    })?;
    Ok(Head {
        id,
        kind,
        lane,
        tool: row.get(first_column + 3),
        query: row.get(first_column + 4),
        is_json: row.get(first_column + 5),
        collected_at: row.get::<_, Option<i64>>(first_column + 6).map(Timestamp::from_micros),
        exhaustive: row.get(first_column + 7),
        attested: row.get(first_column + 8),
        step_id: row.get(first_column + 9),
        specialist_id: row.get(first_column + 10),
        verification_result,
    })
}
