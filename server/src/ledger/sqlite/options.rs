//! Options for a ledger in SQLite.

use std::path::PathBuf;
use std::time::Duration;

use crate::ledger::error::LedgerError;

/// The minimum of `max_bytes`. An empty ledger needs about a tenth of it.
const MIN_MAX_BYTES: u64 = 1 << 20;
const MIN_MAX_AGE: Duration = Duration::from_secs(1);
const MAX_QUEUE: usize = 65_536;
const MAX_BATCH: usize = 4_096;

/// Options for a ledger in SQLite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The directory of the ledger. It is created with mode 0700 if it does not exist, and locked by this
    /// process.
    pub data_dir: PathBuf,
    /// The durability of an acknowledged record.
    pub durability: Durability,
    /// The age above which evaluations are deleted, at least one second; `None` keeps all evaluations.
    pub max_age: Option<Duration>,
    /// The size of the database above which the oldest evaluations are deleted, in bytes and at least 1
    /// MiB; `None` means no limit. The newest evaluation is never deleted. The limit excludes the
    /// write-ahead log, which takes 16 MiB and, temporarily, the size of one more batch.
    pub max_bytes: Option<u64>,
    /// The maximum number of queued records, 1 to 65536. While the queue is full, records fail with
    /// [`LedgerError::Busy`].
    pub queue: usize,
    /// The maximum number of records per transaction, 1 to 4096.
    pub max_batch: usize,
}

/// The durability of an acknowledged record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The record was flushed to disk and survives a power failure (`synchronous=FULL`).
    Durable,
    /// The record survives the end of the process, but not necessarily a power failure
    /// (`synchronous=NORMAL`).
    Relaxed,
}

impl Options {
    /// Returns the defaults: durable, no limits, up to 1024 queued records, and up to 256 records per
    /// transaction.
    #[must_use]
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            durability: Durability::Durable,
            max_age: None,
            max_bytes: None,
            queue: 1024,
            max_batch: 256,
        }
    }

    /// Returns the first invalid option as [`LedgerError::InvalidOption`].
    pub(super) fn check(&self) -> Result<(), LedgerError> {
        let invalid_option = |field, given: String, allowed| {
            Err(LedgerError::InvalidOption { field, given, allowed })
        };
        if self.data_dir.as_os_str().is_empty() {
            return invalid_option(
                "data_dir",
                "an empty path".to_owned(),
                "the path of a directory",
            );
        }
        if let Some(age) = self.max_age
            && age < MIN_MAX_AGE
        {
            return invalid_option(
                "max_age",
                format!("{age:?}"),
                "at least 1 second, or none to keep everything",
            );
        }
        if let Some(bytes) = self.max_bytes
            && bytes < MIN_MAX_BYTES
        {
            return invalid_option(
                "max_bytes",
                bytes.to_string(),
                "at least 1048576, or none for no limit",
            );
        }
        if !(1..=MAX_QUEUE).contains(&self.queue) {
            return invalid_option("queue", self.queue.to_string(), "1 to 65536");
        }
        if !(1..=MAX_BATCH).contains(&self.max_batch) {
            return invalid_option("max_batch", self.max_batch.to_string(), "1 to 4096");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invalid_field(change: impl FnOnce(&mut Options)) -> Option<&'static str> {
        let mut options = Options::new("data");
        change(&mut options);
        match options.check() {
            Ok(()) => None,
            Err(LedgerError::InvalidOption { field, .. }) => Some(field),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn accepts_the_defaults() {
        assert_eq!(invalid_field(|_| {}), None);
    }

    #[test]
    fn rejects_values_out_of_range() {
        assert_eq!(invalid_field(|options| options.data_dir = PathBuf::new()), Some("data_dir"));
        assert_eq!(
            invalid_field(|options| options.max_age = Some(Duration::from_millis(999))),
            Some("max_age")
        );
        assert_eq!(invalid_field(|options| options.max_age = Some(Duration::from_secs(1))), None);
        assert_eq!(invalid_field(|options| options.max_bytes = Some(1_048_575)), Some("max_bytes"));
        assert_eq!(invalid_field(|options| options.max_bytes = Some(1_048_576)), None);
        assert_eq!(invalid_field(|options| options.queue = 0), Some("queue"));
        assert_eq!(invalid_field(|options| options.queue = 65_537), Some("queue"));
        assert_eq!(invalid_field(|options| options.queue = 65_536), None);
        assert_eq!(invalid_field(|options| options.max_batch = 0), Some("max_batch"));
        assert_eq!(invalid_field(|options| options.max_batch = 4_097), Some("max_batch"));
        assert_eq!(invalid_field(|options| options.max_batch = 4_096), None);
    }
}
