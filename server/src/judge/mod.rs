//! The judges, which classify the claims of a report.
//!
//! A judge gives each claim a class and a type and cites the evidence that decided it. It does not decide what
//! happens to a report, and its verdicts count only after verification. Of the server, this module depends on
//! storage only.

pub mod cached;
pub mod clock;
mod database;
mod embedded;
pub mod facts;
pub mod local;
pub mod model;
pub mod panel;
pub(crate) mod postgres;
pub mod spending;
mod voting;

use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use gsar_core::evidence::EvidenceItem;
use gsar_core::fixed::Millionths;
use gsar_core::sheets::Statement;
use gsar_core::text::language::language;
use gsar_core::{Claim, Class, JudgedClaim};

use crate::call::Call;
use crate::compute::Requester;
use spending::Payer;

pub(crate) use database::database_file;
pub use voting::{Vote, Votes};

/// Classifies the claims of a report.
#[async_trait]
pub trait Judge: Send + Sync {
    /// A stable name, such as `rules/2`.
    fn name(&self) -> &str;

    /// `true` for a judge that computes in this process; such judges run off the async threads.
    fn is_local(&self) -> bool;

    /// What the judge supports.
    fn capabilities(&self) -> Capabilities;

    /// `true` if the judge can reconsider a verdict, given [`Question::objections`].
    fn can_reconsider(&self) -> bool {
        false
    }

    /// `true` if the judge reports the [`gsar_core::Role`] of a claim, such as root cause.
    fn reports_roles(&self) -> bool {
        true
    }

    /// `true` if the judge can read statements next to their quotes ([`Question::statements`]).
    fn can_take_second_look(&self) -> bool {
        false
    }

    /// The maximum number of graded claims it is shown as examples.
    fn examples(&self) -> usize {
        0
    }

    /// Judges every claim of the question.
    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError>;
}

/// What a judge supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The classes it can assign.
    pub classes: Vec<Class>,
    /// The languages it reads, as BCP 47 tags; empty for all languages.
    pub languages: Vec<&'static str>,
    /// The maximum number of bytes of evidence per question; `None` for no limit.
    pub max_evidence_bytes: Option<usize>,
}

impl Capabilities {
    /// Returns `true` if the judge reads `language`, a BCP 47 tag.
    #[must_use]
    pub fn reads(&self, language: &str) -> bool {
        self.languages.is_empty() || self.languages.contains(&language)
    }
}

/// A question for a judge. Clones share the report, the claims and the evidence.
#[derive(Clone, Debug)]
pub struct Question {
    /// The report's text; may be empty when claims are given.
    pub synthesis: Arc<str>,
    /// The claims to judge: those given with the report, or those its synthesis was split into.
    pub claims: Arc<[Claim]>,
    /// For the extra turn: one objection per claim, in the order of the claims. Empty on the first turn.
    pub objections: Vec<Objection>,
    /// For a second look: one statement per claim, in the order of the claims. The verdicts `shown`, `not_shown` and
    /// `refuted` then mean grounded, ungrounded and contradicted. Empty when claims are judged.
    pub statements: Vec<Statement>,
    /// The evidence; for a second look, excerpts of it.
    pub evidence: Arc<Vec<EvidenceItem>>,
    /// Claims that people graded, the most similar first; empty if no judge uses examples.
    pub examples: Arc<[Example]>,
    /// `true` if more questions about the same evidence may follow, so that facts extracted from it are cached.
    pub cacheable: bool,
    /// `true` to explain how each claim was read and what was considered.
    pub explain: bool,
    /// Answers per chat model, at most [`Question::MAX_SAMPLES`]; `None` for the configured number.
    pub samples: Option<NonZero<u32>>,
    /// The number of this answer among several to the same question, from 0.
    pub sample: u32,
    /// `true` to neither use nor fill the cache.
    pub bypass_cache: bool,
    /// When to stop. A judge checks it between claims.
    pub deadline: Option<Instant>,
    /// The call, which counts as in progress until the last clone of the question is dropped.
    pub call: Option<Call>,
}

impl Question {
    /// The maximum number of answers of one chat model to a question.
    pub const MAX_SAMPLES: u32 = 10;

    /// Returns the question of the extra turn about these verdicts.
    #[must_use]
    pub fn about(&self, objections: Vec<Objection>) -> Self {
        let claims = objections.iter().map(|objection| objection.verdict.claim.clone()).collect();
        Self { claims, objections, ..self.clone() }
    }

    /// Returns the payer for calls of chat models; the default payer if the server calls on its own behalf.
    #[must_use]
    pub fn payer(&self) -> Payer {
        self.call.as_ref().map_or_else(Payer::default, |call| call.principal.as_ref().into())
    }

    /// Returns `true` for a second look.
    #[must_use]
    pub fn is_second_look(&self) -> bool {
        !self.statements.is_empty()
    }

    /// Returns the languages of the report and of its claims, as BCP 47 tags, where the texts are long enough to detect
    /// one.
    #[must_use]
    pub fn languages(&self) -> Vec<&'static str> {
        let claims: Vec<&str> = self.claims.iter().map(|claim| claim.text.as_str()).collect();
        let mut languages: Vec<&'static str> =
            [language(&self.synthesis), language(&claims.join("\n"))]
                .into_iter()
                .flatten()
                .collect();
        languages.dedup();
        languages
    }

    /// Returns `true` if the deadline has passed.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl From<&Question> for Requester {
    fn from(question: &Question) -> Self {
        Self::new(question.call.as_ref(), question.deadline)
    }
}

/// A claim of an earlier report, graded by people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The evaluation.
    pub evaluation_id: String,
    /// The claim in that evaluation.
    pub claim_id: String,
    /// The text of the claim.
    pub text: String,
    /// The quotes cited for it.
    pub quotes: Vec<String>,
    /// The correct class, on which all graders agree.
    pub class: Class,
}

/// A verdict that its judge is to reconsider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The verdict.
    pub verdict: JudgedClaim,
    /// The findings against it, one sentence each; at least one.
    pub findings: Vec<String>,
    /// The votes behind the verdict; empty for a single vote.
    pub votes: Vec<Vote>,
}

/// The answer of a judge.
#[derive(Debug, Default)]
pub struct Judgement {
    /// The verdicts on the claims.
    pub judged: Vec<JudgedClaim>,
    /// The votes on each claim; empty for a single vote.
    pub votes: Vec<Votes>,
    /// How each claim was read and what was considered for it; empty unless requested and supported.
    pub considered: Vec<Vec<String>>,
    /// The judge's own estimate, 0 to 1; recorded for audit only.
    pub score: Option<Millionths>,
    /// A summary for people.
    pub explanation: String,
    /// What is missing from the evidence.
    pub gaps: Vec<String>,
    /// What the evidence shows to be false, one sentence each.
    pub contradictions: Vec<String>,
    /// Why the judge abstains; `None` if it does not.
    pub abstained: Option<String>,
    /// The calls of chat models that were made.
    pub calls: Vec<ModelCall>,
    /// Notices for people about how the judgement was made.
    pub notices: Vec<Notice>,
}

/// A call of a chat model, with or without an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelCall {
    /// The judge that called; empty until the panel sets it.
    pub judge: String,
    /// The number of the judge's answer it belongs to, from 0.
    pub sample: u32,
    /// The purpose: `judge`, `repair`, `refute`, `reconsider`, `second_look`, `choose` or `look`.
    pub purpose: &'static str,
    /// The model as its provider names it; empty without an answer.
    pub model: String,
    /// The BLAKE3 of the prompt template, in hexadecimal.
    pub prompt: String,
    /// How the answer was parsed: `structured`, `salvaged` or `unreadable`; empty without an answer.
    pub rung: &'static str,
    /// The fixes needed to parse it.
    pub fixes: Vec<&'static str>,
    /// Tokens of the prompt, as counted by the provider.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// The cost in millionths of a dollar; `None` if the price is unknown.
    pub cost_micros: Option<u64>,
    /// The number of HTTP attempts.
    pub attempts: u32,
    /// `true` if the answer comes from the cache.
    pub from_cache: bool,
    /// The answer, truncated to [`ModelCall::MAX_ANSWER`], with placeholders in place of redacted texts.
    pub answer: String,
}

impl ModelCall {
    /// The maximum number of bytes of an answer that are recorded.
    pub const MAX_ANSWER: usize = 64 << 10;
}

/// A notice for people about how a judgement was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// A stable name in UPPER_SNAKE.
    pub code: &'static str,
    /// One sentence.
    pub sentence: String,
}

/// An error from a judge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    /// The deadline passed.
    #[error("the deadline passed after {judged} of {claims} claims")]
    DeadlinePassed {
        /// The number of claims judged by then.
        judged: usize,
        /// The number of claims to judge.
        claims: usize,
        /// The calls of chat models that were made, including interrupted ones.
        calls: Vec<ModelCall>,
    },
    /// The judge cannot be reached or gave an unusable answer.
    #[error("{judge}: {reason}")]
    Failed {
        /// The judge.
        judge: String,
        /// A stable error code in UPPER_SNAKE.
        code: &'static str,
        /// The cause and the fix.
        reason: String,
        /// The calls of chat models that were made.
        calls: Vec<ModelCall>,
    },
}

impl JudgeError {
    fn late(question: &Question) -> Self {
        Self::DeadlinePassed { judged: 0, claims: question.claims.len(), calls: Vec::new() }
    }
}

/// Appends an element unless the list contains it.
fn push_unique<T: PartialEq>(list: &mut Vec<T>, new: T) {
    if !list.contains(&new) {
        list.push(new);
    }
}

/// Returns the calls of chat models made for an answer or before a failure.
pub fn calls_of(answer: &mut Result<Judgement, JudgeError>) -> &mut Vec<ModelCall> {
    match answer {
        Ok(judgement) => &mut judgement.calls,
        Err(JudgeError::DeadlinePassed { calls, .. } | JudgeError::Failed { calls, .. }) => calls,
    }
}
