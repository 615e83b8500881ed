//! The traits that the engines implement, and the types of their data. All methods may block.

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

/// A store of corpora by name.
pub(super) trait CorpusStore: Debug + Send + Sync {
    /// Returns a corpus; `create` creates it if it does not exist.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or an error of opening it.
    fn corpus(&self, name: &CorpusName, create: bool) -> Result<Arc<dyn Corpus>, StoreError>;

    /// Returns the summaries of corpora. Skips deleted ones, and those that cannot be opened, which are logged.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn summaries(&self, names: &[CorpusName]) -> Result<Vec<Summary>, StoreError>;

    /// The time by the clock that decides when corpora expire, in microseconds since 1970-01-01T00:00:00Z.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn now(&self) -> Result<i64, StoreError>;

    /// Returns every name, in order.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn names(&self) -> Result<Vec<CorpusName>, StoreError>;

    /// Returns the size of the contents of all corpora but one, in bytes.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn size_of_others(&self, name: &CorpusName) -> Result<u64, StoreError>;

    /// Called after this process stored something in a corpus, completely or not.
    fn size_changed(&self, _name: &CorpusName) {}

    /// Deletes a corpus, even a damaged one.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or an error of deleting it.
    fn delete(&self, name: &CorpusName) -> Result<(), StoreError>;

    /// Removes rows and files left behind.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn sweep(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// The reason why the store has no vectors, and the fix; `None` if it has.
    fn vectors_unavailable(&self) -> Option<&str> {
        None
    }
}

/// One corpus. An item is stored in batches, each durable as a whole or lost; it can be found immediately and is
/// complete only after [`Corpus::complete`].
pub(super) trait Corpus: Debug + Send + Sync {
    /// The name of the corpus.
    fn name(&self) -> &CorpusName;

    /// A number that changes with the items; no two states of any corpora have the same.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`] if it was deleted, or an error of reading it.
    fn revision(&self) -> Result<u64, StoreError>;

    /// Returns the summary.
    fn summary(&self) -> Result<Summary, StoreError>;

    /// Sets the expiry, in microseconds since 1970-01-01T00:00:00Z; `None` for never.
    fn expire(&self, at: Option<i64>) -> Result<(), StoreError>;

    /// Starts an item and returns its number in the corpus.
    fn begin(&self, head: &Head) -> Result<i64, StoreError>;

    /// Stores a batch of an item.
    fn append(&self, item: i64, batch: &Batch) -> Result<(), StoreError>;

    /// Completes an item: it replaces the one with its id, or is discarded in favour of one with the same content.
    fn complete(
        &self,
        item: i64,
        head: &Head,
        received: &Received,
    ) -> Result<StoreOutcome, StoreError>;

    /// Discards an item that will not be completed.
    fn discard(&self, item: i64) -> Result<(), StoreError>;

    /// Flushes everything stored so far to disk.
    fn make_durable(&self) -> Result<(), StoreError>;

    /// Returns every complete item with its whole content, ordered by id. A content with another digest than the stored
    /// one is an error.
    fn items(&self) -> Result<Vec<EvidenceItem>, StoreError>;

    /// Reads a part of an item; `None` if the corpus has no such item.
    fn snapshot(&self, named: &ItemRef, part: Part) -> Result<Option<Snapshot>, StoreError>;

    /// Searches passages, best first; by meaning too if `meaning` has a vector of the query with its space, or the
    /// reason why there is none.
    fn search(
        &self,
        query: &Query<'_>,
        meaning: Option<(&[f32], Result<VectorSpace, String>)>,
        filter: &Filter,
        limit: usize,
    ) -> Result<Hits, StoreError>;

    /// Returns passages by their numbers, in that order and unranked, without deleted ones.
    fn passages(&self, numbers: &[i64]) -> Result<Vec<Hit>, StoreError>;

    /// Returns the next passages after one that should have a vector but lack it, with their texts.
    ///
    /// # Errors
    /// A sentence with the fix.
    fn passages_without_vector(
        &self,
        space: &VectorSpace,
        after: i64,
    ) -> Result<Vec<(i64, String)>, String>;

    /// Adds vectors of passages.
    ///
    /// # Errors
    /// A sentence with the fix.
    fn add_vectors(&self, space: &VectorSpace, vectors: Vec<(i64, Vector)>) -> Result<(), String>;

    /// Flushes added vectors to disk.
    ///
    /// # Errors
    /// A sentence with the fix.
    fn save_vectors(&self, space: &VectorSpace) -> Result<(), String>;

    /// Records that every passage that should have a vector in a space has it.
    fn mark_embedded(&self, space: &VectorSpace) -> Result<(), StoreError>;
}

/// A space of comparable vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VectorSpace {
    /// The dimension of a vector.
    pub(super) dimension: usize,
    /// The digest of the model's files.
    pub(super) model: String,
}

/// The summary of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Its name.
    pub name: CorpusName,
    /// The number of items.
    pub items: u64,
    /// The number of passages.
    pub passages: u64,
    /// The size of the contents in bytes.
    pub size: u64,
    /// The time of creation, in microseconds since 1970-01-01T00:00:00Z.
    pub created_at: i64,
    /// The expiry, in microseconds since 1970-01-01T00:00:00Z; `None` for never.
    pub expires_at: Option<i64>,
    /// The model that embedded every passage; `None` while some lack a vector.
    pub embedded_by: Option<String>,
}

/// An item without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its id.
    pub id: EvidenceId,
    /// Its kind.
    pub kind: EvidenceKind,
    /// Its source.
    pub lane: Lane,
    /// The tool that produced it.
    pub tool: String,
    /// The query given to the tool.
    pub query: String,
    /// `true` if its content is JSON.
    pub is_json: bool,
    /// The time of collection.
    pub collected_at: Option<Timestamp>,
    /// `true` if it lists everything in its scope.
    pub exhaustive: bool,
    /// `true` if it arrived over a channel that the configuration vouches for.
    pub attested: bool,
    /// The step that produced it; may be empty.
    pub step_id: String,
    /// The specialist that ran the step; may be empty.
    pub specialist_id: String,
    /// The result of an executed check; `None` if unknown.
    pub verification_result: Option<VerificationResult>,
}

/// A passage to be stored.
#[derive(Debug)]
pub(super) struct NewPassage {
    /// Its first byte in the content.
    pub(super) start: u64,
    /// The byte after its last.
    pub(super) end: u64,
    /// Its first and last line, from 1; zeros for JSON.
    pub(super) lines: (u64, u64),
    pub(super) pointer: String,
    /// Its terms, separated by spaces.
    pub(super) words: String,
}

/// A batch of an item to be stored.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Chunks of the content, each with the offset of its first byte.
    pub(super) contents: Vec<(u64, Vec<u8>)>,
    pub(super) passages: Vec<NewPassage>,
}

/// The totals of a completely received item.
#[derive(Clone, Debug)]
pub(super) struct Received {
    /// The BLAKE3 digest of its content.
    pub(super) digest: [u8; 32],
    /// The size of its content in bytes.
    pub(super) size: u64,
    /// The number of lines.
    pub(super) lines: u64,
    /// The number of lines that differ from an earlier one only in numbers.
    pub(super) repeated_lines: u64,
    /// The number of passages.
    pub(super) passages: u64,
    pub(super) templates: Vec<Template>,
}

/// The outcome of completing an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StoreOutcome {
    /// It is stored.
    New,
    /// It was stored before with this content.
    Unchanged,
    /// Discarded: another item has the same head and content.
    SameAs(String),
}

/// Returns an item with this head and content.
pub(crate) fn item(head: Head, text: String) -> EvidenceItem {
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

/// Returns `true` if a stored item replaces another one with its content: their heads are equal, and an attested item
/// is not replaced by one that is not.
pub(super) fn stands_for(known: &Head, new: &Head) -> bool {
    known.attested >= new.attested && Head { attested: new.attested, ..known.clone() } == *new
}
