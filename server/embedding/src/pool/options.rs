//! The options for a pool.

use std::thread::available_parallelism;

use crate::error::StartError;

const MAX_WORKERS: usize = 64;
const DEFAULT_WORKERS: usize = 4;
const MAX_BATCH_TEXTS: usize = 1_024;
const MIN_QUEUE_BYTES: u32 = 4 << 10;
const MAX_QUEUE_BYTES: u32 = 1 << 30;

/// Options for a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of sessions, 1 to 64. Each has its own thread and copy of the weights. Defaults to the
    /// number of processors, up to 4.
    pub workers: usize,
    /// The maximum number of texts per batch, 1 to 1024. Defaults to 16. Larger batches gain little on a
    /// CPU and delay queries.
    pub batch_texts: usize,
    /// The maximum size of a batch in bytes, including padding. A single text can be longer. Defaults to 4
    /// KiB.
    pub batch_bytes: usize,
    /// The maximum total size of queued texts per priority in bytes, 4 KiB to 1 GiB; each text adds 256
    /// bytes. Callers wait while the queue is full. Defaults to 16 MiB.
    pub queue_bytes: u32,
}

/// The priority of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Interactive work.
    Query,
    /// Background work, such as filling an index. While queries are waiting, one batch in eight is
    /// background work.
    Background,
}

impl Default for Options {
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
    /// Returns an error if a value is out of range.
    pub fn check(&self) -> Result<(), StartError> {
        let reject =
            |field, given: u64, allowed| Err(StartError::InvalidOption { field, given, allowed });
        if !(1..=MAX_WORKERS).contains(&self.workers) {
            return reject("workers", self.workers as u64, "1 to 64");
        }
        if !(1..=MAX_BATCH_TEXTS).contains(&self.batch_texts) {
            return reject("batch_texts", self.batch_texts as u64, "1 to 1024");
        }
        if self.batch_bytes == 0 {
            return reject("batch_bytes", 0, "at least 1");
        }
        if !(MIN_QUEUE_BYTES..=MAX_QUEUE_BYTES).contains(&self.queue_bytes) {
            return reject("queue_bytes", u64::from(self.queue_bytes), "4096 to 1073741824");
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
        let check = |change: fn(&mut Options)| {
            let mut options = Options::default();
            change(&mut options);
            options.check()
        };
        check(|options| options.workers = 64).unwrap();
        check(|options| options.queue_bytes = 1 << 30).unwrap();
        for (field, result) in [
            ("workers", check(|options| options.workers = 0)),
            ("workers", check(|options| options.workers = 65)),
            ("batch_texts", check(|options| options.batch_texts = 0)),
            ("batch_texts", check(|options| options.batch_texts = 1_025)),
            ("batch_bytes", check(|options| options.batch_bytes = 0)),
            ("queue_bytes", check(|options| options.queue_bytes = 4_095)),
            ("queue_bytes", check(|options| options.queue_bytes = u32::MAX)),
        ] {
            assert!(result.unwrap_err().to_string().contains(field));
        }
    }
}
