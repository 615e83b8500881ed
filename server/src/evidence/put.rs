//! Stores items in a corpus within the limits.

use std::sync::Arc;

use gsar_core::evidence::EvidenceItem;

use super::Evidence;
use super::error::StoreError;
use super::receive::{Receiver, StoredItem};
use super::store::{Corpus, Summary};

/// A sequence of items being stored in one corpus. Completed items remain stored if a later item fails.
#[derive(Debug)]
pub struct Put {
    evidence: Evidence,
    corpus: Arc<dyn Corpus>,
    current: Option<Receiver>,
    stored: Vec<StoredItem>,
    /// The number of bytes received since the limits were last checked.
    bytes_since_check: u64,
}

impl Put {
    /// The number of bytes that may be received between two checks of the limits.
    const UNCHECKED: u64 = 4 << 20;

    pub(super) fn begin(evidence: Evidence, corpus: Arc<dyn Corpus>) -> Self {
        Self { evidence, corpus, current: None, stored: Vec::new(), bytes_since_check: 0 }
    }

    /// Completes the current item and starts the next one. Items are durable after [`Put::finish`].
    ///
    /// # Errors
    /// Returns a [`StoreError`]. Completed items remain stored.
    pub fn start_item(&mut self, item: EvidenceItem) -> Result<(), StoreError> {
        self.complete()?;
        self.count_bytes(item.content.as_str().len() as u64)?;
        self.current = Some(Receiver::begin(Arc::clone(&self.corpus), item)?);
        Ok(())
    }

    /// Appends text to the current item.
    ///
    /// # Errors
    /// Returns [`StoreError::InvalidMessage`] if there is no current item, if the current item is JSON, or
    /// if the text is not UTF-8.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.count_bytes(bytes.len() as u64)?;
        let Some(current) = &mut self.current else {
            let reason = "text arrived before an item; send the item first";
            return Err(StoreError::InvalidMessage(reason.to_owned()));
        };
        current.append(bytes)
    }

    /// Completes the last item and makes all items durable.
    ///
    /// # Errors
    /// Returns a [`StoreError`]. Completed items remain stored.
    pub fn finish(mut self) -> Result<(Summary, Vec<StoredItem>), StoreError> {
        self.complete()?;
        self.corpus.make_durable()?;
        let summary = self.corpus.summary()?;
        let name = self.corpus.name().visible_name(&self.evidence.owner).unwrap_or(summary.name);
        Ok((Summary { name, ..summary }, std::mem::take(&mut self.stored)))
    }

    fn complete(&mut self) -> Result<(), StoreError> {
        if let Some(current) = self.current.take() {
            self.stored.push(current.finish()?);
        }
        Ok(())
    }

    fn count_bytes(&mut self, bytes: u64) -> Result<(), StoreError> {
        let is_first = self.bytes_since_check == 0;
        self.bytes_since_check += bytes;
        if is_first || self.bytes_since_check > Self::UNCHECKED {
            let current_size = self.current.as_ref().map_or(0, Receiver::size);
            self.evidence.check_limits(self.corpus.as_ref(), current_size + bytes)?;
            self.bytes_since_check = 1;
        }
        Ok(())
    }
}

impl Drop for Put {
    fn drop(&mut self) {
        self.current = None;
        self.evidence.shared.store.update_size(self.corpus.name());
    }
}
