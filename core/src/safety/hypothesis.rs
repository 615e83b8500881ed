//! Computes the states of hypotheses from hard evidence. Records inferred by a model have no effect.

use super::verdict::Verdict;
use crate::evidence::{EvidenceId, Lane, VerificationResult};
pub use crate::ids::HypothesisId;
use crate::names;
use crate::policy::Gate;
use crate::time::Timestamp;

/// The verdict of a tool result on a hypothesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceRecord {
    /// The tool. Results from the same tool are not independent.
    pub tool: String,
    /// A one-line summary, from [`super::summary`].
    pub summary: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The source of the result.
    pub lane: Lane,
    /// The evaluation time, if known.
    pub evaluated_at: Option<Timestamp>,
    /// The stored evidence item, if any.
    pub evidence_id: Option<EvidenceId>,
    /// The result of the check if the lane is [`Lane::Verification`] and the result is known.
    pub verification_result: Option<VerificationResult>,
    /// `true` if the item comes from an attested channel.
    pub attested: bool,
    /// `true` if the record has no effect, because its item is unknown or lacks an attestation that the policy
    /// requires.
    pub is_refused: bool,
}

impl EvidenceRecord {
    /// Returns `true` for hard evidence that supports the hypothesis, except for failed checks.
    #[must_use]
    pub fn is_hard_support(&self) -> bool {
        self.is_hard() && self.verdict == Verdict::Supports && !self.is_failed_check()
    }

    fn is_failed_check(&self) -> bool {
        self.verification_result == Some(VerificationResult::Failed)
    }

    /// Returns `true` for hard evidence that refutes the hypothesis.
    #[must_use]
    pub fn is_hard_refutation(&self) -> bool {
        self.is_hard() && self.verdict == Verdict::Refutes
    }

    fn is_hard(&self) -> bool {
        self.lane.is_hard() && !self.is_refused
    }
}

/// A possible root cause and the evidence for and against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    /// The id, unique in the investigation.
    pub id: HypothesisId,
    /// The suspected cause.
    pub statement: String,
    /// The verdicts of tool results.
    pub records: Vec<EvidenceRecord>,
    /// The suspected entity, if any.
    pub target: Option<String>,
}

/// The state of a hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HypothesisState {
    /// Hard evidence supports the hypothesis.
    Validated,
    /// Hard evidence refutes the hypothesis, and none supports it.
    Invalidated,
    /// Some hard evidence supports the hypothesis, and some refutes it.
    Contested,
    /// No hard evidence is conclusive.
    Inconclusive,
}

names!(HypothesisState {
    Validated => "validated",
    Invalidated => "invalidated",
    Contested => "contested",
    Inconclusive => "inconclusive",
});

/// The state of a hypothesis with the underlying counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HypothesisAssessment {
    /// The state.
    pub state: HypothesisState,
    /// The number of hard records that support the hypothesis.
    pub hard_supports: u32,
    /// The number of hard records that refute the hypothesis.
    pub hard_refutations: u32,
    /// The number of records inferred by a language model, which have no effect.
    pub inferred: u32,
    /// The number of failed checks given as support, which have no effect.
    pub failed_checks: u32,
    /// The number of refused records, which have no effect.
    pub refused: u32,
}

/// Computes the state of a hypothesis.
#[must_use]
pub fn assess_hypothesis(hypothesis: &Hypothesis, policy: &Gate) -> HypothesisAssessment {
    let supports = || hypothesis.records.iter().filter(|record| record.is_hard_support());
    let refutations = || hypothesis.records.iter().filter(|record| record.is_hard_refutation());
    let has_validating =
        supports().any(|record| policy.synthetic_validates || record.lane != Lane::Synthetic);
    let has_support = supports().next().is_some();
    let has_refutation = refutations().next().is_some();

    let state = if policy.contested && has_support && has_refutation {
        let is_outranked = refutations().all(|against| supports().any(|by| overrides(by, against)));
        if has_validating && is_outranked {
            HypothesisState::Validated
        } else {
            HypothesisState::Contested
        }
    } else if has_validating {
        HypothesisState::Validated
    } else if has_refutation {
        HypothesisState::Invalidated
    } else {
        HypothesisState::Inconclusive
    };
    HypothesisAssessment {
        state,
        hard_supports: count(supports().count()),
        hard_refutations: count(refutations().count()),
        inferred: count(hypothesis.records.iter().filter(|record| !record.lane.is_hard()).count()),
        failed_checks: count(
            hypothesis
                .records
                .iter()
                .filter(|record| record.is_failed_check() && record.verdict == Verdict::Supports)
                .count(),
        ),
        refused: count(hypothesis.records.iter().filter(|record| record.is_refused).count()),
    }
}

/// Returns `true` if a support overrides a refutation, that is, if it is later and its lane is at least as strong.
fn overrides(support: &EvidenceRecord, refutation: &EvidenceRecord) -> bool {
    let is_later = match (support.evaluated_at, refutation.evaluated_at) {
        (Some(support), Some(refutation)) => support > refutation,
        _ => false,
    };
    is_later && support.lane.strength() >= refutation.lane.strength()
}

fn count(records: usize) -> u32 {
    u32::try_from(records).unwrap_or(u32::MAX)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::policy::{Preset, preset};
    use proptest::prelude::*;

    pub(crate) fn record(
        tool: &str,
        lane: Lane,
        verdict: Verdict,
        at: Option<i64>,
    ) -> EvidenceRecord {
        EvidenceRecord {
            tool: tool.to_string(),
            summary: String::new(),
            verdict,
            lane,
            evaluated_at: at.map(Timestamp::from_micros),
            evidence_id: None,
            verification_result: None,
            attested: false,
            is_refused: false,
        }
    }

    pub(crate) fn hypothesis(id: &str, records: Vec<EvidenceRecord>) -> Hypothesis {
        Hypothesis {
            id: HypothesisId::new(id).unwrap(),
            statement: "the connection pool is exhausted".to_string(),
            records,
            target: None,
        }
    }

    pub(crate) fn any_record() -> impl Strategy<Value = EvidenceRecord> {
        (0usize..8, 0usize..3, proptest::option::of(0i64..6), 0u8..4).prop_map(
            |(lane, verdict, at, tool)| {
                let verdicts = [Verdict::Supports, Verdict::Refutes, Verdict::Inconclusive];
                record(&tool.to_string(), Lane::ALL[lane], verdicts[verdict], at)
            },
        )
    }

    fn state_with_preset(base: Preset, records: Vec<EvidenceRecord>) -> HypothesisState {
        assess_hypothesis(&hypothesis("h", records), &preset(base).gate).state
    }

    const SUPPORTS: Verdict = Verdict::Supports;
    const REFUTES: Verdict = Verdict::Refutes;

    #[test]
    fn inferred_evidence_alone_never_validates_or_invalidates() {
        for base in [Preset::Paper, Preset::Reference, Preset::Strict] {
            for verdict in [SUPPORTS, REFUTES] {
                let records = vec![record("model", Lane::LlmInferred, verdict, Some(1)); 9];
                assert_eq!(state_with_preset(base, records), HypothesisState::Inconclusive);
            }
        }
    }

    #[test]
    fn h17_inferred_refutations_are_ignored_and_counted() {
        let records = vec![
            record("model", Lane::LlmInferred, REFUTES, Some(9)),
            record("model", Lane::LlmInferred, REFUTES, Some(9)),
            record("promql", Lane::Metrics, SUPPORTS, Some(1)),
        ];
        let assessed =
            assess_hypothesis(&hypothesis("h", records), &preset(Preset::Reference).gate);
        assert_eq!(assessed.state, HypothesisState::Validated);
        assert_eq!((assessed.hard_supports, assessed.hard_refutations), (1, 0));
        assert_eq!(assessed.inferred, 2);
    }

    #[test]
    fn h16_one_support_does_not_outrank_many_refutations() {
        let mut records = vec![record("logs", Lane::Logs, SUPPORTS, Some(1))];
        records.extend(vec![record("traces", Lane::Traces, REFUTES, Some(2)); 20]);
        assert_eq!(state_with_preset(Preset::Paper, records.clone()), HypothesisState::Validated);
        assert_eq!(
            state_with_preset(Preset::Reference, records.clone()),
            HypothesisState::Contested
        );
        assert_eq!(state_with_preset(Preset::Strict, records), HypothesisState::Contested);
    }

    #[test]
    fn a_later_support_in_an_equally_strong_lane_overrides_a_refutation() {
        let early = record("logs", Lane::Logs, SUPPORTS, Some(1));
        let against = record("promql", Lane::Metrics, REFUTES, Some(5));
        let with =
            |last| state_with_preset(Preset::Reference, vec![early.clone(), against.clone(), last]);
        let later = |lane| record("again", lane, SUPPORTS, Some(6));
        assert_eq!(
            with(later(Lane::Logs)),
            HypothesisState::Validated,
            "logs are as strong as metrics"
        );
        assert_eq!(with(later(Lane::Verification)), HypothesisState::Validated);
        assert_eq!(
            with(later(Lane::StaticInfra)),
            HypothesisState::Contested,
            "the lane is weaker"
        );
        assert_eq!(
            with(record("again", Lane::Logs, SUPPORTS, Some(5))),
            HypothesisState::Contested
        );
        assert_eq!(with(record("again", Lane::Logs, SUPPORTS, None)), HypothesisState::Contested);
    }

    #[test]
    fn h15_a_failed_check_supports_nothing_and_is_counted() {
        let check = |result| EvidenceRecord {
            verification_result: result,
            ..record("smoke test", Lane::Verification, SUPPORTS, Some(1))
        };
        for (result, state) in [
            (Some(VerificationResult::Failed), HypothesisState::Inconclusive),
            (Some(VerificationResult::Passed), HypothesisState::Validated),
            (None, HypothesisState::Validated),
        ] {
            let hypothesis = hypothesis("h", vec![check(result)]);
            let assessed = assess_hypothesis(&hypothesis, &preset(Preset::Reference).gate);
            assert_eq!(assessed.state, state, "{result:?}");
            let failed = u32::from(result == Some(VerificationResult::Failed));
            assert_eq!(assessed.failed_checks, failed, "{result:?}");
        }
    }

    #[test]
    fn every_refutation_must_be_overridden() {
        let records = vec![
            record("a", Lane::Logs, REFUTES, Some(1)),
            record("b", Lane::Logs, SUPPORTS, Some(2)),
            record("c", Lane::Traces, REFUTES, Some(3)),
        ];
        assert_eq!(state_with_preset(Preset::Reference, records), HypothesisState::Contested);
    }

    #[test]
    fn synthetic_evidence_alone_never_validates_under_the_strict_preset() {
        let synthetic = record("probe", Lane::Synthetic, SUPPORTS, Some(1));
        let only = vec![synthetic.clone(); 3];
        assert_eq!(state_with_preset(Preset::Strict, only.clone()), HypothesisState::Inconclusive);
        assert_eq!(state_with_preset(Preset::Reference, only), HypothesisState::Validated);
        let with_logs = vec![synthetic, record("logs", Lane::Logs, SUPPORTS, Some(1))];
        assert_eq!(state_with_preset(Preset::Strict, with_logs), HypothesisState::Validated);
    }

    #[test]
    fn a_refuted_hypothesis_is_invalidated_and_one_without_evidence_is_inconclusive() {
        let refuted = vec![record("logs", Lane::Logs, REFUTES, None)];
        assert_eq!(state_with_preset(Preset::Reference, refuted), HypothesisState::Invalidated);
        assert_eq!(state_with_preset(Preset::Reference, vec![]), HypothesisState::Inconclusive);
    }

    proptest! {
        #[test]
        fn inferred_records_change_no_state(records in proptest::collection::vec(any_record(), 0..10)) {
            for base in [Preset::Paper, Preset::Reference, Preset::Strict] {
                let hard = records.iter().filter(|record| record.lane.is_hard()).cloned().collect();
                prop_assert_eq!(state_with_preset(base, records.clone()), state_with_preset(base, hard));
            }
        }

        #[test]
        fn the_order_of_records_does_not_matter(records in proptest::collection::vec(any_record(), 0..10)) {
            let mut reversed = records.clone();
            reversed.reverse();
            let forward = state_with_preset(Preset::Reference, records);
            prop_assert_eq!(forward, state_with_preset(Preset::Reference, reversed));
        }

        #[test]
        fn a_refutation_never_validates_a_hypothesis(records in proptest::collection::vec(any_record(), 0..8), lane in 0usize..7) {
            for base in [Preset::Paper, Preset::Reference, Preset::Strict] {
                let before = state_with_preset(base, records.clone());
                let mut more = records.clone();
                more.push(record("against", Lane::ALL[lane], REFUTES, None));
                let after = state_with_preset(base, more);
                prop_assert!(after != HypothesisState::Validated || before == HypothesisState::Validated);
            }
        }
    }
}
