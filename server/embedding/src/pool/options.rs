//! This module holds the options of a pool and their allowed values.

use std::thread::available_parallelism;

use crate::error::StartError;

/// The most workers: each holds a copy of the weights.
const MAX_WORKERS: usize = 64;
/// The most workers by default.
const DEFAULT_WORKERS: usize = 4;
/// The greatest value of [`Options::batch_texts`].
const MAX_BATCH_TEXTS: usize = 1_024;
/// The least value of [`Options::queue_bytes`].
const MIN_QUEUE_BYTES: u32 = 4 << 10;
/// The greatest value of [`Options::queue_bytes`].
const MAX_QUEUE_BYTES: u32 = 1 << 30;

/// What a pool is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Sessions, each with a thread and a copy of the weights, 1 to 64; as many as processors, at most four.
    pub workers: usize,
    /// The most texts in a batch, 1 to 1024; 16. Large batches gain little on a processor, and a query waits for the
    /// batches that run.
    pub batch_texts: usize,
    /// The most bytes of a batch, each text counted as the longest of it; 4 KiB. One text alone may have more.
    pub batch_bytes: usize,
    /// The most bytes of text that may wait, 4 KiB to 1 GiB, for each priority; 16 MiB. Each text counts 256 more. A
    /// caller waits when no permit is free.
    pub queue_bytes: u32,
}

/// What goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Somebody waits for it.
    Query,
    /// Work that has time, such as filling an index. It gets one batch in eight while queries wait.
    Background,
}

impl Default for Options {
    /// As many workers as processors, at most four; batches of 16 texts and 4 KiB; 16 MiB may wait.
    fn default() -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self {
            workers: processors.min(DEFAULT_WORKERS),
            batch_texts: 16,
            batch_bytes: 4 << 10,
            queue_bytes: 16 << 20,
        }
    }
}

impl Options {
    /// Refuses the first value that is not allowed.
    ///
    /// # Errors
    /// [`StartError::InvalidOption`].
    pub fn check(&self) -> Result<(), StartError> {
        let refuse =
            |field, given: u64, allowed| Err(StartError::InvalidOption { field, given, allowed });
        if !(1..=MAX_WORKERS).contains(&self.workers) {
            return refuse("workers", self.workers as u64, "1 to 64");
        }
        if !(1..=MAX_BATCH_TEXTS).contains(&self.batch_texts) {
            return refuse("batch_texts", self.batch_texts as u64, "1 to 1024");
        }
        if self.batch_bytes == 0 {
            return refuse("batch_bytes", 0, "at least 1");
        }
        if !(MIN_QUEUE_BYTES..=MAX_QUEUE_BYTES).contains(&self.queue_bytes) {
            return refuse("queue_bytes", u64::from(self.queue_bytes), "4096 to 1073741824");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_at_the_bounds_are_allowed_and_behind_them_not() {
        Options::default().check().unwrap();
        let with = |change: fn(&mut Options)| {
            let mut options = Options::default();
            change(&mut options);
            options.check()
        };
        with(|options| options.workers = 64).unwrap();
        with(|options| options.queue_bytes = 1 << 30).unwrap();
        for (field, refused) in [
            ("workers", with(|options| options.workers = 0)),
            ("workers", with(|options| options.workers = 65)),
            ("batch_texts", with(|options| options.batch_texts = 0)),
            ("batch_texts", with(|options| options.batch_texts = 1_025)),
            ("batch_bytes", with(|options| options.batch_bytes = 0)),
            ("queue_bytes", with(|options| options.queue_bytes = 4_095)),
            ("queue_bytes", with(|options| options.queue_bytes = u32::MAX)),
        ] {
            assert!(refused.unwrap_err().to_string().contains(field));
        }
    }
}
