//! This module checks one report: built step by step, answered with a [`Verdict`].

use gsar_proto::v1;

use crate::error::ClientError;
use crate::{Client, Item, Verdict};

/// What becomes of a report where no sidecar answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenAbsent {
    /// It is held: the error is returned.
    #[default]
    Hold,
    /// It goes out unchecked.
    LetGo,
}

/// A report to be checked.
#[derive(Clone, Debug)]
#[must_use = "nothing is sent before `verdict` or `may_go_out`"]
pub struct Check {
    client: Client,
    request: v1::EvaluateRequest,
}

impl Client {
    /// Begins to check a report, given as the text that is to go out.
    pub fn check(&self, report: impl Into<String>) -> Check {
        self.check_report(v1::Report { synthesis: report.into(), ..v1::Report::default() })
    }

    /// Begins to check a report with claims of its own.
    pub fn check_report(&self, report: v1::Report) -> Check {
        let request =
            v1::EvaluateRequest { report: Some(report), ..v1::EvaluateRequest::default() };
        Check { client: self.clone(), request }
    }
}

impl Check {
    /// Adds evidence that bears on it.
    pub fn evidence(mut self, items: impl IntoIterator<Item = Item>) -> Self {
        self.request.evidence.extend(items.into_iter().map(Into::into));
        self
    }

    /// Names the policy; without it the server's default applies.
    pub fn policy(mut self, name: impl Into<String>) -> Self {
        self.request.policy = name.into();
        self
    }

    /// Names a corpus whose items are evidence as well.
    pub fn corpus(mut self, id: impl Into<String>) -> Self {
        self.request.corpus_id = id.into();
        self
    }

    /// Names the judge to ask; without it the server's chain is.
    pub fn judge(mut self, name: impl Into<String>) -> Self {
        self.request.options.get_or_insert_default().judge = name.into();
        self
    }

    /// Makes sending it again return the first answer. Only then is it sent again after a failure.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.request.idempotency_key = key.into();
        self
    }

    /// The request as it will be sent.
    #[must_use]
    pub fn into_request(self) -> v1::EvaluateRequest {
        self.request
    }

    /// Has it judged and decided.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer. A judge that failed is an answer that holds the report.
    pub async fn verdict(self) -> Result<Verdict, ClientError> {
        self.client.evaluate(self.request).await.map(Verdict::new)
    }

    /// Whether it may go out, and what becomes of it where no sidecar answers.
    ///
    /// # Errors
    /// [`ClientError`] when there is no answer, unless nobody listens and `absent` lets it go.
    pub async fn may_go_out(self, absent: WhenAbsent) -> Result<bool, ClientError> {
        match self.verdict().await {
            Err(ClientError::Unreachable { .. }) if absent == WhenAbsent::LetGo => Ok(true),
            verdict => verdict.map(|verdict| verdict.may_go_out()),
        }
    }
}
