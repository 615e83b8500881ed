//! A panel: several judges, or one judge several times, judge the same claims concurrently, and their votes are counted.
//! Each vote is reported.

mod turn;

use std::sync::Arc;

use futures_util::future::join_all;
use gsar_core::Claim;

use super::voting::{Ballot, Votes, count};
use super::{
    Capabilities, Judge, JudgeError, Judgement, ModelCall, Notice, Pending, Question, calls_of,
};

/// A judge whose members vote.
pub struct Panel {
    name: String,
    members: Vec<Member>,
}

/// A member of a panel.
pub struct Member {
    /// The judge.
    pub judge: Arc<dyn Judge>,
    /// The total weight of its answers, 1 to [`Member::MAX_WEIGHT`].
    pub weight: u32,
    /// The default number of answers, 1 to [`Question::MAX_SAMPLES`]. A local judge is deterministic and answers once.
    pub samples: u32,
    /// `true` for a refuter, whose only votes are contradictions.
    pub refutes: bool,
}

impl Member {
    /// The maximum weight of a member.
    pub const MAX_WEIGHT: u32 = 100;

    fn takes_second_look(&self) -> bool {
        !self.refutes && self.judge.can_take_second_look()
    }

    fn samples(&self, question: &Question) -> u32 {
        if self.judge.is_local() {
            return 1;
        }
        question
            .samples
            .map_or(self.samples, std::num::NonZero::get)
            .clamp(1, Question::MAX_SAMPLES)
    }

    /// Returns the weight of each answer, exact because [`PARTS`] is divisible by every number of samples.
    fn weight_of_each(&self, samples: u32) -> u64 {
        u64::from(self.weight) * PARTS / u64::from(samples)
    }
}

/// The scale of weights: the least common multiple of 1 to 10, so that every number of samples divides it.
const PARTS: u64 = 2_520;

/// One answer of a member.
struct Answered<'a> {
    member: &'a Member,
    sample: u32,
    weight: u64,
    answer: Result<Judgement, JudgeError>,
}

/// The answers, with their weights summed by outcome.
#[derive(Default)]
struct Counted {
    judged: u64,
    abstained: u64,
    all: u64,
    ballots: Vec<Ballot>,
    abstentions: Vec<String>,
    failures: Vec<(&'static str, String)>,
    is_late: bool,
    calls: Vec<ModelCall>,
    notices: Vec<Notice>,
    explanations: Vec<String>,
    gaps: Vec<String>,
    contradictions: Vec<String>,
    considered: Vec<Vec<String>>,
}

impl Panel {
    /// Creates a panel.
    #[must_use]
    pub fn new(name: String, members: Vec<Member>) -> Self {
        Self { name, members }
    }

    async fn ask_all(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let is_second_look = question.is_second_look();
        let members =
            self.members.iter().filter(|member| !is_second_look || member.takes_second_look());
        let asked = members.flat_map(|member| {
            let samples = member.samples(question);
            (0..samples).map(move |sample| ask_member(member, samples, sample, question))
        });
        let mut answers = join_all(asked).await;
        if let [_] = answers.as_slice()
            && let Some(only) = answers.pop()
        {
            return signed(only);
        }
        let mut counted = Counted::default();
        for answered in answers {
            counted.add(answered, self.members.len() > 1);
        }
        self.outcome(&question.claims, counted)
    }

    /// Counts the votes if members with more than half of the weight judged.
    fn outcome(&self, claims: &[Claim], counted: Counted) -> Result<Judgement, JudgeError> {
        let abstained = counted.abstentions.join("; ");
        if counted.judged * 2 > counted.all {
            let (votes, judged) = count(claims, &counted.ballots);
            let mut notices = counted.notices;
            notices.extend(disagreement(&votes));
            return Ok(Judgement {
                judged,
                votes,
                considered: counted.considered,
                explanation: counted.explanations.join("\n"),
                gaps: counted.gaps,
                contradictions: counted.contradictions,
                calls: counted.calls,
                notices,
                ..Judgement::default()
            });
        }
        if counted.is_late {
            return Err(JudgeError::DeadlinePassed {
                judged: 0,
                claims: claims.len(),
                calls: counted.calls,
            });
        }
        let failed = counted.all - counted.judged - counted.abstained;
        if counted.abstained >= failed {
            return Ok(Judgement {
                abstained: Some(abstained),
                calls: counted.calls,
                notices: counted.notices,
                ..Judgement::default()
            });
        }
        let first = counted.failures.first().map_or("PANEL_INCOMPLETE", |(code, _)| *code);
        let is_same = counted.failures.iter().all(|(code, _)| *code == first);
        let reasons: Vec<&str> =
            counted.failures.iter().map(|(_, reason)| reason.as_str()).collect();
        Err(JudgeError::Failed {
            judge: self.name.clone(),
            code: if is_same { first } else { "PANEL_INCOMPLETE" },
            reason: format!("half of the votes or more are missing: {}", reasons.join("; ")),
            calls: counted.calls,
        })
    }
}

impl Counted {
    fn add(&mut self, answered: Answered<'_>, is_mixed: bool) {
        let Answered { member, sample, weight, .. } = answered;
        let judge = member.judge.name();
        self.all += weight;
        let answer = match signed(answered) {
            Ok(answer) => answer,
            Err(JudgeError::DeadlinePassed { calls, .. }) => {
                self.is_late = true;
                self.calls.extend(calls);
                return self.lose(judge, "DEADLINE_EXCEEDED", "the deadline passed".to_owned());
            }
            Err(JudgeError::Failed { code, reason, calls, .. }) => {
                self.calls.extend(calls);
                return self.lose(judge, code, reason);
            }
        };
        self.calls.extend(answer.calls);
        let of = |text: String| if is_mixed { format!("{judge}: {text}") } else { text };
        for notice in answer.notices {
            add_new(&mut self.notices, Notice { sentence: of(notice.sentence), ..notice });
        }
        if let Some(reason) = answer.abstained {
            self.abstained += weight;
            add_new(&mut self.abstentions, of(reason));
            return;
        }
        self.judged += weight;
        if sample == 0 && !answer.explanation.is_empty() {
            self.explanations.push(of(answer.explanation));
        }
        answer.gaps.into_iter().for_each(|gap| add_new(&mut self.gaps, gap));
        for contradiction in answer.contradictions {
            add_new(&mut self.contradictions, contradiction);
        }
        if self.considered.is_empty() {
            self.considered = answer.considered;
        }
        self.ballots.push(Ballot {
            judge: judge.to_owned(),
            sample,
            weight,
            refutes: member.refutes,
            judged: answer.judged,
        });
    }

    fn lose(&mut self, judge: &str, code: &'static str, reason: String) {
        let sentence = format!("{judge} gave no answer and has no vote ({code})");
        add_new(&mut self.notices, Notice { code: "VOTE_MISSING", sentence });
        add_new(&mut self.failures, (code, format!("{judge}: {reason} ({code})")));
    }
}

async fn ask_member<'a>(
    member: &'a Member,
    samples: u32,
    sample: u32,
    question: &Question,
) -> Answered<'a> {
    let question = Arc::new(Question { sample, ..question.clone() });
    let answer = member.judge.judge(&question).await;
    Answered { member, sample, weight: member.weight_of_each(samples), answer }
}

/// Returns the answer with its judge and sample set on each call.
fn signed(answered: Answered<'_>) -> Result<Judgement, JudgeError> {
    let Answered { member, sample, mut answer, .. } = answered;
    for call in calls_of(&mut answer) {
        member.judge.name().clone_into(&mut call.judge);
        call.sample = sample;
    }
    answer
}

fn add_new<T: PartialEq>(list: &mut Vec<T>, new: T) {
    if !list.contains(&new) {
        list.push(new);
    }
}

/// Names the claims on which the votes differ.
fn disagreement(votes: &[Votes]) -> Option<Notice> {
    const NAMED: usize = 10;
    let split: Vec<&Votes> = votes.iter().filter(|votes| !votes.is_unanimous()).collect();
    let mut named: Vec<String> = split
        .iter()
        .take(NAMED)
        .map(|votes| {
            let (agreeing, all) = votes.agreement();
            let class = votes.class.map_or("no verdict", gsar_core::Class::name);
            format!("{} ({} % for {class})", votes.claim, agreeing * 100 / all.max(1))
        })
        .collect();
    if split.len() > NAMED {
        named.push(format!("{} more", split.len() - NAMED));
    }
    (!split.is_empty()).then(|| Notice {
        code: "JUDGES_DISAGREE",
        sentence: format!("the votes differ on {}", named.join(", ")),
    })
}

impl Judge for Panel {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        let mut of_all: Option<Capabilities> = None;
        for member in &self.members {
            let one = member.judge.capabilities();
            let all = of_all.get_or_insert_with(|| one.clone());
            for class in one.classes {
                add_new(&mut all.classes, class);
            }
            all.languages.retain(|language| one.languages.contains(language));
            all.max_evidence_bytes =
                [all.max_evidence_bytes, one.max_evidence_bytes].into_iter().flatten().min();
        }
        of_all.unwrap_or(Capabilities {
            classes: Vec::new(),
            languages: Vec::new(),
            max_evidence_bytes: None,
        })
    }

    fn can_reconsider(&self) -> bool {
        let votes = |member: &&Member| !member.refutes;
        self.members.iter().filter(votes).any(|member| member.judge.can_reconsider())
    }

    fn tells_roles(&self) -> bool {
        self.members.iter().any(|member| member.judge.tells_roles())
    }

    fn can_take_second_look(&self) -> bool {
        self.members.iter().any(Member::takes_second_look)
    }

    fn examples(&self) -> usize {
        self.members.iter().map(|member| member.judge.examples()).max().unwrap_or(0)
    }

    fn judge<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<Judgement, JudgeError>> {
        if question.objections.is_empty() {
            Box::pin(self.ask_all(question))
        } else {
            Box::pin(self.reconsider(question))
        }
    }
}

#[cfg(test)]
mod tests;
