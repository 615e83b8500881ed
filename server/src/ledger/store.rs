//! The trait that both ledgers implement.

use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;

use async_trait::async_trait;

use super::error::LedgerError;
use super::evidence_content::Content;
use super::grades::NewGrades;
use super::health::Health;
use super::investigations::{InvestigationStart, NewEvent, StoredInvestigation};
use super::record::{Record, Recorded, StoredEvaluation, Summary};
use super::selection::{Count, Entry, Page, PageRequest, Reports, Selection};
use crate::data_owner::Owner;

/// Records evaluations and investigations. One trait covers both, because one transaction writes a judged
/// report and the step of its investigation.
///
/// Methods return [`LedgerError::Unavailable`], [`LedgerError::Corrupt`] or [`LedgerError::Closed`] if the ledger
/// fails. Methods that write also return [`LedgerError::Busy`].
#[async_trait]
pub trait Ledger: fmt::Debug + Send + Sync {
    /// Returns a view of this ledger for an owner, with the owner's own namespace of investigations and idempotency
    /// keys.
    fn for_owner(&self, owner: &Owner) -> Arc<dyn Ledger>;

    /// Records an evaluation durably. If the caller stops waiting, the record may still be written.
    ///
    /// If the idempotency key is already recorded with the same request digest, returns the recorded
    /// response and writes nothing. If several records with the same key are written concurrently, exactly
    /// one of them is new.
    ///
    /// # Errors
    /// Returns [`LedgerError::KeyReused`], [`LedgerError::DuplicateId`], [`LedgerError::StepTaken`] or
    /// [`LedgerError::TooLarge`].
    async fn record(&self, record: Record) -> Result<Recorded, LedgerError>;

    /// Returns the encoded `gsar.v1.EvaluateResponse` recorded under `key`, if any. Deleting an evaluation
    /// frees its key.
    ///
    /// # Errors
    /// Returns [`LedgerError::KeyReused`] if the key was recorded with another digest.
    async fn find_by_key(
        &self,
        key: &str,
        request_digest: [u8; 32],
    ) -> Result<Option<Vec<u8>>, LedgerError>;

    /// Lists one page of evaluations. New evaluations never appear on later pages of a newest-first list.
    async fn list(&self, request: PageRequest) -> Result<Page<Summary>, LedgerError>;

    /// Reads one page of evaluations with documents. A page ends after a few megabytes of documents.
    async fn entries(
        &self,
        request: PageRequest,
        reports: Reports,
    ) -> Result<Page<Entry>, LedgerError>;

    /// Counts evaluations by interval and decision, earliest interval first. Intervals begin at multiples
    /// of `interval_micros`; `None` means a single interval. If there are more than
    /// [`MAX_COUNTS`](super::MAX_COUNTS) counts, returns one more than that.
    async fn counts(
        &self,
        selection: Selection,
        interval_micros: Option<NonZeroU64>,
    ) -> Result<Vec<Count>, LedgerError>;

    /// Reads an evaluation with all its documents. Returns `None` if the id is unknown.
    async fn read(&self, evaluation_id: &str) -> Result<Option<StoredEvaluation>, LedgerError>;

    /// Returns the content of an evidence item by its BLAKE3 digest, or `None` if it was not stored in
    /// full.
    async fn content(
        &self,
        evaluation_id: &str,
        digest: [u8; 32],
    ) -> Result<Option<String>, LedgerError>;

    /// Returns all evidence contents of an evaluation that were stored in full, ordered by digest.
    async fn contents(&self, evaluation_id: &str) -> Result<Vec<Content>, LedgerError>;

    /// Deletes an evaluation and everything that only it refers to. Runs after all earlier records. Returns
    /// `true` if it existed.
    async fn delete(&self, evaluation_id: &str) -> Result<bool, LedgerError>;

    /// Stores grades for an evaluation durably and atomically. Each grade replaces an earlier grade by the
    /// same person for the same subject. Returns `true` if the evaluation exists.
    async fn grade(&self, grades: NewGrades) -> Result<bool, LedgerError>;

    /// Starts an investigation, or returns the existing one with this id.
    async fn start_investigation(
        &self,
        start: InvestigationStart,
    ) -> Result<Option<StoredInvestigation>, LedgerError>;

    /// Appends an event to an investigation durably.
    ///
    /// # Errors
    /// Returns [`LedgerError::StepTaken`] if the step does not directly follow the last one.
    async fn append_event(&self, event: NewEvent) -> Result<(), LedgerError>;

    /// Returns an investigation with its events, or `None` if the id is unknown.
    async fn investigation(
        &self,
        investigation_id: &str,
    ) -> Result<Option<StoredInvestigation>, LedgerError>;

    /// Returns the starts of the owner's latest investigations, the latest first, among the last thousand
    /// investigations of all owners. Skips starts larger than `max_bytes`.
    async fn recent_investigations(
        &self,
        limit: u32,
        max_bytes: u32,
    ) -> Result<Vec<InvestigationStart>, LedgerError>;

    /// Returns the health of the ledger.
    #[must_use]
    fn health(&self) -> Health;
    /// Processes queued records and closes the database. Blocks. Afterwards, every handle returns
    /// [`LedgerError::Closed`].
    fn close(&self);
}
