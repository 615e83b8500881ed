//! This module says what a ledger does, whatever keeps it. It keeps nothing.
//!
//! Evaluations and investigations are one trait because one transaction writes both: a report that was judged and the
//! step of its investigation are durable together or not at all.

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
use super::selection::{Count, Entry, Page, PageRequest, Selection};
use crate::owner::Owner;

/// A record of evaluations and of the investigations they belong to.
#[async_trait]
pub trait Ledger: fmt::Debug + Send + Sync {
    /// The same ledger for an owner: what is recorded is its own, and it finds what it sees. Ids of investigations and
    /// idempotency keys are names that each owner gives by itself.
    fn of(&self, owner: &Owner) -> Arc<dyn Ledger>;

    /// Records an evaluation; returns when it is durable as the options promise.
    ///
    /// A record whose idempotency key is known with the same request digest is not written again: the
    /// answer is the response recorded first. Of any number of such records at once exactly one is new.
    ///
    /// Cancellation: when the caller stops waiting, the record may still be written.
    ///
    /// # Errors
    /// [`LedgerError::KeyReused`], [`LedgerError::DuplicateId`], [`LedgerError::StepTaken`] and
    /// [`LedgerError::TooLarge`] concern this record. [`LedgerError::Busy`], [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] and
    /// [`LedgerError::Closed`] concern the ledger; the record was not acknowledged then.
    async fn record(&self, record: Record) -> Result<Recorded, LedgerError>;

    /// The encoded `gsar.v1.EvaluateResponse` recorded under `key`; `None` when the key is new. A key is
    /// known as long as its evaluation is kept.
    ///
    /// # Errors
    /// [`LedgerError::KeyReused`] when the key was recorded with another digest, else
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
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
    async fn entries(&self, request: PageRequest) -> Result<Page<Entry>, LedgerError>;

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

    /// One evaluation in full; `None` when there is none of that id.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn read(&self, evaluation_id: &str) -> Result<Option<StoredEvaluation>, LedgerError>;

    /// The content of an evidence item of an evaluation, by its BLAKE3; `None` where it is not kept whole.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn content(
        &self,
        evaluation_id: &str,
        digest: [u8; 32],
    ) -> Result<Option<String>, LedgerError>;

    /// Every content that is kept whole of the evidence of an evaluation, in the order of their digests.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn contents(&self, evaluation_id: &str) -> Result<Vec<Content>, LedgerError>;

    /// Deletes an evaluation with what only it refers to, after all that was recorded before; whether there was one.
    ///
    /// # Errors
    /// [`LedgerError::Busy`], [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or
    /// [`LedgerError::Closed`].
    async fn delete(&self, evaluation_id: &str) -> Result<bool, LedgerError>;

    /// Keeps grades of an evaluation, all or none, durable when it returns; whether there is such an evaluation. Each
    /// replaces the earlier one of its grader on its subject.
    ///
    /// # Errors
    /// [`LedgerError::Busy`], [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or
    /// [`LedgerError::Closed`].
    async fn grade(&self, grades: NewGrades) -> Result<bool, LedgerError>;

    /// Begins an investigation; the one that has the id already, where there is one.
    ///
    /// # Errors
    /// [`LedgerError::Busy`], [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or
    /// [`LedgerError::Closed`].
    async fn start_investigation(
        &self,
        start: InvestigationStart,
    ) -> Result<Option<StoredInvestigation>, LedgerError>;

    /// Appends an event to an investigation; durable when it returns.
    ///
    /// # Errors
    /// [`LedgerError::StepTaken`] where the step does not follow the last, else [`LedgerError::Busy`],
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn append_event(&self, event: NewEvent) -> Result<(), LedgerError>;

    /// An investigation with everything that happened to it; `None` when there is none of that id.
    ///
    /// # Errors
    /// [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`].
    async fn investigation(
        &self,
        investigation_id: &str,
    ) -> Result<Option<StoredInvestigation>, LedgerError>;

    /// Whether the ledger takes records.
    #[must_use]
    fn health(&self) -> Health;
    /// Writes what waits, answers it, and closes the database; every handle answers
    /// [`LedgerError::Closed`] from then on. Blocks for the time of that writing.
    fn close(&self);
}
