//! The extra turn of a panel: each member reconsiders the verdicts it voted for, and the votes are counted again. If a
//! member cannot reconsider or gives no answer, its votes stay.

use futures_util::future::join_all;
use gsar_core::verify::after_turn;
use gsar_core::{ClaimId, JudgedClaim};

use super::{Answered, Member, Panel, add_new, ask_member, signed};
use crate::judge::voting::{Ballot, count};
use crate::judge::{JudgeError, Judgement, Notice, Objection, Question};

/// The verdicts that a sample of a member is to reconsider.
struct Share<'a> {
    member: &'a Member,
    samples: u32,
    sample: u32,
    objections: Vec<Objection>,
}

impl Panel {
    /// Asks the members that voted for the verdicts to reconsider them, and counts the votes again.
    ///
    /// # Errors
    /// The error of the first member, if no member answered.
    pub(super) async fn reconsider(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let shares = self.shares(question);
        let asked = shares.iter().map(|share| async {
            if !share.member.judge.can_reconsider() {
                return None;
            }
            let question = question.about(share.objections.clone());
            Some(ask_member(share.member, share.samples, share.sample, &question).await)
        });
        let answers = join_all(asked).await;
        let (mut whole, mut failed, mut answered) = (Judgement::default(), None, false);
        let mut ballots: Vec<Ballot> = Vec::new();
        for (share, answer) in shares.iter().zip(answers) {
            let kept: Vec<JudgedClaim> =
                share.objections.iter().map(|objection| objection.said.clone()).collect();
            let judged = match answer.map(|answer: Answered<'_>| signed(answer)) {
                None => kept,
                Some(Ok(answer)) => {
                    answered = true;
                    whole.calls.extend(answer.calls);
                    answer
                        .notices
                        .into_iter()
                        .for_each(|notice| add_new(&mut whole.notices, notice));
                    let ids: Vec<&ClaimId> = kept.iter().map(|said| &said.claim.id).collect();
                    after_turn(&kept, &ids, &answer.judged)
                }
                Some(Err(mut error)) => {
                    if let JudgeError::Failed { calls, .. } = &mut error {
                        whole.calls.append(calls);
                    }
                    add_new(&mut whole.notices, stands(share.member.judge.name(), &error));
                    failed = failed.or(Some(error));
                    kept
                }
            };
            ballots.push(Ballot {
                judge: share.member.judge.name().to_owned(),
                sample: share.sample,
                weight: share.member.weight_of_each(share.samples),
                refutes: false,
                judged,
            });
        }
        match failed {
            Some(JudgeError::Failed { judge, code, reason, .. }) if !answered => {
                Err(JudgeError::Failed { judge, code, reason, calls: whole.calls })
            }
            Some(late) if !answered => Err(late),
            _ => {
                whole.judged = counted(question, &ballots);
                Ok(whole)
            }
        }
    }

    fn shares<'a>(&'a self, question: &Question) -> Vec<Share<'a>> {
        let members = self.members.iter().filter(|member| !member.refutes);
        members
            .flat_map(|member| {
                let samples = member.samples(question);
                (0..samples).map(move |sample| (member, samples, sample))
            })
            .map(|(member, samples, sample)| {
                let voted = |objection: &&Objection| {
                    objection.votes.is_empty()
                        || objection.votes.iter().any(|vote| {
                            (vote.judge.as_str(), vote.sample) == (member.judge.name(), sample)
                                && vote.class == Some(objection.said.class)
                        })
                };
                let objections = question.objections.iter().filter(voted).cloned().collect();
                Share { member, samples, sample, objections }
            })
            .filter(|share| !share.objections.is_empty())
            .collect()
    }
}

/// Counts the votes on each claim, among the members asked about it.
fn counted(question: &Question, ballots: &[Ballot]) -> Vec<JudgedClaim> {
    let about = |claim: &gsar_core::Claim| -> Vec<JudgedClaim> {
        let asked: Vec<Ballot> = ballots
            .iter()
            .filter_map(|ballot| {
                let said = ballot.judged.iter().find(|said| said.claim.id == claim.id)?;
                Some(Ballot {
                    judge: ballot.judge.clone(),
                    sample: ballot.sample,
                    weight: ballot.weight,
                    refutes: false,
                    judged: vec![said.clone()],
                })
            })
            .collect();
        count(std::slice::from_ref(claim), &asked).1
    };
    question.claims.iter().flat_map(about).collect()
}

fn stands(judge: &str, error: &JudgeError) -> Notice {
    let code = match error {
        JudgeError::Failed { code, .. } => code,
        JudgeError::DeadlinePassed { .. } => "DEADLINE_EXCEEDED",
    };
    Notice {
        code: "VOTE_KEPT",
        sentence: format!("{judge} gave no answer in the extra turn and its votes stand ({code})"),
    }
}
