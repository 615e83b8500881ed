//! Tracks the health of the database from query outcomes. Probes it if there are no queries.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::ledger::health::{Failure as Unhealthy, Health};
use crate::storage::postgres::{Database, Failure};
use crate::wall_clock;

/// The interval between checks of whether a probe is needed.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);
/// The age above which a response no longer proves that the database is healthy.
const FRESH: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub(super) struct Watch {
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    health: Health,
    last_response: Instant,
    is_closed: bool,
}

impl Watch {
    /// Starts watching a database that has just responded.
    pub(super) fn start(database: Database) -> Self {
        let state =
            State { health: Health::default(), last_response: Instant::now(), is_closed: false };
        let watch = Self { state: Arc::new(Mutex::new(state)) };
        let weak_state = Arc::downgrade(&watch.state);
        tokio::spawn(async move { watch_while_open(&database, &weak_state).await });
        watch
    }

    pub(super) fn mark_healthy(&self) {
        let mut state = self.state();
        state.last_response = Instant::now();
        if state.health.failure.take().is_some() {
            tracing::info!("the ledger accepts records again");
        }
    }

    pub(super) fn note_commit(&self) {
        self.state().health.last_commit_micros = Some(wall_clock::now().as_microsecond());
    }

    pub(super) fn mark_failed(&self, failure: &Failure) {
        let mut state = self.state();
        let reason = failure.to_string();
        if state.health.failure.is_none() {
            tracing::error!("the ledger is unavailable: {reason}");
        }
        let since_micros = match state.health.failure.take() {
            Some(earlier) => earlier.since_micros,
            None => wall_clock::now().as_microsecond(),
        };
        state.health.failure = Some(Unhealthy { reason, since_micros });
    }

    pub(super) fn health(&self) -> Health {
        self.state().health.clone()
    }

    pub(super) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.health.failure = Some(Unhealthy {
            reason: "the ledger is closed".to_owned(),
            since_micros: wall_clock::now().as_microsecond(),
        });
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state().is_closed
    }

    fn is_stale(&self) -> bool {
        let state = self.state();
        state.health.failure.is_some() || state.last_response.elapsed() >= FRESH
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn watch_while_open(database: &Database, weak_state: &Weak<Mutex<State>>) {
    loop {
        tokio::time::sleep(PROBE_INTERVAL).await;
        let Some(state) = weak_state.upgrade() else { return };
        let watch = Watch { state };
        if watch.is_closed() {
            return;
        }
        if watch.is_stale() {
            let probe = database.run((), |client, (), _| {
                Box::pin(async move { client.simple_query("SELECT 1").await })
            });
            match probe.await {
                Ok(_) => watch.mark_healthy(),
                Err(failure) if !watch.is_closed() => watch.mark_failed(&failure),
                Err(_) => {}
            }
        }
    }
}
