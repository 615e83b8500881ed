//! Records an evaluation, or returns the one already recorded under its key.

use std::sync::LazyLock;

use deadpool_postgres::{GenericClient, Object};
use tokio_postgres::Error;

use super::shared_rows::{self, RowCache, SharedRows};
use super::{investigations, visibility};
use crate::ledger::error::LedgerError;
use crate::ledger::record::{Record, Recorded};
use crate::storage::postgres::query;

/// Inserts both rows of an evaluation, or neither if its id or key is taken.
static INSERT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH floor AS MATERIALIZED ({}), \
         id AS (INSERT INTO evaluation_ids (evaluation_id, idempotency_key, request_digest, evaluated_at_micros, owner) \
         SELECT $1, $2, $3, $4, $18 FROM floor ON CONFLICT DO NOTHING RETURNING sequence) \
         INSERT INTO evaluations (sequence, evaluation_id, evaluated_at_micros, report_id, investigation_id, policy, \
         policy_id, judge, outcome, tier, score_numerator, score_denominator, claims, evidence_set_id, report, response, owner, \
         grounded, in_shadow, fell_back) \
         SELECT sequence, $1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21 FROM id",
        visibility::lock_before_value()
    )
});

/// The evaluation already recorded under a key.
pub(super) struct RecordedEvaluation {
    pub(super) evaluation_id: String,
    pub(super) response: Vec<u8>,
}

/// Records an evaluation. Retries detect rows that an earlier attempt wrote.
pub(super) async fn write(
    client: &mut Object,
    cache: &RowCache,
    owner: &str,
    record: &Record,
    attempt: u32,
) -> Result<Result<Recorded, LedgerError>, Error> {
    if attempt > 1 {
        cache.clear();
    }
    if let Some(outcome) = earlier_outcome(&*client, owner, record, attempt).await? {
        return Ok(outcome);
    }
    let rows = shared_rows::find_or_create(&*client, cache, record).await?;
    let is_new = match &record.event {
        None => insert(&*client, owner, record, &rows).await?,
        Some(event) => {
            let transaction = client.transaction().await?;
            if let Err(rejection) =
                investigations::append_in_transaction(&transaction, owner, event).await?
            {
                drop(transaction);
                // An earlier attempt may have written both rows.
                let earlier = earlier_outcome(&*client, owner, record, attempt).await?;
                return Ok(earlier.unwrap_or(Err(rejection)));
            }
            let is_new = insert(&transaction, owner, record, &rows).await?;
            if is_new {
                transaction.commit().await?;
            }
            is_new
        }
    };
    if is_new {
        return Ok(Ok(Recorded::New));
    }
    // The insert waited for the transaction that took the key or the id.
    let earlier = earlier_outcome(&*client, owner, record, attempt).await?;
    let evaluation_id = record.evaluation_id.clone();
    Ok(earlier.unwrap_or(Err(LedgerError::DuplicateId { evaluation_id })))
}

/// Returns the outcome if the key is already recorded, or if an earlier attempt wrote the record.
async fn earlier_outcome(
    client: &impl GenericClient,
    owner: &str,
    record: &Record,
    attempt: u32,
) -> Result<Option<Result<Recorded, LedgerError>>, Error> {
    if let Some(key) = &record.idempotency_key {
        let recorded = find_by_key(client, owner, key, &record.request_digest).await?;
        return Ok(recorded.map(|result| {
            result.map(|recorded| {
                match attempt > 1 && recorded.evaluation_id == record.evaluation_id {
                    true => Recorded::New,
                    false => Recorded::Replayed { response: recorded.response },
                }
            })
        }));
    }
    if attempt == 1 {
        return Ok(None);
    }
    const FIND_OWN: &str = "SELECT 1 FROM evaluation_ids WHERE evaluation_id = $1 AND request_digest = $2 AND owner = $3";
    let row = query::optional(
        client,
        FIND_OWN,
        &[&record.evaluation_id, &record.request_digest.as_slice(), &owner],
    )
    .await?;
    Ok(row.map(|_| Ok(Recorded::New)))
}

/// Returns the evaluation recorded under `key`, or an error if it was recorded for another request.
pub(super) async fn find_by_key(
    client: &impl GenericClient,
    owner: &str,
    key: &str,
    digest: &[u8; 32],
) -> Result<Option<Result<RecordedEvaluation, LedgerError>>, Error> {
    const FIND: &str = "SELECT ids.request_digest = $2, evaluations.evaluation_id, response FROM evaluation_ids AS ids \
         JOIN evaluations USING (sequence, evaluated_at_micros) WHERE ids.owner = $3 AND ids.idempotency_key = $1";
    let row = query::optional(client, FIND, &[&key, &digest.as_slice(), &owner]).await?;
    Ok(row.map(|row| match row.get(0) {
        true => Ok(RecordedEvaluation { evaluation_id: row.get(1), response: row.get(2) }),
        false => Err(LedgerError::KeyReused { key: key.to_owned() }),
    }))
}

async fn insert(
    client: &impl GenericClient,
    owner: &str,
    record: &Record,
    rows: &SharedRows,
) -> Result<bool, Error> {
    let (numerator, denominator) = record.score.unzip();
    let inserted_rows = query::execute(
        client,
        &INSERT,
        &[
            &record.evaluation_id,
            &record.idempotency_key,
            &record.request_digest.as_slice(),
            &record.evaluated_at_micros,
            &record.report_id,
            &record.investigation_id,
            &record.policy,
            &rows.policy_id,
            &record.judge,
            &record.outcome,
            &record.tier,
            &numerator.map(u64::cast_signed),
            &denominator.map(u64::cast_signed),
            &i64::from(record.claims),
            &rows.evidence_set_id,
            &record.report,
            &record.response,
            &owner,
            &record.grounded.map(i64::from),
            &record.in_shadow,
            &record.fell_back,
        ],
    )
    .await?;
    Ok(inserted_rows > 0)
}
