//! Writes a batch of records in one transaction.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use rusqlite::{
    Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, params,
};

use super::evidence_sets;
use super::investigations::append_in_transaction;
use super::retention;
use crate::data_owner::Owner;
use crate::ledger::error::LedgerError;
use crate::ledger::record::{Record, Recorded};

/// The maximum number of cached policies.
const MAX_POLICIES: usize = 256;
/// The maximum number of cached evidence sets, which take 40 bytes each.
pub(super) const MAX_EVIDENCE_SETS: usize = 4_096;
/// The maximum number of cached contents, which take 40 bytes each.
pub(super) const MAX_CONTENTS: usize = 65_536;

/// The ids of recently used rows: policies by text, evidence sets and contents by digest.
#[derive(Debug, Default)]
pub(super) struct RowCache {
    policies: HashMap<Arc<str>, i64>,
    pub(super) evidence_sets: HashMap<[u8; 32], i64>,
    pub(super) contents: HashMap<[u8; 32], i64>,
}

impl RowCache {
    /// Clears the cache, because cached rows may have been rolled back or deleted.
    pub(super) fn clear(&mut self) {
        self.policies.clear();
        self.evidence_sets.clear();
        self.contents.clear();
    }
}

/// Inserts the id of a row into a map of the cache. If the map is full, clears it first.
pub(super) fn cache_id<K: Eq + Hash>(ids: &mut HashMap<K, i64>, max: usize, key: K, id: i64) {
    if ids.len() >= max {
        ids.clear();
    }
    ids.insert(key, id);
}

/// Writes records in one transaction and returns their outcomes in order. If the transaction fails, nothing is
/// written.
pub(super) fn write<'a>(
    connection: &mut Connection,
    cache: &mut RowCache,
    records: impl Iterator<Item = (&'a str, &'a Record)>,
) -> rusqlite::Result<Vec<Result<Recorded, LedgerError>>> {
    let result = write_all(connection, cache, records);
    if result.is_err() {
        cache.clear();
    }
    result
}

fn write_all<'a>(
    connection: &mut Connection,
    cache: &mut RowCache,
    records: impl Iterator<Item = (&'a str, &'a Record)>,
) -> rusqlite::Result<Vec<Result<Recorded, LedgerError>>> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let outcomes = records
        .map(|(owner, record)| write_one(&mut transaction, cache, owner, record))
        .collect::<rusqlite::Result<Vec<_>>>()?;
    transaction.commit()?;
    Ok(outcomes)
}

fn write_one(
    transaction: &mut Transaction<'_>,
    cache: &mut RowCache,
    owner: &str,
    record: &Record,
) -> rusqlite::Result<Result<Recorded, LedgerError>> {
    if let Some(key) = &record.idempotency_key
        && let Some(recorded) = find_response(transaction, owner, key, &record.request_digest)?
    {
        return Ok(recorded.map(|response| Recorded::Replayed { response }));
    }
    let Some(event) = &record.event else {
        return write_evaluation(transaction, cache, owner, record);
    };
    // If the evaluation is rejected, rolls back its event but not the rest of the batch.
    let savepoint = transaction.savepoint()?;
    if let Err(rejection) = append_in_transaction(&savepoint, owner, event)? {
        return Ok(Err(rejection));
    }
    let outcome = write_evaluation(&savepoint, cache, owner, record)?;
    match outcome {
        Ok(_) => savepoint.commit()?,
        Err(_) => cache.clear(),
    }
    Ok(outcome)
}

fn write_evaluation(
    connection: &Connection,
    cache: &mut RowCache,
    owner: &str,
    record: &Record,
) -> rusqlite::Result<Result<Recorded, LedgerError>> {
    let policy_id = policy_row(connection, cache, &record.policy_toml)?;
    let evidence_set_id =
        evidence_sets::find_or_create(connection, cache, &record.evidence, &record.contents)?;
    match insert(connection, owner, record, policy_id, evidence_set_id) {
        Ok(()) => Ok(Ok(Recorded::New)),
        Err(error) => {
            rejection_error(&error, record).map_or(Err(error), |rejection| Ok(Err(rejection)))
        }
    }
}

pub(super) fn delete(
    connection: &mut Connection,
    owner: &Owner,
    evaluation_id: &str,
) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let policy_id: Option<i64> = transaction
        .prepare_cached("DELETE FROM evaluations WHERE evaluation_id = ?1 AND (?2 IS NULL OR owner = ?2) RETURNING policy_id")?
        .query_row(params![evaluation_id, owner.only()], |row| row.get(0))
        .optional()?;
    if let Some(policy_id) = policy_id {
        retention::delete_unused_policy(&transaction, policy_id)?;
    }
    transaction.commit()?;
    Ok(policy_id.is_some())
}

/// Returns the response recorded under `key`, or an error if it was recorded for another request.
pub(super) fn find_response(
    connection: &Connection,
    owner: &str,
    key: &str,
    digest: &[u8; 32],
) -> rusqlite::Result<Option<Result<Vec<u8>, LedgerError>>> {
    connection
        .prepare_cached(
            "SELECT request_digest = ?2, response FROM evaluations WHERE owner = ?3 AND idempotency_key = ?1",
        )?
        .query_row(params![key, digest, owner], |row| {
            let is_same_request: bool = row.get(0)?;
            if is_same_request {
                row.get(1).map(Ok)
            } else {
                Ok(Err(LedgerError::KeyReused { key: key.to_owned() }))
            }
        })
        .optional()
}

fn policy_row(
    connection: &Connection,
    cache: &mut RowCache,
    toml: &Arc<str>,
) -> rusqlite::Result<i64> {
    if let Some(row) = cache.policies.get(toml) {
        return Ok(*row);
    }
    let digest = blake3::hash(toml.as_bytes());
    connection
        .prepare_cached(
            "INSERT INTO policies (digest, toml) VALUES (?1, ?2) ON CONFLICT (digest) DO NOTHING",
        )?
        .execute(params![digest.as_bytes(), toml])?;
    let row = connection
        .prepare_cached("SELECT id FROM policies WHERE digest = ?1")?
        .query_row([digest.as_bytes()], |row| row.get(0))?;
    cache_id(&mut cache.policies, MAX_POLICIES, Arc::clone(toml), row);
    Ok(row)
}

fn insert(
    connection: &Connection,
    owner: &str,
    record: &Record,
    policy_row: i64,
    evidence_set_row: i64,
) -> rusqlite::Result<()> {
    let (numerator, denominator) = record.score.unzip();
    connection
        .prepare_cached(
            "INSERT INTO evaluations (evaluation_id, evaluated_at_micros, report_id, investigation_id, policy, \
             policy_id, judge, outcome, tier, score_numerator, score_denominator, claims, idempotency_key, \
             request_digest, report, response, evidence_set_id, owner, grounded, in_shadow, fell_back) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)",
        )?
        .execute(params![
            record.evaluation_id,
            record.evaluated_at_micros,
            record.report_id,
            record.investigation_id,
            record.policy,
            policy_row,
            record.judge,
            record.outcome,
            record.tier,
            numerator.map(u64::cast_signed),
            denominator.map(u64::cast_signed),
            record.claims,
            record.idempotency_key,
            record.request_digest,
            record.report,
            record.response,
            evidence_set_row,
            owner,
            record.grounded,
            record.in_shadow,
            record.fell_back,
        ])?;
    Ok(())
}

/// Returns the error for a record that SQLite rejected, or `None` if the whole transaction failed.
fn rejection_error(error: &rusqlite::Error, record: &Record) -> Option<LedgerError> {
    let failure = error.sqlite_error()?;
    let evaluation_id = record.evaluation_id.clone();
    if failure.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE {
        return Some(LedgerError::DuplicateId { evaluation_id });
    }
    (failure.code == ErrorCode::TooBig)
        .then(|| LedgerError::TooLarge { evaluation_id, bytes: record.byte_count() })
}
