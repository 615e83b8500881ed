//! This module is the clock of the judges' cache and budget. No other module of the judges reads the system's clock.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use gsar_core::time::Timestamp;

/// Tells what time it is.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The clock of the system.
#[must_use]
pub fn system() -> Clock {
    Arc::new(|| {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
    })
}
