//! Sends a request, with retries and hedging, until it is answered or the deadline passes.
//!
//! An attempt acquires a permit, passes the circuit breaker and the rate limit, and sends the request. No task
//! is spawned, so dropping the future releases everything.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::Url;
use tokio::sync::SemaphorePermit;
use tracing::{Instrument, Span, field};

use crate::admission::Admission;
use crate::circuit::{CircuitBreaker, CircuitState, Pass};
use crate::clock::{Clock, Jitter, SystemClock, UniformJitter};
use crate::endpoint::Endpoint;
use crate::error::ChatError;
use crate::excerpt::Secrets;
use crate::failure::{Failure, Health, Phase};
use crate::interpret::interpret;
use crate::model_name::ModelName;
use crate::providers::{self, Question};
use crate::reply::{Attempt, Reply};
use crate::request::{Request, Trace};
use crate::retry::next_attempt;
use crate::settings::{Settings, SettingsError};
use crate::transport::Transport;

/// The failure code of an attempt that lost to a concurrent one.
const ABANDONED: &str = "ABANDONED";

/// A client for one model. Clones share connections, limits and the circuit breaker.
#[derive(Clone, Debug)]
pub struct Chat {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    model: ModelName,
    url: Url,
    secrets: Secrets,
    settings: Settings,
    clock: Arc<dyn Clock>,
    jitter: Arc<dyn Jitter>,
    admission: Admission,
    circuit: CircuitBreaker,
    transport: Transport,
}

/// The current load on a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// The number of running calls.
    pub running: usize,
    /// The number of calls waiting for a permit.
    pub waiting: usize,
    /// The state of the circuit breaker.
    pub circuit: CircuitState,
}

impl Chat {
    /// Creates a client, which does not connect yet.
    ///
    /// # Errors
    /// Returns an error if a setting is out of range or a certificate is unusable.
    pub fn new(endpoint: &Endpoint, settings: Settings) -> Result<Self, SettingsError> {
        Self::with_clock(endpoint, settings, Arc::new(SystemClock), Arc::new(UniformJitter))
    }

    /// Creates a client with the given clock and jitter.
    ///
    /// # Errors
    /// Returns an error if a setting is out of range or a certificate is unusable.
    pub fn with_clock(
        endpoint: &Endpoint,
        settings: Settings,
        clock: Arc<dyn Clock>,
        jitter: Arc<dyn Jitter>,
    ) -> Result<Self, SettingsError> {
        settings.check(endpoint.model().provider())?;
        Ok(Self {
            inner: Arc::new(Inner {
                model: endpoint.model().clone(),
                url: providers::url(endpoint.base_url(), endpoint.model()),
                secrets: endpoint.secrets(),
                admission: Admission::new(&settings, Arc::clone(&clock)),
                circuit: CircuitBreaker::new(settings.circuit, Arc::clone(&clock)),
                transport: Transport::new(endpoint, &settings, Arc::clone(&clock))?,
                settings,
                clock,
                jitter,
            }),
        })
    }

    /// Returns the name of the model.
    #[must_use]
    pub fn model(&self) -> &ModelName {
        &self.inner.model
    }

    /// Returns the current load.
    #[must_use]
    pub fn load(&self) -> Load {
        Load {
            running: self.inner.admission.running(),
            waiting: self.inner.admission.waiting(),
            circuit: self.inner.circuit.state(),
        }
    }

    /// Sends a request, with retries, until `deadline`. Dropping the future cancels the call.
    ///
    /// # Errors
    /// See [`Failure`]. With a schema, a refused, filtered or truncated answer is an error that contains the
    /// answer.
    pub async fn ask(&self, request: &Request, deadline: Instant) -> Result<Reply, ChatError> {
        let inner = &*self.inner;
        let span = inner.span();
        let mut attempts = Vec::new();
        let result = inner.ask(request, deadline, &mut attempts).instrument(span.clone()).await;
        match result {
            Ok(mut reply) => {
                reply.attempts = attempts;
                record_reply(&span, &reply);
                Ok(reply)
            }
            Err(failure) => {
                span.record("error.type", failure.code());
                if let Some(reply) = failure.reply() {
                    record_reply(&span, reply);
                }
                let failure = Box::new(failure);
                let url = inner.secrets.redact(inner.url.to_string());
                Err(ChatError { model: inner.model.clone(), url, failure, attempts })
            }
        }
    }
}

struct Call {
    body: Bytes,
    with_schema: bool,
    deadline: Instant,
    trace: Option<Trace>,
}

impl Inner {
    async fn ask(
        &self,
        request: &Request,
        deadline: Instant,
        attempts: &mut Vec<Attempt>,
    ) -> Result<Reply, Failure> {
        if self.clock.now() >= deadline {
            return Err(Failure::DeadlineBeforeStart);
        }
        let body = Bytes::from(providers::encode(&self.question(request))?);
        let (with_schema, trace) = (request.schema.is_some(), request.trace.clone());
        let call = Call { body, with_schema, deadline, trace };
        let mut idle_since = self.clock.now();
        let mut last_failure: Option<Failure> = None;
        let mut failures = 0;
        loop {
            let permit = match self.admit(deadline).await {
                Ok(permit) => permit,
                // The failure of the previous attempt is more informative than this refusal.
                Err(refused) => return Err(last_failure.unwrap_or(refused)),
            };
            let waited = self.clock.now().saturating_duration_since(idle_since);
            let failure = match self.attempt(&call, permit, waited, attempts).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            failures += 1;
            idle_since = self.clock.now();
            let retry = &self.settings.retry;
            let next = next_attempt(retry, &*self.jitter, &failure, failures, idle_since, deadline);
            let Some(start) = next else { return Err(failure) };
            self.clock.sleep_until(start).await;
            last_failure = Some(failure);
        }
    }

    fn question<'a>(&'a self, request: &'a Request) -> Question<'a> {
        Question {
            model: &self.model,
            request,
            max_output_tokens: self.settings.max_output_tokens,
            structured_output: self.settings.structured_output,
            ollama_context: self.settings.ollama_context.map(std::num::NonZeroU32::get),
        }
    }

    async fn admit(&self, deadline: Instant) -> Result<AttemptPermit<'_>, Failure> {
        let permit = self.admission.acquire(deadline).await?;
        let pass = self.circuit.try_enter()?;
        self.admission.wait_for_rate(deadline).await?;
        if self.clock.now() >= deadline {
            return Err(Failure::DeadlinePassed { phase: Phase::Queue });
        }
        Ok(AttemptPermit { _permit: permit, pass })
    }

    fn try_admit_hedge(&self) -> Option<AttemptPermit<'_>> {
        if self.circuit.state() != CircuitState::Closed {
            return None;
        }
        let permit = self.admission.try_permit()?;
        let pass = self.circuit.try_enter().ok()?;
        self.admission.try_rate().then_some(AttemptPermit { _permit: permit, pass })
    }

    /// Makes an attempt, and a second one if the first is slow. Returns the first reply or the last failure.
    async fn attempt(
        &self,
        call: &Call,
        permit: AttemptPermit<'_>,
        waited: Duration,
        attempts: &mut Vec<Attempt>,
    ) -> Result<Reply, Failure> {
        let first = AttemptStart { started_at: self.clock.now(), waited, hedge: false };
        let mut sent = pin!(self.send(call, permit));
        let permit = match self.settings.hedge_after {
            None => None,
            Some(after) => tokio::select! {
                biased;
                attempt_result = &mut sent => return self.record_attempt(&first, attempt_result, attempts),
                () = self.clock.sleep_until(first.started_at + after) => self.try_admit_hedge(),
            },
        };
        let Some(permit) = permit else {
            return self.record_attempt(&first, sent.await, attempts);
        };
        let second =
            AttemptStart { started_at: self.clock.now(), waited: Duration::ZERO, hedge: true };
        let mut hedge = pin!(self.send(call, permit));
        let (finished, attempt_result, other, other_attempt) = tokio::select! {
            biased;
            attempt_result = &mut sent => (first, attempt_result, second, hedge),
            attempt_result = &mut hedge => (second, attempt_result, first, sent),
        };
        let result = self.record_attempt(&finished, attempt_result, attempts);
        if result.is_ok() {
            attempts.push(self.attempt_record(&other, None, Some(ABANDONED)));
            return result;
        }
        self.record_attempt(&other, other_attempt.await, attempts)
    }

    fn record_attempt(
        &self,
        start: &AttemptStart,
        sent: AttemptResult,
        attempts: &mut Vec<Attempt>,
    ) -> Result<Reply, Failure> {
        let failure = sent.result.as_ref().err().map(Failure::code);
        attempts.push(self.attempt_record(start, sent.status, failure));
        sent.result
    }

    fn attempt_record(
        &self,
        start: &AttemptStart,
        status: Option<u16>,
        failure: Option<&'static str>,
    ) -> Attempt {
        let took = self.clock.now().saturating_duration_since(start.started_at);
        Attempt { status, failure, took, waited: start.waited, hedge: start.hedge }
    }

    async fn send(&self, call: &Call, permit: AttemptPermit<'_>) -> AttemptResult {
        let trace = call.trace.as_ref();
        let answer = self.transport.post(&self.url, call.body.clone(), call.deadline, trace);
        let answer = answer.await;
        let (status, result) = match answer {
            Ok(answer) => (
                Some(answer.status),
                interpret(&self.model, call.with_schema, &answer, &self.secrets),
            ),
            Err(failure) => (None, Err(failure)),
        };
        permit.pass.record(result.as_ref().map_or_else(Failure::health, |_reply| Health::Alive));
        AttemptResult { status, result }
    }

    fn span(&self) -> Span {
        tracing::info_span!(
            "chat",
            gen_ai.operation.name = "chat",
            gen_ai.provider.name = self.model.provider().conventional_name(),
            gen_ai.request.model = self.model.model(),
            gen_ai.response.model = field::Empty,
            gen_ai.response.finish_reasons = field::Empty,
            gen_ai.usage.input_tokens = field::Empty,
            gen_ai.usage.output_tokens = field::Empty,
            error.type = field::Empty,
        )
    }
}

struct AttemptPermit<'a> {
    _permit: SemaphorePermit<'a>,
    pass: Pass<'a>,
}

struct AttemptResult {
    status: Option<u16>,
    result: Result<Reply, Failure>,
}

struct AttemptStart {
    started_at: Instant,
    waited: Duration,
    hedge: bool,
}

fn record_reply(span: &Span, reply: &Reply) {
    span.record("gen_ai.response.model", reply.model.as_str());
    span.record("gen_ai.response.finish_reasons", reply.stop.name());
    if let Some(usage) = reply.usage {
        span.record("gen_ai.usage.input_tokens", usage.input);
        span.record("gen_ai.usage.output_tokens", usage.output);
    }
}
