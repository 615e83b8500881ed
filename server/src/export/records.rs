//! Builds the export records of one evaluation.

use std::collections::HashMap;

use gsar_core::time::Timestamp;
use gsar_proto::{render, v1};

use crate::evaluate::recorded_grade;
use crate::ledger::{StoredGrade, Summary};
use v1::export_record::Record;

pub(super) fn evaluation(
    summary: &Summary,
    response: &v1::EvaluateResponse,
) -> v1::ExportedEvaluation {
    let policy = response.provenance.as_ref().and_then(|provenance| provenance.policy.clone());
    v1::ExportedEvaluation {
        evaluation_id: summary.evaluation_id.clone(),
        evaluated_at: Some(render::timestamp(Timestamp::from_micros(summary.evaluated_at_micros))),
        report_id: summary.report_id.clone(),
        investigation_id: summary.investigation_id.clone(),
        policy: Some(policy.unwrap_or_else(|| v1::AppliedPolicy {
            name: summary.policy.clone(),
            ..v1::AppliedPolicy::default()
        })),
        judge: summary.judge.clone(),
        tier: summary.tier,
    }
}

pub(super) fn partition(
    evaluation: v1::ExportedEvaluation,
    response: &v1::EvaluateResponse,
) -> Record {
    Record::Partition(v1::PartitionRecord {
        evaluation: Some(evaluation),
        outcome: response.outcome,
        score: response.score,
        guarded_score: response.guarded_score,
        claims: response.claims.clone(),
        corrections: response.corrections.clone(),
    })
}

/// Builds an evaluation's grade records. The record of a claim's grade also contains the class that the evaluation
/// gave the claim.
pub(super) fn grades(
    evaluation: &v1::ExportedEvaluation,
    response: &v1::EvaluateResponse,
    grades: Vec<StoredGrade>,
) -> Vec<Record> {
    let claims: HashMap<&str, &v1::JudgedClaim> =
        response.claims.iter().map(|claim| (claim.id.as_str(), claim)).collect();
    grades
        .into_iter()
        .map(|stored| {
            let claim = claims.get(stored.grade.claim_id.as_str());
            Record::Grade(v1::GradeRecord {
                evaluation: Some(evaluation.clone()),
                claim_text: claim.map(|claim| claim.text.clone()).unwrap_or_default(),
                evaluated_class: claim.map_or(0, |claim| claim.class),
                evaluated_type: claim.map_or(0, |claim| claim.r#type),
                grade: Some(recorded_grade(stored)),
            })
        })
        .collect()
}

pub(super) fn rewards(
    evaluation: &v1::ExportedEvaluation,
    response: &v1::EvaluateResponse,
) -> impl Iterator<Item = Record> {
    response.claims.iter().map(|claim| {
        Record::ClaimReward(v1::ClaimRewardRecord {
            evaluation: Some(evaluation.clone()),
            claim_id: claim.id.clone(),
            text: claim.text.clone(),
            class: claim.class,
            r#type: claim.r#type,
            reward_millionths: reward(claim.class()),
        })
    })
}

/// Returns the reward for a class in millionths. A complementary claim earns half of a grounded one, so that
/// padding a report with complementary claims does not pay.
fn reward(class: v1::ClaimClass) -> i32 {
    match class {
        v1::ClaimClass::Grounded => 1_000_000,
        v1::ClaimClass::Complementary => 500_000,
        v1::ClaimClass::Ungrounded | v1::ClaimClass::Unspecified => 0,
        v1::ClaimClass::Contradicted => -1_000_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_classes_earn_higher_rewards() {
        use v1::ClaimClass::{Complementary, Contradicted, Grounded, Ungrounded};
        let rewards = [Contradicted, Ungrounded, Complementary, Grounded].map(reward);
        assert_eq!(rewards, [-1_000_000, 0, 500_000, 1_000_000]);
    }
}
