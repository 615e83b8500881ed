//! This module says what keeps corpora, whatever engine it is: what is stored, what is known of it, and what can be done
//! with it. It keeps nothing. Everything here may block.

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
use super::snapshot::{Named, Part, Snapshot};

/// Corpora by name.
pub(super) trait CorpusStore: Debug + Send + Sync {
    /// The corpus of that name; `make` has it made where there is none.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or that it cannot be opened.
    fn corpus(&self, name: &CorpusName, make: bool) -> Result<Arc<dyn Corpus>, StoreError>;

    /// What is known of corpora. One that is gone is left out, and one that cannot be opened, which is logged.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn summaries(&self, names: &[CorpusName]) -> Result<Vec<Summary>, StoreError>;

    /// Microseconds since the epoch by the clock that decides when corpora expire.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn now(&self) -> Result<i64, StoreError>;

    /// Every name, in order.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn names(&self) -> Result<Vec<CorpusName>, StoreError>;

    /// The bytes of contents in all corpora but one.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn size_of_others(&self, name: &CorpusName) -> Result<u64, StoreError>;

    /// Something was stored in a corpus by this process, completely or not.
    fn was_stored_in(&self, _name: &CorpusName) {}

    /// Deletes a corpus, a damaged one as well.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`], or that it cannot be deleted.
    fn delete(&self, name: &CorpusName) -> Result<(), StoreError>;

    /// Takes away what was left behind, where the store does not do that by itself.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn sweep(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Why it keeps no vectors, and the fix; `None` where it does.
    fn without_vectors(&self) -> Option<&str> {
        None
    }
}

/// One corpus. An item is stored in batches, each durable as a whole or lost; it can be found at once and is complete
/// only with [`Corpus::complete`].
pub(super) trait Corpus: Debug + Send + Sync {
    /// The name of the corpus.
    fn name(&self) -> &CorpusName;

    /// A number that is another one after every change of its items; no two states of any corpus have the same.
    ///
    /// # Errors
    /// [`StoreError::UnknownCorpus`] where it was deleted, or that it cannot be read.
    fn revision(&self) -> Result<u64, StoreError>;

    /// What is known of it.
    fn summary(&self) -> Result<Summary, StoreError>;

    /// Sets when it expires, in microseconds since the epoch; `None` for never.
    fn expire(&self, at: Option<i64>) -> Result<(), StoreError>;

    /// Begins an item and returns its number in the corpus.
    fn begin(&self, head: &Head) -> Result<i64, StoreError>;

    /// Stores a part of an item.
    fn append(&self, item: i64, batch: &Batch) -> Result<(), StoreError>;

    /// Completes an item: it takes the place of the one with its id, or gives way to one that says the same.
    fn complete(&self, item: i64, head: &Head, received: &Received) -> Result<Kept, StoreError>;

    /// Takes away an item that will not be completed.
    fn give_up(&self, item: i64) -> Result<(), StoreError>;

    /// Puts everything that was stored so far on disk.
    fn make_durable(&self) -> Result<(), StoreError>;

    /// Every complete item with its whole content, by id. A content that is not what was stored is damage.
    fn items(&self) -> Result<Vec<EvidenceItem>, StoreError>;

    /// A part of an item; `None` where the corpus has no such item.
    fn snapshot(&self, named: &Named, part: Part) -> Result<Option<Snapshot>, StoreError>;

    /// The passages that bear on a query, the best first; by meaning as well where there is a vector of the query and
    /// the space that it is in, or the reason why there is none.
    fn search(
        &self,
        query: &Query<'_>,
        meaning: Option<(&[f32], Result<VectorSpace, String>)>,
        filter: &Filter,
        most: usize,
    ) -> Result<Hits, StoreError>;

    /// Passages by their numbers, in that order, not ranked; without those that were deleted.
    fn passages(&self, numbers: &[i64]) -> Result<Vec<Hit>, StoreError>;

    /// The next passages behind one that should have a vector and have none, with what they say.
    ///
    /// # Errors
    /// A sentence with the fix.
    fn without_vector(&self, space: &VectorSpace, after: i64)
    -> Result<Vec<(i64, String)>, String>;

    /// Gives passages their vectors.
    ///
    /// # Errors
    /// A sentence with the fix.
    fn add_vectors(&self, space: &VectorSpace, vectors: Vec<(i64, Vector)>) -> Result<(), String>;

    /// Puts the vectors that were added on disk.
    ///
    /// # Errors
    /// A sentence with the fix.
    fn save_vectors(&self, space: &VectorSpace) -> Result<(), String>;

    /// Notes that every passage that should have a vector in a space has it.
    fn mark_embedded(&self, space: &VectorSpace) -> Result<(), StoreError>;
}

/// The vectors that may be compared with one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VectorSpace {
    /// How many numbers a vector has.
    pub(super) dimension: usize,
    /// The digest of the model's files.
    pub(super) model: String,
}

/// What is known of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Its name.
    pub name: CorpusName,
    /// How many items it has.
    pub items: u64,
    /// How many passages they have.
    pub passages: u64,
    /// The bytes of the contents of all items.
    pub size: u64,
    /// When it was made, in microseconds since the epoch.
    pub created_at: i64,
    /// When it may be deleted, in microseconds since the epoch; `None` for never.
    pub expires_at: Option<i64>,
    /// The model whose vectors every passage has that should; `None` where some are missing.
    pub embedded_by: Option<String>,
}

/// What an item is, apart from its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its id.
    pub id: EvidenceId,
    /// What it is.
    pub kind: EvidenceKind,
    /// Where it comes from.
    pub lane: Lane,
    /// The tool that produced it.
    pub tool: String,
    /// What was searched for.
    pub query: String,
    /// Whether its content is JSON.
    pub is_json: bool,
    /// When it was collected.
    pub collected_at: Option<Timestamp>,
    /// Whether it lists everything in its scope.
    pub exhaustive: bool,
    /// Whether it came over a channel that the configuration vouches for.
    pub attested: bool,
    /// The step that produced it; may be empty.
    pub step_id: String,
    /// The specialist that ran the step; may be empty.
    pub specialist_id: String,
    /// How an executed check ended; `None` where it is not known.
    pub verification_result: Option<VerificationResult>,
}

/// A passage to be stored.
#[derive(Debug)]
pub(super) struct NewPassage {
    /// Its first byte in the content.
    pub(super) start: u64,
    /// The byte behind its last.
    pub(super) end: u64,
    /// Its first and last line, from 1; zeros for JSON.
    pub(super) lines: (u64, u64),
    pub(super) pointer: String,
    /// Its terms, parted by spaces.
    pub(super) words: String,
}

/// A part of an item to be stored.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Stretches of the content, each with the offset of its first byte.
    pub(super) contents: Vec<(u64, Vec<u8>)>,
    pub(super) passages: Vec<NewPassage>,
}

/// What an item came to when it was complete.
#[derive(Clone, Debug)]
pub(super) struct Received {
    /// The BLAKE3 of its content.
    pub(super) digest: [u8; 32],
    /// The bytes of its content.
    pub(super) size: u64,
    /// How many lines it has.
    pub(super) lines: u64,
    /// How many lines repeat, with other figures, a line before them.
    pub(super) repeated_lines: u64,
    /// How many passages it has.
    pub(super) passages: u64,
    pub(super) templates: Vec<Template>,
}

/// What became of a complete item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// It is stored.
    New,
    /// It was there already, with this content.
    Unchanged,
    /// Another item with the same head and content stands for it.
    SameAs(String),
}

/// An item of evidence with that content.
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

/// Whether an item that is there makes another one with its content superfluous: everything agrees, and what is
/// attested is not replaced by what is not.
pub(super) fn stands_for(known: &Head, new: &Head) -> bool {
    known.attested >= new.attested && Head { attested: new.attested, ..known.clone() } == *new
}
