//! Limits concurrent calls, waiting calls, and requests per minute.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use governor::clock::Clock as RateClock;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::clock::Clock;
use crate::failure::{Failure, Phase};
use crate::settings::Settings;

type Rate = RateLimiter<NotKeyed, InMemoryState, ClockAdapter, NoOpMiddleware<Instant>>;

#[derive(Debug)]
pub(crate) struct Admission {
    clock: Arc<dyn Clock>,
    permits: Semaphore,
    max_concurrent: usize,
    waiting: AtomicUsize,
    max_waiting: usize,
    rate: Option<Rate>,
}

impl Admission {
    pub(crate) fn new(settings: &Settings, clock: Arc<dyn Clock>) -> Self {
        let rate = settings
            .requests_per_minute
            .map(|number| Rate::direct_with_clock(quota(number), ClockAdapter(Arc::clone(&clock))));
        Self {
            clock,
            permits: Semaphore::new(settings.max_concurrent),
            max_concurrent: settings.max_concurrent,
            waiting: AtomicUsize::new(0),
            max_waiting: settings.max_waiting,
            rate,
        }
    }

    pub(crate) async fn acquire(&self, deadline: Instant) -> Result<SemaphorePermit<'_>, Failure> {
        if let Some(permit) = self.try_permit() {
            return Ok(permit);
        }
        let _waiting = self.enqueue()?;
        tokio::select! {
            biased;
            permit = self.permits.acquire() => permit.map_err(|_closed| self.too_many_calls()),
            () = self.clock.sleep_until(deadline) => {
                Err(Failure::DeadlinePassed { phase: Phase::Queue })
            }
        }
    }

    pub(crate) fn try_permit(&self) -> Option<SemaphorePermit<'_>> {
        self.permits.try_acquire().ok()
    }

    /// Waits until the rate limit allows a request. Fails immediately if the limit allows it only after the
    /// deadline.
    pub(crate) async fn wait_for_rate(&self, deadline: Instant) -> Result<(), Failure> {
        let Some(rate) = &self.rate else { return Ok(()) };
        while let Err(not_until) = rate.check() {
            let allowed_at = not_until.earliest_possible();
            if allowed_at >= deadline {
                let retry_in = allowed_at.saturating_duration_since(self.clock.now());
                return Err(Failure::RateLimitedHere { retry_in });
            }
            self.clock.sleep_until(allowed_at).await;
        }
        Ok(())
    }

    /// Returns `true` if the rate limit allows a request now, and counts it.
    pub(crate) fn try_rate(&self) -> bool {
        self.rate.as_ref().is_none_or(|rate| rate.check().is_ok())
    }

    pub(crate) fn running(&self) -> usize {
        self.max_concurrent.saturating_sub(self.permits.available_permits())
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    fn enqueue(&self) -> Result<Waiting<'_>, Failure> {
        let waiting_before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting(&self.waiting);
        if waiting_before < self.max_waiting { Ok(waiting) } else { Err(self.too_many_calls()) }
    }

    const fn too_many_calls(&self) -> Failure {
        Failure::TooManyCalls { concurrent: self.max_concurrent, waiting: self.max_waiting }
    }
}

/// Spreads requests evenly over the minute, with bursts of up to a tenth of the limit.
fn quota(per_minute: NonZeroU32) -> Quota {
    let burst = NonZeroU32::new(per_minute.get() / 10).unwrap_or(NonZeroU32::MIN);
    Quota::per_minute(per_minute).allow_burst(burst)
}

struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Clone, Debug)]
struct ClockAdapter(Arc<dyn Clock>);

impl RateClock for ClockAdapter {
    type Instant = Instant;

    fn now(&self) -> Instant {
        self.0.now()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::ManualClock;

    fn admission(change: impl FnOnce(&mut Settings)) -> (Admission, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::new());
        let mut settings = Settings::default();
        change(&mut settings);
        (Admission::new(&settings, Arc::clone(&clock) as Arc<dyn Clock>), clock)
    }

    #[tokio::test]
    async fn limits_requests_per_minute() {
        let (admission, clock) =
            admission(|settings| settings.requests_per_minute = NonZeroU32::new(60));
        let start = clock.now();
        for _ in 0..6 {
            admission.wait_for_rate(start).await.unwrap();
        }
        let refused =
            admission.wait_for_rate(start + Duration::from_millis(999)).await.unwrap_err();
        assert_eq!(refused.retry_after(), Some(Duration::from_secs(1)));
        assert!(!admission.try_rate());
        let waits = admission.wait_for_rate(start + Duration::from_secs(2));
        let advances = async {
            clock.wait_for_sleeper(start + Duration::from_secs(1)).await;
            clock.advance(Duration::from_secs(1));
        };
        assert_eq!(tokio::join!(waits, advances).0, Ok(()));
        for _ in 0..53 {
            clock.advance(Duration::from_secs(1));
            assert!(admission.try_rate());
        }
        assert!(
            !admission.try_rate(),
            "60 requests were sent in 54 seconds, and at most 66 may be sent in any minute"
        );
    }
}
