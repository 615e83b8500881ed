//! Merges the judgements of a chain, in which each judge is asked only about claims that are still open.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gsar_core::assess::{Subject, assess};
use gsar_core::{Claim, ClaimId, Class, Decision, JudgedClaim, Origin, Policy, Tier};
use tonic::Status;

use crate::call::Call;
use crate::compute::compute;
use crate::judge::{Judge, Judgement, Question};

pub(super) struct ChainJudgement {
    pub(super) judgement: Judgement,
    pub(super) judge: Arc<dyn Judge>,
    /// The name of the judge that decided each claim.
    pub(super) judges: HashMap<ClaimId, String>,
    /// Claims that are not grounded and whose role is unknown. They may be the root cause.
    without_role: HashSet<ClaimId>,
}

impl ChainJudgement {
    pub(super) fn new(judge: &Arc<dyn Judge>, judgement: Judgement) -> Self {
        let judges = deciding_judge(judge, &judgement.judged).collect();
        let without_role = without_role(judge, &judgement.judged).collect();
        Self { judgement, judge: Arc::clone(judge), judges, without_role }
    }

    pub(super) fn merge(
        &mut self,
        question: &Question,
        open: &Question,
        judge: &Arc<dyn Judge>,
        judgement: Judgement,
    ) {
        self.judge = Arc::clone(judge);
        self.judges.extend(deciding_judge(judge, &judgement.judged));
        for verdict in &judgement.judged {
            self.without_role.remove(&verdict.claim.id);
        }
        self.without_role.extend(without_role(judge, &judgement.judged));
        let all = &mut self.judgement;
        let by_claim = |verdict: JudgedClaim| (verdict.claim.id.clone(), verdict);
        let mut verdicts: HashMap<ClaimId, JudgedClaim> =
            judgement.judged.into_iter().map(by_claim).collect();
        for earlier in &mut all.judged {
            if let Some(verdict) = verdicts.remove(&earlier.claim.id) {
                *earlier = verdict;
            }
        }
        let open = open.claims.iter().map(|claim| &claim.id);
        let mut considered: HashMap<&ClaimId, Vec<String>> =
            open.zip(judgement.considered).collect();
        for (claim, lines) in question.claims.iter().zip(&mut all.considered) {
            lines.extend(considered.remove(&claim.id).unwrap_or_default());
        }
        all.votes.extend(judgement.votes);
        // The new score covers only some of the claims.
        all.score = None;
        if !judgement.explanation.is_empty() {
            all.explanation = judgement.explanation;
        }
        all.gaps.extend(judgement.gaps);
        all.contradictions.extend(judgement.contradictions);
        all.notices.extend(judgement.notices);
    }

    /// Returns the question for the next judge: the undecided claims, and those that may be an ungrounded
    /// root cause. Returns `None` if they do not affect the tier.
    ///
    /// # Errors
    /// DEADLINE_EXCEEDED.
    pub(super) async fn open_question(
        &self,
        call: &Call,
        policy: &Arc<Policy>,
        question: &Arc<Question>,
    ) -> Result<Option<Arc<Question>>, Status> {
        let judged = &self.judgement.judged;
        let is_open = |verdict: &&JudgedClaim| {
            verdict.undecided.is_some() || self.without_role.contains(&verdict.claim.id)
        };
        let claims: Vec<Claim> =
            judged.iter().filter(is_open).map(|verdict| verdict.claim.clone()).collect();
        if claims.is_empty() {
            return Ok(None);
        }
        let decision = decide(call, policy, question, judged.clone()).await?;
        let depends = match decision.tier {
            Tier::Abstain => {
                decision.bounds.is_some_and(|bounds| bounds.worst.tier != bounds.best.tier)
            }
            Tier::Proceed => !self.without_role.is_empty(),
            Tier::Regenerate | Tier::Replan => false,
        };
        let open = || Arc::new(Question { claims: claims.into(), ..Question::clone(question) });
        Ok(depends.then(open))
    }
}

fn deciding_judge<'a>(
    judge: &'a Arc<dyn Judge>,
    judged: &'a [JudgedClaim],
) -> impl Iterator<Item = (ClaimId, String)> + 'a {
    let decided = judged.iter().filter(|verdict| verdict.undecided.is_none());
    decided.map(|verdict| (verdict.claim.id.clone(), judge.name().to_owned()))
}

fn without_role<'a>(
    judge: &Arc<dyn Judge>,
    judged: &'a [JudgedClaim],
) -> impl Iterator<Item = ClaimId> + 'a {
    let reports_roles = judge.reports_roles();
    let open =
        judged.iter().filter(move |verdict| !reports_roles && verdict.class != Class::Grounded);
    open.map(|verdict| verdict.claim.id.clone())
}

async fn decide(
    call: &Call,
    policy: &Arc<Policy>,
    question: &Arc<Question>,
    judged: Vec<JudgedClaim>,
) -> Result<Decision, Status> {
    let (policy, question) = (Arc::clone(policy), Arc::clone(question));
    compute(call, move |budget| {
        let subject = Subject {
            synthesis: &question.synthesis,
            claims: &question.claims,
            judged,
            before_follow_up: None,
            evidence: &question.evidence,
            second_looks: &[],
            second_look_error: None,
            origin: Origin::Judge,
            investigation: None,
            confidence: None,
        };
        assess(&policy, subject, budget).decision
    })
    .await
}
