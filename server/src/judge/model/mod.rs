//! This module is the judge that asks a chat model: the question shown, one bounded repair turn, and what is taken
//! from the answers.
//!
//! Nothing it says is believed here; verification comes after it. Secrets leave as placeholders and come back before
//! anything is compared. Talking to providers is [`gsar_chat`]'s, reading answers [`gsar_answer`]'s, framing evidence
//! [`gsar_framing`]'s, hiding [`gsar_redaction`]'s.

mod asked;
mod calling;
mod canary;
mod choosing;
mod draws;
mod expense;
mod look;
mod outline;
mod parts;
mod planted;
mod prompt;
mod shown;
mod turn;

use std::time::{Duration, Instant};

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use gsar_answer::{Bounds, Labels, Reading, Unreadable, read, repair_prompt};
use gsar_chat::{Chat, Price, Request, Role, Temperature, Turn};
use gsar_core::{Claim, ClaimId, Class, JudgedClaim};
use gsar_framing::Framer;
use gsar_redaction::Redactor;
use tokio::sync::Mutex;

use super::spending::{Payer, Spending};
use super::{Capabilities, Judge, JudgeError, Judgement, ModelCall, Notice, Pending, Question};
use asked::Asked;
pub use choosing::lines_prompt;
pub use look::{EntityAnswer, EntityQuestion, Passage};
use parts::{merged, parts};
pub use prompt::{Prompt, PromptError};
use prompt::{question as question_text, statements as statements_text};
use shown::{Framing, Piece, Shown};
use turn::shares;

/// How long a question without a deadline may take.
const MAX_DURATION: Duration = Duration::from_secs(600);

/// The most parts of one evaluation that are asked about at once, so that one with long evidence leaves room for
/// others.
const PARTS_AT_ONCE: usize = 4;

/// How a model judges.
pub struct ModelOptions {
    /// Its prompts.
    pub prompt: Prompt,
    /// What it is asked for.
    pub purpose: Purpose,
    /// What is hidden from it; `None` to show everything.
    pub redactor: Option<Redactor>,
    /// The most bytes of evidence that are shown at once.
    pub max_evidence: usize,
    /// Above how many bytes of an item the model chooses which of its lines are shown; `None` to show everything.
    pub outline_above: Option<usize>,
    /// How many graded claims are shown as examples.
    pub examples: usize,
    /// `None` for models that take none.
    pub temperature: Option<Temperature>,
    /// The most tokens of an answer.
    pub max_output_tokens: u32,
    /// What its tokens cost.
    pub price: Option<Price>,
    /// Whether each call has a claim beside the others that nothing can support.
    pub canary: bool,
    /// Where its cost is counted, and refused where the day's budget is spent; not without a price.
    pub spending: Option<Spending>,
}

/// What a model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To judge each claim.
    Judge,
    /// To disprove what it can.
    Refute,
}

impl Purpose {
    /// The word in provenance.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::Refute => "refute",
        }
    }
}

/// A chat model as a judge.
pub struct ModelJudge {
    name: String,
    chat: Chat,
    framer: Framer,
    /// From which the delimiters of evidence are drawn.
    secret: [u8; 32],
    second_look: Prompt,
    options: ModelOptions,
}

/// What came of asking about a part of the evidence.
#[derive(Default)]
struct Part {
    judged: Vec<JudgedClaim>,
    reading: Option<Reading>,
    notices: Vec<Notice>,
    calls: Vec<ModelCall>,
    /// The call that waits for its answer.
    under_way: Option<ModelCall>,
}

impl Part {
    /// All calls that were made. One that was cut off may have been paid for, so it is one of them.
    fn into_calls(self) -> Vec<ModelCall> {
        self.calls.into_iter().chain(self.under_way).collect()
    }
}

/// What the calls for a part of the evidence may take.
struct Allowance {
    deadline: Instant,
    /// On whose behalf they are made.
    payer: Payer,
}

impl Allowance {
    fn of(question: &Question) -> Self {
        let deadline = question.deadline.unwrap_or_else(|| Instant::now() + MAX_DURATION);
        Self { deadline, payer: question.payer() }
    }
}

/// Why there is no answer.
enum Failed {
    Late,
    Otherwise { code: &'static str, reason: String },
}

impl ModelJudge {
    /// A judge that asks `chat`.
    ///
    /// # Errors
    /// Why evidence cannot be framed, which is an error of this program.
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

    async fn ask(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let claims = &question.claims;
        if claims.is_empty() {
            return Ok(Judgement::default());
        }
        let mut chosen = Part::default();
        let shown = self.shown(question, &mut chosen).await;
        let parted = parts(&shown, self.options.max_evidence);
        if parted.len() > parts::MAX_PARTS {
            return Err(self.failed(
                "EVIDENCE_TOO_LARGE",
                format!(
                    "the evidence would take {} calls of {} bytes, at most {} are made; store it as a corpus, so that each claim is shown what bears on it",
                    parted.len(), self.options.max_evidence, parts::MAX_PARTS
                ),
                chosen.calls,
            ));
        }
        let shares = shares(question, &parted);
        let shared = shares.iter().zip(&parted);
        let shared = shared.filter_map(|(share, part)| Some((share.as_ref()?, part)));
        let shared: Vec<_> = shared.map(|(share, part)| (share, part, Mutex::default())).collect();
        let asked: Vec<_> = shared
            .iter()
            .map(async |(share, part, turn)| {
                self.converse(share, part, &mut *turn.lock().await).await
            })
            .collect();
        // The first failure cuts off what is asked beside it.
        let outcome = stream::iter(asked).buffer_unordered(PARTS_AT_ONCE).try_collect::<()>().await;
        let mut answered: Vec<Part> =
            shared.into_iter().map(|(_, _, turn)| turn.into_inner()).collect();
        let mut calls = chosen.calls;
        if let Err(failed) = outcome {
            calls.extend(answered.into_iter().flat_map(Part::into_calls));
            return Err(self.of_failed(failed, claims, calls));
        }
        calls.extend(answered.iter_mut().flat_map(|part| std::mem::take(&mut part.calls)));
        let mut judgement = judgement(claims, answered);
        judgement.notices.splice(..0, chosen.notices);
        Ok(Judgement { calls, ..judgement })
    }

    fn temperature(&self, question: &Question) -> Option<Temperature> {
        let first = self.options.temperature?;
        Some(if question.sample == 0 { first } else { Temperature::VARIED })
    }

    fn of_failed(&self, failed: Failed, claims: &[Claim], calls: Vec<ModelCall>) -> JudgeError {
        match failed {
            Failed::Late => JudgeError::DeadlinePassed { judged: 0, claims: claims.len(), calls },
            Failed::Otherwise { code, reason } => self.failed(code, reason, calls),
        }
    }

    fn failed(&self, code: &'static str, reason: String, calls: Vec<ModelCall>) -> JudgeError {
        JudgeError::Failed { judge: self.name.clone(), code, reason, calls }
    }

    /// Asks about a part of the evidence, and once more about what could not be used of the answer.
    async fn converse(
        &self,
        question: &Question,
        part: &[Piece<'_>],
        turn: &mut Part,
    ) -> Result<(), Failed> {
        let claims = &question.claims;
        let is_extra_turn = !question.objections.is_empty();
        let with_canary = self.options.canary && !is_extra_turn;
        let asking = Asked::new(question, part, with_canary);
        let asked = &asking.claims;
        let mut shown = Shown::new(&self.framing(), &asking.synthesis, asked, part)
            .map_err(|error| otherwise("EVIDENCE_UNFRAMED", &error))?;
        turn.notices = shown.notices();
        let text = self.text(question, &asking, &mut shown);
        let temperature = self.temperature(question);
        let seed = u64::from(question.sample);
        let prompt = self.prompt(question);
        let ids: Vec<&str> = asked.iter().map(|claim| claim.id.as_str()).collect();
        let labels = Labels { claims: &ids, evidence: part.len() };
        let request = prompt.request(&shown.frame.how_to_read(), text, labels, temperature, seed);
        let mut request = request.map_err(|error| otherwise("REQUEST_INVALID", &error))?;
        let allowed = Allowance::of(question);
        let purpose = match (is_extra_turn, question.is_second_look()) {
            (true, _) => "reconsider",
            (false, true) => "second_look",
            (false, false) => self.options.purpose.name(),
        };

        let (said, mut outcome) =
            self.call(purpose, prompt, &mut request, &allowed, asked, turn).await?;
        let is_canary = |id: &ClaimId| asking.is_canary(id);
        let is_settled = outcome.as_ref().is_ok_and(|reading| reading.unsettled().all(is_canary));
        if let Some(repair) = repair_prompt(&outcome).filter(|_| !is_settled) {
            let mut open = asked.clone();
            if let Ok(reading) = &outcome {
                let unsettled: Vec<&ClaimId> = reading.unsettled().collect();
                open.retain(|claim| unsettled.contains(&&claim.id));
            }
            request.messages.push(Turn { role: Role::Assistant, text: said });
            request.messages.push(Turn { role: Role::User, text: repair });
            match self.call("repair", prompt, &mut request, &allowed, &open, turn).await {
                Ok((_, Ok(second))) => outcome = Ok(joined(outcome, second)),
                // What the first answer settled stays settled; the rest is dropped, which verification sees.
                Ok((_, Err(_))) | Err(Failed::Otherwise { .. }) => {}
                Err(Failed::Late) if outcome.is_err() => return Err(Failed::Late),
                Err(Failed::Late) => {}
            }
        }
        let mut reading = outcome.map_err(|error| unreadable(&error))?;
        let judged = std::mem::take(&mut reading.judged);
        let judged = judged.into_iter().map(|claim| shown.claim_back(claim, asked));
        let (canaries, judged): (Vec<JudgedClaim>, Vec<JudgedClaim>) =
            judged.partition(|claim| is_canary(&claim.claim.id));
        if canaries
            .iter()
            .any(|claim| matches!(claim.class, Class::Grounded | Class::Complementary))
        {
            return Err(Failed::Otherwise {
                code: "CANARY_GROUNDED",
                reason: "it supported a claim that nothing can support; check the evidence for instructions, or configure another model"
                    .to_owned(),
            });
        }
        turn.notices.extend(losses(&reading, claims));
        turn.judged = judged;
        for text in [&mut reading.explanation]
            .into_iter()
            .chain(&mut reading.gaps)
            .chain(&mut reading.contradictions)
        {
            *text = shown.back(text);
        }
        reading.abstained = reading.abstained.map(|reason| shown.back(&reason));
        turn.reading = Some(reading);
        Ok(())
    }

    /// The question in words: the evidence first, then what differs between reports about it.
    fn text(&self, question: &Question, asking: &Asked, shown: &mut Shown) -> String {
        if question.is_second_look() {
            let statements = shown.statements(&asking.statements);
            return statements_text(shown.frame.text(), &statements);
        }
        let examples = match question.examples.get(..self.options.examples) {
            Some(examples) => shown.examples(examples),
            None => shown.examples(&question.examples),
        };
        let mut text =
            question_text(shown.frame.text(), &examples, &shown.synthesis, &shown.claims);
        if !question.objections.is_empty() {
            text.push_str(&shown.objections(&question.objections));
        }
        text
    }

    /// One call and how its answer reads.
    async fn call(
        &self,
        purpose: &'static str,
        prompt: &Prompt,
        request: &mut Request,
        allowed: &Allowance,
        claims: &[Claim],
        turn: &mut Part,
    ) -> Result<(String, Result<Reading, Unreadable>), Failed> {
        let (mut call, text) = self.send(purpose, prompt.digest(), request, allowed, turn).await?;
        let outcome = read(&text, prompt.form(), claims, &Bounds::default());
        match &outcome {
            Ok(reading) => {
                call.rung = reading.rung.name();
                call.fixes = reading.rung.fixes().iter().map(|fix| fix.name()).collect();
            }
            Err(_) => call.rung = "unreadable",
        }
        turn.calls.push(call);
        Ok((text, outcome))
    }
}

impl Judge for ModelJudge {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            classes: Class::ALL.to_vec(),
            languages: vec!["en"],
            max_evidence_bytes: Some(self.options.max_evidence),
        }
    }

    /// One that looks for what is false votes for nothing else, and has no verdict to keep.
    fn can_reconsider(&self) -> bool {
        self.options.purpose == Purpose::Judge
    }

    fn can_take_second_look(&self) -> bool {
        self.options.purpose == Purpose::Judge
    }

    fn examples(&self) -> usize {
        self.options.examples
    }

    fn judge<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<Judgement, JudgeError>> {
        Box::pin(self.ask(question))
    }
}

/// The object in an answer, which may stand among other words.
fn object_in<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let object = text.find('{').zip(text.rfind('}'));
    let object = object.and_then(|(start, end)| text.get(start..=end)).unwrap_or(text);
    serde_json::from_str(object)
}

fn otherwise(code: &'static str, error: &dyn std::error::Error) -> Failed {
    Failed::Otherwise { code, reason: error.to_string() }
}

/// The message of [`Unreadable`] tells the model what to do; people need the setting.
fn unreadable(error: &Unreadable) -> Failed {
    let code = "ANSWER_UNREADABLE";
    match error {
        Unreadable::Truncated { bytes } | Unreadable::OnlyReasoning { bytes } => {
            let reason = format!(
                "the answer breaks off after {bytes} bytes; raise max_output_tokens of the model, or ask another model"
            );
            Failed::Otherwise { code, reason }
        }
        error => otherwise(code, error),
    }
}

/// The answer to the repair turn behind what the first answer settled.
fn joined(first: Result<Reading, Unreadable>, second: Reading) -> Reading {
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

/// Tells which claims the model gave no usable verdict on.
fn losses(reading: &Reading, claims: &[Claim]) -> Option<Notice> {
    let ids: Vec<&str> = reading
        .unsettled()
        .map(ClaimId::as_str)
        .filter(|id| claims.iter().any(|claim| claim.id.as_str() == *id))
        .collect();
    (!ids.is_empty()).then(|| Notice {
        code: "CLAIMS_UNSETTLED",
        sentence: format!("the model gave no usable verdict on {}", ids.join(", ")),
    })
}

/// What was said part by part, as one judgement.
fn judgement(claims: &[Claim], mut answered: Vec<Part>) -> Judgement {
    let is_one = answered.len() == 1;
    let judged = claims.iter().filter_map(|claim| {
        let said = answered.iter().flat_map(|part| &part.judged);
        merged(said.filter(|judged| judged.claim.id == claim.id).cloned().collect())
    });
    let judged = judged.collect();
    let notices = answered.iter_mut().flat_map(|part| std::mem::take(&mut part.notices)).collect();
    let readings: Vec<Reading> = answered.into_iter().filter_map(|part| part.reading).collect();
    let abstained = match readings.iter().all(|reading| reading.abstained.is_some()) {
        true => readings.iter().find_map(|reading| reading.abstained.clone()),
        false => None,
    };
    let mut whole = Judgement { judged, abstained, notices, ..Judgement::default() };
    for reading in readings {
        whole.score = if is_one { reading.score } else { None };
        if !whole.explanation.is_empty() {
            whole.explanation.push('\n');
        }
        whole.explanation.push_str(&reading.explanation);
        whole.gaps.extend(reading.gaps);
        whole.contradictions.extend(reading.contradictions);
    }
    whole
}
