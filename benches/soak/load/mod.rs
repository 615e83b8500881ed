//! The load: callers that run random scenarios at a limited rate. All calls go through [`Caller::call`].

mod corpus;
mod evaluation;
mod investigation;
mod reload;
mod stranger;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use gsar_client::{Client, ClientError, Refusal};
use tonic::Code;

use crate::identity::{Principal, WORKERS};
use crate::invariants::failures::Failure;
use crate::invariants::privacy;
use crate::world::World;

pub(crate) use corpus::search;
pub(crate) use reload::{reload_repeatedly, write_first};

/// A caller. Each scenario draws a principal.
#[derive(Debug)]
pub(crate) struct Caller {
    world: Arc<World>,
    random: fastrand::Rng,
}

#[derive(Debug)]
pub(crate) enum CallResult<T> {
    Answered(T),
    /// Permanently refused. The scenario decides whether that is correct.
    Refused(Box<Refusal>),
    /// A transient failure, either explained by a fault or recorded as a violation.
    Failed,
}

impl<T> CallResult<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> CallResult<U> {
        match self {
            Self::Answered(answer) => CallResult::Answered(change(answer)),
            Self::Refused(refusal) => CallResult::Refused(refusal),
            Self::Failed => CallResult::Failed,
        }
    }
}

impl Caller {
    pub(crate) fn new(world: Arc<World>, seed: u64) -> Self {
        Self { world, random: fastrand::Rng::with_seed(seed) }
    }

    pub(crate) async fn run(mut self) {
        while !self.world.is_over() {
            // The shares are in percent. An investigation or a corpus takes several calls.
            match self.random.u32(..100) {
                0..60 => self.evaluate().await,
                60..72 => self.read_again().await,
                72..77 => self.stream().await,
                77..83 => self.investigate().await,
                83..91 => self.store_and_search().await,
                _ => self.trespass().await,
            }
        }
    }

    fn draw(&mut self) -> (Principal, usize) {
        let principal = *self.random.choice(&WORKERS).unwrap_or(&WORKERS[0]);
        (principal, self.random.usize(..self.world.sidecars.len()))
    }

    /// Draws a server if all servers share a ledger, and otherwise returns `home`.
    fn server(&mut self, home: usize) -> usize {
        if self.world.is_shared() { self.random.usize(..self.world.sidecars.len()) } else { home }
    }

    /// Makes one call as soon as a ticket is available, times it, and checks whether a fault explains a failure.
    async fn call<T>(
        &self,
        operation: &'static str,
        server: usize,
        principal: &Principal,
        call: impl AsyncFnOnce(&Client) -> Result<T, ClientError>,
    ) -> CallResult<T> {
        let Ok(client) = self.world.client(server, principal) else { return CallResult::Failed };
        if let Ok(ticket) = self.world.tickets.acquire().await {
            ticket.forget();
        }
        let from = self.world.phases.now();
        let phase = self.world.phases.name(from);
        let answer = call(client).await;
        let until = self.world.phases.now();
        match answer {
            Ok(answer) => {
                self.world.latencies.note(operation, phase, until - from);
                CallResult::Answered(answer)
            }
            Err(error) => self.classify_error(operation, server, error, from, until),
        }
    }

    fn classify_error<T>(
        &self,
        operation: &'static str,
        server: usize,
        error: ClientError,
        from: Duration,
        until: Duration,
    ) -> CallResult<T> {
        let Some(failure) = Failure::of(&error) else {
            return match error {
                ClientError::Refused(refusal) if has_reason(&refusal) => {
                    CallResult::Refused(refusal)
                }
                error => {
                    let found = format!("{operation} at server {server}: {error:?}");
                    self.world.record_violation("failures", found);
                    CallResult::Failed
                }
            };
        };
        self.check_failure(operation, server, failure, &error.to_string(), from, until);
        CallResult::Failed
    }

    fn check_failure(
        &self,
        operation: &'static str,
        server: usize,
        failure: Failure,
        message: &str,
        from: Duration,
        until: Duration,
    ) {
        let faults = self.world.phases.affecting(from, until);
        let fault = faults.into_iter().rev().find(|fault| failure.is_explained_by(*fault, server));
        match fault {
            Some(fault) => self.world.count(&format!("{failure:?} while {}", fault.kind())),
            None => {
                let times =
                    format!("from {:.1} to {:.1} s", from.as_secs_f64(), until.as_secs_f64());
                let found = format!(
                    "{operation} at server {server} {times}: unexplained {failure:?}: {message}"
                );
                self.world.record_violation("failures", found);
            }
        }
    }

    fn expect_refusal<T>(&self, what: &str, result: CallResult<T>, expected: Code) {
        let answer = match result {
            CallResult::Answered(answer) => Ok(answer),
            CallResult::Refused(refusal) => Err(refusal),
            CallResult::Failed => return,
        };
        if self.world.check(privacy::refused(what, &answer, expected)) {
            self.world.count(&format!("refused with {expected:?}"));
        }
    }

    fn unexpected_refusal(&self, what: &str, refusal: &Refusal) {
        let found = format!("{what}: {:?} {} {}", refusal.code, refusal.reason, refusal.one_line());
        self.world.record_violation("failures", found);
    }

    async fn back_off(&mut self) {
        tokio::time::sleep(Duration::from_millis(self.random.u64(50..400))).await;
    }
}

/// Returns `true` if a refusal has a reason other than an internal error.
fn has_reason(refusal: &Refusal) -> bool {
    !refusal.reason.is_empty() && refusal.reason != "INTERNAL"
}
