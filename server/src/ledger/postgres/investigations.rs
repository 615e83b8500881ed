//! Stores investigations.

use deadpool_postgres::{GenericClient, Object};
use tokio_postgres::Error;

use super::read::digest;
use crate::ledger::error::LedgerError;
use crate::ledger::investigations::{InvestigationStart, NewEvent, StoredInvestigation};
use crate::storage::postgres::query;

pub(super) async fn start(
    client: &mut Object,
    owner: &str,
    new_start: &InvestigationStart,
    attempt: u32,
) -> Result<Option<StoredInvestigation>, Error> {
    const NEW: &str = "INSERT INTO investigations (owner, investigation_id, started_at_micros, start, policy_toml) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (owner, investigation_id) DO NOTHING";
    let parameters: query::Parameters<'_> = &[
        &owner,
        &new_start.investigation_id,
        &new_start.started_at_micros,
        &new_start.start,
        &new_start.policy_toml,
    ];
    if query::execute(&*client, NEW, parameters).await? > 0 {
        return Ok(None);
    }
    let existing = read(client, owner, &new_start.investigation_id).await?;
    // An earlier attempt may have written the start.
    Ok(existing.filter(|existing| {
        attempt == 1 || existing.start != *new_start || !existing.events.is_empty()
    }))
}

pub(super) async fn append(
    client: &mut Object,
    owner: &str,
    event: &NewEvent,
    attempt: u32,
) -> Result<Result<(), LedgerError>, Error> {
    let transaction = client.transaction().await?;
    let result = append_in_transaction(&transaction, owner, event).await?;
    match result {
        Ok(()) => transaction.commit().await?,
        Err(_) if attempt > 1 && has_event(&transaction, owner, event).await? => return Ok(Ok(())),
        Err(_) => {}
    }
    Ok(result)
}
/// Appends an event in a given transaction. Rejects a step that does not directly follow the last one.
pub(super) async fn append_in_transaction(
    transaction: &impl GenericClient,
    owner: &str,
    event: &NewEvent,
) -> Result<Result<(), LedgerError>, Error> {
    const LOCKED: &str =
        "SELECT 1 FROM investigations WHERE owner = $1 AND investigation_id = $2 FOR UPDATE";
    const LAST: &str = "SELECT coalesce(max(step), 0) FROM investigation_events \
         WHERE owner = $1 AND investigation_id = $2";
    const NEW: &str = "INSERT INTO investigation_events (owner, investigation_id, step, request_digest, event) \
         VALUES ($1, $2, $3, $4, $5)";
    let id = &event.investigation_id;
    let exists = query::optional(transaction, LOCKED, &[&owner, id]).await?.is_some();
    let last_step: i64 = query::one(transaction, LAST, &[&owner, id]).await?.get(0);
    if !exists || i64::from(event.step) != last_step + 1 {
        return Ok(Err(LedgerError::StepTaken { investigation_id: id.clone(), step: event.step }));
    }
    let parameters: query::Parameters<'_> =
        &[&owner, id, &i64::from(event.step), &event.request_digest.as_slice(), &event.event];
    query::execute(transaction, NEW, parameters).await?;
    Ok(Ok(()))
}

/// Returns `true` if an earlier attempt already wrote this event.
async fn has_event(
    client: &impl GenericClient,
    owner: &str,
    event: &NewEvent,
) -> Result<bool, Error> {
    const SAME: &str = "SELECT 1 FROM investigation_events WHERE owner = $1 AND investigation_id = $2 AND step = $3 AND event = $4";
    let parameters: query::Parameters<'_> =
        &[&owner, &event.investigation_id, &i64::from(event.step), &event.event];
    Ok(query::optional(client, SAME, parameters).await?.is_some())
}

pub(super) async fn read(
    client: &mut Object,
    owner: &str,
    investigation_id: &str,
) -> Result<Option<StoredInvestigation>, Error> {
    const START: &str = "SELECT started_at_micros, start, policy_toml FROM investigations WHERE owner = $1 AND investigation_id = $2";
    const EVENTS: &str = "SELECT request_digest, event FROM investigation_events WHERE owner = $1 AND investigation_id = $2 ORDER BY step";
    let Some(row) = query::optional(&*client, START, &[&owner, &investigation_id]).await? else {
        return Ok(None);
    };
    let events = query::all(&*client, EVENTS, &[&owner, &investigation_id]).await?;
    Ok(Some(StoredInvestigation {
        start: InvestigationStart {
            investigation_id: investigation_id.to_owned(),
            started_at_micros: row.get(0),
            start: row.get(1),
            policy_toml: row.get(2),
        },
        events: events.iter().map(|row| (digest(row.get(0)), row.get(1))).collect(),
    }))
}

/// Reads an owner's latest starts of at most `max_bytes` each, among the last thousand starts of all
/// owners.
pub(super) async fn recent(
    client: &Object,
    owner: &str,
    limit: u32,
    max_bytes: u32,
) -> Result<Vec<InvestigationStart>, Error> {
    const RECENT: &str = "SELECT investigation_id, started_at_micros, start, policy_toml \
         FROM (SELECT * FROM investigations ORDER BY started_at_micros DESC LIMIT 1000) AS latest \
         WHERE owner = $1 AND length(start) <= $3::bigint ORDER BY started_at_micros DESC, investigation_id LIMIT $2";
    let parameters: query::Parameters<'_> = &[&owner, &i64::from(limit), &i64::from(max_bytes)];
    let rows = query::all(client, RECENT, parameters).await?;
    let start = |row: &tokio_postgres::Row| InvestigationStart {
        investigation_id: row.get(0),
        started_at_micros: row.get(1),
        start: row.get(2),
        policy_toml: row.get(3),
    };
    Ok(rows.iter().map(start).collect())
}
