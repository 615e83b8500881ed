//! Merges the judgements of a chain, in which each judge is asked only about claims that are still open.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gsar_core::assess::{Subject, assess};
use gsar_core::{Claim, ClaimId, Class, Decision, JudgedClaim, Origin, Policy, Tier};
use tonic::Status;

use crate::call::Call;
use crate::compute_pool::compute;
use crate::judge::{Judge, Judgement, Question};

pub(super) struct ChainJudgement {
    pub(super) judgement: Judgement,
    pub(super) judge: Arc<dyn Judge>,
    /// The name of the judge that decided each claim.
    pub(super) judges: HashMap<ClaimId, String>,
    /// Claims that are not grounded and whose role is unknown. They may be the root cause.
    claims_without_role: HashSet<ClaimId>,
}

impl ChainJudgement {
    pub(super) fn new(judge: &Arc<dyn Judge>, judgement: Judgement) -> Self {
        let judges = deciding_judge(judge, &judgement.judged).collect();
        let claims_without_role = claims_without_role(judge, &judgement.judged).collect();
        Self { judgement, judge: Arc::clone(judge), judges, claims_without_role }
    }

    pub(super) fn merge(
        &mut self,
        question: &Question,
        open_question: &Question,
        judge: &Arc<dyn Judge>,
        judgement: Judgement,
    ) {
        self.judge = Arc::clone(judge);
        self.judges.extend(deciding_judge(judge, &judgement.judged));
        for verdict in &judgement.judged {
            self.claims_without_role.remove(&verdict.claim.id);
        }
        self.claims_without_role.extend(claims_without_role(judge, &judgement.judged));
        let merged = &mut self.judgement;
        let keyed_by_claim = |verdict: JudgedClaim| (verdict.claim.id.clone(), verdict);
        let mut verdicts: HashMap<ClaimId, JudgedClaim> =
            judgement.judged.into_iter().map(keyed_by_claim).collect();
        for previous in &mut merged.judged {
            if let Some(verdict) = verdicts.remove(&previous.claim.id) {
                *previous = verdict;
            }
        }
        let open_ids = open_question.claims.iter().map(|claim| &claim.id);
        let mut lines_by_claim: HashMap<&ClaimId, Vec<String>> =
            open_ids.zip(judgement.considered).collect();
        for (claim, lines) in question.claims.iter().zip(&mut merged.considered) {
            lines.extend(lines_by_claim.remove(&claim.id).unwrap_or_default());
        }
        merged.votes.extend(judgement.votes);
        // The new score covers only some of the claims.
        merged.score = None;
        if !judgement.explanation.is_empty() {
            merged.explanation = judgement.explanation;
        }
        merged.gaps.extend(judgement.gaps);
        merged.contradictions.extend(judgement.contradictions);
        merged.notices.extend(judgement.notices);
    }

    /// Returns the question for the next judge. It contains the undecided claims and the claims that may be an
    /// ungrounded root cause. Returns `None` if these claims do not affect the tier.
    ///
    /// # Errors
    /// DEADLINE_EXCEEDED.
    pub(super) async fn open_question(
        &self,
        call: &Call,
        policy: &Arc<Policy>,
        question: &Arc<Question>,
    ) -> Result<Option<Arc<Question>>, Status> {
        let verdicts = &self.judgement.judged;
        let is_open = |verdict: &&JudgedClaim| {
            verdict.undecided.is_some() || self.claims_without_role.contains(&verdict.claim.id)
        };
        let claims: Vec<Claim> =
            verdicts.iter().filter(is_open).map(|verdict| verdict.claim.clone()).collect();
        if claims.is_empty() {
            return Ok(None);
        }
        let decision = decide(call, policy, question, verdicts.clone()).await?;
        let affects_tier = match decision.tier {
            Tier::Abstain => {
                decision.bounds.is_some_and(|bounds| bounds.worst.tier != bounds.best.tier)
            }
            Tier::Proceed => !self.claims_without_role.is_empty(),
            Tier::Regenerate | Tier::Replan => false,
        };
        let next_question =
            || Arc::new(Question { claims: claims.into(), ..Question::clone(question) });
        Ok(affects_tier.then(next_question))
    }
}

fn deciding_judge<'a>(
    judge: &'a Arc<dyn Judge>,
    verdicts: &'a [JudgedClaim],
) -> impl Iterator<Item = (ClaimId, String)> + 'a {
    let decided_verdicts = verdicts.iter().filter(|verdict| verdict.undecided.is_none());
    decided_verdicts.map(|verdict| (verdict.claim.id.clone(), judge.name().to_owned()))
}

fn claims_without_role<'a>(
    judge: &Arc<dyn Judge>,
    verdicts: &'a [JudgedClaim],
) -> impl Iterator<Item = ClaimId> + 'a {
    let reports_roles = judge.reports_roles();
    let verdicts =
        verdicts.iter().filter(move |verdict| !reports_roles && verdict.class != Class::Grounded);
    verdicts.map(|verdict| verdict.claim.id.clone())
}

async fn decide(
    call: &Call,
    policy: &Arc<Policy>,
    question: &Arc<Question>,
    verdicts: Vec<JudgedClaim>,
) -> Result<Decision, Status> {
    let (policy, question) = (Arc::clone(policy), Arc::clone(question));
    compute(call, move |budget| {
        let subject = Subject {
            synthesis: &question.synthesis,
            ..Subject::new(&question.claims, verdicts, &question.evidence, Origin::Judge)
        };
        assess(&policy, subject, budget).decision
    })
    .await
}
