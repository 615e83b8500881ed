//! Reading: a few connections that are used on threads which may block, never on those of the runtime.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use tokio::sync::Semaphore;

use super::batch::replay;
use super::connection::open_reader;
use super::contents;
use super::grades;
use super::investigations;
use super::scan;
use crate::ledger::content::Content;
use crate::ledger::error::LedgerError;
use crate::ledger::fault::Fault;
use crate::ledger::filter::{Filter, Page};
use crate::ledger::investigations::StoredInvestigation;
use crate::ledger::page_token;
use crate::ledger::record::{StoredEvaluation, Summary};
use crate::ledger::scan::{Scan, Scanned};
use crate::owner::Owner;

/// How many reads run at once; the others wait.
const READERS: usize = 4;

/// The columns of [`summary`], and the sequence.
pub(super) const SUMMARY_COLUMNS: &str = "owner, evaluation_id, evaluated_at_micros, report_id, investigation_id, policy, judge, \
     outcome, tier, score_numerator, score_denominator, claims, sequence";

/// Whether a row of `evaluations` has grades.
pub(super) const IS_GRADED: &str =
    "EXISTS (SELECT 1 FROM grades WHERE grades.sequence = evaluations.sequence)";

/// A few connections that read.
#[derive(Debug)]
pub(super) struct Readers {
    permits: Arc<Semaphore>,
    pool: Arc<Pool>,
}

impl Readers {
    /// Opens no connection before the first read.
    pub(super) fn new(file: PathBuf) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(READERS)),
            pool: Arc::new(Pool { file, idle: Mutex::new(Idle::Open(Vec::new())) }),
        }
    }

    /// The response recorded under a key.
    pub(super) async fn find_by_key(
        &self,
        owner: Owner,
        key: String,
        digest: [u8; 32],
    ) -> Result<Option<Vec<u8>>, LedgerError> {
        self.run(move |connection| replay(connection, owner.name(), &key, &digest))
            .await?
            .transpose()
    }

    /// One page of a list.
    pub(super) async fn list(&self, owner: Owner, filter: Filter) -> Result<Page, LedgerError> {
        let filter = filter.normalised()?;
        let below = match &filter.page_token {
            Some(token) => page_token::decode(token, &filter)?,
            None => i64::MAX,
        };
        self.run(move |connection| page(connection, &owner, &filter, below)).await
    }

    /// One evaluation in full.
    pub(super) async fn read(
        &self,
        owner: Owner,
        evaluation_id: String,
    ) -> Result<Option<StoredEvaluation>, LedgerError> {
        self.run(move |connection| stored(connection, &owner, &evaluation_id)).await
    }

    /// The content of an item of an evaluation.
    pub(super) async fn content(
        &self,
        owner: Owner,
        evaluation_id: String,
        digest: [u8; 32],
    ) -> Result<Option<String>, LedgerError> {
        self.run(move |connection| contents::read(connection, &owner, &evaluation_id, &digest))
            .await
    }

    /// Every content of an evaluation.
    pub(super) async fn contents(
        &self,
        owner: Owner,
        evaluation_id: String,
    ) -> Result<Vec<Content>, LedgerError> {
        self.run(move |connection| contents::read_all(connection, &owner, &evaluation_id)).await
    }

    /// The next evaluations behind a sequence, in the order of recording.
    pub(super) async fn scan(
        &self,
        owner: Owner,
        scan: Scan,
        after: i64,
    ) -> Result<Vec<Scanned>, LedgerError> {
        self.run(move |connection| scan::page(connection, &owner, &scan, after)).await
    }

    /// An investigation in full.
    pub(super) async fn investigation(
        &self,
        owner: Owner,
        investigation_id: String,
    ) -> Result<Option<StoredInvestigation>, LedgerError> {
        self.run(move |connection| {
            investigations::read(connection, owner.name(), &investigation_id)
        })
        .await
    }

    /// Refuses reads from now on and closes the connections that are not in use.
    pub(super) fn close(&self) {
        self.permits.close();
        self.pool.close();
    }

    /// Runs a query where it may block. Goes on to its end even if the caller no longer waits.
    async fn run<T, F>(&self, query: F) -> Result<T, LedgerError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let permit =
            Arc::clone(&self.permits).acquire_owned().await.map_err(|_| LedgerError::Closed)?;
        let pool = Arc::clone(&self.pool);
        let read = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            pool.query(query)
        });
        read.await.map_err(|_| LedgerError::Closed)?
    }
}

#[derive(Debug)]
struct Pool {
    file: PathBuf,
    idle: Mutex<Idle>,
}

#[derive(Debug)]
enum Idle {
    Open(Vec<Connection>),
    Closed,
}

impl Pool {
    fn query<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        let failed = |error: rusqlite::Error| Fault::from_sqlite(&error, &self.file).error;
        let connection = match self.take()? {
            Some(connection) => connection,
            None => open_reader(&self.file).map_err(failed)?,
        };
        let answer = query(&connection).map_err(failed)?;
        self.put_back(connection);
        Ok(answer)
    }

    fn take(&self) -> Result<Option<Connection>, LedgerError> {
        match &mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner) {
            Idle::Open(connections) => Ok(connections.pop()),
            Idle::Closed => Err(LedgerError::Closed),
        }
    }

    fn put_back(&self, connection: Connection) {
        if let Idle::Open(connections) =
            &mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner)
        {
            connections.push(connection);
        }
    }

    fn close(&self) {
        *self.idle.lock().unwrap_or_else(PoisonError::into_inner) = Idle::Closed;
    }
}

fn page(
    connection: &Connection,
    owner: &Owner,
    filter: &Filter,
    below: i64,
) -> rusqlite::Result<Page> {
    let (sql, parameters) = list_query(owner, filter, below);
    let mut list = connection.prepare_cached(&sql)?;
    let mut found = list.query_and_then(params_from_iter(parameters), |row| {
        Ok::<_, rusqlite::Error>((row.get::<_, i64>("sequence")?, summary(row)?))
    })?;
    let rows = found.by_ref().take(filter.page_size).collect::<rusqlite::Result<Vec<_>>>()?;
    let has_more = found.next().transpose()?.is_some();
    let last = rows.last().map(|(sequence, _)| *sequence).filter(|_| has_more);
    Ok(Page {
        evaluations: rows.into_iter().map(|(_, summary)| summary).collect(),
        next_page_token: last.map(|sequence| page_token::encode(sequence, filter)),
    })
}

/// The query of a list and its parameters. A report or an investigation restricts more than a tier does, so
/// with one of them the tier is looked at row by row (the `+` keeps its index out).
fn list_query(owner: &Owner, filter: &Filter, below: i64) -> (String, Vec<Value>) {
    let mut sql = format!("SELECT {SUMMARY_COLUMNS} FROM evaluations WHERE sequence < ?");
    let mut parameters = vec![Value::Integer(below)];
    if let Some(owner) = owner.only() {
        sql.push_str(" AND owner = ? AND owner <> ''");
        parameters.push(Value::Text(owner.to_owned()));
    }
    if let Some(report) = &filter.report_id {
        sql.push_str(" AND report_id = ? AND report_id <> ''");
        parameters.push(Value::Text(report.clone()));
    }
    if let Some(investigation) = &filter.investigation_id {
        sql.push_str(" AND investigation_id = ? AND investigation_id <> ''");
        parameters.push(Value::Text(investigation.clone()));
    }
    if let Some(tier) = filter.tier {
        let is_restricted = filter.report_id.is_some() || filter.investigation_id.is_some();
        sql.push_str(if is_restricted { " AND +tier = ?" } else { " AND tier = ?" });
        parameters.push(Value::Integer(i64::from(tier)));
    }
    if let Some(graded) = filter.graded {
        sql.push_str(if graded { " AND " } else { " AND NOT " });
        sql.push_str(IS_GRADED);
    }
    sql.push_str(" ORDER BY sequence DESC LIMIT ?");
    let one_more = i64::try_from(filter.page_size).unwrap_or(i64::MAX).saturating_add(1);
    parameters.push(Value::Integer(one_more));
    (sql, parameters)
}

fn stored(
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

/// A row of [`SUMMARY_COLUMNS`].
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
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::sqlite::schema::SCHEMA;

    fn plan(filter: &Filter) -> String {
        let mut connection = Connection::open_in_memory().unwrap();
        SCHEMA.migrate(&mut connection).unwrap();
        let (sql, parameters) = list_query(&Owner::default(), filter, 7);
        let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let lines = explain
            .query_map(params_from_iter(parameters), |row| row.get::<_, String>("detail"))
            .unwrap();
        lines.map(Result::unwrap).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn every_list_is_read_in_order_from_an_index() {
        let report = Some("r".to_owned());
        let investigation = Some("i".to_owned());
        let tier = Some(3);
        for (filter, index) in [
            (Filter::default(), "INTEGER PRIMARY KEY"),
            (Filter { tier, ..Filter::default() }, "evaluations_by_tier"),
            (Filter { graded: Some(true), ..Filter::default() }, "INTEGER PRIMARY KEY"),
            (Filter { graded: Some(false), tier, ..Filter::default() }, "evaluations_by_tier"),
            (Filter { report_id: report.clone(), ..Filter::default() }, "evaluations_by_report"),
            (
                Filter { report_id: report.clone(), tier, ..Filter::default() },
                "evaluations_by_report",
            ),
            (
                Filter { investigation_id: investigation.clone(), tier, ..Filter::default() },
                "evaluations_by_investigation",
            ),
        ] {
            let plan = plan(&filter);
            assert!(plan.contains(index), "{filter:?}: {plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{filter:?}: {plan}");
        }
    }
}
