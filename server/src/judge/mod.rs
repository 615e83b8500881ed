//! The judges, which classify a report's claims and cite the deciding evidence. Their verdicts count only
//! after they have been verified.

pub mod cached;
pub mod clock;
mod database;
pub mod facts;
pub mod local;
pub mod model;
pub mod panel;
pub(crate) mod postgres;
pub mod spending;
mod summarize_verdicts;
mod voting;

use std::num::NonZero;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use gsar_core::evidence::EvidenceItem;
use gsar_core::fixed_point::Millionths;
use gsar_core::second_look_input::Statement;
use gsar_core::text::language::language;
use gsar_core::{Claim, Class, JudgedClaim};

use crate::call::Call;
use crate::compute_pool::Requester;
use spending::Payer;

pub(crate) use database::database_file;
pub(crate) use voting::jaccard;
pub use voting::{Vote, Votes};

/// Classifies a report's claims.
#[async_trait]
pub trait Judge: Send + Sync {
    /// Returns a stable name, such as `rules/2`.
    fn name(&self) -> &str;

    /// Returns `true` if the judge computes in this process.
    fn is_local(&self) -> bool;

    /// Returns the judge's capabilities.
    fn capabilities(&self) -> Capabilities;

    /// Returns `true` if the judge supports [`Question::objections`].
    fn can_reconsider(&self) -> bool {
        false
    }

    /// Returns `true` if the judge reports the [`gsar_core::Role`] of claims.
    fn reports_roles(&self) -> bool {
        true
    }

    /// Returns `true` if the judge supports [`Question::statements`].
    fn can_take_second_look(&self) -> bool {
        false
    }

    /// Returns the maximum number of graded claims shown as examples.
    fn examples(&self) -> usize {
        0
    }

    /// Judges every claim in the question.
    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError>;
}

/// The capabilities of a judge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// The classes it can assign.
    pub classes: Vec<Class>,
    /// The supported languages as BCP 47 tags. Empty means all languages.
    pub languages: Vec<&'static str>,
    /// The maximum size of the evidence per question, in bytes. Unlimited if `None`.
    pub max_evidence_bytes: Option<usize>,
}

impl Capabilities {
    fn english(max_evidence_bytes: usize) -> Self {
        Self {
            classes: Class::ALL.to_vec(),
            languages: vec!["en"],
            max_evidence_bytes: Some(max_evidence_bytes),
        }
    }

    /// Returns `true` if the judge supports `language`, a BCP 47 tag.
    #[must_use]
    pub fn supports_language(&self, language: &str) -> bool {
        self.languages.is_empty() || self.languages.contains(&language)
    }
}

/// A question for a judge. Clones share the report, the claims and the evidence.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The report's text. Can be empty if claims are given.
    pub synthesis: Arc<str>,
    /// The claims to judge.
    pub claims: Arc<[Claim]>,
    /// One objection per claim, in the same order, if the judge is asked to reconsider. Otherwise empty.
    pub objections: Vec<Objection>,
    /// One statement per claim, in the same order, for a second look. Otherwise empty. The verdicts `shown`,
    /// `not_shown` and `refuted` map to grounded, ungrounded and contradicted.
    pub statements: Vec<Statement>,
    /// The evidence. For a second look, it contains only excerpts.
    pub evidence: Arc<Vec<EvidenceItem>>,
    /// Graded claims, with the most similar ones first. Empty if no judge uses examples.
    pub examples: Arc<[Example]>,
    /// `true` if other questions can share this `Arc`. The facts in the evidence are then always extracted in
    /// full, and cached under its address.
    pub evidence_is_reused: bool,
    /// `true` if [`Judgement::considered`] is requested.
    pub explain: bool,
    /// The number of samples per chat model, at most [`Question::MAX_SAMPLES`]. If `None`, the configured
    /// number is used.
    pub samples: Option<NonZero<u32>>,
    /// The index of this sample, starting at 0.
    pub sample: u32,
    /// `true` if the cache is neither read nor written.
    pub bypass_cache: bool,
    /// The deadline. A judge checks it between claims.
    pub deadline: Option<Instant>,
    /// The client's call that caused the question, if any. The call counts as in flight until the last clone
    /// of the question is dropped.
    pub call: Option<Call>,
}

impl Question {
    /// The maximum number of samples per chat model.
    pub const MAX_SAMPLES: u32 = 10;

    /// Returns the question that asks the judge to reconsider these verdicts.
    #[must_use]
    pub fn with_objections(&self, objections: Vec<Objection>) -> Self {
        let claims = objections.iter().map(|objection| objection.verdict.claim.clone()).collect();
        Self { claims, objections, ..self.clone() }
    }

    /// Returns the payer for chat model calls. If no call caused the question, returns the default payer.
    #[must_use]
    pub fn payer(&self) -> Payer {
        self.call.as_ref().map_or_else(Payer::default, |call| call.principal.as_ref().into())
    }

    /// Returns `true` if the question asks for a second look.
    #[must_use]
    pub fn is_second_look(&self) -> bool {
        !self.statements.is_empty()
    }

    /// Returns the languages of the report and the claims as BCP 47 tags. Texts too short for detection are
    /// skipped.
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

/// A graded claim from an earlier report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The ID of the evaluation.
    pub evaluation_id: String,
    /// The ID of the claim in that evaluation.
    pub claim_id: String,
    /// The text of the claim.
    pub text: String,
    /// The claim's quotes.
    pub quotes: Vec<String>,
    /// The class that all graders assigned.
    pub class: Class,
}

/// A verdict that its judge is asked to reconsider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The verdict.
    pub verdict: JudgedClaim,
    /// The findings against the verdict, one sentence each. Not empty.
    pub findings: Vec<String>,
    /// The votes for the verdict. Empty for a single vote.
    pub votes: Vec<Vote>,
}

/// A judge's answer.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// The verdicts on the claims.
    pub judged: Vec<JudgedClaim>,
    /// The votes on each claim. Empty for a single vote.
    pub votes: Vec<Votes>,
    /// The lines considered for each claim. Empty unless requested and supported.
    pub considered: Vec<Vec<String>>,
    /// The judge's own estimate, from 0 to 1. It is only recorded.
    pub score: Option<Millionths>,
    /// A summary for users.
    pub explanation: String,
    /// Descriptions of missing evidence, one per gap.
    pub gaps: Vec<String>,
    /// Statements that the evidence contradicts, one sentence each.
    pub contradictions: Vec<String>,
    /// The reason for abstaining, if the judge abstains.
    pub abstained: Option<String>,
    /// The chat model calls.
    pub calls: Vec<ModelCall>,
    /// Notices about the judgement for users.
    pub notices: Vec<Notice>,
}

/// A chat model call, whether or not it was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelCall {
    /// The name of the judge. Empty until a panel sets it.
    pub judge: String,
    /// The index of the sample, starting at 0.
    pub sample: u32,
    /// The purpose: `judge`, `repair`, `refute`, `reconsider`, `second_look`, `choose` or `look`.
    pub purpose: &'static str,
    /// The model's name according to the provider. Empty if there was no answer.
    pub model: String,
    /// The BLAKE3 digest of the prompt template, in hexadecimal.
    pub prompt: String,
    /// The result of parsing the answer: `structured`, `salvaged` or `unreadable`. Empty if there was no answer.
    pub rung: &'static str,
    /// The fixes applied while parsing.
    pub fixes: Vec<&'static str>,
    /// The number of input tokens reported by the provider.
    pub input_tokens: u64,
    /// The number of output tokens reported by the provider.
    pub output_tokens: u64,
    /// The cost in millionths of a dollar. `None` if the price is unknown.
    pub cost_micros: Option<u64>,
    /// The number of HTTP attempts.
    pub attempts: u32,
    /// `true` if the answer is from the cache.
    pub from_cache: bool,
    /// The answer, truncated to [`ModelCall::MAX_ANSWER`] bytes. Redacted texts are placeholders.
    pub answer: String,
}

impl ModelCall {
    /// The maximum size of a recorded answer, in bytes.
    pub const MAX_ANSWER: usize = 64 << 10;
}

/// A notice about a judgement for users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// A stable code in UPPER_SNAKE_CASE.
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
        /// The number of claims judged before the deadline.
        judged: usize,
        /// The total number of claims.
        claims: usize,
        /// The chat model calls, including interrupted ones.
        calls: Vec<ModelCall>,
    },
    /// The judge cannot be reached, or its answer is unusable.
    #[error("{judge}: {reason}")]
    Failed {
        /// The name of the judge.
        judge: String,
        /// A stable code in UPPER_SNAKE_CASE.
        code: &'static str,
        /// The cause and the fix.
        reason: String,
        /// The chat model calls.
        calls: Vec<ModelCall>,
    },
}

impl JudgeError {
    fn deadline_passed(question: &Question) -> Self {
        Self::DeadlinePassed { judged: 0, claims: question.claims.len(), calls: Vec::new() }
    }
}

pub(crate) fn push_unique<T: PartialEq>(list: &mut Vec<T>, new: T) {
    if !list.contains(&new) {
        list.push(new);
    }
}

/// Returns the chat model calls made for an answer or a failure.
pub fn calls_mut(answer: &mut Result<Judgement, JudgeError>) -> &mut Vec<ModelCall> {
    match answer {
        Ok(judgement) => &mut judgement.calls,
        Err(JudgeError::DeadlinePassed { calls, .. } | JudgeError::Failed { calls, .. }) => calls,
    }
}
