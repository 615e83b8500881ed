//! Computes how long a watch waits: the polling interval, or longer after each failed attempt to reach the server.
//! Reads no clock.

use std::time::Duration;

use gsar_client::ClientError;

/// The maximum wait for an unreachable server.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// The delay between two polls.
#[derive(Debug)]
pub(super) struct Backoff {
    every: Duration,
    /// The last wait for an unreachable server, and the minimum that the server requested.
    away: Option<(Duration, Duration)>,
}

impl Backoff {
    /// Creates a backoff with a polling interval.
    pub(super) fn new(every: Duration) -> Self {
        Self { every, away: None }
    }

    /// Returns the time to wait.
    pub(super) fn wait(&self) -> Duration {
        self.away.map_or(self.every, |(wait, asked_for)| wait.max(asked_for))
    }

    /// Records that the server is unavailable. Returns a note the first time.
    pub(super) fn lost(&mut self, error: &ClientError) -> Option<String> {
        let asked_for = error.refusal().and_then(|refusal| refusal.retry_after).unwrap_or_default();
        let before = self.away.map(|(wait, _)| wait);
        let wait = before.unwrap_or(self.every).saturating_mul(2);
        self.away = Some((wait.min(MAX_WAIT.max(self.every)), asked_for));
        before.is_none().then(|| {
            let error = error.to_string();
            let reason = error.lines().next().unwrap_or_default();
            format!("{reason}; pending reports will be retried")
        })
    }

    /// Records that the server responded. Returns a note if it was unavailable.
    pub(super) fn found(&mut self) -> Option<&'static str> {
        self.away.take().map(|_| "the server is available again")
    }
}

/// Returns `true` for a transient error: the server is unreachable, shutting down or overloaded.
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
    fn waits_longer_after_each_failure_and_reports_it_once() {
        let second = Duration::from_secs(1);
        let mut backoff = Backoff::new(second);
        assert_eq!(backoff.wait(), second);
        assert_eq!(backoff.found(), None);
        assert_eq!(
            backoff.lost(&unreachable()).as_deref(),
            Some(
                "no server answers at unix:///run/gsar.sock: connection refused; pending reports will be retried"
            )
        );
        let waits: Vec<u64> = (0..6)
            .map(|_| {
                let wait = backoff.wait().as_secs();
                assert_eq!(backoff.lost(&unreachable()), None, "it is reported once");
                wait
            })
            .collect();
        assert_eq!(waits, [2, 4, 8, 16, 30, 30]);
        assert_eq!(backoff.found(), Some("the server is available again"));
        assert_eq!(backoff.wait(), second);
    }

    #[test]
    fn a_long_interval_is_not_shortened() {
        let minute = Duration::from_secs(60);
        let mut backoff = Backoff::new(minute);
        backoff.lost(&unreachable());
        assert_eq!(backoff.wait(), minute);
    }
}
