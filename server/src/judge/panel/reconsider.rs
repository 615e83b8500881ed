//! Lets the members of a panel reconsider their votes, and counts the votes again. If a member cannot
//! reconsider or fails, its votes remain unchanged.

use futures_util::future::join_all;
use gsar_core::verify::apply_follow_up;
use gsar_core::{ClaimId, JudgedClaim};

use super::{Member, Panel, ask_member, with_call_origin};
use crate::judge::voting::{Ballot, count_votes};
use crate::judge::{JudgeError, Judgement, Notice, Objection, Question, push_unique};

/// The verdicts that a member is asked to reconsider.
struct Revision<'a> {
    member: &'a Member,
    samples: u32,
    sample: u32,
    objections: Vec<Objection>,
}

impl Panel {
    /// Asks members to reconsider the verdicts that they voted for, and counts the votes again.
    ///
    /// # Errors
    /// Returns the error of the first member that failed, if no member answered.
    pub(super) async fn reconsider(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let revisions = self.revisions(question);
        let requests = revisions.iter().map(|revision| async {
            if !revision.member.judge.can_reconsider() {
                return None;
            }
            let question = question.with_objections(revision.objections.clone());
            Some(ask_member(revision.member, revision.samples, revision.sample, &question).await)
        });
        let answers = join_all(requests).await;
        let (mut judgement, mut first_error, mut has_answer) = (Judgement::default(), None, false);
        let mut ballots: Vec<Ballot> = Vec::new();
        for (revision, answer) in revisions.iter().zip(answers) {
            let previous: Vec<JudgedClaim> =
                revision.objections.iter().map(|objection| objection.verdict.clone()).collect();
            let verdicts = match answer.map(with_call_origin) {
                None => previous,
                Some(Ok(answer)) => {
                    has_answer = true;
                    judgement.calls.extend(answer.calls);
                    answer
                        .notices
                        .into_iter()
                        .for_each(|notice| push_unique(&mut judgement.notices, notice));
                    let ids: Vec<&ClaimId> =
                        previous.iter().map(|verdict| &verdict.claim.id).collect();
                    apply_follow_up(&previous, &ids, &answer.judged)
                }
                Some(Err(mut error)) => {
                    if let JudgeError::Failed { calls, .. } = &mut error {
                        judgement.calls.append(calls);
                    }
                    push_unique(
                        &mut judgement.notices,
                        vote_kept_notice(revision.member.judge.name(), &error),
                    );
                    first_error = first_error.or(Some(error));
                    previous
                }
            };
            ballots.push(Ballot {
                judge: revision.member.judge.name().to_owned(),
                sample: revision.sample,
                weight: revision.member.weight_per_sample(revision.samples),
                refutes: false,
                verdicts,
            });
        }
        match first_error {
            Some(JudgeError::Failed { judge, code, reason, .. }) if !has_answer => {
                Err(JudgeError::Failed { judge, code, reason, calls: judgement.calls })
            }
            Some(error) if !has_answer => Err(error),
            _ => {
                judgement.judged = recount(question, &ballots);
                Ok(judgement)
            }
        }
    }

    fn revisions<'a>(&'a self, question: &Question) -> Vec<Revision<'a>> {
        let members = self.members.iter().filter(|member| !member.refutes);
        members
            .flat_map(|member| {
                let samples = member.samples(question);
                (0..samples).map(move |sample| (member, samples, sample))
            })
            .map(|(member, samples, sample)| {
                let has_vote_for = |objection: &&Objection| {
                    objection.votes.is_empty()
                        || objection.votes.iter().any(|vote| {
                            (vote.judge.as_str(), vote.sample) == (member.judge.name(), sample)
                                && vote.class == Some(objection.verdict.class)
                        })
                };
                let objections = question.objections.iter().filter(has_vote_for).cloned().collect();
                Revision { member, samples, sample, objections }
            })
            .filter(|revision| !revision.objections.is_empty())
            .collect()
    }
}

fn recount(question: &Question, ballots: &[Ballot]) -> Vec<JudgedClaim> {
    let recount_claim = |claim: &gsar_core::Claim| -> Vec<JudgedClaim> {
        let claim_ballots: Vec<Ballot> = ballots
            .iter()
            .filter_map(|ballot| {
                let verdict =
                    ballot.verdicts.iter().find(|verdict| verdict.claim.id == claim.id)?;
                let judge = ballot.judge.clone();
                Some(Ballot { judge, verdicts: vec![verdict.clone()], ..*ballot })
            })
            .collect();
        count_votes(std::slice::from_ref(claim), &claim_ballots).1
    };
    question.claims.iter().flat_map(recount_claim).collect()
}

fn vote_kept_notice(judge: &str, error: &JudgeError) -> Notice {
    let code = match error {
        JudgeError::Failed { code, .. } => code,
        JudgeError::DeadlinePassed { .. } => "DEADLINE_EXCEEDED",
    };
    Notice {
        code: "VOTE_KEPT",
        sentence: format!(
            "{judge} did not answer when asked to reconsider, so its votes remain ({code})"
        ),
    }
}
