//! The circuit breaker: after repeated failures a provider is not called for a while, then one call probes it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::failure::{Failure, Health};
use crate::settings::Circuit;

/// The state of the circuit, with its counters and times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed { failures: u32 },
    Open { until: Instant },
    Trying { since: Instant },
}

/// The state of the circuit breaker of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitState {
    /// Calls pass.
    Closed,
    /// Calls are refused, until the next call may probe the provider.
    Open,
    /// One call probes the provider.
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

    /// Admits an attempt. The result is recorded with [`Pass::record`]; a dropped pass records nothing.
    pub(crate) fn enter(&self) -> Result<Pass<'_>, Failure> {
        let now = self.clock.now();
        let mut state = self.state();
        match *state {
            State::Closed { .. } => Ok(Pass { circuit: self, tries: false }),
            State::Open { until } if until <= now => {
                *state = State::Trying { since: until };
                Ok(Pass { circuit: self, tries: true })
            }
            State::Open { until } => Err(self.open(until.saturating_duration_since(now))),
            State::Trying { .. } => Err(self.open(Duration::ZERO)),
        }
    }

    pub(crate) fn shown(&self) -> CircuitState {
        match *self.state() {
            State::Closed { .. } => CircuitState::Closed,
            State::Open { .. } => CircuitState::Open,
            State::Trying { .. } => CircuitState::HalfOpen,
        }
    }

    const fn open(&self, retry_in: Duration) -> Failure {
        Failure::CircuitOpen { failures: self.settings.failures, retry_in }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Permission for one attempt.
#[derive(Debug)]
pub(crate) struct Pass<'a> {
    circuit: &'a CircuitBreaker,
    tries: bool,
}

impl Pass<'_> {
    /// Records the result of the attempt.
    pub(crate) fn ended(mut self, health: Health) {
        let until = self.circuit.clock.now() + self.circuit.settings.cool_down;
        let mut state = self.circuit.state();
        match (*state, health) {
            (_, Health::Unknown) => return,
            (State::Trying { .. }, _) if !self.tries => return,
            // An attempt that began before the circuit opened says nothing about the provider now.
            (State::Open { .. }, _) => return,
            (_, Health::Alive) => *state = State::Closed { failures: 0 },
            (State::Trying { .. }, Health::Broken) => *state = State::Open { until },
            (State::Closed { failures }, Health::Broken) => {
                let failures = failures.saturating_add(1);
                *state = if failures >= self.circuit.settings.failures {
                    State::Open { until }
                } else {
                    State::Closed { failures }
                };
            }
        }
        self.tries = false;
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if !self.tries {
            return;
        }
        let mut state = self.circuit.state();
        if let State::Trying { since } = *state {
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
            circuit.enter().unwrap().ended(Health::Broken);
        }
    }

    fn retry_in(circuit: &CircuitBreaker) -> Duration {
        circuit.enter().unwrap_err().retry_after().unwrap()
    }

    #[test]
    fn opens_after_failures_in_a_row_and_closes_after_a_successful_probe() {
        let (circuit, clock) = breaker();
        fail(&circuit, 2);
        circuit.enter().unwrap().ended(Health::Alive);
        fail(&circuit, 2);
        assert_eq!(circuit.shown(), CircuitState::Closed);
        fail(&circuit, 1);
        assert_eq!(circuit.shown(), CircuitState::Open);
        clock.advance(Duration::from_secs(10));
        assert_eq!(retry_in(&circuit), Duration::from_secs(20));
        clock.advance(Duration::from_secs(20));
        let trying = circuit.enter().unwrap();
        assert_eq!((circuit.shown(), retry_in(&circuit)), (CircuitState::HalfOpen, Duration::ZERO));
        trying.ended(Health::Alive);
        fail(&circuit, 2);
        assert_eq!(circuit.shown(), CircuitState::Closed);
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
    fn a_dropped_probe_lets_the_next_call_probe() {
        let (circuit, clock) = breaker();
        fail(&circuit, 3);
        clock.advance(Duration::from_secs(30));
        drop(circuit.enter().unwrap());
        circuit.enter().unwrap().ended(Health::Unknown);
        circuit.enter().unwrap().ended(Health::Alive);
        assert_eq!(circuit.shown(), CircuitState::Closed);
    }

    #[test]
    fn attempts_begun_before_it_opened_do_not_affect_it() {
        let (circuit, clock) = breaker();
        let (late_success, late_failure) = (circuit.enter().unwrap(), circuit.enter().unwrap());
        fail(&circuit, 3);
        clock.advance(Duration::from_secs(10));
        late_failure.ended(Health::Broken);
        assert_eq!(retry_in(&circuit), Duration::from_secs(20));
        late_success.ended(Health::Alive);
        assert_eq!(circuit.shown(), CircuitState::Open);
    }
}
