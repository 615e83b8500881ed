//! Receives items. Splits each item into passages as it arrives, and stores the passages in batches, so
//! that memory use does not depend on the item's size.

use std::time::Instant;

use gsar_core::evidence::{Content, EvidenceItem};
use gsar_retrieval::lines::{Blocks, Passage};
use gsar_retrieval::records::records;
use gsar_retrieval::templates::Templates;
use gsar_retrieval::terms::terms;
use std::sync::Arc;

use super::error::StoreError;
use super::store::{Batch, Corpus, Head, ItemTotals, NewPassage, StoreOutcome};

const BATCH_PASSAGES: usize = 512;
/// The maximum size of the contents in a batch, in bytes.
const BATCH_BYTES: usize = 1 << 20;
/// The size in bytes of a chunk of content, which is the smallest unit that is read.
const CHUNK_BYTES: usize = 64 << 10;
/// The maximum number of terms from the tool and query that are added to each passage.
const MAX_TOOL_TERMS: usize = 32;

/// A stored item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredItem {
    /// The id.
    pub id: String,
    /// The BLAKE3 digest of the content.
    pub digest: [u8; 32],
    /// The size of the content in bytes.
    pub size: u64,
    /// The number of passages.
    pub passages: u64,
    /// The number of lines.
    pub lines: u64,
    /// The number of lines that differ from an earlier line only in numbers.
    pub repeated_lines: u64,
    /// The id of a stored item with the same content, which is used in place of this item.
    pub same_as: Option<String>,
    /// `true` if the item was already stored.
    pub unchanged: bool,
}

/// Receives one item. Dropping it before [`Receiver::finish`] discards the item.
#[derive(Debug)]
pub(super) struct Receiver {
    corpus: Arc<dyn Corpus>,
    head: Head,
    /// The number of the item in the corpus, or `None` once the item is complete.
    number: Option<i64>,
    tool_terms: String,
    hasher: blake3::Hasher,
    size: u64,
    blocks: Blocks,
    templates: Templates,
    /// The incomplete last line.
    line: String,
    /// The bytes of an incomplete last character.
    partial: Vec<u8>,
    chunk: Vec<u8>,
    batch: Batch,
    passages: u64,
    started_at: Instant,
}

impl Receiver {
    /// Starts an item and stores its first content.
    pub(super) fn begin(corpus: Arc<dyn Corpus>, item: EvidenceItem) -> Result<Self, StoreError> {
        let is_json = matches!(item.content, Content::Json(_));
        let head = Head {
            id: item.id,
            kind: item.kind,
            lane: item.lane,
            tool: item.tool,
            query: item.query,
            is_json,
            collected_at: item.collected_at,
            exhaustive: item.exhaustive,
            attested: item.attested,
            step_id: item.step_id,
            specialist_id: item.specialist_id,
            verification_result: item.verification_result,
        };
        let number = corpus.begin(&head)?;
        let mut tool_terms = terms(&format!("{} {} {}", head.id, head.tool, head.query));
        tool_terms.truncate(MAX_TOOL_TERMS);
        let mut receiver = Self {
            corpus,
            head,
            number: Some(number),
            tool_terms: tool_terms.join(" "),
            hasher: blake3::Hasher::new(),
            size: 0,
            blocks: Blocks::default(),
            templates: Templates::default(),
            line: String::new(),
            partial: Vec::new(),
            chunk: Vec::new(),
            batch: Batch::default(),
            passages: 0,
            started_at: Instant::now(),
        };
        match item.content {
            Content::Text(text) => receiver.append_text(&text)?,
            Content::Json(document) => receiver.append_document(&document)?,
        }
        Ok(receiver)
    }

    pub(super) fn id(&self) -> &str {
        self.head.id.as_str()
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Appends text, which may be split at any byte.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        if self.head.is_json {
            return Err(StoreError::InvalidMessage(format!(
                "item `{}` is JSON; send a JSON document in one message",
                self.id()
            )));
        }
        let mut pending = std::mem::take(&mut self.partial);
        pending.extend_from_slice(bytes);
        match std::str::from_utf8(&pending) {
            Ok(text) => self.append_text(text),
            Err(error) if error.error_len().is_none() => {
                let (complete, partial) = pending.split_at(error.valid_up_to());
                self.partial = partial.to_vec();
                self.append_text(std::str::from_utf8(complete).unwrap_or_default())
            }
            Err(error) => Err(StoreError::InvalidMessage(format!(
                "item `{}` is not UTF-8 at byte {}; send text, or a printable form of the data",
                self.id(),
                self.size + error.valid_up_to() as u64
            ))),
        }
    }

    fn append_text(&mut self, text: &str) -> Result<(), StoreError> {
        self.append_content(text)?;
        for line in text.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                Some(line_end) if self.line.is_empty() => self.templates.push(line_end),
                Some(line_end) => {
                    self.line.push_str(line_end);
                    self.templates.push(&self.line);
                    self.line.clear();
                }
                None if self.line.len() < CHUNK_BYTES => self.line.push_str(line),
                None => {}
            }
        }
        let mut passages = Vec::new();
        self.blocks.push(text, |passage| passages.push(passage));
        passages.into_iter().try_for_each(|passage| self.append_passage(passage))
    }

    fn append_document(&mut self, document: &str) -> Result<(), StoreError> {
        self.append_content(document)?;
        // The API already checked that it is JSON.
        let passages = records(document).map_err(|error| {
            StoreError::InvalidMessage(format!("item `{}` is not JSON: {error}", self.id()))
        })?;
        passages.into_iter().try_for_each(|record| {
            let words = self.searchable_terms(&format!("{} {}", record.pointer, record.text));
            self.add_passage(NewPassage {
                start: record.bytes.start as u64,
                end: record.bytes.end as u64,
                lines: (0, 0),
                pointer: record.pointer,
                words,
            })
        })
    }

    fn append_passage(&mut self, passage: Passage) -> Result<(), StoreError> {
        let words = self.searchable_terms(&passage.text);
        self.add_passage(NewPassage {
            start: passage.bytes.start,
            end: passage.bytes.end,
            lines: passage.lines,
            pointer: String::new(),
            words,
        })
    }

    fn searchable_terms(&self, text: &str) -> String {
        let mut words = terms(text).join(" ");
        words.push(' ');
        words.push_str(&self.tool_terms);
        words
    }

    fn append_content(&mut self, text: &str) -> Result<(), StoreError> {
        self.hasher.update(text.as_bytes());
        let mut unread = text.as_bytes();
        while !unread.is_empty() {
            let free_bytes = CHUNK_BYTES - self.chunk.len();
            let (part, remaining) = unread.split_at(free_bytes.min(unread.len()));
            self.chunk.extend_from_slice(part);
            self.size += part.len() as u64;
            unread = remaining;
            if self.chunk.len() == CHUNK_BYTES {
                self.end_chunk();
            }
        }
        self.flush_when_full()
    }

    fn end_chunk(&mut self) {
        if !self.chunk.is_empty() {
            let bytes = std::mem::take(&mut self.chunk);
            self.batch.contents.push((self.size - bytes.len() as u64, bytes));
        }
    }

    fn add_passage(&mut self, passage: NewPassage) -> Result<(), StoreError> {
        self.passages += 1;
        self.batch.passages.push(passage);
        self.flush_when_full()
    }

    fn flush_when_full(&mut self) -> Result<(), StoreError> {
        let is_full = self.batch.passages.len() >= BATCH_PASSAGES
            || self.batch.contents.len() * CHUNK_BYTES >= BATCH_BYTES;
        if is_full { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        if let Some(number) = self.number {
            self.corpus.append(number, &std::mem::take(&mut self.batch))?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<StoredItem, StoreError> {
        if !self.partial.is_empty() {
            return Err(StoreError::InvalidMessage(format!(
                "item `{}` ends within a character; send all of its text",
                self.id()
            )));
        }
        if !self.line.is_empty() {
            self.templates.push(&self.line);
        }
        let mut passages = Vec::new();
        std::mem::take(&mut self.blocks).finish(|passage| passages.push(passage));
        passages.into_iter().try_for_each(|passage| self.append_passage(passage))?;
        self.end_chunk();
        self.flush()?;
        let templates = std::mem::take(&mut self.templates);
        let totals = ItemTotals {
            digest: *self.hasher.finalize().as_bytes(),
            size: self.size,
            lines: templates.lines(),
            repeated_lines: templates.repeated(),
            passages: self.passages,
            templates: templates.finish(),
        };
        let number = self.number.unwrap_or_default();
        let outcome = self.corpus.complete(number, &self.head, &totals)?;
        self.number = None;
        tracing::debug!(
            corpus = %self.corpus.name(), size = self.size, passages = self.passages,
            took = ?self.started_at.elapsed(), "stored an item"
        );
        Ok(StoredItem {
            id: self.id().to_owned(),
            digest: totals.digest,
            size: totals.size,
            passages: totals.passages,
            lines: totals.lines,
            repeated_lines: totals.repeated_lines,
            unchanged: outcome == StoreOutcome::Unchanged,
            same_as: match outcome {
                StoreOutcome::SameAs(id) => Some(id),
                StoreOutcome::New | StoreOutcome::Unchanged => None,
            },
        })
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        if let Some(number) = self.number
            && let Err(error) = self.corpus.discard(number)
        {
            tracing::warn!(corpus = %self.corpus.name(), %error, "failed to discard an incomplete item; the next start discards it");
        }
    }
}
