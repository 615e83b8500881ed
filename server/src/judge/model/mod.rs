//! The judge that asks a chat model, with at most one repair turn per part of the evidence.
//!
//! Its verdicts count only after verification. Secrets are replaced by placeholders and restored before anything is
//! compared. [`gsar_chat`] calls providers, [`gsar_answer`] parses answers, [`gsar_framing`] frames evidence and
//! [`gsar_redaction`] redacts secrets.

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

/// The time limit of a question without a deadline.
const MAX_DURATION: Duration = Duration::from_secs(600);

/// The maximum number of concurrent parts per evaluation, so that long evidence does not starve other evaluations.
const PARTS_AT_ONCE: usize = 4;

/// Options of a model judge.
pub struct ModelOptions {
    /// The prompt.
    pub prompt: Prompt,
    /// The task of the model.
    pub purpose: Purpose,
    /// Redacts what the model must not see; `None` to show everything.
    pub redactor: Option<Redactor>,
    /// The maximum number of bytes of evidence per call.
    pub max_evidence: usize,
    /// The size in bytes above which the model selects the lines of an item to read; `None` to show all lines.
    pub outline_above: Option<usize>,
    /// The maximum number of graded claims shown as examples.
    pub examples: usize,
    /// The temperature; `None` for models without that parameter.
    pub temperature: Option<Temperature>,
    /// The maximum number of tokens of an answer.
    pub max_output_tokens: u32,
    /// The price of tokens.
    pub price: Option<Price>,
    /// `true` to add a canary to each call: a claim that nothing can support.
    pub canary: bool,
    /// The budget its calls are charged to; unused without a price.
    pub spending: Option<Spending>,
}

/// The task of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Judges each claim.
    Judge,
    /// Contradicts claims where possible.
    Refute,
}

impl Purpose {
    /// Returns its name in provenance.
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
    /// The key from which the delimiters of evidence are derived.
    secret: [u8; 32],
    second_look: Prompt,
    options: ModelOptions,
}

/// The result of asking about a part of the evidence.
#[derive(Default)]
struct Part {
    judged: Vec<JudgedClaim>,
    reading: Option<Reading>,
    notices: Vec<Notice>,
    calls: Vec<ModelCall>,
    /// The call that is waiting for its answer.
    under_way: Option<ModelCall>,
}

impl Part {
    /// Returns all calls, including an interrupted one, which may have been charged.
    fn into_calls(self) -> Vec<ModelCall> {
        self.calls.into_iter().chain(self.under_way).collect()
    }
}

/// The deadline and payer of calls.
struct Allowance {
    deadline: Instant,
    payer: Payer,
}

impl Allowance {
    fn of(question: &Question) -> Self {
        let deadline = question.deadline.unwrap_or_else(|| Instant::now() + MAX_DURATION);
        Self { deadline, payer: question.payer() }
    }
}

/// An error from asking the model.
enum Failed {
    Late,
    Otherwise { code: &'static str, reason: String },
}

impl ModelJudge {
    /// Creates a judge that asks `chat`.
    ///
    /// # Errors
    /// A message if the framer cannot be built, which is a bug.
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
                    "the evidence needs {} calls of {} bytes, but at most {} are allowed; store it as a corpus, so that each claim is judged by relevant excerpts",
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
        // The first failure cancels the other parts.
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

    /// Asks about a part of the evidence, with one repair turn for the unusable verdicts of the answer.
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
                // The usable verdicts of the first answer stay; the rest is dropped, which verification reports.
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
                reason: "the model supported a claim that nothing can support; check the evidence for injected instructions, or configure another model"
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

    /// Returns the text of the question: the evidence first, then what differs between reports.
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

    /// Sends a request and parses the answer.
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

    /// A refuter only contradicts and has no other verdicts to reconsider.
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

/// Parses the JSON object in an answer, ignoring text around it.
fn object_in<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let object = text.find('{').zip(text.rfind('}'));
    let object = object.and_then(|(start, end)| text.get(start..=end)).unwrap_or(text);
    serde_json::from_str(object)
}

fn otherwise(code: &'static str, error: &dyn std::error::Error) -> Failed {
    Failed::Otherwise { code, reason: error.to_string() }
}

/// Converts [`Unreadable`], whose message is for the model, into a message for people that names the setting.
fn unreadable(error: &Unreadable) -> Failed {
    let code = "ANSWER_UNREADABLE";
    match error {
        Unreadable::Truncated { bytes } | Unreadable::OnlyReasoning { bytes } => {
            let reason = format!(
                "the answer was truncated after {bytes} bytes; raise max_output_tokens of the model, or configure another model"
            );
            Failed::Otherwise { code, reason }
        }
        error => otherwise(code, error),
    }
}

/// Appends the answer of the repair turn to the usable verdicts of the first answer.
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

/// Names the claims without a usable verdict.
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

/// Merges the results of all parts into one judgement.
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
