//! Stores investigations.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::ledger::error::LedgerError;
use crate::ledger::investigations::{InvestigationStart, NewEvent, StoredInvestigation};

pub(super) fn start(
    connection: &mut Connection,
    owner: &str,
    new_start: &InvestigationStart,
) -> rusqlite::Result<Option<StoredInvestigation>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let existing = read(&transaction, owner, &new_start.investigation_id)?;
    if existing.is_none() {
        transaction
            .prepare_cached(
                "INSERT INTO investigations (investigation_id, started_at_micros, start, policy_toml, owner) \
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![
                new_start.investigation_id,
                new_start.started_at_micros,
                new_start.start,
                new_start.policy_toml,
                owner
            ])?;
    }
    transaction.commit()?;
    Ok(existing)
}

pub(super) fn append(
    connection: &mut Connection,
    owner: &str,
    event: &NewEvent,
) -> rusqlite::Result<Result<(), LedgerError>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let result = append_in_transaction(&transaction, owner, event)?;
    transaction.commit()?;
    Ok(result)
}

/// Appends an event in a given transaction. Rejects a step that does not directly follow the last one.
pub(super) fn append_in_transaction(
    connection: &Connection,
    owner: &str,
    event: &NewEvent,
) -> rusqlite::Result<Result<(), LedgerError>> {
    let (exists, last_step): (bool, u32) = connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM investigations WHERE owner = ?2 AND investigation_id = ?1), \
             (SELECT coalesce(max(step), 0) FROM investigation_events WHERE owner = ?2 AND investigation_id = ?1)",
        )?
        .query_row(params![event.investigation_id, owner], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if !exists || event.step != last_step.saturating_add(1) {
        return Ok(Err(LedgerError::StepTaken {
            investigation_id: event.investigation_id.clone(),
            step: event.step,
        }));
    }
    connection
        .prepare_cached(
            "INSERT INTO investigation_events (investigation_id, step, request_digest, event, owner) \
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            event.investigation_id,
            event.step,
            event.request_digest,
            event.event,
            owner
        ])?;
    Ok(Ok(()))
}

pub(super) fn read(
    connection: &Connection,
    owner: &str,
    investigation_id: &str,
) -> rusqlite::Result<Option<StoredInvestigation>> {
    let start = connection
        .prepare_cached(
            "SELECT started_at_micros, start, policy_toml FROM investigations WHERE owner = ?2 AND investigation_id = ?1",
        )?
        .query_row([investigation_id, owner], |row| {
            Ok(InvestigationStart {
                investigation_id: investigation_id.to_owned(),
                started_at_micros: row.get(0)?,
                start: row.get(1)?,
                policy_toml: row.get(2)?,
            })
        })
        .optional()?;
    let Some(start) = start else { return Ok(None) };
    let events = connection
        .prepare_cached(
            "SELECT request_digest, event FROM investigation_events WHERE owner = ?2 AND investigation_id = ?1 \
             ORDER BY step",
        )?
        .query_map([investigation_id, owner], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(Some(StoredInvestigation { start, events }))
}

/// Reads an owner's latest starts of at most `max_bytes` each, among the last thousand starts of all
/// owners.
pub(super) fn recent(
    connection: &Connection,
    owner: &str,
    limit: u32,
    max_bytes: u32,
) -> rusqlite::Result<Vec<InvestigationStart>> {
    connection
        .prepare_cached(
            "SELECT investigation_id, started_at_micros, start, policy_toml \
             FROM (SELECT * FROM investigations ORDER BY started_at_micros DESC LIMIT 1000) \
             WHERE owner = ?1 AND length(start) <= ?3 ORDER BY started_at_micros DESC, investigation_id LIMIT ?2",
        )?
        .query_map(params![owner, limit, max_bytes], |row| {
            Ok(InvestigationStart {
                investigation_id: row.get(0)?,
                started_at_micros: row.get(1)?,
                start: row.get(2)?,
                policy_toml: row.get(3)?,
            })
        })?
        .collect()
}
