//! Calls the judges in the chain until their verdicts determine the tier.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gsar_core::fixed_point::Millionths;
use gsar_core::{ClaimId, Policy, Reason};
use gsar_proto::v1;
use gsar_proto::violations::Violations;
use metrics::counter;
use tonic::Status;
use tracing::Instrument as _;

use super::Engine;
use super::merge_judgements::ChainJudgement;
use super::second_look_judge::SecondReader;
use crate::call::Call;
use crate::compute_pool::stop_status;
use crate::errors;
use crate::judge::{Judge, JudgeError, Judgement, ModelCall, Notice, Question, calls_mut};
use crate::telemetry::{metrics as names, traces};

/// The failure codes that report that one of this server's own limits was reached. A later retry can succeed.
const OWN_LIMIT_CODES: [&str; 2] = ["TOO_MANY_CALLS", "RATE_LIMITED_HERE"];

const LANGUAGE_NOT_READ: &str = "LANGUAGE_NOT_READ";

const MAX_SECOND_LOOK_TIME: Duration = Duration::from_secs(20);

pub(super) struct ChainResult {
    pub(super) links: Vec<v1::JudgeLink>,
    /// The name of the judge that decided each claim.
    pub(super) judges: HashMap<ClaimId, String>,
    pub(super) notices: Vec<Notice>,
    pub(super) outcome: Result<(Arc<dyn Judge>, Judgement), Unjudged>,
}

/// The reason why a report was not judged, and what an abstaining judge said about it.
pub(super) struct Unjudged {
    pub(super) reason: Reason,
    pub(super) explanation: String,
    pub(super) gaps: Vec<String>,
    pub(super) score: Option<Millionths>,
}

impl From<Reason> for Unjudged {
    fn from(reason: Reason) -> Self {
        Self { reason, explanation: String::new(), gaps: Vec::new(), score: None }
    }
}

impl ChainResult {
    pub(super) fn without_call(reason: Reason) -> Self {
        Self::without_answer(Vec::new(), Vec::new(), reason.into())
    }

    fn without_answer(links: Vec<v1::JudgeLink>, notices: Vec<Notice>, outcome: Unjudged) -> Self {
        Self { links, judges: HashMap::new(), notices, outcome: Err(outcome) }
    }

    fn from_answer(links: Vec<v1::JudgeLink>, answer: ChainJudgement) -> Self {
        let ChainJudgement { mut judgement, judge, judges, .. } = answer;
        let notices = std::mem::take(&mut judgement.notices);
        Self { links, judges, notices, outcome: Ok((judge, judgement)) }
    }
}

impl Engine {
    /// Returns the judge with this name, or the whole chain if the name is empty. An unknown name is added to
    /// `violations`.
    pub(super) fn judges(
        &self,
        field: &'static str,
        name: &str,
        violations: &mut Violations,
    ) -> Option<Vec<Arc<dyn Judge>>> {
        if name.is_empty() {
            return Some(self.judges.to_vec());
        }
        let judge = self.judges.iter().find(|judge| judge.name() == name);
        if judge.is_none() {
            let names: Vec<&str> = self.judges.iter().map(|judge| judge.name()).collect();
            let expected = format!("expected one of {}", names.join(", "));
            violations.add_unknown(field, "judge", name, expected);
        }
        judge.map(|judge| vec![Arc::clone(judge)])
    }
}

/// Calls the judges in the chain for a report in these languages. The next judge is called if a judge fails,
/// does not support a language, or exceeds its share of the time. It is also called if the claims that are
/// still open affect the tier. If a judge abstains before any verdict was given, no other judge is called.
pub(super) async fn call_chain(
    call: &Call,
    policy: &Arc<Policy>,
    judges: &[Arc<dyn Judge>],
    question: &Arc<Question>,
    languages: &[&'static str],
    reader: &SecondReader,
) -> Result<ChainResult, Status> {
    let mut skipped_language = None;
    let mut links = Vec::with_capacity(judges.len());
    let (mut failures, mut codes) = (Vec::new(), Vec::new());
    let mut chain_answer: Option<ChainJudgement> = None;
    let mut open_question = Arc::clone(question);
    let mut chain = judges;
    while let [judge, remaining_judges @ ..] = chain {
        chain = remaining_judges;
        let name = judge.name().to_owned();
        if let Some(language) = unsupported_language(judge, languages) {
            skipped_language = Some(language);
            let link = unsupported_link(&name, language);
            failures.push(format!("{name}: {} ({LANGUAGE_NOT_READ})", link.detail));
            codes.push(LANGUAGE_NOT_READ);
            links.push(link);
            continue;
        }
        let span = traces::judge_span(&name);
        let has_reader = reader.for_judge(judge).is_some();
        let timed_question = with_time_share(&open_question, remaining_judges, has_reader);
        let mut answer = judge.judge(&timed_question).instrument(span.clone()).await;
        let (result, detail, code) = match &answer {
            Ok(Judgement { abstained: Some(reason), .. }) => ("abstained", reason.clone(), ""),
            Ok(_) => ("judged", String::new(), ""),
            Err(JudgeError::Failed { code, reason, .. }) => ("failed", reason.clone(), *code),
            Err(error) => ("failed", error.to_string(), "DEADLINE_EXCEEDED"),
        };
        traces::record_judge_result(&span, result, code);
        counter!(names::JUDGED, "judge" => name.clone(), "result" => result, "code" => code)
            .increment(1);
        let calls = std::mem::take(calls_mut(&mut answer));
        calls.iter().for_each(|call| count_call(&name, call));
        links.push(v1::JudgeLink {
            judge: name.clone(),
            result: result.to_owned(),
            detail,
            code: code.to_owned(),
            calls: calls.into_iter().map(call_to_proto).collect(),
        });
        match answer {
            Ok(Judgement {
                abstained: Some(reason), notices, explanation, gaps, score, ..
            }) => {
                match &mut chain_answer {
                    // Earlier verdicts remain. The open claims go to the next judge, if there is one.
                    Some(answer) => answer.judgement.notices.extend(notices),
                    None => {
                        let reason = Reason::JudgeAbstained { reason };
                        let unjudged = Unjudged { reason, explanation, gaps, score };
                        return Ok(ChainResult::without_answer(links, notices, unjudged));
                    }
                }
            }
            Ok(judgement) => {
                let disputed_count =
                    judgement.votes.iter().filter(|votes| !votes.is_unanimous()).count();
                counter!(names::DISAGREEMENTS, "judge" => name).increment(disputed_count as u64);
                let answer = match chain_answer.take() {
                    None => ChainJudgement::new(judge, judgement),
                    Some(mut answer) => {
                        answer.merge(question, &open_question, judge, judgement);
                        answer
                    }
                };
                let next_question = match remaining_judges {
                    [] => None,
                    _ => answer.open_question(call, policy, question).await?,
                };
                match next_question {
                    None => return Ok(ChainResult::from_answer(links, answer)),
                    Some(question) => open_question = question,
                }
                chain_answer = Some(answer);
            }
            Err(JudgeError::DeadlinePassed { .. })
                if question.is_late()
                    || (remaining_judges.is_empty() && chain_answer.is_none()) =>
            {
                return Err(stop_status(call));
            }
            // The error can quote a model's answer, which must not be logged.
            Err(error) => {
                tracing::warn!(judge = name, code, "a judge failed");
                codes.push(code);
                failures.push(format!("{error} ({code})"));
            }
        }
    }
    if let Some(answer) = chain_answer {
        return Ok(ChainResult::from_answer(links, answer));
    }
    if !codes.is_empty() && codes.iter().all(|code| OWN_LIMIT_CODES.contains(code)) {
        return Err(errors::judges_busy());
    }
    let all_are_unsupported = codes.iter().all(|code| *code == LANGUAGE_NOT_READ);
    let reason = match skipped_language.filter(|_| all_are_unsupported) {
        Some(language) => Reason::LanguageNotRead { language: language.to_owned() },
        None => Reason::JudgeFailed { reason: failures.join("; ") },
    };
    Ok(ChainResult::without_answer(links, Vec::new(), reason.into()))
}

fn unsupported_language(
    judge: &Arc<dyn Judge>,
    languages: &[&'static str],
) -> Option<&'static str> {
    let capabilities = judge.capabilities();
    languages.iter().copied().find(|language| !capabilities.supports_language(language))
}

fn unsupported_link(judge: &str, language: &str) -> v1::JudgeLink {
    counter!(names::JUDGED, "judge" => judge.to_owned(), "result" => "failed", "code" => LANGUAGE_NOT_READ)
        .increment(1);
    v1::JudgeLink {
        judge: judge.to_owned(),
        result: "failed".to_owned(),
        detail: format!("the report's language is {language}, which this judge does not read"),
        code: LANGUAGE_NOT_READ.to_owned(),
        calls: Vec::new(),
    }
}

/// Shortens the deadline to leave time for the remaining judges and for a second look. The second look gets a
/// third of the time, but at most [`MAX_SECOND_LOOK_TIME`]. Of the rest, all remaining local judges together
/// get a tenth. This judge and the remaining remote judges share what is left equally.
fn with_time_share(
    question: &Arc<Question>,
    remaining_judges: &[Arc<dyn Judge>],
    has_reader: bool,
) -> Arc<Question> {
    let Some(deadline) = question.deadline.filter(|_| has_reader || !remaining_judges.is_empty())
    else {
        return Arc::clone(question);
    };
    let now = Instant::now();
    let total = deadline.saturating_duration_since(now);
    let reader_time =
        if has_reader { (total / 3).min(MAX_SECOND_LOOK_TIME) } else { Duration::ZERO };
    let remaining = total - reader_time;
    let remote_count = remaining_judges.iter().filter(|judge| !judge.is_local()).count();
    let local_time =
        if remote_count < remaining_judges.len() { remaining / 10 } else { Duration::ZERO };
    let share = (remaining - local_time) / u32::try_from(remote_count + 1).unwrap_or(u32::MAX);
    Arc::new(Question { deadline: Some(now + share), ..Question::clone(question) })
}

pub(crate) fn count_call(link: &str, call: &ModelCall) {
    if call.from_cache {
        return;
    }
    let judge = if call.judge.is_empty() { link } else { &call.judge };
    let rung = if call.rung.is_empty() { "none" } else { call.rung };
    for (direction, tokens) in [("input", call.input_tokens), ("output", call.output_tokens)] {
        counter!(names::JUDGE_TOKENS, "judge" => judge.to_owned(), "direction" => direction)
            .increment(tokens);
    }
    counter!(names::JUDGE_ANSWERS, "judge" => judge.to_owned(), "rung" => rung).increment(1);
}

pub(crate) fn call_to_proto(call: ModelCall) -> v1::ModelCall {
    v1::ModelCall {
        judge: call.judge,
        sample: call.sample,
        purpose: call.purpose.to_owned(),
        model: call.model,
        prompt: call.prompt,
        rung: call.rung.to_owned(),
        fixes: call.fixes.into_iter().map(str::to_owned).collect(),
        input_tokens: call.input_tokens,
        output_tokens: call.output_tokens,
        cost_micros: call.cost_micros,
        attempts: call.attempts,
        from_cache: call.from_cache,
        answer: call.answer,
    }
}
