//! This module copies a ledger into another one, whatever keeps them, and compares both. What is there already is passed
//! over, so that a copy that was broken off goes on where it ended.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use super::content::Content;
use super::error::LedgerError;
use super::grades::NewGrades;
use super::investigations::NewEvent;
use super::postgres::{PostgresLedger, PostgresLedgerOptions};
use super::record::{Record, StoredEvaluation, Summary};
use super::selection::{Cursor, PageRequest, Selection};
use super::sqlite::{Options, SqliteLedger};
use super::store::Ledger;
use crate::owner::Owner;
use crate::storage::postgres::{DatabaseUrl, PostgresOptions};

/// Evaluations listed at once.
const PAGE: usize = 1_000;

/// Where a ledger is: `sqlite:DIRECTORY` or `postgres://user@host/database`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerPlace {
    /// A data directory.
    Sqlite(PathBuf),
    /// A database.
    Postgres(Box<DatabaseUrl>),
}

impl FromStr for LedgerPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("sqlite:") {
            Some("") => Err("names no directory; give sqlite:DIRECTORY".to_owned()),
            Some(folder) => Ok(Self::Sqlite(PathBuf::from(folder))),
            None => text.parse().map(Box::new).map(Self::Postgres).map_err(|wrong: String| {
                format!("{wrong}, or sqlite:DIRECTORY for the ledger of a data directory")
            }),
        }
    }
}

impl LedgerPlace {
    /// Opens the ledger, in the schema of this version.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub async fn open(self) -> Result<Arc<dyn Ledger>, LedgerError> {
        match self {
            Self::Sqlite(folder) => {
                let opened =
                    tokio::task::spawn_blocking(|| SqliteLedger::open(Options::new(folder)));
                Ok(Arc::new(opened.await.map_err(|_| LedgerError::Closed)??))
            }
            Self::Postgres(url) => {
                let database = PostgresOptions::new(*url);
                let options = PostgresLedgerOptions { database, max_age: None };
                Ok(Arc::new(PostgresLedger::open(options).await?))
            }
        }
    }
}

/// What a copy came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Evaluations that were written.
    pub evaluations: u64,
    /// Those that were there already.
    pub there_already: u64,
    /// Investigations that were written.
    pub investigations: u64,
}

impl fmt::Display for Copied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { evaluations, there_already, investigations } = self;
        write!(
            f,
            "copied and compared: {evaluations} evaluations, {there_already} more were there already; {investigations} \
             investigations"
        )
    }
}

/// Why a copy ended early. What was copied stays; it can be started again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// One of the ledgers failed.
    #[error("{0}")]
    Ledger(#[from] LedgerError),
    /// Something else has the same id.
    #[error("{0} is in the other ledger and differs; copy into an empty one")]
    Differs(String),
}

/// Copies every evaluation in the order of recording, with its evidence, grades and investigation. Investigations of which
/// nothing was evaluated are not copied.
///
/// # Errors
/// [`CopyError`].
pub async fn copy_ledger(from: &dyn Ledger, to: &dyn Ledger) -> Result<Copied, CopyError> {
    let mut copied = Copied::default();
    let mut investigations = BTreeSet::new();
    let mut request =
        PageRequest { selection: Selection::default(), cursor: Cursor::OLDEST, limit: PAGE };
    loop {
        let page = from.list(request.clone()).await?;
        for Summary { owner, investigation_id, evaluation_id, .. } in page.evaluations {
            let kept_for = Owner::new(&owner, true);
            let (from, to) = (&*from.of(&kept_for), &*to.of(&kept_for));
            if !investigation_id.is_empty()
                && investigations.insert((owner, investigation_id.clone()))
            {
                copied.investigations +=
                    u64::from(copy_investigation(from, to, &investigation_id).await?);
            }
            match copy_evaluation(from, to, &evaluation_id).await? {
                true => copied.evaluations += 1,
                false => copied.there_already += 1,
            }
        }
        let Some(next) = page.next else { return Ok(copied) };
        request.cursor = next;
    }
}

/// Whether it was written now.
async fn copy_evaluation(from: &dyn Ledger, to: &dyn Ledger, id: &str) -> Result<bool, CopyError> {
    // It may have been deleted meanwhile.
    let Some(stored) = from.read(id).await? else { return Ok(false) };
    let is_new = to.read(id).await?.is_none();
    if is_new {
        let contents = from.contents(id).await?;
        to.record(record(&stored, contents)).await?;
    }
    for grade in &stored.grades {
        to.grade(NewGrades {
            evaluation_id: id.to_owned(),
            grader: grade.grader.clone(),
            graded_at_micros: grade.graded_at_micros,
            grades: vec![grade.grade.clone()],
        })
        .await?;
    }
    match to.read(id).await? {
        Some(read) if read == stored => Ok(is_new),
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

/// Whether it was written now.
async fn copy_investigation(
    from: &dyn Ledger,
    to: &dyn Ledger,
    id: &str,
) -> Result<bool, CopyError> {
    let Some(stored) = from.investigation(id).await? else { return Ok(false) };
    let there = to.start_investigation(stored.start.clone()).await?;
    let is_new = there.is_none();
    let known = there.map_or(0, |there| there.events.len());
    for (step, (request_digest, event)) in (1..).zip(&stored.events).skip(known) {
        let (request_digest, event) = (*request_digest, event.clone());
        to.append_event(NewEvent { investigation_id: id.to_owned(), step, request_digest, event })
            .await?;
    }
    match to.investigation(id).await? {
        Some(read) if read == stored => Ok(is_new),
        _ => Err(CopyError::Differs(format!("investigation {id:?}"))),
    }
}
