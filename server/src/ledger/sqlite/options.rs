//! What a ledger is opened with, and which values are allowed.

use std::path::PathBuf;
use std::time::Duration;

use crate::ledger::error::LedgerError;

/// The least `max_bytes`: an empty ledger needs about a tenth of it.
const MIN_MAX_BYTES: u64 = 1 << 20;
/// The least `max_age`.
const MIN_MAX_AGE: Duration = Duration::from_secs(1);
/// The most records that may wait.
const MAX_QUEUE: usize = 65_536;
/// The most records in one transaction.
const MAX_BATCH: usize = 4_096;

/// What a ledger is opened with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The directory of the ledger; created with mode 0700 when it does not exist. One process at a time.
    pub data_dir: PathBuf,
    /// What an acknowledgement promises.
    pub durability: Durability,
    /// Evaluations begun longer ago than this are deleted; at least one second; `None` keeps them.
    pub max_age: Option<Duration>,
    /// The oldest evaluations are deleted while the database needs more bytes than this; at least 1 MiB;
    /// `None` sets no bound. The newest evaluation always stays. The write-ahead log beside it comes on
    /// top: 16 MiB, and for a moment one batch more.
    pub max_bytes: Option<u64>,
    /// The most records that may wait for the writer, 1 to 65536; one more is refused with
    /// [`LedgerError::Busy`].
    pub queue: usize,
    /// The most records in one transaction, 1 to 4096.
    pub max_batch: usize,
}

/// What an acknowledgement promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The record survives the loss of power: it was flushed to the disk (`synchronous=FULL`).
    Durable,
    /// The record survives the end of the process, not always the loss of power (`synchronous=NORMAL`).
    Relaxed,
}

impl Options {
    /// A durable ledger in `data_dir` that keeps everything: 1024 records may wait, 256 in a transaction.
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

    /// Refuses the first value that is not allowed.
    pub(super) fn check(&self) -> Result<(), LedgerError> {
        let refuse = |field, given: String, allowed| {
            Err(LedgerError::InvalidOption { field, given, allowed })
        };
        if self.data_dir.as_os_str().is_empty() {
            return refuse("data_dir", "an empty path".to_owned(), "the path of a directory");
        }
        if let Some(age) = self.max_age
            && age < MIN_MAX_AGE
        {
            return refuse(
                "max_age",
                format!("{age:?}"),
                "at least 1 second, or none to keep everything",
            );
        }
        if let Some(bytes) = self.max_bytes
            && bytes < MIN_MAX_BYTES
        {
            return refuse(
                "max_bytes",
                bytes.to_string(),
                "at least 1048576, or none for no bound",
            );
        }
        if !(1..=MAX_QUEUE).contains(&self.queue) {
            return refuse("queue", self.queue.to_string(), "1 to 65536");
        }
        if !(1..=MAX_BATCH).contains(&self.max_batch) {
            return refuse("max_batch", self.max_batch.to_string(), "1 to 4096");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut Options)) -> Option<&'static str> {
        let mut options = Options::new("data");
        change(&mut options);
        match options.check() {
            Ok(()) => None,
            Err(LedgerError::InvalidOption { field, .. }) => Some(field),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn defaults_are_allowed() {
        assert_eq!(refused(|_| {}), None);
    }

    #[test]
    fn each_bound_is_exact() {
        assert_eq!(refused(|o| o.data_dir = PathBuf::new()), Some("data_dir"));
        assert_eq!(refused(|o| o.max_age = Some(Duration::from_millis(999))), Some("max_age"));
        assert_eq!(refused(|o| o.max_age = Some(Duration::from_secs(1))), None);
        assert_eq!(refused(|o| o.max_bytes = Some(1_048_575)), Some("max_bytes"));
        assert_eq!(refused(|o| o.max_bytes = Some(1_048_576)), None);
        assert_eq!(refused(|o| o.queue = 0), Some("queue"));
        assert_eq!(refused(|o| o.queue = 65_537), Some("queue"));
        assert_eq!(refused(|o| o.queue = 65_536), None);
        assert_eq!(refused(|o| o.max_batch = 0), Some("max_batch"));
        assert_eq!(refused(|o| o.max_batch = 4_097), Some("max_batch"));
        assert_eq!(refused(|o| o.max_batch = 4_096), None);
    }
}
