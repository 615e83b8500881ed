//! Principals with their rights, rate limits and budgets.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::rights::Right;
use crate::compute_pool::PrincipalSlots;
use crate::data_owner::Owner;

/// A caller of the API.
pub struct Principal {
    owner: Owner,
    /// `None` for the anonymous principal, which has all rights.
    rights: Option<Vec<Right>>,
    rate: Option<Arc<RateLimit>>,
    daily_budget: Option<u64>,
    in_flight: Option<InFlightLimit>,
    compute_slots: PrincipalSlots,
}

#[derive(Clone)]
struct InFlightLimit {
    max: usize,
    permits: Arc<Semaphore>,
}

struct RateLimit {
    per_minute: NonZeroU32,
    limiter: DefaultDirectRateLimiter,
}

/// The error if a principal exceeds its rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitExceeded {
    /// The maximum number of calls per minute.
    pub per_minute: u32,
    /// The time until the next call will be allowed.
    pub retry_after: Duration,
}

static ANONYMOUS: LazyLock<Arc<Principal>> = LazyLock::new(|| {
    let owner = Owner::default();
    Arc::new(Principal {
        owner,
        rights: None,
        rate: None,
        daily_budget: None,
        in_flight: None,
        compute_slots: PrincipalSlots::default(),
    })
});

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { owner, rights, .. } = self;
        f.debug_struct("Principal").field("owner", owner).field("rights", rights).finish()
    }
}

impl Principal {
    pub(crate) const fn compute_slots(&self) -> &PrincipalSlots {
        &self.compute_slots
    }

    /// Returns the anonymous principal, which is used if no principals are configured.
    #[must_use]
    pub fn anonymous() -> Arc<Self> {
        Arc::clone(&ANONYMOUS)
    }

    /// Creates a principal. Takes over the rate limiter of `previous` if the limit is the same.
    pub(super) fn new(
        name: &str,
        rights: Vec<Right>,
        calls_per_minute: Option<NonZeroU32>,
        previous: Option<&Self>,
    ) -> Self {
        let owner = Owner::new(name, rights.contains(&Right::Audit));
        let previous_rate = previous.and_then(|previous| previous.rate.as_ref());
        let rate = calls_per_minute.map(|per_minute| match previous_rate {
            Some(rate) if rate.per_minute == per_minute => Arc::clone(rate),
            _ => Arc::new(RateLimit {
                per_minute,
                limiter: RateLimiter::direct(Quota::per_minute(per_minute)),
            }),
        });
        Self {
            owner,
            rights: Some(rights),
            rate,
            daily_budget: None,
            in_flight: None,
            compute_slots: PrincipalSlots::default(),
        }
    }

    /// Limits the calls in flight. Takes over the permits of `previous` if the limit is the same.
    pub(super) fn with_calls_in_flight(self, max: Option<usize>, previous: Option<&Self>) -> Self {
        let previous_limit = previous.and_then(|previous| previous.in_flight.clone());
        let in_flight = max.map(|max| match previous_limit {
            Some(limit) if limit.max == max => limit,
            _ => InFlightLimit { max, permits: Arc::new(Semaphore::new(max)) },
        });
        Self { in_flight, ..self }
    }

    /// Takes a permit for a call in flight. Returns `None` if there is no limit. Fails with the limit if it
    /// has been reached.
    pub(crate) fn try_acquire(&self) -> Result<Option<OwnedSemaphorePermit>, usize> {
        let Some(InFlightLimit { max, permits }) = &self.in_flight else { return Ok(None) };
        Arc::clone(permits).try_acquire_owned().map(Some).map_err(|_| *max)
    }

    pub(super) fn with_daily_budget(self, daily_budget: Option<u64>) -> Self {
        Self { daily_budget, ..self }
    }

    /// Returns the name; empty for the anonymous principal.
    #[must_use]
    pub fn name(&self) -> &str {
        self.owner.name()
    }

    /// Returns `true` for the anonymous principal.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        self.rights.is_none()
    }

    /// Returns the owner of the principal's data.
    #[must_use]
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Returns `true` if the principal has a right.
    #[must_use]
    pub fn may(&self, right: Right) -> bool {
        self.rights.as_ref().is_none_or(|rights| rights.contains(&right))
    }

    /// Returns the maximum cost of chat models per UTC day, in millionths of a dollar, or `None` if only
    /// `judges.daily_budget` applies.
    #[must_use]
    pub fn daily_budget(&self) -> Option<u64> {
        self.daily_budget
    }

    /// Counts a call against the rate limit.
    ///
    /// # Errors
    /// Returns [`RateLimitExceeded`] if the limit has been reached.
    pub fn count_call(&self) -> Result<(), RateLimitExceeded> {
        let Some(RateLimit { per_minute, limiter }) = self.rate.as_deref() else { return Ok(()) };
        limiter.check().map_err(|not_until| RateLimitExceeded {
            per_minute: per_minute.get(),
            retry_after: not_until.wait_time_from(DefaultClock::default().now()),
        })
    }

    /// Waits until the rate limit allows another call and counts it.
    pub async fn wait_for_call(&self) {
        while let Err(RateLimitExceeded { retry_after, .. }) = self.count_call() {
            tokio::time::sleep(retry_after).await;
        }
    }
}
