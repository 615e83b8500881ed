//! This module stores items in one corpus: one after the other, checked against the limits, durable together.

use std::sync::Arc;

use gsar_core::evidence::EvidenceItem;

use super::Evidence;
use super::error::StoreError;
use super::receive::{Receiver, Stored};
use super::store::{Corpus, Summary};

/// Storing in one corpus. Items that were completed stay, whatever becomes of the rest.
#[derive(Debug)]
pub struct Put {
    evidence: Evidence,
    corpus: Arc<dyn Corpus>,
    open: Option<Receiver>,
    stored: Vec<Stored>,
    /// The bytes that came since the limits were checked.
    added: u64,
}

impl Put {
    /// The most bytes that may come before the limits are checked again.
    const UNCHECKED: u64 = 4 << 20;

    pub(super) fn begin(evidence: Evidence, corpus: Arc<dyn Corpus>) -> Self {
        Self { evidence, corpus, open: None, stored: Vec::new(), added: 0 }
    }

    /// Completes the item before and begins the next. It is durable with [`Put::finish`].
    ///
    /// # Errors
    /// [`StoreError`]; what was completed before stays.
    pub fn item(&mut self, item: EvidenceItem) -> Result<(), StoreError> {
        self.complete()?;
        self.count(item.content.as_str().len() as u64)?;
        self.open = Some(Receiver::begin(Arc::clone(&self.corpus), item)?);
        Ok(())
    }

    /// Takes more text of the item begun last.
    ///
    /// # Errors
    /// [`StoreError::Disorder`] where there is none or it is JSON, or the text is no UTF-8.
    pub fn more(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.count(bytes.len() as u64)?;
        let Some(open) = &mut self.open else {
            let reason = "more text came before an item; send the item first";
            return Err(StoreError::Disorder(reason.to_owned()));
        };
        open.more(bytes)
    }

    /// Completes the last item; everything is durable then.
    ///
    /// # Errors
    /// [`StoreError`]; what was completed before stays.
    pub fn finish(mut self) -> Result<(Summary, Vec<Stored>), StoreError> {
        self.complete()?;
        self.corpus.make_durable()?;
        let summary = self.corpus.summary()?;
        let name = self.corpus.name().seen_by(&self.evidence.owner).unwrap_or(summary.name);
        Ok((Summary { name, ..summary }, std::mem::take(&mut self.stored)))
    }

    fn complete(&mut self) -> Result<(), StoreError> {
        if let Some(open) = self.open.take() {
            self.stored.push(open.finish()?);
        }
        Ok(())
    }

    fn count(&mut self, bytes: u64) -> Result<(), StoreError> {
        let is_first = self.added == 0;
        self.added += bytes;
        if is_first || self.added > Self::UNCHECKED {
            let open = self.open.as_ref().map_or(0, Receiver::size);
            self.evidence.admit(self.corpus.as_ref(), open + bytes)?;
            self.added = 1;
        }
        Ok(())
    }
}

impl Drop for Put {
    fn drop(&mut self) {
        self.open = None;
        self.evidence.shared.store.was_stored_in(self.corpus.name());
    }
}
