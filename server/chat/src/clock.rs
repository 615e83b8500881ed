//! Time, sleeping and randomness.
//!
//! All timeouts except the connect timeout use a [`Clock`], so that tests can use a [`ManualClock`].

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// A future that completes at a given instant.
pub type Sleep<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A source of time.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Returns the current instant.
    fn now(&self) -> Instant;

    /// Completes at `instant`, or immediately if that has passed.
    fn sleep_until(&self, instant: Instant) -> Sleep<'_>;
}

/// A source of jitter, which spreads the retries of callers that fail together.
pub trait Jitter: fmt::Debug + Send + Sync {
    /// Returns a duration from zero to `max`, inclusive.
    fn up_to(&self, max: Duration) -> Duration;
}

/// The system clock. Requires a tokio runtime with time enabled.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep_until(&self, instant: Instant) -> Sleep<'_> {
        Box::pin(tokio::time::sleep_until(instant.into()))
    }
}

/// Uniformly distributed jitter.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformJitter;

impl Jitter for UniformJitter {
    fn up_to(&self, max: Duration) -> Duration {
        Duration::from_nanos(fastrand::u64(0..=u64::try_from(max.as_nanos()).unwrap_or(u64::MAX)))
    }
}

/// Jitter that is always the maximum, for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct MaxJitter;

impl Jitter for MaxJitter {
    fn up_to(&self, max: Duration) -> Duration {
        max
    }
}

/// A clock that moves only when advanced, for tests.
#[derive(Debug)]
pub struct ManualClock {
    now: watch::Sender<Instant>,
    sleepers: Mutex<BTreeMap<Instant, usize>>,
    changed: watch::Sender<()>,
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl ManualClock {
    /// Creates a clock stopped at the current instant.
    #[must_use]
    pub fn new() -> Self {
        Self {
            now: watch::Sender::new(Instant::now()),
            sleepers: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }

    /// Moves the clock forward.
    pub fn advance(&self, duration: Duration) {
        self.now.send_modify(|now| *now += duration);
    }

    /// Returns the number of sleepers.
    #[must_use]
    pub fn sleeping(&self) -> usize {
        self.sleepers().values().sum()
    }

    /// Waits until a sleeper is due at exactly `instant`.
    pub async fn wait_for_sleeper(&self, instant: Instant) {
        let mut changed = self.changed.subscribe();
        while !self.sleepers().contains_key(&instant) && changed.changed().await.is_ok() {}
    }

    fn sleepers(&self) -> MutexGuard<'_, BTreeMap<Instant, usize>> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Instant {
        *self.now.borrow()
    }

    fn sleep_until(&self, instant: Instant) -> Sleep<'_> {
        let mut now = self.now.subscribe();
        Box::pin(async move {
            let _sleeper = Sleeper::new(self, instant);
            // The error is impossible: `self` owns the sender.
            let _ = now.wait_for(|now| *now >= instant).await;
        })
    }
}

struct Sleeper<'a> {
    clock: &'a ManualClock,
    instant: Instant,
}

impl<'a> Sleeper<'a> {
    fn new(clock: &'a ManualClock, instant: Instant) -> Self {
        *clock.sleepers().entry(instant).or_default() += 1;
        clock.changed.send_replace(());
        Self { clock, instant }
    }
}

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        let mut sleepers = self.clock.sleepers();
        if let Some(count) = sleepers.get_mut(&self.instant) {
            *count -= 1;
            if *count == 0 {
                sleepers.remove(&self.instant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn manual_clock_wakes_due_sleepers() {
        let clock = Arc::new(ManualClock::new());
        let start = clock.now();
        let (first_instant, second_instant) =
            (start + Duration::from_secs(1), start + Duration::from_secs(2));
        let first = tokio::spawn({
            let clock = Arc::clone(&clock);
            async move { clock.sleep_until(first_instant).await }
        });
        let second = tokio::spawn({
            let clock = Arc::clone(&clock);
            async move { clock.sleep_until(second_instant).await }
        });
        clock.wait_for_sleeper(first_instant).await;
        clock.wait_for_sleeper(second_instant).await;
        assert_eq!(clock.sleeping(), 2);
        clock.advance(Duration::from_secs(1));
        first.await.unwrap();
        assert!(!second.is_finished());
        clock.advance(Duration::from_secs(1));
        second.await.unwrap();
        assert_eq!(clock.sleeping(), 0);
    }

    #[test]
    fn uniform_jitter_stays_within_its_maximum() {
        for max in [Duration::ZERO, Duration::from_nanos(1), Duration::from_secs(3600)] {
            assert!((0..100).all(|_| UniformJitter.up_to(max) <= max));
        }
        assert!((0..100).any(|_| UniformJitter.up_to(Duration::MAX) > Duration::from_secs(1)));
    }
}
