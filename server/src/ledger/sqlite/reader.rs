//! A pool of read connections, used on blocking threads.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, Row, params};
use tokio::sync::Semaphore;

use super::connection::open_reader;
use super::grades;
use crate::data_owner::Owner;
use crate::ledger::error::LedgerError;
use crate::ledger::fault::Fault;
use crate::ledger::record::{StoredEvaluation, Summary};

/// The maximum number of concurrent reads.
const READERS: usize = 4;

/// The columns that [`summary`] reads, and the sequence.
pub(super) const SUMMARY_COLUMNS: &str = "owner, evaluation_id, evaluated_at_micros, report_id, investigation_id, policy, judge, \
     outcome, tier, score_numerator, score_denominator, claims, grounded, in_shadow, fell_back, sequence";

#[derive(Debug)]
pub(super) struct Readers {
    permits: Arc<Semaphore>,
    pool: Arc<Pool>,
}

impl Readers {
    pub(super) fn new(file: PathBuf) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(READERS)),
            pool: Arc::new(Pool { file, idle: Mutex::new(Some(Vec::new())) }),
        }
    }

    /// Rejects further reads and closes idle connections.
    pub(super) fn close(&self) {
        self.permits.close();
        self.pool.close();
    }

    /// Runs a query on a blocking thread. The query completes even if the caller stops waiting.
    pub(super) async fn run<T, F>(&self, query: F) -> Result<T, LedgerError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let permit =
            Arc::clone(&self.permits).acquire_owned().await.map_err(|_| LedgerError::Closed)?;
        let pool = Arc::clone(&self.pool);
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            pool.query(query)
        });
        task.await.map_err(|_| LedgerError::Closed)?
    }
}

#[derive(Debug)]
struct Pool {
    file: PathBuf,
    /// `None` after closing.
    idle: Mutex<Option<Vec<Connection>>>,
}

impl Pool {
    fn query<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        let ledger_error = |error: rusqlite::Error| Fault::from_sqlite(&error, &self.file).error;
        let connection = match self.take()? {
            Some(connection) => connection,
            None => open_reader(&self.file).map_err(ledger_error)?,
        };
        let result = query(&connection).map_err(ledger_error)?;
        self.put_back(connection);
        Ok(result)
    }

    fn take(&self) -> Result<Option<Connection>, LedgerError> {
        match &mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(connections) => Ok(connections.pop()),
            None => Err(LedgerError::Closed),
        }
    }

    fn put_back(&self, connection: Connection) {
        if let Some(connections) = &mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner) {
            connections.push(connection);
        }
    }

    fn close(&self) {
        *self.idle.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

pub(super) fn read_evaluation(
    connection: &Connection,
    owner: &Owner,
    evaluation_id: &str,
) -> rusqlite::Result<Option<StoredEvaluation>> {
    let sql = format!(
        "SELECT {SUMMARY_COLUMNS}, idempotency_key, request_digest, report, response, evidence, toml \
         FROM evaluations JOIN policies ON policies.id = policy_id \
         JOIN evidence_sets ON evidence_sets.id = evidence_set_id \
         WHERE evaluation_id = ?1 AND (?2 IS NULL OR owner = ?2)"
    );
    connection
        .prepare_cached(&sql)?
        .query_row(params![evaluation_id, owner.only()], |row| {
            Ok(StoredEvaluation {
                summary: summary(row)?,
                grades: grades::read(connection, row.get("sequence")?)?,
                idempotency_key: row.get("idempotency_key")?,
                request_digest: row.get("request_digest")?,
                report: row.get("report")?,
                response: row.get("response")?,
                evidence: row.get("evidence")?,
                policy_toml: row.get("toml")?,
            })
        })
        .optional()
}

/// Converts a row with [`SUMMARY_COLUMNS`].
pub(super) fn summary(row: &Row<'_>) -> rusqlite::Result<Summary> {
    let numerator: Option<i64> = row.get("score_numerator")?;
    let denominator: Option<i64> = row.get("score_denominator")?;
    Ok(Summary {
        owner: row.get("owner")?,
        evaluation_id: row.get("evaluation_id")?,
        evaluated_at_micros: row.get("evaluated_at_micros")?,
        report_id: row.get("report_id")?,
        investigation_id: row.get("investigation_id")?,
        policy: row.get("policy")?,
        judge: row.get("judge")?,
        outcome: row.get("outcome")?,
        tier: row.get("tier")?,
        score: numerator.map(i64::cast_unsigned).zip(denominator.map(i64::cast_unsigned)),
        claims: row.get("claims")?,
        grounded: row.get("grounded")?,
        in_shadow: row.get("in_shadow")?,
        fell_back: row.get("fell_back")?,
    })
}
