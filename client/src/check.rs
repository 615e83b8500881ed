//! Checks a single report.

use gsar_proto::v1;

use crate::error::ClientError;
use crate::{Client, Item, Verdict};

/// What happens to a report if the sidecar is unreachable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenUnreachable {
    /// Hold the report and return the error.
    #[default]
    Hold,
    /// Let the report proceed unchecked.
    Proceed,
}

/// A builder for a check.
#[derive(Clone, Debug)]
#[must_use = "no request is sent until `verdict` or `may_proceed` is called"]
pub struct Check {
    client: Client,
    request: v1::EvaluateRequest,
}

impl Client {
    /// Builds a check of a report's text.
    pub fn check(&self, report: impl Into<String>) -> Check {
        let report = v1::Report { synthesis: report.into(), ..v1::Report::default() };
        let request =
            v1::EvaluateRequest { report: Some(report), ..v1::EvaluateRequest::default() };
        Check { client: self.clone(), request }
    }
}

impl Check {
    /// Adds evidence items.
    pub fn evidence(mut self, items: impl IntoIterator<Item = Item>) -> Self {
        self.request.evidence.extend(items.into_iter().map(Into::into));
        self
    }

    /// Sets the policy, which defaults to the server's.
    pub fn policy(mut self, name: impl Into<String>) -> Self {
        self.request.policy = name.into();
        self
    }

    /// Sets a corpus whose items are added to the evidence.
    pub fn corpus(mut self, id: impl Into<String>) -> Self {
        self.request.corpus_id = id.into();
        self
    }

    /// Sets the judge, which defaults to the server's chain of judges.
    pub fn judge(mut self, name: impl Into<String>) -> Self {
        self.request.options.get_or_insert_default().judge = name.into();
        self
    }

    /// Sets an idempotency key. A request with a key can be retried, and is evaluated only once.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.request.idempotency_key = key.into();
        self
    }

    /// Returns the request without sending it.
    #[must_use]
    pub fn into_request(self) -> v1::EvaluateRequest {
        self.request
    }

    /// Evaluates the report. If the judge fails, the verdict holds the report, and no error is returned.
    pub async fn verdict(self) -> Result<Verdict, ClientError> {
        self.client.evaluate(self.request).await.map(Verdict::new)
    }

    /// Evaluates the report and returns `true` if it may be sent.
    ///
    /// # Errors
    /// Returns a [`ClientError`] if the call fails. An unreachable sidecar is an error only with
    /// [`WhenUnreachable::Hold`].
    pub async fn may_proceed(self, policy: WhenUnreachable) -> Result<bool, ClientError> {
        match self.verdict().await {
            Err(ClientError::Unreachable { .. }) if policy == WhenUnreachable::Proceed => Ok(true),
            verdict => verdict.map(|verdict| verdict.may_proceed()),
        }
    }
}
