//! Renders the results of the gate, the evidence chain, the cap and the action ladder.

use gsar_core::fixed_point::Millionths;
use gsar_core::policy::Gate;
use gsar_core::safety::{
    ActionLimit, ActionVerdict, CappedConfidence, EvidenceChain, EvidenceRecord, GateOutcome,
    GateReason, Hypothesis, HypothesisAssessment, HypothesisId, assess_hypothesis,
};
use gsar_core::time::Timestamp;

use super::evidence::verification_result;
use super::time::timestamp;
use crate::enums::{Enumeration, gate_exit};
use crate::v1;

/// Renders the verdict of the gate, with the assessment of each hypothesis.
#[must_use]
pub fn gate_verdict(
    outcome: &GateOutcome,
    hypotheses: &[Hypothesis],
    policy: &Gate,
) -> v1::GateVerdict {
    let results = hypotheses
        .iter()
        .map(|hypothesis| hypothesis_result(hypothesis, assess_hypothesis(hypothesis, policy)));
    let root_cause = outcome.root_cause.as_ref().map(|root_cause| id_text(&root_cause.id));
    v1::GateVerdict {
        state: outcome.state.number(),
        exit: gate_exit(outcome.exit).into(),
        reason: Some(gate_reason(outcome.reason())),
        validated_count: outcome.validated_count,
        root_cause: root_cause.unwrap_or_default(),
        ties: outcome.ties.iter().map(id_text).collect(),
        hypotheses: results.collect(),
        reasons: outcome.reasons.iter().map(|reason| gate_reason(*reason)).collect(),
        contested_count: outcome.contested_count,
        refused_inferred_count: outcome.refused_inferred_count,
    }
}

fn id_text(id: &HypothesisId) -> String {
    id.as_str().to_owned()
}

fn gate_reason(reason: GateReason) -> v1::Reason {
    super::reason(reason.code(), reason.sentence())
}

fn hypothesis_result(
    hypothesis: &Hypothesis,
    assessment: HypothesisAssessment,
) -> v1::HypothesisResult {
    v1::HypothesisResult {
        id: id_text(&hypothesis.id),
        state: assessment.state.number(),
        hard_supports: assessment.hard_supports,
        hard_refutations: assessment.hard_refutations,
        refused_inferred: assessment.inferred,
        failed_checks: assessment.failed_checks,
        refused: assessment.refused,
    }
}

/// Renders a hypothesis as in a request.
#[must_use]
pub fn hypothesis(hypothesis: Hypothesis) -> v1::Hypothesis {
    v1::Hypothesis {
        id: id_text(&hypothesis.id),
        statement: hypothesis.statement,
        target: hypothesis.target.unwrap_or_default(),
        evidence: hypothesis.records.into_iter().map(hypothesis_evidence).collect(),
    }
}

/// Renders a tool result as evidence for or against a hypothesis.
#[must_use]
pub fn hypothesis_evidence(record: EvidenceRecord) -> v1::HypothesisEvidence {
    let evidence_id = record.evidence_id.map(|id| id.as_str().to_owned());
    v1::HypothesisEvidence {
        tool: record.tool,
        summary: record.summary,
        verdict: record.verdict.number(),
        lane: record.lane.number(),
        evaluated_at: record.evaluated_at.map(timestamp),
        evidence_id: evidence_id.unwrap_or_default(),
        verification_result: verification_result(record.verification_result),
        attested: record.attested,
    }
}

/// Renders the evidence chain of a root cause. `changes` are the change records in
/// [`ParsedGate`](crate::parse::ParsedGate).
#[must_use]
pub fn evidence_chain(chain: EvidenceChain, changes: &[v1::ChangeRecord]) -> v1::EvidenceChain {
    let lanes = chain.items.iter().map(|record| u32::from(record.lane.strength()));
    let lane_strength = lanes.max().unwrap_or(0);
    let mut tools: Vec<&str> = chain.items.iter().map(|record| record.tool.trim()).collect();
    tools.sort_unstable();
    tools.dedup();
    let independent_supports = u32::try_from(tools.len()).unwrap_or(u32::MAX);
    let change_record = |id: String, at: Timestamp| {
        let at = Some(timestamp(at));
        let record = changes.iter().find(|record| record.id == id && record.at == at);
        record.cloned().unwrap_or(v1::ChangeRecord { id, at, ..v1::ChangeRecord::default() })
    };
    let mut ties = Vec::new();
    let mut change_before_onset = None;
    let change = chain.change.map(|citation| {
        let at = citation.change.at;
        ties = citation.equally_near.into_iter().map(|id| change_record(id, at)).collect();
        change_before_onset = Some(duration(citation.before_onset_micros));
        change_record(citation.change.reference, at)
    });
    v1::EvidenceChain {
        path: chain.path,
        evidence: chain.items.into_iter().map(hypothesis_evidence).collect(),
        change,
        strength: chain.strength.number(),
        lane_strength,
        independent_supports,
        ties,
        change_before_onset,
        unrelated_changes: chain.unrelated_changes,
    }
}

fn duration(micros: i64) -> prost_types::Duration {
    let nanos = i32::try_from(micros % 1_000_000 * 1_000).unwrap_or_default();
    prost_types::Duration { seconds: micros / 1_000_000, nanos }
}

/// Renders a capped confidence.
#[must_use]
pub fn cap_verdict(capped: CappedConfidence) -> v1::CapVerdict {
    v1::CapVerdict {
        before: capped.before.value().to_f64(),
        after: capped.after.value().to_f64(),
        cap: capped.cap.map(Millionths::to_f64),
    }
}

/// Renders the maximum action of an agent.
#[must_use]
pub fn action_verdict(verdict: &ActionVerdict) -> v1::ActionVerdict {
    v1::ActionVerdict {
        action: verdict.action.number(),
        held_by: verdict.limited_by.iter().map(|limit| action_limit_reason(*limit)).collect(),
        by_confidence: verdict.by_confidence.map_or(0, Enumeration::number),
    }
}

fn action_limit_reason(limit: ActionLimit) -> v1::Reason {
    super::reason(limit.code(), limit.sentence())
}
