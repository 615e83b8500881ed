//! The delay between polls, with exponential backoff while the server is unavailable.

use std::time::Duration;

use gsar_client::ClientError;

const MAX_DELAY: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(super) struct Backoff {
    interval: Duration,
    /// The last delay, and the delay that the server requested. `None` while the server is available.
    failure_delays: Option<(Duration, Duration)>,
}

impl Backoff {
    pub(super) fn new(interval: Duration) -> Self {
        Self { interval, failure_delays: None }
    }

    pub(super) fn delay(&self) -> Duration {
        self.failure_delays.map_or(self.interval, |(wait, requested)| wait.max(requested))
    }

    /// Records that the server is unavailable. Returns a note the first time.
    pub(super) fn record_failure(&mut self, error: &ClientError) -> Option<String> {
        let requested = error.refusal().and_then(|refusal| refusal.retry_after).unwrap_or_default();
        let previous_wait = self.failure_delays.map(|(wait, _)| wait);
        let wait = previous_wait.unwrap_or(self.interval).saturating_mul(2);
        self.failure_delays = Some((wait.min(MAX_DELAY.max(self.interval)), requested));
        previous_wait.is_none().then(|| {
            let error = error.to_string();
            let reason = error.lines().next().unwrap_or_default();
            format!("{reason}; pending reports will be retried")
        })
    }

    /// Records a response. Returns a note if the server was unavailable before.
    pub(super) fn record_success(&mut self) -> Option<&'static str> {
        self.failure_delays.take().map(|_| "the server is available again")
    }
}

/// Returns `true` if the server is unreachable, shutting down or overloaded.
pub(super) fn is_transient(error: &ClientError) -> bool {
    error.refusal().is_none_or(|refusal| refusal.retry_after.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unreachable() -> ClientError {
        let endpoint = "unix:///run/gsar.sock".parse().unwrap();
        ClientError::Unreachable { endpoint, reason: "connection refused".to_owned() }
    }

    #[test]
    fn delay_doubles_and_the_failure_is_reported_once() {
        let second = Duration::from_secs(1);
        let mut backoff = Backoff::new(second);
        assert_eq!(backoff.delay(), second);
        assert_eq!(backoff.record_success(), None);
        assert_eq!(
            backoff.record_failure(&unreachable()).as_deref(),
            Some(
                "no sidecar is responding at unix:///run/gsar.sock: connection refused; pending reports will be retried"
            )
        );
        let waits: Vec<u64> = (0..6)
            .map(|_| {
                let wait = backoff.delay().as_secs();
                assert_eq!(backoff.record_failure(&unreachable()), None, "reported once");
                wait
            })
            .collect();
        assert_eq!(waits, [2, 4, 8, 16, 30, 30]);
        assert_eq!(backoff.record_success(), Some("the server is available again"));
        assert_eq!(backoff.delay(), second);
    }

    #[test]
    fn long_interval_is_not_shortened() {
        let minute = Duration::from_secs(60);
        let mut backoff = Backoff::new(minute);
        backoff.record_failure(&unreachable());
        assert_eq!(backoff.delay(), minute);
    }
}
