//! Panels of judges that judge the same claims concurrently and vote. One judge can also vote several
//! times.

mod reconsider;

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::join_all;
use gsar_core::Claim;

use super::voting::{Ballot, Votes, count_votes};
use super::{
    Capabilities, Judge, JudgeError, Judgement, ModelCall, Notice, Question, calls_mut, push_unique,
};

/// A judge that combines the votes of its members.
pub struct Panel {
    name: String,
    members: Vec<Member>,
}

/// A panel member.
pub struct Member {
    /// The judge.
    pub judge: Arc<dyn Judge>,
    /// The total weight of the member's votes, from 1 to [`Member::MAX_WEIGHT`].
    pub weight: u32,
    /// The default number of samples, from 1 to [`Question::MAX_SAMPLES`]. A local judge always takes one
    /// sample, since it is deterministic.
    pub samples: u32,
    /// `true` for a refuter, which votes only for contradictions.
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

    /// Returns the weight of each vote. The division is exact, as [`WEIGHT_SCALE`] ensures.
    fn weight_per_sample(&self, samples: u32) -> u64 {
        u64::from(self.weight) * WEIGHT_SCALE / u64::from(samples)
    }
}

/// The scale of weights: the least common multiple of all possible numbers of samples, 1 to 10.
const WEIGHT_SCALE: u64 = 2_520;

struct MemberAnswer<'a> {
    member: &'a Member,
    sample: u32,
    weight: u64,
    answer: Result<Judgement, JudgeError>,
}

#[derive(Default)]
struct Tally {
    judged_weight: u64,
    abstained_weight: u64,
    total_weight: u64,
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

    /// Counts the votes. Members with more than half of the total weight must have judged.
    fn decide(&self, claims: &[Claim], tally: Tally) -> Result<Judgement, JudgeError> {
        let abstained = tally.abstentions.join("; ");
        if tally.judged_weight * 2 > tally.total_weight {
            let (votes, verdicts) = count_votes(claims, &tally.ballots);
            let mut notices = tally.notices;
            notices.extend(disagreement_notice(&votes));
            return Ok(Judgement {
                judged: verdicts,
                votes,
                considered: tally.considered,
                explanation: tally.explanations.join("\n"),
                gaps: tally.gaps,
                contradictions: tally.contradictions,
                calls: tally.calls,
                notices,
                ..Judgement::default()
            });
        }
        if tally.is_late {
            return Err(JudgeError::DeadlinePassed {
                judged: 0,
                claims: claims.len(),
                calls: tally.calls,
            });
        }
        let failed_weight = tally.total_weight - tally.judged_weight - tally.abstained_weight;
        if tally.abstained_weight >= failed_weight {
            return Ok(Judgement {
                abstained: Some(abstained),
                calls: tally.calls,
                notices: tally.notices,
                ..Judgement::default()
            });
        }
        let first_code = tally.failures.first().map_or("PANEL_INCOMPLETE", |(code, _)| *code);
        let is_same_code = tally.failures.iter().all(|(code, _)| *code == first_code);
        let reasons: Vec<&str> = tally.failures.iter().map(|(_, reason)| reason.as_str()).collect();
        Err(JudgeError::Failed {
            judge: self.name.clone(),
            code: if is_same_code { first_code } else { "PANEL_INCOMPLETE" },
            reason: format!("at least half of the votes are missing: {}", reasons.join("; ")),
            calls: tally.calls,
        })
    }
}

impl Tally {
    fn add(&mut self, answer: MemberAnswer<'_>, is_panel: bool) {
        let MemberAnswer { member, sample, weight, .. } = answer;
        let judge = member.judge.name();
        self.total_weight += weight;
        let answer = match with_call_origin(answer) {
            Ok(answer) => answer,
            Err(JudgeError::DeadlinePassed { calls, .. }) => {
                self.is_late = true;
                self.calls.extend(calls);
                return self.record_failure(
                    judge,
                    "DEADLINE_EXCEEDED",
                    "the deadline passed".to_owned(),
                );
            }
            Err(JudgeError::Failed { code, reason, calls, .. }) => {
                self.calls.extend(calls);
                return self.record_failure(judge, code, reason);
            }
        };
        self.calls.extend(answer.calls);
        let with_judge_name =
            |text: String| if is_panel { format!("{judge}: {text}") } else { text };
        for notice in answer.notices {
            push_unique(
                &mut self.notices,
                Notice { sentence: with_judge_name(notice.sentence), ..notice },
            );
        }
        if let Some(reason) = answer.abstained {
            self.abstained_weight += weight;
            push_unique(&mut self.abstentions, with_judge_name(reason));
            return;
        }
        self.judged_weight += weight;
        if sample == 0 && !answer.explanation.is_empty() {
            self.explanations.push(with_judge_name(answer.explanation));
        }
        answer.gaps.into_iter().for_each(|gap| push_unique(&mut self.gaps, gap));
        for contradiction in answer.contradictions {
            push_unique(&mut self.contradictions, contradiction);
        }
        if self.considered.is_empty() {
            self.considered = answer.considered;
        }
        self.ballots.push(Ballot {
            judge: judge.to_owned(),
            sample,
            weight,
            refutes: member.refutes,
            verdicts: answer.judged,
        });
    }

    fn record_failure(&mut self, judge: &str, code: &'static str, reason: String) {
        let sentence = format!("{judge} gave no answer and has no vote ({code})");
        push_unique(&mut self.notices, Notice { code: "VOTE_MISSING", sentence });
        push_unique(&mut self.failures, (code, format!("{judge}: {reason} ({code})")));
    }
}

async fn ask_member<'a>(
    member: &'a Member,
    samples: u32,
    sample: u32,
    question: &Question,
) -> MemberAnswer<'a> {
    let question = Arc::new(Question { sample, ..question.clone() });
    let answer = member.judge.judge(&question).await;
    MemberAnswer { member, sample, weight: member.weight_per_sample(samples), answer }
}

fn with_call_origin(answer: MemberAnswer<'_>) -> Result<Judgement, JudgeError> {
    let MemberAnswer { member, sample, mut answer, .. } = answer;
    for call in calls_mut(&mut answer) {
        member.judge.name().clone_into(&mut call.judge);
        call.sample = sample;
    }
    answer
}

fn disagreement_notice(votes: &[Votes]) -> Option<Notice> {
    const MAX_LISTED: usize = 10;
    let disputed: Vec<&Votes> = votes.iter().filter(|votes| !votes.is_unanimous()).collect();
    let mut descriptions: Vec<String> = disputed
        .iter()
        .take(MAX_LISTED)
        .map(|votes| {
            let (agreeing, total) = votes.agreement();
            let class = votes.class.map_or("no verdict", gsar_core::Class::name);
            format!("{} ({} % for {class})", votes.claim, agreeing * 100 / total.max(1))
        })
        .collect();
    if disputed.len() > MAX_LISTED {
        descriptions.push(format!("{} more", disputed.len() - MAX_LISTED));
    }
    (!disputed.is_empty()).then(|| Notice {
        code: "JUDGES_DISAGREE",
        sentence: format!("the votes differ on {}", descriptions.join(", ")),
    })
}

#[async_trait]
impl Judge for Panel {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        let mut combined: Option<Capabilities> = None;
        for member in &self.members {
            let member_capabilities = member.judge.capabilities();
            let common = combined.get_or_insert_with(|| member_capabilities.clone());
            for class in member_capabilities.classes {
                push_unique(&mut common.classes, class);
            }
            common.languages.retain(|language| member_capabilities.languages.contains(language));
            common.max_evidence_bytes =
                [common.max_evidence_bytes, member_capabilities.max_evidence_bytes]
                    .into_iter()
                    .flatten()
                    .min();
        }
        combined.unwrap_or_default()
    }

    fn can_reconsider(&self) -> bool {
        let is_not_refuter = |member: &&Member| !member.refutes;
        self.members.iter().filter(is_not_refuter).any(|member| member.judge.can_reconsider())
    }

    fn reports_roles(&self) -> bool {
        self.members.iter().any(|member| member.judge.reports_roles())
    }

    fn can_take_second_look(&self) -> bool {
        self.members.iter().any(Member::takes_second_look)
    }

    fn examples(&self) -> usize {
        self.members.iter().map(|member| member.judge.examples()).max().unwrap_or(0)
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        if !question.objections.is_empty() {
            return self.reconsider(question).await;
        }
        let is_second_look = question.is_second_look();
        let members =
            self.members.iter().filter(|member| !is_second_look || member.takes_second_look());
        let answers = members.flat_map(|member| {
            let samples = member.samples(question);
            (0..samples).map(move |sample| ask_member(member, samples, sample, question))
        });
        let mut answers = join_all(answers).await;
        if let [_] = answers.as_slice()
            && let Some(answer) = answers.pop()
        {
            return with_call_origin(answer);
        }
        let mut tally = Tally::default();
        for answer in answers {
            tally.add(answer, self.members.len() > 1);
        }
        self.decide(&question.claims, tally)
    }
}

#[cfg(test)]
mod tests;
