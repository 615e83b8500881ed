//! Decides a row's recorded partition under other policies.

use anyhow::{Result, anyhow};
use gsar_core::assess::Assessment;
use gsar_core::coverage::Coverage;
use gsar_core::policy::{Policy, UndefinedScore, VerificationMode};
use gsar_core::reassess::{RecordedPartition, reassess};
use gsar_core::verify::{VerifiedPartition, undo};
use gsar_core::{Class, Decision, JudgedClaim, Origin, Tally, TextFindings, decide};
use gsar_proto::parse::recorded_partition;
use gsar_proto::v1;

use crate::trace::TracedRow;

#[derive(Clone, Debug)]
pub(crate) struct Partition {
    judged: Vec<JudgedClaim>,
    verified: VerifiedPartition,
    coverage: Option<Coverage>,
}

impl Partition {
    /// Returns a row's partition, or `None` if no judge succeeded.
    pub(crate) fn of(row: &TracedRow) -> Result<Option<Self>> {
        let answer = &row.evaluation;
        if answer.outcome() != v1::Outcome::Scored && answer.claims.is_empty() {
            return Ok(None);
        }
        let provenance = answer.provenance.as_ref();
        let mode = provenance.map_or(0, |provenance| provenance.verification);
        let enforced = mode == i32::from(v1::VerificationMode::Enforce);
        let recorded = recorded_partition(answer, enforced)
            .map_err(|error| anyhow!("row {}: {error}", row.row))?;
        let judged = if enforced {
            undo(&recorded.verified).judged
        } else {
            recorded.verified.claims.iter().map(|claim| claim.judged.clone()).collect()
        };
        Ok(Some(Self { judged, verified: recorded.verified, coverage: recorded.coverage }))
    }

    pub(crate) fn count(&self, policy: &Policy) -> (Tally, TextFindings) {
        let Assessment { tally, findings, .. } = self.assess(policy);
        (tally, findings)
    }

    /// Decides the partition under a policy. A policy that enforces verification uses the recorded corrections.
    pub(crate) fn decide(&self, policy: &Policy) -> Decision {
        let assessment = self.assess(policy);
        if assessment.decision.score.is_none() && policy.undefined_score == UndefinedScore::Half {
            // The published formula scores claims without weight as one half, even in a partition from a
            // judge.
            let (tally, findings) = (&assessment.tally, Some(&assessment.findings));
            return decide(policy, tally, Origin::Caller, findings);
        }
        assessment.decision
    }

    fn assess(&self, policy: &Policy) -> Assessment {
        let recorded = RecordedPartition {
            second_look_error: None,
            judged: self.judged.clone(),
            verified: self.verified.clone(),
            coverage: self.coverage.clone(),
            evidence: &[],
        };
        reassess(policy, recorded)
    }

    /// Returns the claims as a policy counts them.
    pub(crate) fn counted(&self, policy: &Policy) -> impl Iterator<Item = &JudgedClaim> {
        let corrects = policy.verification == VerificationMode::Enforce;
        let verified = self.verified.claims.iter().map(|claim| &claim.judged);
        let (verified, judged) = match corrects {
            true => (Some(verified), None),
            false => (None, Some(self.judged.iter())),
        };
        verified.into_iter().flatten().chain(judged.into_iter().flatten())
    }

    pub(crate) fn with_class_as(&self, from: Class, to: Class) -> Self {
        let mut changed = self.clone();
        let verified = changed.verified.claims.iter_mut().map(|claim| &mut claim.judged);
        for claim in verified.chain(&mut changed.judged) {
            if claim.class == from {
                claim.class = to;
            }
        }
        changed
    }
}

pub(crate) fn score(decision: &Decision) -> Option<f64> {
    decision.score.map(|score| score.fraction().to_f64())
}
