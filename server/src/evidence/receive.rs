//! This module receives items: each is cut into passages while it comes and stored in batches, so that a long text
//! needs no more memory than a short one.

use std::time::Instant;

use gsar_core::evidence::{Content, EvidenceItem};
use gsar_retrieval::lines::{Blocks, Passage};
use gsar_retrieval::records::records;
use gsar_retrieval::templates::Templates;
use gsar_retrieval::terms::terms;
use std::sync::Arc;

use super::error::StoreError;
use super::store::{Batch, Corpus, Head, Kept, NewPassage, Received};

/// The most passages stored at once.
const BATCH_PASSAGES: usize = 512;
/// The most bytes of content stored at once.
const BATCH_BYTES: usize = 1 << 20;
/// The bytes of a stretch of content: what a range of it costs to read.
const STRETCH: usize = 64 << 10;
/// The most terms of the tool and query that every passage of an item has.
const MAX_TOOL_TERMS: usize = 32;

/// One item as it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its id.
    pub id: String,
    /// The BLAKE3 of its content.
    pub digest: [u8; 32],
    /// The bytes of its content.
    pub size: u64,
    /// How many passages it has.
    pub passages: u64,
    /// How many lines it has.
    pub lines: u64,
    /// How many lines repeat, with other figures, a line before them.
    pub repeated_lines: u64,
    /// The item that stands for it.
    pub same_as: Option<String>,
    /// Whether it was there already.
    pub unchanged: bool,
}

/// An item that is being received. What is dropped before [`Receiver::finish`] is taken away again.
#[derive(Debug)]
pub(super) struct Receiver {
    corpus: Arc<dyn Corpus>,
    head: Head,
    /// Its number in the corpus; `None` once it is complete.
    number: Option<i64>,
    tool_terms: String,
    hasher: blake3::Hasher,
    size: u64,
    blocks: Blocks,
    templates: Templates,
    /// The end of the text so far that is no whole line yet.
    line: String,
    /// The bytes so far that are no whole character yet.
    cut: Vec<u8>,
    stretch: Vec<u8>,
    batch: Batch,
    passages: u64,
    since: Instant,
}

impl Receiver {
    /// Begins an item with the content that came with it.
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
            cut: Vec::new(),
            stretch: Vec::new(),
            batch: Batch::default(),
            passages: 0,
            since: Instant::now(),
        };
        match item.content {
            Content::Text(text) => receiver.text(&text)?,
            Content::Json(document) => receiver.document(&document)?,
        }
        Ok(receiver)
    }

    /// The id of the item.
    pub(super) fn id(&self) -> &str {
        self.head.id.as_str()
    }

    /// The bytes of its content so far.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Takes more of a text, cut anywhere.
    pub(super) fn more(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        if self.head.is_json {
            return Err(StoreError::Disorder(format!(
                "item `{}` is JSON, and more of it came; a JSON document is sent in one message",
                self.id()
            )));
        }
        let mut joined = std::mem::take(&mut self.cut);
        joined.extend_from_slice(bytes);
        match std::str::from_utf8(&joined) {
            Ok(text) => self.text(text),
            Err(error) if error.error_len().is_none() => {
                let (whole, cut) = joined.split_at(error.valid_up_to());
                self.cut = cut.to_vec();
                // Valid up to here, so nothing is lost.
                self.text(std::str::from_utf8(whole).unwrap_or_default())
            }
            Err(error) => Err(StoreError::Disorder(format!(
                "item `{}` is no UTF-8 text at byte {}; send text, or its printable form",
                self.id(),
                self.size + error.valid_up_to() as u64
            ))),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), StoreError> {
        self.keep(text)?;
        for line in text.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                Some(rest) if self.line.is_empty() => self.templates.push(rest),
                Some(rest) => {
                    self.line.push_str(rest);
                    self.templates.push(&self.line);
                    self.line.clear();
                }
                None if self.line.len() < STRETCH => self.line.push_str(line),
                None => {}
            }
        }
        let mut found = Vec::new();
        self.blocks.push(text, |passage| found.push(passage));
        found.into_iter().try_for_each(|passage| self.passage(passage))
    }

    fn document(&mut self, document: &str) -> Result<(), StoreError> {
        self.keep(document)?;
        // The edge has checked that it is JSON.
        let found = records(document).map_err(|error| {
            StoreError::Disorder(format!("item `{}` is no JSON: {error}", self.id()))
        })?;
        found.into_iter().try_for_each(|record| {
            let words = self.words(&format!("{} {}", record.pointer, record.text));
            self.add(NewPassage {
                start: record.bytes.start as u64,
                end: record.bytes.end as u64,
                lines: (0, 0),
                pointer: record.pointer,
                words,
            })
        })
    }

    fn passage(&mut self, passage: Passage) -> Result<(), StoreError> {
        let words = self.words(&passage.text);
        self.add(NewPassage {
            start: passage.bytes.start,
            end: passage.bytes.end,
            lines: passage.lines,
            pointer: String::new(),
            words,
        })
    }

    fn words(&self, text: &str) -> String {
        let mut words = terms(text).join(" ");
        words.push(' ');
        words.push_str(&self.tool_terms);
        words
    }

    fn keep(&mut self, text: &str) -> Result<(), StoreError> {
        self.hasher.update(text.as_bytes());
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let room = STRETCH - self.stretch.len();
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.stretch.extend_from_slice(now);
            self.size += now.len() as u64;
            rest = later;
            if self.stretch.len() == STRETCH {
                self.end_stretch();
            }
        }
        self.flush_when_full()
    }

    fn end_stretch(&mut self) {
        if !self.stretch.is_empty() {
            let bytes = std::mem::take(&mut self.stretch);
            self.batch.contents.push((self.size - bytes.len() as u64, bytes));
        }
    }

    fn add(&mut self, passage: NewPassage) -> Result<(), StoreError> {
        self.passages += 1;
        self.batch.passages.push(passage);
        self.flush_when_full()
    }

    fn flush_when_full(&mut self) -> Result<(), StoreError> {
        let is_full = self.batch.passages.len() >= BATCH_PASSAGES
            || self.batch.contents.len() * STRETCH >= BATCH_BYTES;
        if is_full { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        if let Some(number) = self.number {
            self.corpus.append(number, &std::mem::take(&mut self.batch))?;
        }
        Ok(())
    }

    /// Completes the item.
    pub(super) fn finish(mut self) -> Result<Stored, StoreError> {
        if !self.cut.is_empty() {
            return Err(StoreError::Disorder(format!(
                "item `{}` ends within a character; send all of its text",
                self.id()
            )));
        }
        if !self.line.is_empty() {
            self.templates.push(&self.line);
        }
        let mut found = Vec::new();
        std::mem::take(&mut self.blocks).finish(|passage| found.push(passage));
        found.into_iter().try_for_each(|passage| self.passage(passage))?;
        self.end_stretch();
        self.flush()?;
        let templates = std::mem::take(&mut self.templates);
        let received = Received {
            digest: *self.hasher.finalize().as_bytes(),
            size: self.size,
            lines: templates.lines(),
            repeated_lines: templates.repeated(),
            passages: self.passages,
            templates: templates.finish(),
        };
        let number = self.number.unwrap_or_default();
        let kept = self.corpus.complete(number, &self.head, &received)?;
        self.number = None;
        tracing::debug!(
            corpus = %self.corpus.name(), size = self.size, passages = self.passages,
            took = ?self.since.elapsed(), "an item was stored"
        );
        Ok(Stored {
            id: self.id().to_owned(),
            digest: received.digest,
            size: received.size,
            passages: received.passages,
            lines: received.lines,
            repeated_lines: received.repeated_lines,
            unchanged: kept == Kept::Unchanged,
            same_as: match kept {
                Kept::SameAs(id) => Some(id),
                Kept::New | Kept::Unchanged => None,
            },
        })
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        if let Some(number) = self.number
            && let Err(error) = self.corpus.give_up(number)
        {
            tracing::warn!(corpus = %self.corpus.name(), %error, "what was received in part stays until the next start");
        }
    }
}
