//! This module is one principal: its name, its rights, how often it may call and what may be spent for it.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::right::Right;
use crate::compute::Turns;
use crate::owner::Owner;

/// One who calls.
pub struct Principal {
    owner: Owner,
    /// `None` where it may do everything.
    rights: Option<Vec<Right>>,
    calls: Option<Arc<Calls>>,
    daily_budget: Option<u64>,
    places: Option<Places>,
    turns: Turns,
}

/// How many calls may be in progress, and those that are.
#[derive(Clone)]
struct Places {
    max: usize,
    free: Arc<Semaphore>,
}

struct Calls {
    per_minute: NonZeroU32,
    limiter: DefaultDirectRateLimiter,
}

/// A principal has called more often than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooFast {
    /// How many calls it may make in a minute.
    pub per_minute: u32,
    /// When the next one is allowed.
    pub retry_after: Duration,
}

static ANYBODY: LazyLock<Arc<Principal>> = LazyLock::new(|| {
    let owner = Owner::default();
    Arc::new(Principal {
        owner,
        rights: None,
        calls: None,
        daily_budget: None,
        places: None,
        turns: Turns::default(),
    })
});

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { owner, rights, .. } = self;
        f.debug_struct("Principal").field("owner", owner).field("rights", rights).finish()
    }
}

impl Principal {
    /// Its places among computations.
    pub(crate) const fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Everybody, where there are no principals.
    #[must_use]
    pub fn anybody() -> Arc<Self> {
        Arc::clone(&ANYBODY)
    }

    /// One of the file. Where it was there before and may call as often, its calls are counted on.
    pub(super) fn new(
        name: &str,
        rights: Vec<Right>,
        calls_per_minute: Option<NonZeroU32>,
        before: Option<&Self>,
    ) -> Self {
        let owner = Owner::new(name, rights.contains(&Right::Audit));
        let counted = before.and_then(|before| before.calls.as_ref());
        let calls = calls_per_minute.map(|per_minute| match counted {
            Some(calls) if calls.per_minute == per_minute => Arc::clone(calls),
            _ => Arc::new(Calls {
                per_minute,
                limiter: RateLimiter::direct(Quota::per_minute(per_minute)),
            }),
        });
        Self {
            owner,
            rights: Some(rights),
            calls,
            daily_budget: None,
            places: None,
            turns: Turns::default(),
        }
    }

    /// The same, with that many calls in progress at most. Where it might have as many before, they are counted on.
    pub(super) fn with_calls_in_flight(self, max: Option<usize>, before: Option<&Self>) -> Self {
        let counted = before.and_then(|before| before.places.clone());
        let places = max.map(|max| match counted {
            Some(places) if places.max == max => places,
            _ => Places { max, free: Arc::new(Semaphore::new(max)) },
        });
        Self { places, ..self }
    }

    /// A place among its calls in progress; nothing where they are not bounded.
    ///
    /// # Errors
    /// How many it may have, where it has as many.
    pub(crate) fn place(&self) -> Result<Option<OwnedSemaphorePermit>, usize> {
        let Some(Places { max, free }) = &self.places else { return Ok(None) };
        Arc::clone(free).try_acquire_owned().map(Some).map_err(|_| *max)
    }

    /// The same, on whose behalf chat models may cost that much in a day.
    pub(super) fn with_daily_budget(self, daily_budget: Option<u64>) -> Self {
        Self { daily_budget, ..self }
    }

    /// Its name; empty where there are no principals.
    #[must_use]
    pub fn name(&self) -> &str {
        self.owner.name()
    }

    /// Whether it is everybody.
    #[must_use]
    pub fn is_anybody(&self) -> bool {
        self.rights.is_none()
    }

    /// For whom what it keeps is kept.
    #[must_use]
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Whether it has a right.
    #[must_use]
    pub fn may(&self, right: Right) -> bool {
        self.rights.as_ref().is_none_or(|rights| rights.contains(&right))
    }

    /// What chat models may cost on its behalf in a day of UTC, in millionths of a dollar; `None` where only
    /// `judges.daily_budget` bounds it.
    #[must_use]
    pub fn daily_budget(&self) -> Option<u64> {
        self.daily_budget
    }

    /// Counts a call.
    ///
    /// # Errors
    /// [`TooFast`] where it has made as many as it may.
    pub fn count_call(&self) -> Result<(), TooFast> {
        let Some(Calls { per_minute, limiter }) = self.calls.as_deref() else { return Ok(()) };
        limiter.check().map_err(|until| TooFast {
            per_minute: per_minute.get(),
            retry_after: until.wait_time_from(DefaultClock::default().now()),
        })
    }

    /// Waits until it may make another call, and counts it.
    pub async fn wait_for_call(&self) {
        while let Err(TooFast { retry_after, .. }) = self.count_call() {
            tokio::time::sleep(retry_after).await;
        }
    }
}
