//! Copies a ledger into another one and compares the two. Skips evaluations that already exist, so that an
//! interrupted copy can be resumed.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use super::error::LedgerError;
use super::evidence_content::Content;
use super::grades::NewGrades;
use super::investigations::NewEvent;
use super::postgres::{PostgresLedger, PostgresLedgerOptions};
use super::record::{Record, StoredEvaluation, Summary};
use super::selection::{Cursor, PageRequest, Selection};
use super::sqlite::{Options, SqliteLedger};
use super::store::Ledger;
use crate::data_owner::Owner;
use crate::storage::postgres::{DatabaseUrl, PostgresOptions};

const PAGE: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();

/// The location of a ledger: `sqlite:DIRECTORY` or `postgres://user@host/database`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerLocation {
    /// A data directory for SQLite.
    Sqlite(PathBuf),
    /// A PostgreSQL database.
    Postgres(Box<DatabaseUrl>),
}

impl FromStr for LedgerLocation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("sqlite:") {
            Some("") => Err("has no directory; use sqlite:DIRECTORY".to_owned()),
            Some(folder) => Ok(Self::Sqlite(PathBuf::from(folder))),
            None => text.parse().map(Box::new).map(Self::Postgres).map_err(|problem: String| {
                format!("{problem}, or sqlite:DIRECTORY for the ledger of a data directory")
            }),
        }
    }
}

impl LedgerLocation {
    /// Opens the ledger, creating it if it does not exist.
    ///
    /// # Errors
    /// Returns the reason why the ledger cannot be opened.
    pub async fn open(self) -> Result<Arc<dyn Ledger>, LedgerError> {
        match self {
            Self::Sqlite(folder) => {
                let task = tokio::task::spawn_blocking(|| SqliteLedger::open(Options::new(folder)));
                Ok(Arc::new(task.await.map_err(|_| LedgerError::Closed)??))
            }
            Self::Postgres(url) => {
                let database = PostgresOptions::new(*url);
                let options = PostgresLedgerOptions { database, max_age: None };
                Ok(Arc::new(PostgresLedger::open(options).await?))
            }
        }
    }
}

/// The result of [`copy_ledger`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyReport {
    /// The number of evaluations written.
    pub evaluations: u64,
    /// The number of evaluations that already existed.
    pub existing: u64,
    /// The number of investigations written.
    pub investigations: u64,
}

impl fmt::Display for CopyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { evaluations, existing, investigations } = self;
        write!(
            f,
            "copied and compared: {evaluations} evaluations, {existing} existing ones skipped; {investigations} \
             investigations"
        )
    }
}

/// An error from [`copy_ledger`]. Copied evaluations remain; the copy can be resumed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// One of the ledgers failed.
    #[error("{0}")]
    Ledger(#[from] LedgerError),
    /// The target has a different record with the same id.
    #[error("{0} differs in the target ledger; copy into an empty ledger")]
    Differs(String),
}

/// Copies every evaluation in recording order, with its evidence, grades and investigation. Skips
/// investigations without evaluations.
///
/// # Errors
/// Returns a [`CopyError`].
pub async fn copy_ledger(
    source: &dyn Ledger,
    target: &dyn Ledger,
) -> Result<CopyReport, CopyError> {
    let mut report = CopyReport::default();
    let mut investigations = BTreeSet::new();
    let mut request =
        PageRequest { selection: Selection::default(), cursor: Cursor::OLDEST, limit: PAGE };
    loop {
        let page = source.list(request.clone()).await?;
        for Summary { owner, investigation_id, evaluation_id, .. } in page.evaluations {
            let principal = Owner::new(&owner, true);
            let (source, target) = (&*source.for_owner(&principal), &*target.for_owner(&principal));
            if !investigation_id.is_empty()
                && investigations.insert((owner, investigation_id.clone()))
            {
                report.investigations +=
                    u64::from(copy_investigation(source, target, &investigation_id).await?);
            }
            match copy_evaluation(source, target, &evaluation_id).await? {
                true => report.evaluations += 1,
                false => report.existing += 1,
            }
        }
        let Some(next) = page.next else { return Ok(report) };
        request.cursor = next;
    }
}

/// Returns `true` if the evaluation was written.
async fn copy_evaluation(
    source: &dyn Ledger,
    target: &dyn Ledger,
    id: &str,
) -> Result<bool, CopyError> {
    // The evaluation was deleted after it was listed.
    let Some(stored) = source.read(id).await? else { return Ok(false) };
    let is_new = target.read(id).await?.is_none();
    if is_new {
        let contents = source.contents(id).await?;
        target.record(record(&stored, contents)).await?;
    }
    for grade in &stored.grades {
        target
            .grade(NewGrades {
                evaluation_id: id.to_owned(),
                grader: grade.grader.clone(),
                graded_at_micros: grade.graded_at_micros,
                grades: vec![grade.grade.clone()],
            })
            .await?;
    }
    match target.read(id).await? {
        Some(copied) if copied == stored => Ok(is_new),
        _ => Err(CopyError::Differs(format!("evaluation {id:?}"))),
    }
}

fn record(stored: &StoredEvaluation, contents: Vec<Content>) -> Record {
    let StoredEvaluation { summary, .. } = stored.clone();
    Record {
        evaluation_id: summary.evaluation_id,
        evaluated_at_micros: summary.evaluated_at_micros,
        report_id: summary.report_id,
        investigation_id: summary.investigation_id,
        policy: summary.policy,
        judge: summary.judge,
        outcome: summary.outcome,
        tier: summary.tier,
        score: summary.score,
        claims: summary.claims,
        grounded: summary.grounded,
        in_shadow: summary.in_shadow,
        fell_back: summary.fell_back,
        idempotency_key: stored.idempotency_key.clone(),
        request_digest: stored.request_digest,
        report: stored.report.clone(),
        response: stored.response.clone(),
        evidence: stored.evidence.clone(),
        contents,
        policy_toml: stored.policy_toml.as_str().into(),
        event: None,
    }
}

/// Returns `true` if the investigation was written.
async fn copy_investigation(
    source: &dyn Ledger,
    target: &dyn Ledger,
    id: &str,
) -> Result<bool, CopyError> {
    let Some(stored) = source.investigation(id).await? else { return Ok(false) };
    let existing = target.start_investigation(stored.start.clone()).await?;
    let is_new = existing.is_none();
    let existing_events = existing.map_or(0, |existing| existing.events.len());
    for (step, (request_digest, event)) in (1..).zip(&stored.events).skip(existing_events) {
        let (request_digest, event) = (*request_digest, event.clone());
        target
            .append_event(NewEvent { investigation_id: id.to_owned(), step, request_digest, event })
            .await?;
    }
    match target.investigation(id).await? {
        Some(copied) if copied == stored => Ok(is_new),
        _ => Err(CopyError::Differs(format!("investigation {id:?}"))),
    }
}
