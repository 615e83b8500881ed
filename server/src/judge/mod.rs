//! This module holds the judges, which partition the claims of a report.
//!
//! A judge says of each claim what class and type it has and cites what decided. It never decides what
//! may happen to a report, and nothing it says is believed before verification. This module knows core, and
//! of the server only how things are stored.

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

use std::future::Future;
use std::num::NonZero;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use gsar_core::evidence::EvidenceItem;
use gsar_core::fixed::Millionths;
use gsar_core::second_look::Statement;
use gsar_core::text::language::language;
use gsar_core::{Claim, Class, JudgedClaim};

use crate::call::Call;
use crate::compute::Requester;
use spending::Payer;

pub(crate) use database::database_file;
pub use voting::{Vote, Votes};

/// A future that borrows from the judge and the question.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Partitions the claims of a report.
pub trait Judge: Send + Sync {
    /// Its stable name, such as `rules/2`.
    fn name(&self) -> &str;

    /// Whether it computes here without waiting for anyone; such judges are kept off the threads that serve.
    fn is_local(&self) -> bool;

    /// What it is good for.
    fn capabilities(&self) -> Capabilities;

    /// Whether it can be asked about a verdict once more, with [`Question::objections`].
    fn can_reconsider(&self) -> bool {
        false
    }

    /// Whether it says what part a claim has in the report ([`gsar_core::Role`]): whether it is the root cause.
    fn tells_roles(&self) -> bool {
        true
    }

    /// Whether it can read statements beside their quotes: [`Question::statements`].
    fn can_take_second_look(&self) -> bool {
        false
    }

    /// How many graded claims it is shown as examples, where there are such.
    fn examples(&self) -> usize {
        0
    }

    /// Judges every claim of the question.
    fn judge<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<Judgement, JudgeError>>;
}

/// What a judge is good for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The classes it can give.
    pub classes: Vec<Class>,
    /// Languages that it reads, as BCP 47 tags; none for every language.
    pub languages: Vec<&'static str>,
    /// The most bytes of evidence it reads for one question; `None` for no bound of its own.
    pub max_evidence_bytes: Option<usize>,
}

impl Capabilities {
    /// Whether it reads that language.
    #[must_use]
    pub fn reads(&self, language: &str) -> bool {
        self.languages.is_empty() || self.languages.contains(&language)
    }
}

/// What a judge is asked. A copy shares the report, the claims and the evidence.
#[derive(Clone, Debug)]
pub struct Question {
    /// The report's text; may be empty when claims are given.
    pub synthesis: Arc<str>,
    /// The claims to judge: those of the report, else those that its synthesis was split into.
    pub claims: Arc<[Claim]>,
    /// The extra turn: the verdicts on these claims and what was found about them, one for each claim and in their
    /// order. Empty when a report is judged for the first time.
    pub objections: Vec<Objection>,
    /// A second look: what each claim is read beside, in their order; a verdict `shown` is a grounded claim then, `not_shown`
    /// an ungrounded and `refuted` a contradicted one. Empty when claims are judged.
    pub statements: Vec<Statement>,
    /// The evidence; in a second look excerpts of it.
    pub evidence: Arc<Vec<EvidenceItem>>,
    /// Claims that people graded, the most alike first; empty where no judge wants any.
    pub examples: Arc<[Example]>,
    /// Whether more questions with this very evidence may follow, so that what is read off it is worth keeping.
    pub is_kept: bool,
    /// Whether to tell how each claim was read and what was weighed.
    pub explain: bool,
    /// How often each chat model is asked, at most [`Question::MAX_SAMPLES`]; `None` as configured.
    pub samples: Option<NonZero<u32>>,
    /// Which of several answers to the same question, from 0: another number may bring another answer.
    pub sample: u32,
    /// Whether no cached answer is taken, and this one is not cached.
    pub bypass_cache: bool,
    /// When to stop. A judge looks at it between claims.
    pub deadline: Option<Instant>,
    /// The call, held by everything that works on the question: it counts as in progress until the last one ends.
    pub call: Option<Call>,
}

impl Question {
    /// The most answers of one chat model to a question.
    pub const MAX_SAMPLES: u32 = 10;

    /// The extra turn about these verdicts.
    #[must_use]
    pub fn about(&self, objections: Vec<Objection>) -> Self {
        let claims = objections.iter().map(|objection| objection.said.claim.clone()).collect();
        Self { claims, objections, ..self.clone() }
    }

    /// On whose behalf chat models are asked; nobody's where the server asks by itself.
    #[must_use]
    pub fn payer(&self) -> Payer {
        self.call.as_ref().map_or_else(Payer::default, |call| call.principal.as_ref().into())
    }

    /// Whether it is a second look.
    #[must_use]
    pub fn is_second_look(&self) -> bool {
        !self.statements.is_empty()
    }

    /// The languages that the report and its claims are written in, as BCP 47 tags, as far as enough words tell.
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

    /// Whether the deadline has passed.
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

/// A claim of an earlier report that people graded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The evaluation.
    pub evaluation_id: String,
    /// The claim in it.
    pub claim_id: String,
    /// What it says.
    pub text: String,
    /// What was cited for it.
    pub quotes: Vec<String>,
    /// The class that is right, in the word of everybody who graded it.
    pub class: Class,
}

/// A verdict that its judge is asked about once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The verdict.
    pub said: JudgedClaim,
    /// What was found, one sentence each; at least one.
    pub findings: Vec<String>,
    /// The votes behind the verdict, where there was more than one.
    pub votes: Vec<Vote>,
}

/// What a judge answers.
#[derive(Debug, Default)]
pub struct Judgement {
    /// What was said of each claim.
    pub judged: Vec<JudgedClaim>,
    /// The votes on each claim, where there was more than one.
    pub votes: Vec<Votes>,
    /// How each claim of the question was read and what was weighed for it; empty where nobody asked or the judge cannot tell.
    pub considered: Vec<Vec<String>>,
    /// The judge's own estimate, 0 to 1; kept for audit, never decides.
    pub score: Option<Millionths>,
    /// What it thinks, for a person.
    pub explanation: String,
    /// What it missed in the evidence.
    pub gaps: Vec<String>,
    /// What it found to be false, one sentence each.
    pub contradictions: Vec<String>,
    /// Why it will not judge, where it will not.
    pub abstained: Option<String>,
    /// The calls of chat models that it took.
    pub calls: Vec<ModelCall>,
    /// What a person should know of how it came to be.
    pub notices: Vec<Notice>,
}

/// One answer of a chat model, or a call without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelCall {
    /// The judge that called; empty until a panel says so.
    pub judge: String,
    /// Which of the judge's answers it belongs to, from 0.
    pub sample: u32,
    /// What for: `judge`, `repair`, `refute`, `reconsider`, `second_look` or `choose`.
    pub purpose: &'static str,
    /// The model as its provider names it; empty where it did not answer.
    pub model: String,
    /// The BLAKE3 of the prompt template, in hexadecimal.
    pub prompt: String,
    /// How the answer was read: `structured`, `salvaged` or `unreadable`; empty where there is none.
    pub rung: &'static str,
    /// What reading it took.
    pub fixes: Vec<&'static str>,
    /// Tokens of the prompt, as the provider counts them.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// The cost in millionths of a dollar; `None` where the price is not known.
    pub cost_micros: Option<u64>,
    /// How many attempts over HTTP were made.
    pub attempts: u32,
    /// Whether an earlier answer was taken.
    pub from_cache: bool,
    /// The answer, cut to [`ModelCall::MAX_ANSWER`]; what was hidden stands in it as placeholders.
    pub answer: String,
}

impl ModelCall {
    /// The most bytes of an answer that are kept.
    pub const MAX_ANSWER: usize = 64 << 10;
}

/// What a person should know of how a judgement came to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// A stable name in UPPER_SNAKE.
    pub code: &'static str,
    /// One sentence.
    pub sentence: String,
}

/// Why a judge gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    /// The deadline passed.
    #[error("the deadline passed after {judged} of {claims} claims")]
    DeadlinePassed {
        /// How many claims are judged by then.
        judged: usize,
        /// How many claims are to be judged.
        claims: usize,
        /// The calls of chat models that it took, those that were cut off among them.
        calls: Vec<ModelCall>,
    },
    /// The judge cannot be reached or gave an unusable answer.
    #[error("{judge}: {reason}")]
    Failed {
        /// The judge.
        judge: String,
        /// A stable name of what happened, in UPPER_SNAKE.
        code: &'static str,
        /// What happened, and the fix.
        reason: String,
        /// The calls of chat models that it took.
        calls: Vec<ModelCall>,
    },
}

/// The calls of chat models that an answer took, or the failure to give one.
pub fn calls_of(answer: &mut Result<Judgement, JudgeError>) -> &mut Vec<ModelCall> {
    match answer {
        Ok(judgement) => &mut judgement.calls,
        Err(JudgeError::DeadlinePassed { calls, .. } | JudgeError::Failed { calls, .. }) => calls,
    }
}
