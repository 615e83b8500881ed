//! Fake judges, whose answers are computed by a function.

use std::sync::Arc;

use async_trait::async_trait;
use gsar_core::{Class, EvidenceType, JudgedClaim};
use gsar_server::judge::{Capabilities, Judge, JudgeError, Judgement, Question};
use tokio::sync::Notify;

pub struct FakeJudge<A> {
    pub name: &'static str,
    pub is_local: bool,
    pub answer: A,
}

#[async_trait]
impl<A, F> Judge for FakeJudge<A>
where
    A: Fn(Question) -> F + Send + Sync,
    F: Future<Output = Result<Judgement, JudgeError>> + Send + 'static,
{
    fn name(&self) -> &str {
        self.name
    }

    fn is_local(&self) -> bool {
        self.is_local
    }

    fn capabilities(&self) -> Capabilities {
        capabilities()
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        (self.answer)(question.clone()).await
    }
}

/// Creates a judge that counts as remote.
pub fn judge<A, F>(name: &'static str, answer: A) -> FakeJudge<A>
where
    A: Fn(Question) -> F + Send + Sync,
    F: Future<Output = Result<Judgement, JudgeError>> + Send + 'static,
{
    FakeJudge { name, is_local: false, answer }
}

/// Creates the local judge `panicking/0`, which panics with the message `a defect of a judge`.
pub fn panicking_judge() -> impl Judge + 'static {
    FakeJudge { name: "panicking/0", is_local: true, answer: panic }
}

pub async fn panic(_: Question) -> Result<Judgement, JudgeError> {
    panic!("a defect of a judge")
}

/// Returns capabilities with all classes, English, and no limit on the size of the evidence.
pub fn capabilities() -> Capabilities {
    Capabilities { classes: Class::ALL.to_vec(), languages: vec!["en"], max_evidence_bytes: None }
}

pub fn failure(judge: &str, code: &'static str, reason: &str) -> JudgeError {
    let (judge, reason) = (judge.to_owned(), reason.to_owned());
    JudgeError::Failed { judge, code, reason, calls: Vec::new() }
}

pub fn ungrounded(question: &Question) -> Judgement {
    let judged = question.claims.iter().cloned();
    let judged = judged
        .map(|claim| JudgedClaim::new(claim, Class::Ungrounded, EvidenceType::Inference))
        .collect();
    Judgement { judged, ..Judgement::default() }
}

/// Sends a notification when it is dropped.
pub struct OnDrop(pub Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}
