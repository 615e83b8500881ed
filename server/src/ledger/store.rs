//! The trait that both ledgers implement.
//!
//! Evaluations and investigations are one trait because one transaction writes both: a judged report and the step of
//! its investigation are durable together or not at all.

use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;

use async_trait::async_trait;

use super::content::Content;
use super::error::LedgerError;
use super::grades::NewGrades;
use super::health::Health;
use super::investigations::{InvestigationStart, NewEvent, StoredInvestigation};
use super::record::{Record, Recorded, StoredEvaluation, Summary};
use super::selection::{Count, Entry, Page, PageRequest, Reports, Selection};
use crate::owner::Owner;

/// Records evaluations and the investigations they belong to.
#[async_trait]
pub trait Ledger: fmt::Debug + Send + Sync {
    /// Returns this ledger for an owner: it records on the owner's behalf and finds what the owner may see. Each owner
    /// has its own names of investigations and idempotency keys.
    fn of(&self, owner: &Owner) -> Arc<dyn Ledger>;

    /// Records an evaluation; returns when it is as durable as the options promise.
    ///
    /// A record whose idempotency key is known with the same request digest is not written again: the answer is the
    /// response recorded first. Of concurrent records with one key, exactly one is new.
    ///
    /// Cancellation: when the caller stops waiting, the record may still be written.
    ///
    /// # Errors
    /// [`LedgerError::KeyReused`], [`LedgerError::DuplicateId`], [`LedgerError::StepTaken`] and
    /// [`LedgerError::TooLarge`] concern this record. [`LedgerError::Busy`], [`LedgerError::Unavailable`],
    /// [`LedgerError::Corrupt`] and [`LedgerError::Closed`] concern the ledger; the record was not acknowledged then.
    async fn record(&self, record: Record) -> Result<Recorded, LedgerError>;

    /// Returns the encoded `gsar.v1.EvaluateResponse` recorded under `key`; `None` if the key is new. A key is
    /// forgotten when its evaluation is deleted.
    ///
    /// # Errors
    /// [`LedgerError::KeyReused`] if the key was recorded with another digest; otherwise [`LedgerError::Unavailable`],
    /// [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn find_by_key(
        &self,
        key: &str,
        request_digest: [u8; 32],
    ) -> Result<Option<Vec<u8>>, LedgerError>;

    /// Reads one page of evaluations without documents. Evaluations recorded meanwhile do not change the pages after the
    /// first of a newest-first list, and appear at the end of an oldest-first list.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn list(&self, request: PageRequest) -> Result<Page<Summary>, LedgerError>;

    /// Reads one page of evaluations with their documents. A page ends early after a few megabytes of documents.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn entries(
        &self,
        request: PageRequest,
        reports: Reports,
    ) -> Result<Page<Entry>, LedgerError>;

    /// Counts evaluations by interval and decision. Intervals begin at multiples of `interval_micros`; `None` is a single
    /// interval. Returns the earliest interval first, and one count more than [`MAX_COUNTS`](super::MAX_COUNTS) if there
    /// are more.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn counts(
        &self,
        selection: Selection,
        interval_micros: Option<NonZeroU64>,
    ) -> Result<Vec<Count>, LedgerError>;

    /// Returns one evaluation in full; `None` if the id is unknown.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn read(&self, evaluation_id: &str) -> Result<Option<StoredEvaluation>, LedgerError>;

    /// Returns the content of an evidence item of an evaluation, by its BLAKE3 digest; `None` if it was not stored in
    /// full.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn content(
        &self,
        evaluation_id: &str,
        digest: [u8; 32],
    ) -> Result<Option<String>, LedgerError>;

    /// Returns every content stored in full of the evidence of an evaluation, ordered by digest.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn contents(&self, evaluation_id: &str) -> Result<Vec<Content>, LedgerError>;

    /// Deletes an evaluation and what only it refers to, after everything recorded before. Returns `true` if it
    /// existed.
    ///
    /// # Errors
    /// [`LedgerError::Busy`], [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn delete(&self, evaluation_id: &str) -> Result<bool, LedgerError>;

    /// Stores grades of an evaluation, all or none, durably. Each replaces the earlier grade of its grader on its
    /// subject. Returns `true` if the evaluation exists.
    ///
    /// # Errors
    /// [`LedgerError::Busy`], [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn grade(&self, grades: NewGrades) -> Result<bool, LedgerError>;

    /// Starts an investigation, or returns the existing one with this id.
    ///
    /// # Errors
    /// [`LedgerError::Busy`], [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn start_investigation(
        &self,
        start: InvestigationStart,
    ) -> Result<Option<StoredInvestigation>, LedgerError>;

    /// Appends an event to an investigation, durably.
    ///
    /// # Errors
    /// [`LedgerError::StepTaken`] if the step does not follow the last one; otherwise [`LedgerError::Busy`],
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn append_event(&self, event: NewEvent) -> Result<(), LedgerError>;

    /// Returns an investigation with all its events; `None` if the id is unknown.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn investigation(
        &self,
        investigation_id: &str,
    ) -> Result<Option<StoredInvestigation>, LedgerError>;

    /// Returns whether the ledger can record.
    #[must_use]
    fn health(&self) -> Health;
    /// Writes and answers what is queued, then closes the database; every handle returns [`LedgerError::Closed`] from
    /// then on. Blocks until then.
    fn close(&self);
}
