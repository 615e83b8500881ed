//! The options of a pool.

use std::thread::available_parallelism;

use crate::error::StartError;

/// The maximum number of workers; each has a copy of the weights.
const MAX_WORKERS: usize = 64;
/// The maximum number of workers by default.
const DEFAULT_WORKERS: usize = 4;
/// The maximum of [`Options::batch_texts`].
const MAX_BATCH_TEXTS: usize = 1_024;
/// The minimum of [`Options::queue_bytes`].
const MIN_QUEUE_BYTES: u32 = 4 << 10;
/// The maximum of [`Options::queue_bytes`].
const MAX_QUEUE_BYTES: u32 = 1 << 30;

/// The options of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of sessions, 1 to 64, each with a thread and a copy of the weights. Default: the
    /// number of processors, at most 4.
    pub workers: usize,
    /// The maximum number of texts per batch, 1 to 1024. Default: 16. Large batches gain little on a
    /// CPU, and queries wait for running batches.
    pub batch_texts: usize,
    /// The maximum size of a padded batch in bytes; a single text can be longer. Default: 4 KiB.
    pub batch_bytes: usize,
    /// The maximum size of waiting texts per priority in bytes, 4 KiB to 1 GiB, counting 256 more per
    /// text. Callers wait while the queue is full. Default: 16 MiB.
    pub queue_bytes: u32,
}

/// The priority of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Interactive work.
    Query,
    /// Background work, such as filling an index. It gets one batch in eight while queries wait.
    Background,
}

impl Default for Options {
    /// One worker per processor, at most four; batches of 16 texts and 4 KiB; a queue of 16 MiB.
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
    /// Checks that all values are in range.
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
    fn rejects_values_out_of_range() {
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
