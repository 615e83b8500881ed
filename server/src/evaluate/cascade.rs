//! This module joins what the judges of a chain say of one report, where each is asked about what those before it left
//! undecided. It asks nobody and decides nothing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gsar_core::assess::{Subject, assess};
use gsar_core::{Claim, ClaimId, Class, Decision, JudgedClaim, Origin, Policy, Tier};
use tonic::Status;

use crate::call::Call;
use crate::compute::compute;
use crate::judge::{Judge, Judgement, Question};

/// What the judges that answered say together.
pub(super) struct Answer {
    pub(super) judgement: Judgement,
    /// The judge that answered last.
    pub(super) judge: Arc<dyn Judge>,
    /// The judge whose verdict on a claim counts.
    pub(super) judges: HashMap<ClaimId, String>,
    /// Claims that are not grounded by a judge that does not say whether they are the root cause.
    without_role: HashSet<ClaimId>,
}

impl Answer {
    /// What the first judge that answers says.
    pub(super) fn new(judge: &Arc<dyn Judge>, judgement: Judgement) -> Self {
        let judges = named(judge, &judgement.judged).collect();
        let without_role = without_role(judge, &judgement.judged).collect();
        Self { judgement, judge: Arc::clone(judge), judges, without_role }
    }

    /// Takes over what the next judge says of the claims that it was asked about: those of `asked` among all of `question`.
    pub(super) fn join(
        &mut self,
        question: &Question,
        asked: &Question,
        judge: &Arc<dyn Judge>,
        judgement: Judgement,
    ) {
        self.judge = Arc::clone(judge);
        self.judges.extend(named(judge, &judgement.judged));
        for said in &judgement.judged {
            self.without_role.remove(&said.claim.id);
        }
        self.without_role.extend(without_role(judge, &judgement.judged));
        let all = &mut self.judgement;
        let mut said: HashMap<ClaimId, JudgedClaim> =
            judgement.judged.into_iter().map(|said| (said.claim.id.clone(), said)).collect();
        for earlier in &mut all.judged {
            if let Some(said) = said.remove(&earlier.claim.id) {
                *earlier = said;
            }
        }
        let asked = asked.claims.iter().map(|claim| &claim.id);
        let mut considered: HashMap<&ClaimId, Vec<String>> =
            asked.zip(judgement.considered).collect();
        for (claim, lines) in question.claims.iter().zip(&mut all.considered) {
            lines.extend(considered.remove(&claim.id).unwrap_or_default());
        }
        all.votes.extend(judgement.votes);
        // An estimate of a part of the claims says nothing of the report.
        all.score = None;
        if !judgement.explanation.is_empty() {
            all.explanation = judgement.explanation;
        }
        all.gaps.extend(judgement.gaps);
        all.contradictions.extend(judgement.contradictions);
        all.notices.extend(judgement.notices);
    }

    /// The question for the next judge: about the claims that are undecided or may be a root cause that is not grounded,
    /// where the tier depends on them. `None` where it does not.
    ///
    /// # Errors
    /// It takes too long.
    pub(super) async fn open(
        &self,
        call: &Call,
        policy: &Arc<Policy>,
        question: &Arc<Question>,
    ) -> Result<Option<Arc<Question>>, Status> {
        let judged = &self.judgement.judged;
        let is_open = |said: &&JudgedClaim| {
            said.undecided.is_some() || self.without_role.contains(&said.claim.id)
        };
        let claims: Vec<Claim> =
            judged.iter().filter(is_open).map(|said| said.claim.clone()).collect();
        if claims.is_empty() {
            return Ok(None);
        }
        let decision = decided(call, policy, question, judged.clone()).await?;
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

fn named<'a>(
    judge: &'a Arc<dyn Judge>,
    judged: &'a [JudgedClaim],
) -> impl Iterator<Item = (ClaimId, String)> + 'a {
    let decided = judged.iter().filter(|said| said.undecided.is_none());
    decided.map(|said| (said.claim.id.clone(), judge.name().to_owned()))
}

fn without_role<'a>(
    judge: &Arc<dyn Judge>,
    judged: &'a [JudgedClaim],
) -> impl Iterator<Item = ClaimId> + 'a {
    let reports_roles = judge.reports_roles();
    let open = judged.iter().filter(move |said| !reports_roles && said.class != Class::Grounded);
    open.map(|said| said.claim.id.clone())
}

/// What would be decided of these verdicts.
async fn decided(
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
            first: None,
            evidence: &question.evidence,
            readings: &[],
            unread: None,
            origin: Origin::Judge,
            investigation: None,
            confidence: None,
        };
        assess(&policy, subject, budget).decision
    })
    .await
}
