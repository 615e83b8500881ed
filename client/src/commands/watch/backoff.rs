//! This module decides how long a watch waits: from look to look, and longer each time that a server is away. It reads no
//! clock.

use std::time::Duration;

use gsar_client::ClientError;

/// The longest wait for a server that is away.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// How long a watch waits.
#[derive(Debug)]
pub(super) struct Backoff {
    every: Duration,
    /// The last wait for a server that is away, and the least that the server asked for.
    away: Option<(Duration, Duration)>,
}

impl Backoff {
    /// With this time between two looks.
    pub(super) fn new(every: Duration) -> Self {
        Self { every, away: None }
    }

    /// How long to wait now.
    pub(super) fn wait(&self) -> Duration {
        self.away.map_or(self.every, |(wait, asked_for)| wait.max(asked_for))
    }

    /// The server is away. What to say of that, the first time.
    pub(super) fn lost(&mut self, error: &ClientError) -> Option<String> {
        let asked_for = error.refusal().and_then(|refusal| refusal.retry_after).unwrap_or_default();
        let before = self.away.map(|(wait, _)| wait);
        let wait = before.unwrap_or(self.every).saturating_mul(2);
        self.away = Some((wait.min(MAX_WAIT.max(self.every)), asked_for));
        before.is_none().then(|| {
            let error = error.to_string();
            let reason = error.lines().next().unwrap_or_default();
            format!("{reason}; reports stay due and are sent again")
        })
    }

    /// The server answers. What to say of that, where it was away.
    pub(super) fn found(&mut self) -> Option<&'static str> {
        self.away.take().map(|_| "the server answers again")
    }
}

/// Whether the same request may be answered later: the server is away, stops, or is too busy.
pub(super) fn passes(error: &ClientError) -> bool {
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
    fn a_server_that_is_away_is_waited_for_longer_each_time_and_named_once() {
        let second = Duration::from_secs(1);
        let mut backoff = Backoff::new(second);
        assert_eq!(backoff.wait(), second);
        assert_eq!(backoff.found(), None);
        assert_eq!(
            backoff.lost(&unreachable()).as_deref(),
            Some(
                "no server answers at unix:///run/gsar.sock: connection refused; reports stay due and are sent again"
            )
        );
        let waits: Vec<u64> = (0..6)
            .map(|_| {
                let wait = backoff.wait().as_secs();
                assert_eq!(backoff.lost(&unreachable()), None, "it is said once");
                wait
            })
            .collect();
        assert_eq!(waits, [2, 4, 8, 16, 30, 30]);
        assert_eq!(backoff.found(), Some("the server answers again"));
        assert_eq!(backoff.wait(), second);
    }

    #[test]
    fn a_long_time_between_looks_is_not_shortened() {
        let minute = Duration::from_secs(60);
        let mut backoff = Backoff::new(minute);
        backoff.lost(&unreachable());
        assert_eq!(backoff.wait(), minute);
    }
}
