//! Asking the judges of the chain, one after the other, until what they decided settles the tier.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gsar_core::{ClaimId, Policy, Reason};
use gsar_proto::v1;
use gsar_proto::violations::Violations;
use metrics::counter;
use tonic::Status;
use tracing::Instrument as _;

use super::Engine;
use super::cascade::Answer;
use super::reader::Reader;
use crate::call::Call;
use crate::compute::stopped;
use crate::errors;
use crate::judge::{Judge, JudgeError, Judgement, ModelCall, Notice, Question, calls_of};
use crate::telemetry::{metrics as names, traces};

/// Failures for which a caller that comes back later is judged.
const OUR_OWN_LIMITS: [&str; 2] = ["TOO_MANY_CALLS", "RATE_LIMITED_HERE"];

/// Why a judge is not asked about a report in a language that it does not read.
const LANGUAGE_NOT_READ: &str = "LANGUAGE_NOT_READ";

/// The most time that is kept for a second look.
const MAX_FOR_READER: Duration = Duration::from_secs(20);

/// What came of asking.
pub(super) struct Judged {
    /// What each judge did, in the order in which they were asked.
    pub(super) links: Vec<v1::JudgeLink>,
    /// The judge whose verdict on a claim counts.
    pub(super) judges: HashMap<ClaimId, String>,
    /// What the judges that answered let a person know.
    pub(super) notices: Vec<Notice>,
    /// The judge that answered last with what all said together, or why there is no judgement.
    pub(super) outcome: Result<(Arc<dyn Judge>, Judgement), Reason>,
}

impl Judged {
    /// Nobody was asked.
    pub(super) fn not_asked(reason: Reason) -> Self {
        Self::without_answer(Vec::new(), Vec::new(), reason)
    }

    fn without_answer(links: Vec<v1::JudgeLink>, notices: Vec<Notice>, reason: Reason) -> Self {
        Self { links, judges: HashMap::new(), notices, outcome: Err(reason) }
    }

    fn answered(links: Vec<v1::JudgeLink>, answer: Answer) -> Self {
        let Answer { mut judgement, judge, judges, .. } = answer;
        let notices = std::mem::take(&mut judgement.notices);
        Self { links, judges, notices, outcome: Ok((judge, judgement)) }
    }
}

impl Engine {
    /// The judges to ask: the one that the field names, or the whole chain. An unknown name is noted.
    pub(super) fn judges(
        &self,
        field: &'static str,
        name: &str,
        violations: &mut Violations,
    ) -> Option<Vec<Arc<dyn Judge>>> {
        if name.is_empty() {
            return Some(self.judges.to_vec());
        }
        let named = self.judges.iter().find(|judge| judge.name() == name);
        if named.is_none() {
            let known: Vec<&str> = self.judges.iter().map(|judge| judge.name()).collect();
            let known = format!("known are {}", known.join(", "));
            violations.add_unknown(field, "judge", name, known);
        }
        named.map(|judge| vec![Arc::clone(judge)])
    }
}

/// Asks the judges about a report in these languages. A judge that abstains has answered; the next is asked when one
/// fails, does not read the language, or has had its share of the time, and about the claims that are left undecided
/// where the tier depends on them.
pub(super) async fn ask(
    call: &Call,
    policy: &Arc<Policy>,
    judges: &[Arc<dyn Judge>],
    question: &Arc<Question>,
    languages: &[&'static str],
    reader: &Reader,
) -> Result<Judged, Status> {
    let mut unread = None;
    let mut links = Vec::with_capacity(judges.len());
    let (mut failures, mut codes) = (Vec::new(), Vec::new());
    let mut answered: Option<Answer> = None;
    let mut open = Arc::clone(question);
    let mut chain = judges;
    while let [judge, following @ ..] = chain {
        chain = following;
        let name = judge.name().to_owned();
        if let Some(language) = unread_by(judge, languages) {
            unread = Some(language);
            let link = not_read(&name, language);
            failures.push(format!("{name}: {} ({LANGUAGE_NOT_READ})", link.detail));
            codes.push(LANGUAGE_NOT_READ);
            links.push(link);
            continue;
        }
        let span = traces::judge(&name);
        let in_time = with_time_share(&open, following, reader.of(judge).is_some());
        let mut answer = judge.judge(&in_time).instrument(span.clone()).await;
        let (result, detail, code) = match &answer {
            Ok(Judgement { abstained: Some(why), .. }) => ("abstained", why.clone(), ""),
            Ok(_) => ("judged", String::new(), ""),
            Err(JudgeError::Failed { code, reason, .. }) => ("failed", reason.clone(), *code),
            Err(late) => ("failed", late.to_string(), "DEADLINE_EXCEEDED"),
        };
        traces::record_judge_result(&span, result, code);
        counter!(names::JUDGED, "judge" => name.clone(), "result" => result, "code" => code)
            .increment(1);
        let calls = std::mem::take(calls_of(&mut answer));
        calls.iter().for_each(|call| count_call(&name, call));
        links.push(v1::JudgeLink {
            judge: name.clone(),
            result: result.to_owned(),
            detail,
            code: code.to_owned(),
            calls: calls.into_iter().map(call_to_proto).collect(),
        });
        match answer {
            Ok(Judgement { abstained: Some(reason), notices, .. }) => match &mut answered {
                // What was decided before stays; what the next judge cannot judge stays undecided.
                Some(answer) => answer.judgement.notices.extend(notices),
                None => {
                    let reason = Reason::JudgeAbstained { reason };
                    return Ok(Judged::without_answer(links, notices, reason));
                }
            },
            Ok(judgement) => {
                let split = judgement.votes.iter().filter(|votes| !votes.is_unanimous()).count();
                counter!(names::DISAGREEMENTS, "judge" => name).increment(split as u64);
                let answer = match answered.take() {
                    None => Answer::new(judge, judgement),
                    Some(mut answer) => {
                        answer.join(question, &open, judge, judgement);
                        answer
                    }
                };
                let left = match following {
                    [] => None,
                    _ => answer.open(call, policy, question).await?,
                };
                match left {
                    None => return Ok(Judged::answered(links, answer)),
                    Some(left) => open = left,
                }
                answered = Some(answer);
            }
            Err(JudgeError::DeadlinePassed { .. })
                if question.is_late() || (following.is_empty() && answered.is_none()) =>
            {
                return Err(stopped(call));
            }
            // Its words may quote what a model said, and such texts are not logged.
            Err(error) => {
                tracing::warn!(judge = name, code, "a judge failed");
                codes.push(code);
                failures.push(format!("{error} ({code})"));
            }
        }
    }
    if let Some(answer) = answered {
        return Ok(Judged::answered(links, answer));
    }
    if !codes.is_empty() && codes.iter().all(|code| OUR_OWN_LIMITS.contains(code)) {
        return Err(errors::judges_busy());
    }
    let is_unread = codes.iter().all(|code| *code == LANGUAGE_NOT_READ);
    let reason = match unread.filter(|_| is_unread) {
        Some(language) => Reason::LanguageNotRead { language: language.to_owned() },
        None => Reason::JudgeFailed { reason: failures.join("; ") },
    };
    Ok(Judged::without_answer(links, Vec::new(), reason))
}

/// The language that the judge does not read, where there is one.
fn unread_by(judge: &Arc<dyn Judge>, languages: &[&'static str]) -> Option<&'static str> {
    let capabilities = judge.capabilities();
    languages.iter().copied().find(|language| !capabilities.reads(language))
}

/// What is reported of a judge that was not asked.
fn not_read(judge: &str, language: &str) -> v1::JudgeLink {
    counter!(names::JUDGED, "judge" => judge.to_owned(), "result" => "failed", "code" => LANGUAGE_NOT_READ)
        .increment(1);
    v1::JudgeLink {
        judge: judge.to_owned(),
        result: "failed".to_owned(),
        detail: format!("the report's language is {language}, which it does not read"),
        code: LANGUAGE_NOT_READ.to_owned(),
        calls: Vec::new(),
    }
}

/// The question with the time that its judge may take: those behind it need some as well. Judges that wait for others
/// share it evenly, and those that compute here keep a tenth. A third of it, at most [`MAX_FOR_READER`], is kept for a
/// second look.
fn with_time_share(
    question: &Arc<Question>,
    following: &[Arc<dyn Judge>],
    has_reader: bool,
) -> Arc<Question> {
    let Some(deadline) = question.deadline.filter(|_| has_reader || !following.is_empty()) else {
        return Arc::clone(question);
    };
    let now = Instant::now();
    let all = deadline.saturating_duration_since(now);
    let for_reader = if has_reader { (all / 3).min(MAX_FOR_READER) } else { Duration::ZERO };
    let left = all - for_reader;
    let waiting = following.iter().filter(|judge| !judge.is_local()).count();
    let for_local = if waiting < following.len() { left / 10 } else { Duration::ZERO };
    let share = (left - for_local) / u32::try_from(waiting + 1).unwrap_or(u32::MAX);
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
