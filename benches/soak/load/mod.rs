//! This module is the load: callers that each do one story after the other, as their seed has it, at the pace of the run.
//! Every call goes through [`Caller::ask`], which times it and judges its failure.

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
use crate::invariants::Violation;
use crate::invariants::failures::Failure;
use crate::invariants::privacy;
use crate::world::World;

pub(crate) use corpus::search;
pub(crate) use reload::{reload_again_and_again, write_first};

/// One who calls, on behalf of a principal that each story draws.
#[derive(Debug)]
pub(crate) struct Caller {
    world: Arc<World>,
    random: fastrand::Rng,
}

/// What became of a call.
#[derive(Debug)]
pub(crate) enum Asked<T> {
    /// It was answered.
    Answered(T),
    /// It was refused for good; whether that is right is for the story to say.
    Refused(Box<Refusal>),
    /// It failed in passing: a fault explains it, or it was noted as a violation.
    Failed,
}

impl<T> Asked<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Asked<U> {
        match self {
            Self::Answered(answer) => Asked::Answered(change(answer)),
            Self::Refused(refusal) => Asked::Refused(refusal),
            Self::Failed => Asked::Failed,
        }
    }
}

impl Caller {
    /// One with its own seed.
    pub(crate) fn new(world: Arc<World>, seed: u64) -> Self {
        Self { world, random: fastrand::Rng::with_seed(seed) }
    }

    /// Calls until the load is over.
    pub(crate) async fn run(mut self) {
        while !self.world.is_over() {
            // Out of a hundred stories; those of an investigation or a corpus are several calls.
            match self.random.u32(..100) {
                0..60 => self.evaluate().await,
                60..72 => self.read_again().await,
                72..77 => self.stream().await,
                77..83 => self.investigate().await,
                83..91 => self.keep_evidence().await,
                _ => self.trespass().await,
            }
        }
    }

    /// A principal, and the server at which what it is about to make is kept where servers share nothing.
    fn draw(&mut self) -> (Principal, usize) {
        let principal = *self.random.choice(&WORKERS).unwrap_or(&WORKERS[0]);
        (principal, self.random.usize(..self.world.sidecars.len()))
    }

    /// Any server where they share a ledger, else that one.
    fn server(&mut self, home: usize) -> usize {
        if self.world.is_shared() { self.random.usize(..self.world.sidecars.len()) } else { home }
    }

    /// Makes one call when it is its turn.
    async fn ask<T>(
        &self,
        operation: &'static str,
        server: usize,
        of: &Principal,
        call: impl AsyncFnOnce(&Client) -> Result<T, ClientError>,
    ) -> Asked<T> {
        let Ok(client) = self.world.client(server, of) else { return Asked::Failed };
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
                Asked::Answered(answer)
            }
            Err(error) => self.failed(operation, server, error, from, until),
        }
    }

    fn failed<T>(
        &self,
        operation: &'static str,
        server: usize,
        error: ClientError,
        from: Duration,
        until: Duration,
    ) -> Asked<T> {
        let Some(failure) = Failure::of(&error) else {
            return match error {
                ClientError::Refused(refusal) if has_reason(&refusal) => Asked::Refused(refusal),
                error => {
                    let found = format!("{operation} at server {server}: {error:?}");
                    self.world.violated(Violation::new("failures", found));
                    Asked::Failed
                }
            };
        };
        self.passing(operation, server, failure, &error.to_string(), from, until);
        Asked::Failed
    }

    /// Holds a failure that passes against the faults that may explain it.
    fn passing(
        &self,
        operation: &'static str,
        server: usize,
        failure: Failure,
        said: &str,
        from: Duration,
        until: Duration,
    ) {
        let felt = self.world.phases.felt(from, until);
        let fault = felt.into_iter().rev().find(|fault| failure.follows_from(*fault, server));
        match fault {
            Some(fault) => self.world.count(&format!("{failure:?} while {}", fault.kind())),
            None => {
                let times =
                    format!("from {:.1} to {:.1} s", from.as_secs_f64(), until.as_secs_f64());
                let found = format!(
                    "{operation} at server {server} {times}, {failure:?} without a fault that explains it: {said}"
                );
                self.world.violated(Violation::new("failures", found));
            }
        }
    }

    /// What an answer, or a refusal that is for good, must be; one that failed in passing says nothing.
    fn must_be_refused<T>(&self, what: &str, asked: Asked<T>, wanted: Code) {
        let answer = match asked {
            Asked::Answered(answer) => Ok(answer),
            Asked::Refused(refusal) => Err(refusal),
            Asked::Failed => return,
        };
        if self.world.check(privacy::refused(what, &answer, wanted)) {
            self.world.count(&format!("refused with {wanted:?}"));
        }
    }

    /// A refusal that nothing in the story calls for.
    fn not_called_for(&self, what: &str, refusal: &Refusal) {
        let found = format!("{what}: {:?} {} {}", refusal.code, refusal.reason, refusal.one_line());
        self.world.violated(Violation::new("failures", found));
    }

    /// Waits a moment before a call is repeated.
    async fn a_moment(&mut self) {
        tokio::time::sleep(Duration::from_millis(self.random.u64(50..400))).await;
    }
}

/// Whether a refusal says why, and does not say that the server is wrong.
fn has_reason(refusal: &Refusal) -> bool {
    !refusal.reason.is_empty() && refusal.reason != "INTERNAL"
}
