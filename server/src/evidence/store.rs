//! The traits that the engines implement, and their data types. All methods may block.

use std::fmt::Debug;
use std::sync::Arc;

use gsar_core::evidence::{
    Content, EvidenceId, EvidenceItem, EvidenceKind, Lane, VerificationResult,
};
use gsar_core::time::Timestamp;
use gsar_embedding::Vector;
use gsar_retrieval::templates::Template;

use super::error::StoreError;
use super::name::CorpusName;
use super::search::{Filter, Hit, Hits, Query};
use super::snapshot::{ItemRef, Part, Snapshot};

/// A store of named corpora.
pub(super) trait CorpusStore: Debug + Send + Sync {
    /// Returns a corpus. Creates it if it does not exist and `create` is set.
    fn corpus(&self, name: &CorpusName, create: bool) -> Result<Arc<dyn Corpus>, StoreError>;

    /// Returns the summaries of corpora. Skips deleted corpora. Logs and skips corpora that cannot be
    /// opened.
    fn summaries(&self, names: &[CorpusName]) -> Result<Vec<Summary>, StoreError>;

    /// Returns the time that decides when corpora expire, in microseconds since 1970-01-01T00:00:00Z.
    fn now(&self) -> Result<i64, StoreError>;

    fn names(&self) -> Result<Vec<CorpusName>, StoreError>;

    /// Returns the total size of the other corpora's contents, in bytes.
    fn size_of_others(&self, name: &CorpusName) -> Result<u64, StoreError>;

    /// Called after this process changed the contents of a corpus.
    fn update_size(&self, _name: &CorpusName) {}

    fn delete(&self, name: &CorpusName) -> Result<(), StoreError>;

    fn sweep(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Returns the reason why the store does not support vectors, with the fix, or `None` if it supports
    /// them.
    fn vectors_unavailable(&self) -> Option<&str> {
        None
    }
}

/// One corpus. An item is stored in atomic, durable batches. Searches find the passages of a batch
/// immediately. The item is complete after [`Corpus::complete`].
pub(super) trait Corpus: Debug + Send + Sync {
    fn name(&self) -> &CorpusName;

    /// Returns a number that changes with the items. No two states, even of different corpora, have the same
    /// number.
    fn revision(&self) -> Result<u64, StoreError>;

    fn summary(&self) -> Result<Summary, StoreError>;

    /// Sets the expiry in microseconds since 1970-01-01T00:00:00Z; `None` means never.
    fn expire(&self, expires_at: Option<i64>) -> Result<(), StoreError>;

    /// Starts an item and returns its number in the corpus.
    fn begin(&self, head: &Head) -> Result<i64, StoreError>;

    fn append(&self, item: i64, batch: &Batch) -> Result<(), StoreError>;

    /// Completes an item. It replaces a stored item with the same id, or is discarded if another item has
    /// the same content.
    fn complete(
        &self,
        item: i64,
        head: &Head,
        totals: &ItemTotals,
    ) -> Result<StoreOutcome, StoreError>;

    fn discard(&self, item: i64) -> Result<(), StoreError>;

    /// Flushes everything stored so far to disk.
    fn make_durable(&self) -> Result<(), StoreError>;

    /// Returns all complete items with their contents, ordered by id. Fails if a content does not match its digest.
    fn items(&self) -> Result<Vec<EvidenceItem>, StoreError>;

    /// Reads part of an item. Returns `None` if the corpus has no such item.
    fn snapshot(&self, item: &ItemRef, part: Part) -> Result<Option<Snapshot>, StoreError>;

    /// Searches passages and returns the best first. `meaning` is the query's vector with its space, or
    /// with the reason why there is no space.
    fn search(
        &self,
        query: &Query<'_>,
        meaning: Option<(&[f32], Result<VectorSpace, String>)>,
        filter: &Filter,
        limit: usize,
    ) -> Result<Hits, StoreError>;

    /// Returns passages by number, in the given order and without ranks. Skips deleted passages.
    fn passages(&self, numbers: &[i64]) -> Result<Vec<Hit>, StoreError>;

    /// Returns the passages, after the given number, that should have a vector but lack one, with their
    /// texts.
    fn passages_without_vector(
        &self,
        space: &VectorSpace,
        after_number: i64,
    ) -> Result<Vec<(i64, String)>, String>;

    fn add_vectors(&self, space: &VectorSpace, vectors: Vec<(i64, Vector)>) -> Result<(), String>;

    fn save_vectors(&self, space: &VectorSpace) -> Result<(), String>;

    /// Records that all passages that should have a vector have one.
    fn mark_embedded(&self, space: &VectorSpace) -> Result<(), StoreError>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VectorSpace {
    pub(super) dimension: usize,
    pub(super) model: String,
}

/// The summary of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The name.
    pub name: CorpusName,
    /// The number of items.
    pub items: u64,
    /// The number of passages.
    pub passages: u64,
    /// The size of its contents in bytes.
    pub size: u64,
    /// The time of creation, in microseconds since 1970-01-01T00:00:00Z.
    pub created_at: i64,
    /// The expiry, in microseconds since 1970-01-01T00:00:00Z, or `None` if it never expires.
    pub expires_at: Option<i64>,
    /// The model that embedded every passage, or `None` while some lack a vector.
    pub embedded_by: Option<String>,
}

/// The metadata of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The id.
    pub id: EvidenceId,
    /// The kind.
    pub kind: EvidenceKind,
    /// The lane.
    pub lane: Lane,
    /// The tool that produced it.
    pub tool: String,
    /// The query given to the tool.
    pub query: String,
    /// `true` if the content is JSON.
    pub is_json: bool,
    /// The collection time.
    pub collected_at: Option<Timestamp>,
    /// `true` if the item lists everything in its scope.
    pub exhaustive: bool,
    /// `true` if it arrived over a channel that the configuration trusts.
    pub attested: bool,
    /// The step that produced the item; may be empty.
    pub step_id: String,
    /// The specialist that ran the step; may be empty.
    pub specialist_id: String,
    /// The result of an executed check, if known.
    pub verification_result: Option<VerificationResult>,
}

impl Head {
    /// Returns the stored name of the check result; empty if unknown.
    pub(super) fn result_name(&self) -> &'static str {
        self.verification_result.map_or("", VerificationResult::name)
    }
}

/// Parses the stored names in an item's metadata. Fails with the reason if one is invalid.
pub(super) fn parse_names(
    id: String,
    kind: &str,
    lane: &str,
    result: &str,
) -> Result<(EvidenceId, EvidenceKind, Lane, Option<VerificationResult>), &'static str> {
    Ok((
        EvidenceId::new(id).map_err(|_| "an item without an id")?,
        EvidenceKind::from_name(kind).ok_or("an unknown kind")?,
        Lane::from_name(lane).ok_or("an unknown lane")?,
        match result {
            "" => None,
            name => Some(VerificationResult::from_name(name).ok_or("an unknown check result")?),
        },
    ))
}

/// Converts a number to the signed integers that databases store.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Reverses [`signed`].
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

#[derive(Debug)]
pub(super) struct NewPassage {
    pub(super) start: u64,
    /// Exclusive.
    pub(super) end: u64,
    /// The first and the last line, from 1; zeros for JSON.
    pub(super) lines: (u64, u64),
    pub(super) pointer: String,
    /// The terms, separated by spaces.
    pub(super) words: String,
}

#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Chunks of content with their byte offsets.
    pub(super) contents: Vec<(u64, Vec<u8>)>,
    pub(super) passages: Vec<NewPassage>,
}

#[derive(Clone, Debug)]
pub(super) struct ItemTotals {
    /// The BLAKE3 digest of the content.
    pub(super) digest: [u8; 32],
    pub(super) size: u64,
    pub(super) lines: u64,
    /// The number of lines that differ from an earlier line only in numbers.
    pub(super) repeated_lines: u64,
    pub(super) passages: u64,
    pub(super) templates: Vec<Template>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StoreOutcome {
    /// The item was stored.
    New,
    /// The item was already stored with this content.
    Unchanged,
    /// The item was discarded because another item has equivalent metadata and the same content.
    SameAs(String),
}

pub(crate) fn build_item(head: Head, text: String) -> EvidenceItem {
    EvidenceItem {
        id: head.id,
        kind: head.kind,
        lane: head.lane,
        tool: head.tool,
        query: head.query,
        content: if head.is_json { Content::Json(text) } else { Content::Text(text) },
        collected_at: head.collected_at,
        exhaustive: head.exhaustive,
        attested: head.attested,
        step_id: head.step_id,
        specialist_id: head.specialist_id,
        verification_result: head.verification_result,
    }
}

/// Returns `true` if a stored item with the same content makes a new one redundant: their metadata are
/// equal, except that the stored item may be attested even if the new one is not.
pub(super) fn supersedes(stored: &Head, new: &Head) -> bool {
    stored.attested >= new.attested && Head { attested: new.attested, ..stored.clone() } == *new
}
