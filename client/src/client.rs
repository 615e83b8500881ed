//! The client and its calls. Each call has a deadline; safe calls are retried if the server asks for a retry.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gsar_proto::v1;
use tonic::transport::Channel;
use tonic::{Request, Response, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use v1::evidence_service_client::EvidenceServiceClient;
use v1::gate_service_client::GateServiceClient;
use v1::grounding_service_client::GroundingServiceClient;
use v1::policy_service_client::PolicyServiceClient;

use crate::endpoint::Endpoint;
use crate::error::{ClientError, Refusal};
use crate::pool::{Connection, Pool};
use crate::tls::TlsFiles;
use crate::token::Token;

const DEFAULT_DEADLINE: Duration = Duration::from_secs(60);

/// The maximum number of attempts per call, including the first.
const MAX_ATTEMPTS: u32 = 4;

/// Large enough for a full ledger record.
pub(crate) const MAX_RESPONSE_BYTES: usize = 256 * 1024 * 1024;

/// Returns the `traceparent` of the current trace, if any.
type TraceSource = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// A client for one server, or for several equivalent servers. It is cheap to clone; clones share the connections.
///
/// Every call returns a [`ClientError`] if it fails, or if a resource that it names does not exist.
#[derive(Clone)]
pub struct Client {
    pool: Arc<Pool>,
    deadline: Duration,
    trace: Option<TraceSource>,
    token: Option<Token>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("endpoint", self.endpoint()).finish_non_exhaustive()
    }
}

/// The retry policy of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    Safe,
    Never,
}

impl Client {
    /// Connects to a server. With TLS, the system's certificate authorities are trusted.
    ///
    /// # Errors
    /// Returns [`ClientError::Unreachable`] if the connection fails and [`ClientError::Tls`] if the server is not
    /// trusted.
    pub async fn connect(endpoint: &Endpoint) -> Result<Self, ClientError> {
        Self::connect_with(endpoint, &TlsFiles::default()).await
    }

    /// Connects to a server with the given TLS files. They are only read if the endpoint is a `grpcs://` endpoint.
    ///
    /// # Errors
    /// In addition to the errors of [`Client::connect`], returns [`ClientError::TlsFile`] if a file is invalid.
    pub async fn connect_with(endpoint: &Endpoint, files: &TlsFiles) -> Result<Self, ClientError> {
        Self::connect_to_any(endpoint, &[], files).await
    }

    /// Connects to several equivalent servers. Calls rotate over those that have not failed recently.
    ///
    /// # Errors
    /// If no server is reachable, returns the error of the first one; see [`Client::connect_with`].
    pub async fn connect_to_any(
        first: &Endpoint,
        others: &[Endpoint],
        files: &TlsFiles,
    ) -> Result<Self, ClientError> {
        let pool = Arc::new(Pool::connect(first, others, files).await?);
        Ok(Self { pool, deadline: DEFAULT_DEADLINE, trace: None, token: None })
    }

    /// Sets the deadline of each call, including its retries.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Reads the bearer token from `file`, if given.
    ///
    /// # Errors
    /// Returns [`ClientError::Token`] if the file does not contain a valid token.
    pub fn with_token_file(self, file: Option<&Path>) -> Result<Self, ClientError> {
        match file {
            Some(file) => Ok(self.with_token(Token::from_file(file)?)),
            None => Ok(self),
        }
    }

    /// Sets the bearer token.
    #[must_use]
    pub fn with_token(mut self, token: Token) -> Self {
        self.token = Some(token);
        self
    }

    /// Sends a W3C `traceparent` with every call. `source` returns the current one, if any.
    #[must_use]
    pub fn with_trace(
        mut self,
        source: impl Fn() -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.trace = Some(Arc::new(source));
        self
    }

    /// Returns the endpoint of the first server.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.pool.first().endpoint
    }

    /// Returns `true` if the server's health check reports `SERVING`.
    pub async fn is_serving(&self) -> Result<bool, ClientError> {
        let request = HealthCheckRequest::default();
        let answer = self
            .call("Check", Retry::Safe, request, |channel, request| async move {
                HealthClient::new(channel).check(request).await
            })
            .await?;
        Ok(answer.status() == ServingStatus::Serving)
    }

    /// Judges the claims of a report and decides whether it may be sent. The call is retried only if the request has an
    /// idempotency key. If a judge fails, the response says so; this is not an error.
    pub async fn evaluate(
        &self,
        request: v1::EvaluateRequest,
    ) -> Result<v1::EvaluateResponse, ClientError> {
        let retry = if request.idempotency_key.is_empty() { Retry::Never } else { Retry::Safe };
        self.call("Evaluate", retry, request, |channel, request| async move {
            grounding(channel).evaluate(request).await
        })
        .await
    }

    /// Scores a partition that the caller has judged, and returns the decision.
    pub async fn score(&self, request: v1::ScoreRequest) -> Result<v1::ScoreResponse, ClientError> {
        self.call("Score", Retry::Safe, request, |channel, request| async move {
            grounding(channel).score(request).await
        })
        .await
    }

    /// Evaluates several reports based on the same evidence and ranks them. The call is never retried, since each
    /// evaluation is recorded. Invalid reports and failed judges are listed in the response; they are not errors.
    pub async fn select_best(
        &self,
        request: v1::SelectBestRequest,
    ) -> Result<v1::SelectBestResponse, ClientError> {
        self.call("SelectBest", Retry::Never, request, |channel, request| async move {
            grounding(channel).select_best(request).await
        })
        .await
    }

    /// Rescores a recorded evaluation under another policy, without judging or recording anything.
    pub async fn rescore(
        &self,
        request: v1::RescoreRequest,
    ) -> Result<v1::RescoreResponse, ClientError> {
        self.call("Rescore", Retry::Safe, request, |channel, request| async move {
            grounding(channel).rescore(request).await
        })
        .await
    }

    /// Tests the server's judges, including chat models, on a small report that should proceed.
    pub async fn try_judges(
        &self,
        request: v1::TryJudgesRequest,
    ) -> Result<v1::TryJudgesResponse, ClientError> {
        self.call("TryJudges", Retry::Safe, request, |channel, request| async move {
            grounding(channel).try_judges(request).await
        })
        .await
    }

    /// Decides whether an investigation may end.
    pub async fn evaluate_gate(
        &self,
        request: v1::EvaluateGateRequest,
    ) -> Result<v1::EvaluateGateResponse, ClientError> {
        self.call("EvaluateGate", Retry::Safe, request, |channel, request| async move {
            GateServiceClient::new(channel).evaluate_gate(request).await
        })
        .await
    }

    /// Classifies a tool result: whether it supports or refutes that there is a problem.
    pub async fn classify_verdict(
        &self,
        request: v1::ClassifyVerdictRequest,
    ) -> Result<v1::ClassifyVerdictResponse, ClientError> {
        self.call("ClassifyVerdict", Retry::Safe, request, |channel, request| async move {
            GateServiceClient::new(channel).classify_verdict(request).await
        })
        .await
    }

    /// Assembles the evidence chain for a root cause.
    pub async fn assemble_chain(
        &self,
        request: v1::AssembleChainRequest,
    ) -> Result<v1::AssembleChainResponse, ClientError> {
        self.call("AssembleChain", Retry::Safe, request, |channel, request| async move {
            GateServiceClient::new(channel).assemble_chain(request).await
        })
        .await
    }

    /// Caps a self-rated confidence according to the grounding of its evidence chain.
    pub async fn cap_confidence(
        &self,
        request: v1::CapConfidenceRequest,
    ) -> Result<v1::CapConfidenceResponse, ClientError> {
        self.call("CapConfidence", Retry::Safe, request, |channel, request| async move {
            GateServiceClient::new(channel).cap_confidence(request).await
        })
        .await
    }

    /// Lists the server's policies.
    pub async fn list_policies(&self) -> Result<v1::ListPoliciesResponse, ClientError> {
        let request = v1::ListPoliciesRequest {};
        self.call("ListPolicies", Retry::Safe, request, |channel, request| async move {
            PolicyServiceClient::new(channel).list_policies(request).await
        })
        .await
    }

    /// Returns a policy as TOML. An empty name selects the server's default.
    pub async fn policy(&self, name: &str) -> Result<v1::GetPolicyResponse, ClientError> {
        let request = v1::GetPolicyRequest { name: name.to_owned() };
        self.call("GetPolicy", Retry::Safe, request, |channel, request| async move {
            PolicyServiceClient::new(channel).get_policy(request).await
        })
        .await
    }

    /// Checks a policy file. The response lists every problem in it.
    pub async fn check_policy(&self, toml: &str) -> Result<v1::CheckPolicyResponse, ClientError> {
        let request = v1::CheckPolicyRequest { toml: toml.to_owned() };
        self.call("CheckPolicy", Retry::Safe, request, |channel, request| async move {
            PolicyServiceClient::new(channel).check_policy(request).await
        })
        .await
    }

    /// Stores evidence in a corpus. The first message names the corpus, the following ones contain the items. The call
    /// is never retried, but it is idempotent: after an error, the same messages can be sent again.
    pub async fn put_evidence(
        &self,
        messages: impl Iterator<Item = v1::PutEvidenceRequest> + Send + 'static,
    ) -> Result<v1::PutEvidenceResponse, ClientError> {
        const METHOD: &str = "PutEvidence";
        let mut request = self.request(futures_util::stream::iter(messages));
        request.set_timeout(self.deadline);
        let connection = self.pool.next();
        let mut client = EvidenceServiceClient::new(connection.channel.clone());
        match tokio::time::timeout(self.deadline, client.put_evidence(request)).await {
            Ok(Ok(answer)) => Ok(answer.into_inner()),
            Ok(Err(status)) => Err(connection.status_error(METHOD, &status)),
            Err(_) => Err(deadline_exceeded(METHOD)),
        }
    }

    /// Returns a stored item's content or a range of it.
    pub async fn snapshot(
        &self,
        request: v1::GetSnapshotRequest,
    ) -> Result<v1::GetSnapshotResponse, ClientError> {
        self.call("GetSnapshot", Retry::Safe, request, |channel, request| async move {
            EvidenceServiceClient::new(channel).get_snapshot(request).await
        })
        .await
    }

    /// Searches a corpus for relevant passages.
    pub async fn search(
        &self,
        request: v1::SearchRequest,
    ) -> Result<v1::SearchResponse, ClientError> {
        self.call("Search", Retry::Safe, request, |channel, request| async move {
            EvidenceServiceClient::new(channel).search(request).await
        })
        .await
    }

    /// Lists corpora by name, one page at a time.
    pub async fn list_corpora(
        &self,
        request: v1::ListCorporaRequest,
    ) -> Result<v1::ListCorporaResponse, ClientError> {
        self.call("ListCorpora", Retry::Safe, request, |channel, request| async move {
            EvidenceServiceClient::new(channel).list_corpora(request).await
        })
        .await
    }

    /// Deletes a corpus and all its items.
    pub async fn delete_corpus(
        &self,
        corpus_id: &str,
    ) -> Result<v1::DeleteCorpusResponse, ClientError> {
        let request = v1::DeleteCorpusRequest { corpus_id: corpus_id.to_owned() };
        self.call("DeleteCorpus", Retry::Never, request, |channel, request| async move {
            EvidenceServiceClient::new(channel).delete_corpus(request).await
        })
        .await
    }

    /// Sends a request and retries it until it succeeds, fails permanently, or exceeds the deadline.
    pub(crate) async fn call<Q: Clone, A, F>(
        &self,
        method: &'static str,
        retry: Retry,
        message: Q,
        send: impl Fn(Channel, Request<Q>) -> F,
    ) -> Result<A, ClientError>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        let started_at = Instant::now();
        let mut attempt = 1;
        let mut message = Some(message);
        self.pool.count_call();
        loop {
            let remaining = self.deadline.saturating_sub(started_at.elapsed());
            let is_last_attempt = retry == Retry::Never || attempt == MAX_ATTEMPTS;
            let Some(content) = (if is_last_attempt { message.take() } else { message.clone() })
            else {
                return Err(deadline_exceeded(method));
            };
            let mut request = self.request(content);
            request.set_timeout(remaining);
            let connection = self.pool.next();
            let answer =
                tokio::time::timeout(remaining, send(connection.channel.clone(), request)).await;
            let status = match answer {
                Ok(Ok(answer)) => return Ok(answer.into_inner()),
                Ok(Err(status)) => status,
                Err(_) => return Err(deadline_exceeded(method)),
            };
            let refusal = Refusal::from_status(method, &status);
            let retry_after = refusal.retry_after;
            let error = connection.error(refusal);
            let is_broken = error.refusal().is_none();
            if is_broken {
                connection.record_failure();
            }
            // Another server can be tried without delay.
            let failover_delay = (is_broken && self.pool.has_others()).then_some(Duration::ZERO);
            let delay = retry_after.or(failover_delay).filter(|delay| {
                !is_last_attempt
                    && started_at.elapsed() + *delay < self.deadline
                    && self.pool.withdraw_retry()
            });
            let Some(delay) = delay else { return Err(error) };
            tokio::time::sleep(delay).await;
            attempt += 1;
        }
    }

    /// Adds the trace context and the token to a message.
    pub(crate) fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let trace = self.trace.as_ref().and_then(|source| source());
        if let Some(trace) = trace.and_then(|trace| trace.parse().ok()) {
            request.metadata_mut().insert("traceparent", trace);
        }
        if let Some(token) = &self.token {
            request.metadata_mut().insert("authorization", token.header());
        }
        request
    }

    pub(crate) fn connection(&self) -> Arc<Connection> {
        self.pool.next()
    }

    pub(crate) fn deadline(&self) -> Duration {
        self.deadline
    }
}

/// Returns the error for a call that exceeded its deadline on the client.
pub(crate) fn deadline_exceeded(method: &'static str) -> ClientError {
    Box::new(Refusal::from_status(method, &Status::deadline_exceeded(""))).into()
}

fn grounding(channel: Channel) -> GroundingServiceClient<Channel> {
    GroundingServiceClient::new(channel).max_decoding_message_size(MAX_RESPONSE_BYTES)
}
