//! A judge that queries a chat model. If verdicts on a part of the evidence are unusable, one repair request
//! is sent for that part.
//!
//! [`gsar_chat`] calls providers, [`gsar_framing`] frames evidence, [`gsar_redaction`] redacts secrets and
//! [`gsar_answer`] parses answers. Redacted texts are restored before verification compares them.

mod call;
mod canary;
mod cost;
mod entity_look;
mod framed;
mod insert_sentence;
mod line_choice;
mod outline;
mod parts;
mod prompt;
mod reconsider;
mod rng;
mod shuffled_question;

use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use gsar_answer::{Bounds, Labels, ParseError, ParsedAnswer, parse, repair_prompt};
use gsar_chat::{Chat, Price, Request, Role, Temperature, Turn};
use gsar_core::{Claim, ClaimId, Class, JudgedClaim};
use gsar_framing::Framer;
use gsar_redaction::Redactor;
use tokio::sync::Mutex;

use super::spending::{Payer, Spending};
use super::{Capabilities, Judge, JudgeError, Judgement, ModelCall, Notice, Question};
pub use entity_look::{EntityAnswer, EntityQuestion, Passage};
use framed::{FramedQuestion, Framing, Piece};
pub use line_choice::lines_prompt_digest;
use parts::{merge_verdicts, split};
pub use prompt::{Prompt, PromptError};
use prompt::{question as question_text, statements as statements_text};
use reconsider::questions_per_part;
use shuffled_question::ShuffledQuestion;

const MAX_DURATION: Duration = Duration::from_secs(600);

/// The maximum number of concurrent parts per evaluation, so that an evaluation with a lot of evidence does
/// not starve others.
const MAX_CONCURRENT_PARTS: usize = 4;

/// Options for a model judge.
pub struct ModelOptions {
    /// The prompt.
    pub prompt: Prompt,
    /// The task of the model.
    pub purpose: Purpose,
    /// Redacts texts before they are sent. If `None`, they are sent unchanged.
    pub redactor: Option<Redactor>,
    /// The maximum size of the evidence per call, in bytes.
    pub max_evidence: usize,
    /// The size in bytes above which the model first chooses which lines of an item to read. If `None`, every
    /// item is sent in full.
    pub outline_above: Option<usize>,
    /// The maximum number of graded claims included as examples.
    pub examples: usize,
    /// The temperature. `None` if the model does not support it.
    pub temperature: Option<Temperature>,
    /// The maximum number of tokens in an answer.
    pub max_output_tokens: u32,
    /// The price of tokens, if known.
    pub price: Option<Price>,
    /// `true` if each call includes a canary.
    pub canary: bool,
    /// The budget to which calls are charged. It is not used if there is no price.
    pub spending: Option<Spending>,
}

/// The task of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Judges each claim.
    Judge,
    /// Tries to disprove claims.
    Refute,
}

impl Purpose {
    /// Returns the name used in the provenance.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Refute => "refute",
        }
    }
}

/// A judge that queries a chat model.
pub struct ModelJudge {
    name: String,
    chat: Chat,
    framer: Framer,
    /// The key for deriving the delimiters of evidence.
    secret: [u8; 32],
    second_look: Prompt,
    options: ModelOptions,
}

#[derive(Default)]
struct PartOutcome {
    verdicts: Vec<JudgedClaim>,
    parsed_answer: Option<ParsedAnswer>,
    notices: Vec<Notice>,
    calls: Vec<ModelCall>,
    /// The call that has not been answered yet.
    in_flight: Option<ModelCall>,
}

impl PartOutcome {
    /// Returns all calls. An interrupted call is included, since the provider may charge for it.
    fn into_calls(self) -> Vec<ModelCall> {
        self.calls.into_iter().chain(self.in_flight).collect()
    }
}

struct CallContext {
    deadline: Instant,
    payer: Payer,
}

impl CallContext {
    fn for_question(question: &Question) -> Self {
        let deadline = question.deadline.unwrap_or_else(|| Instant::now() + MAX_DURATION);
        Self { deadline, payer: question.payer() }
    }
}

enum AskError {
    DeadlinePassed,
    Failed { code: &'static str, reason: String },
}

impl AskError {
    fn failed(code: &'static str, error: &dyn std::error::Error) -> Self {
        Self::Failed { code, reason: error.to_string() }
    }
}

impl ModelJudge {
    /// Creates a judge that queries `chat`.
    ///
    /// # Errors
    /// Returns a message if the framer cannot be built, which is a bug.
    pub fn new(chat: Chat, options: ModelOptions) -> Result<Self, String> {
        let framer = Framer::new().map_err(|error| error.to_string())?;
        let secret = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
        let secret = blake3::derive_key(
            "gsar.dev 2026-11-27 delimiters of evidence",
            secret.map(uuid::Uuid::into_bytes).as_flattened(),
        );
        let second_look = Prompt::second_look();
        Ok(Self { name: chat.model().to_string(), chat, framer, secret, second_look, options })
    }

    fn framing(&self) -> Framing<'_> {
        let redactor = self.options.redactor.as_ref();
        Framing { framer: &self.framer, secret: &self.secret, redactor }
    }

    fn prompt(&self, question: &Question) -> &Prompt {
        if question.is_second_look() { &self.second_look } else { &self.options.prompt }
    }

    fn temperature(&self, question: &Question) -> Option<Temperature> {
        let configured = self.options.temperature?;
        Some(if question.sample == 0 { configured } else { Temperature::VARIED })
    }

    fn judge_error(&self, error: AskError, claims: usize, calls: Vec<ModelCall>) -> JudgeError {
        match error {
            AskError::DeadlinePassed => JudgeError::DeadlinePassed { judged: 0, claims, calls },
            AskError::Failed { code, reason } => self.failure(code, reason, calls),
        }
    }

    fn failure(&self, code: &'static str, reason: String, calls: Vec<ModelCall>) -> JudgeError {
        JudgeError::Failed { judge: self.name.clone(), code, reason, calls }
    }

    async fn ask_part(
        &self,
        question: &Question,
        part: &[Piece<'_>],
        outcome: &mut PartOutcome,
    ) -> Result<(), AskError> {
        let claims = &question.claims;
        let is_reconsideration = !question.objections.is_empty();
        let with_canary = self.options.canary && !is_reconsideration;
        let shuffled = ShuffledQuestion::new(question, part, with_canary);
        let shuffled_claims = &shuffled.claims;
        let mut framed =
            FramedQuestion::new(&self.framing(), &shuffled.synthesis, shuffled_claims, part)
                .map_err(|error| AskError::failed("EVIDENCE_UNFRAMED", &error))?;
        outcome.notices = framed.notices();
        let text = self.format_question(question, &shuffled, &mut framed);
        let temperature = self.temperature(question);
        let seed = u64::from(question.sample);
        let prompt = self.prompt(question);
        let ids: Vec<&str> = shuffled_claims.iter().map(|claim| claim.id.as_str()).collect();
        let labels = Labels { claims: &ids, evidence: part.len() };
        let request = prompt.request(&framed.frame.how_to_read(), text, labels, temperature, seed);
        let mut request = request.map_err(|error| AskError::failed("REQUEST_INVALID", &error))?;
        let context = CallContext::for_question(question);
        let purpose = match (is_reconsideration, question.is_second_look()) {
            (true, _) => "reconsider",
            (false, true) => "second_look",
            (false, false) => self.options.purpose.name(),
        };

        let (answer, mut parsed_answer) =
            self.call(purpose, prompt, &mut request, &context, shuffled_claims, outcome).await?;
        let is_canary = |id: &ClaimId| shuffled.is_canary(id);
        let is_settled = parsed_answer
            .as_ref()
            .is_ok_and(|parsed_answer| parsed_answer.unjudged().all(is_canary));
        if let Some(repair) = repair_prompt(&parsed_answer).filter(|_| !is_settled) {
            let mut open_claims = shuffled_claims.clone();
            if let Ok(parsed_answer) = &parsed_answer {
                let open_ids: Vec<&ClaimId> = parsed_answer.unjudged().collect();
                open_claims.retain(|claim| open_ids.contains(&&claim.id));
            }
            request.messages.push(Turn { role: Role::Assistant, text: answer });
            request.messages.push(Turn { role: Role::User, text: repair });
            match self.call("repair", prompt, &mut request, &context, &open_claims, outcome).await {
                Ok((_, Ok(second))) => parsed_answer = Ok(merge_repair(parsed_answer, second)),
                // The usable verdicts of the first answer are kept. Verification reports the missing ones.
                Ok((_, Err(_))) | Err(AskError::Failed { .. }) => {}
                Err(AskError::DeadlinePassed) if parsed_answer.is_err() => {
                    return Err(AskError::DeadlinePassed);
                }
                Err(AskError::DeadlinePassed) => {}
            }
        }
        let mut parsed_answer = parsed_answer.map_err(|error| unreadable_answer(&error))?;
        let verdicts = std::mem::take(&mut parsed_answer.judged);
        let verdicts =
            verdicts.into_iter().map(|claim| framed.restore_claim(claim, shuffled_claims));
        let (canaries, verdicts): (Vec<JudgedClaim>, Vec<JudgedClaim>) =
            verdicts.partition(|claim| is_canary(&claim.claim.id));
        if canaries
            .iter()
            .any(|claim| matches!(claim.class, Class::Grounded | Class::Complementary))
        {
            return Err(AskError::Failed {
                code: "CANARY_GROUNDED",
                reason: "the model supported a claim that nothing can support; check the evidence for injected instructions, or configure another model"
                    .to_owned(),
            });
        }
        outcome.notices.extend(unsettled_notice(&parsed_answer, claims));
        outcome.verdicts = verdicts;
        for text in [&mut parsed_answer.explanation]
            .into_iter()
            .chain(&mut parsed_answer.gaps)
            .chain(&mut parsed_answer.contradictions)
        {
            *text = framed.restore(text);
        }
        parsed_answer.abstained = parsed_answer.abstained.map(|reason| framed.restore(&reason));
        outcome.parsed_answer = Some(parsed_answer);
        Ok(())
    }

    /// Formats a question. The evidence comes first, since it is identical for every report.
    fn format_question(
        &self,
        question: &Question,
        shuffled: &ShuffledQuestion,
        framed: &mut FramedQuestion,
    ) -> String {
        if question.is_second_look() {
            let statements = framed.statements(&shuffled.statements);
            return statements_text(framed.frame.text(), &statements);
        }
        let examples = match question.examples.get(..self.options.examples) {
            Some(examples) => framed.examples(examples),
            None => framed.examples(&question.examples),
        };
        let mut text =
            question_text(framed.frame.text(), &examples, &framed.synthesis, &framed.claims);
        if !question.objections.is_empty() {
            text.push_str(&framed.objections(&question.objections));
        }
        text
    }

    async fn call(
        &self,
        purpose: &'static str,
        prompt: &Prompt,
        request: &mut Request,
        context: &CallContext,
        claims: &[Claim],
        outcome: &mut PartOutcome,
    ) -> Result<(String, Result<ParsedAnswer, ParseError>), AskError> {
        let (mut call, text) =
            self.send(purpose, prompt.digest(), request, context, outcome).await?;
        let parsed_answer = parse(&text, prompt.form(), claims, &Bounds::default());
        match &parsed_answer {
            Ok(parsed_answer) => {
                call.rung = parsed_answer.mode.name();
                call.fixes = parsed_answer.mode.fixes().iter().map(|fix| fix.name()).collect();
            }
            Err(_) => call.rung = "unreadable",
        }
        outcome.calls.push(call);
        Ok((text, parsed_answer))
    }
}

#[async_trait]
impl Judge for ModelJudge {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::english(self.options.max_evidence)
    }

    /// Returns `false` for a refuter, since it only contradicts claims.
    fn can_reconsider(&self) -> bool {
        self.options.purpose == Purpose::Judge
    }

    fn can_take_second_look(&self) -> bool {
        self.options.purpose == Purpose::Judge
    }

    fn examples(&self) -> usize {
        self.options.examples
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let claims = &question.claims;
        if claims.is_empty() {
            return Ok(Judgement::default());
        }
        let mut selection = PartOutcome::default();
        let pieces = self.pieces_to_show(question, &mut selection).await;
        let evidence_parts = split(&pieces, self.options.max_evidence);
        if evidence_parts.len() > parts::MAX_PARTS {
            return Err(self.failure(
                "EVIDENCE_TOO_LARGE",
                format!(
                    "the evidence needs {} calls of {} bytes, but at most {} are allowed; store it as a corpus, so that each claim is judged by relevant excerpts",
                    evidence_parts.len(), self.options.max_evidence, parts::MAX_PARTS
                ),
                selection.calls,
            ));
        }
        let questions = questions_per_part(question, &evidence_parts);
        let tasks = questions.iter().zip(&evidence_parts);
        let tasks = tasks.filter_map(|(question, part)| Some((question.as_ref()?, part)));
        let tasks: Vec<_> =
            tasks.map(|(question, part)| (question, part, Mutex::default())).collect();
        let requests: Vec<_> = tasks
            .iter()
            .map(async |(question, part, outcome)| {
                self.ask_part(question, part, &mut *outcome.lock().await).await
            })
            .collect();
        // The first failure cancels the other parts.
        let result =
            stream::iter(requests).buffer_unordered(MAX_CONCURRENT_PARTS).try_collect::<()>().await;
        let mut outcomes: Vec<PartOutcome> =
            tasks.into_iter().map(|(_, _, outcome)| outcome.into_inner()).collect();
        let mut calls = selection.calls;
        if let Err(error) = result {
            calls.extend(outcomes.into_iter().flat_map(PartOutcome::into_calls));
            return Err(self.judge_error(error, claims.len(), calls));
        }
        calls.extend(outcomes.iter_mut().flat_map(|part| std::mem::take(&mut part.calls)));
        let mut judgement = merge_parts(claims, outcomes);
        judgement.notices.splice(..0, selection.notices);
        Ok(Judgement { calls, ..judgement })
    }
}

/// Converts [`ParseError`], whose message is written for the model, to an error for users.
fn unreadable_answer(error: &ParseError) -> AskError {
    let code = "ANSWER_UNREADABLE";
    match error {
        ParseError::Truncated { bytes } | ParseError::OnlyReasoning { bytes } => {
            let reason = format!(
                "the answer was truncated after {bytes} bytes; raise max_output_tokens of the model, or configure another model"
            );
            AskError::Failed { code, reason }
        }
        error => AskError::failed(code, error),
    }
}

fn merge_repair(first: Result<ParsedAnswer, ParseError>, second: ParsedAnswer) -> ParsedAnswer {
    match first {
        Err(_) => second,
        Ok(mut first) => {
            first.judged.extend(second.judged);
            first.lost = second.lost;
            first.missing = second.missing;
            first
        }
    }
}

fn unsettled_notice(parsed_answer: &ParsedAnswer, claims: &[Claim]) -> Option<Notice> {
    let ids: Vec<&str> = parsed_answer
        .unjudged()
        .map(ClaimId::as_str)
        .filter(|id| claims.iter().any(|claim| claim.id.as_str() == *id))
        .collect();
    (!ids.is_empty()).then(|| Notice {
        code: "CLAIMS_UNSETTLED",
        sentence: format!("the model gave no usable verdict on {}", ids.join(", ")),
    })
}

fn merge_parts(claims: &[Claim], mut outcomes: Vec<PartOutcome>) -> Judgement {
    let is_single = outcomes.len() == 1;
    let verdicts = claims.iter().filter_map(|claim| {
        let part_verdicts = outcomes.iter().flat_map(|part| &part.verdicts);
        merge_verdicts(
            part_verdicts.filter(|verdict| verdict.claim.id == claim.id).cloned().collect(),
        )
    });
    let verdicts = verdicts.collect();
    let notices = outcomes.iter_mut().flat_map(|part| std::mem::take(&mut part.notices)).collect();
    let parsed_answers: Vec<ParsedAnswer> =
        outcomes.into_iter().filter_map(|part| part.parsed_answer).collect();
    let abstained =
        match parsed_answers.iter().all(|parsed_answer| parsed_answer.abstained.is_some()) {
            true => parsed_answers.iter().find_map(|parsed_answer| parsed_answer.abstained.clone()),
            false => None,
        };
    let mut merged = Judgement { judged: verdicts, abstained, notices, ..Judgement::default() };
    for parsed_answer in parsed_answers {
        merged.score = if is_single { parsed_answer.score } else { None };
        if !merged.explanation.is_empty() {
            merged.explanation.push('\n');
        }
        merged.explanation.push_str(&parsed_answer.explanation);
        merged.gaps.extend(parsed_answer.gaps);
        merged.contradictions.extend(parsed_answer.contradictions);
    }
    merged
}
