//! The circuit breaker, which stops calls after repeated failures until a probe succeeds.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::failure::{Failure, Health};
use crate::settings::Circuit;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed { failures: u32 },
    Open { until: Instant },
    Probing { since: Instant },
}

/// The state of a provider's circuit breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitState {
    /// Calls pass.
    Closed,
    /// Calls fail until a later call may probe the provider.
    Open,
    /// A call is probing the provider.
    HalfOpen,
}

#[derive(Debug)]
pub(crate) struct CircuitBreaker {
    settings: Circuit,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

impl CircuitBreaker {
    pub(crate) fn new(settings: Circuit, clock: Arc<dyn Clock>) -> Self {
        Self { settings, clock, state: Mutex::new(State::Closed { failures: 0 }) }
    }

    /// Admits an attempt, whose result is reported with [`Pass::record`]. Dropping the pass reports nothing.
    pub(crate) fn try_enter(&self) -> Result<Pass<'_>, Failure> {
        let now = self.clock.now();
        let mut state = self.lock();
        match *state {
            State::Closed { .. } => Ok(Pass { circuit: self, is_probe: false }),
            State::Open { until } if until <= now => {
                *state = State::Probing { since: until };
                Ok(Pass { circuit: self, is_probe: true })
            }
            State::Open { until } => Err(self.open_failure(until.saturating_duration_since(now))),
            State::Probing { .. } => Err(self.open_failure(Duration::ZERO)),
        }
    }

    pub(crate) fn state(&self) -> CircuitState {
        match *self.lock() {
            State::Closed { .. } => CircuitState::Closed,
            State::Open { .. } => CircuitState::Open,
            State::Probing { .. } => CircuitState::HalfOpen,
        }
    }

    const fn open_failure(&self, retry_in: Duration) -> Failure {
        Failure::CircuitOpen { failures: self.settings.failures, retry_in }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub(crate) struct Pass<'a> {
    circuit: &'a CircuitBreaker,
    is_probe: bool,
}

impl Pass<'_> {
    pub(crate) fn record(mut self, health: Health) {
        let until = self.circuit.clock.now() + self.circuit.settings.cool_down;
        let mut state = self.circuit.lock();
        match (*state, health) {
            (_, Health::Unknown) => return,
            (State::Probing { .. }, _) if !self.is_probe => return,
            // The attempt began before the circuit opened, so its result is outdated.
            (State::Open { .. }, _) => return,
            (_, Health::Alive) => *state = State::Closed { failures: 0 },
            (State::Probing { .. }, Health::Broken) => *state = State::Open { until },
            (State::Closed { failures }, Health::Broken) => {
                let failures = failures.saturating_add(1);
                *state = if failures >= self.circuit.settings.failures {
                    State::Open { until }
                } else {
                    State::Closed { failures }
                };
            }
        }
        self.is_probe = false;
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if !self.is_probe {
            return;
        }
        let mut state = self.circuit.lock();
        if let State::Probing { since } = *state {
            *state = State::Open { until: since };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    fn breaker() -> (CircuitBreaker, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::new());
        let settings = Circuit { failures: 3, cool_down: Duration::from_secs(30) };
        (CircuitBreaker::new(settings, Arc::clone(&clock) as Arc<dyn Clock>), clock)
    }

    fn fail(circuit: &CircuitBreaker, times: u32) {
        for _ in 0..times {
            circuit.try_enter().unwrap().record(Health::Broken);
        }
    }

    fn retry_in(circuit: &CircuitBreaker) -> Duration {
        circuit.try_enter().unwrap_err().retry_after().unwrap()
    }

    #[test]
    fn opens_after_failures_and_closes_after_a_probe() {
        let (circuit, clock) = breaker();
        fail(&circuit, 2);
        circuit.try_enter().unwrap().record(Health::Alive);
        fail(&circuit, 2);
        assert_eq!(circuit.state(), CircuitState::Closed);
        fail(&circuit, 1);
        assert_eq!(circuit.state(), CircuitState::Open);
        clock.advance(Duration::from_secs(10));
        assert_eq!(retry_in(&circuit), Duration::from_secs(20));
        clock.advance(Duration::from_secs(20));
        let probe = circuit.try_enter().unwrap();
        assert_eq!((circuit.state(), retry_in(&circuit)), (CircuitState::HalfOpen, Duration::ZERO));
        probe.record(Health::Alive);
        fail(&circuit, 2);
        assert_eq!(circuit.state(), CircuitState::Closed);
    }

    #[test]
    fn stays_open_when_the_probe_fails() {
        let (circuit, clock) = breaker();
        fail(&circuit, 3);
        clock.advance(Duration::from_secs(30));
        fail(&circuit, 1);
        assert_eq!(retry_in(&circuit), Duration::from_secs(30));
    }

    #[test]
    fn after_a_dropped_probe_the_next_call_probes() {
        let (circuit, clock) = breaker();
        fail(&circuit, 3);
        clock.advance(Duration::from_secs(30));
        drop(circuit.try_enter().unwrap());
        circuit.try_enter().unwrap().record(Health::Unknown);
        circuit.try_enter().unwrap().record(Health::Alive);
        assert_eq!(circuit.state(), CircuitState::Closed);
    }

    #[test]
    fn attempts_that_began_before_the_circuit_opened_do_not_affect_it() {
        let (circuit, clock) = breaker();
        let (late_success, late_failure) =
            (circuit.try_enter().unwrap(), circuit.try_enter().unwrap());
        fail(&circuit, 3);
        clock.advance(Duration::from_secs(10));
        late_failure.record(Health::Broken);
        assert_eq!(retry_in(&circuit), Duration::from_secs(20));
        late_success.record(Health::Alive);
        assert_eq!(circuit.state(), CircuitState::Open);
    }
}
