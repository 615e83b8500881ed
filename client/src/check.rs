//! Checks one report.

use gsar_proto::v1;

use crate::error::ClientError;
use crate::{Client, Item, Verdict};

/// The fate of a report if the sidecar is unreachable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenUnreachable {
    /// Hold it: return the error.
    #[default]
    Hold,
    /// Send it unchecked.
    Proceed,
}

/// A builder for the check of a report.
#[derive(Clone, Debug)]
#[must_use = "nothing is sent before `verdict` or `may_proceed`"]
pub struct Check {
    client: Client,
    request: v1::EvaluateRequest,
}

impl Client {
    /// Starts a check of a report, given its text.
    pub fn check(&self, report: impl Into<String>) -> Check {
        self.check_report(v1::Report { synthesis: report.into(), ..v1::Report::default() })
    }

    /// Starts a check of a report that has its own claims.
    pub fn check_report(&self, report: v1::Report) -> Check {
        let request =
            v1::EvaluateRequest { report: Some(report), ..v1::EvaluateRequest::default() };
        Check { client: self.clone(), request }
    }
}

impl Check {
    /// Adds evidence.
    pub fn evidence(mut self, items: impl IntoIterator<Item = Item>) -> Self {
        self.request.evidence.extend(items.into_iter().map(Into::into));
        self
    }

    /// Sets the policy; by default, the server's default policy applies.
    pub fn policy(mut self, name: impl Into<String>) -> Self {
        self.request.policy = name.into();
        self
    }

    /// Adds the items of a corpus to the evidence.
    pub fn corpus(mut self, id: impl Into<String>) -> Self {
        self.request.corpus_id = id.into();
        self
    }

    /// Sets the judge; by default, the server's chain of judges is used.
    pub fn judge(mut self, name: impl Into<String>) -> Self {
        self.request.options.get_or_insert_default().judge = name.into();
        self
    }

    /// Sets an idempotency key. A request with a key is retried after a failure, and the server evaluates it only once.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.request.idempotency_key = key.into();
        self
    }

    /// Returns the request to be sent.
    #[must_use]
    pub fn into_request(self) -> v1::EvaluateRequest {
        self.request
    }

    /// Evaluates the report.
    ///
    /// # Errors
    /// Returns a [`ClientError`] if the server returned no evaluation. A failed judge is an evaluation that holds the
    /// report.
    pub async fn verdict(self) -> Result<Verdict, ClientError> {
        self.client.evaluate(self.request).await.map(Verdict::new)
    }

    /// Evaluates the report and returns `true` if it may be sent. `absent` decides if the sidecar is unreachable.
    ///
    /// # Errors
    /// Returns a [`ClientError`] if the server returned no evaluation, unless it is unreachable and `absent` allows
    /// that.
    pub async fn may_proceed(self, absent: WhenUnreachable) -> Result<bool, ClientError> {
        match self.verdict().await {
            Err(ClientError::Unreachable { .. }) if absent == WhenUnreachable::Proceed => Ok(true),
            verdict => verdict.map(|verdict| verdict.may_proceed()),
        }
    }
}
