//! This module computes the states of hypotheses from hard evidence.
//!
//! A state is computed from the records each time and never stored, so nobody can set it. Records that
//! a language model inferred move nothing, in either direction; they are only counted.

use core::fmt;

use super::verdict::Verdict;
use crate::claim::{IdError, checked_id};
use crate::evidence::{EvidenceId, Lane, VerificationResult};
use crate::policy::Gate;
use crate::time::Timestamp;

/// Names a hypothesis within one investigation. Not empty; unique within its investigation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HypothesisId(String);

impl HypothesisId {
    /// Checks an id.
    ///
    /// # Errors
    /// [`IdError`] when the id is empty or longer than [`crate::ClaimId::MAX_BYTES`].
    pub fn new(id: impl Into<String>) -> Result<Self, IdError> {
        checked_id(id.into()).map(Self)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HypothesisId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What one tool result said about a hypothesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvidenceRecord {
    /// The tool that was called; results of one tool are not independent of each other.
    pub tool: String,
    /// The result in one line, as [`super::summary`] writes it.
    pub summary: String,
    /// What the result says.
    pub verdict: Verdict,
    /// Where it comes from.
    pub lane: Lane,
    /// When it was evaluated, where known.
    pub evaluated_at: Option<Timestamp>,
    /// The whole result in the evidence store, where kept.
    pub evidence_id: Option<EvidenceId>,
    /// How the check ended, for a record of lane [`Lane::Verification`]; `None` where it is not known.
    pub verification_result: Option<VerificationResult>,
}

impl EvidenceRecord {
    /// Whether it is hard evidence for the hypothesis. A check that failed supports nothing.
    #[must_use]
    pub fn is_hard_support(&self) -> bool {
        self.lane.is_hard() && self.verdict == Verdict::Supports && !self.is_failed_check()
    }

    fn is_failed_check(&self) -> bool {
        self.verification_result == Some(VerificationResult::Failed)
    }

    /// Whether it is hard evidence against the hypothesis.
    #[must_use]
    pub fn is_hard_refutation(&self) -> bool {
        self.lane.is_hard() && self.verdict == Verdict::Refutes
    }
}

/// A possible root cause with the evidence for and against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    /// Its name within the investigation.
    pub id: HypothesisId,
    /// What is supposed to have happened.
    pub statement: String,
    /// What tools said about it.
    pub records: Vec<EvidenceRecord>,
    /// The suspect entity, where one is named.
    pub target: Option<String>,
}

/// What the evidence makes of a hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HypothesisState {
    /// Hard evidence supports it.
    Validated,
    /// Hard evidence refutes it and none supports it.
    Invalidated,
    /// Hard evidence stands on both sides.
    Contested,
    /// No hard evidence decides.
    Inconclusive,
}

impl HypothesisState {
    /// Every state.
    pub const ALL: [Self; 4] =
        [Self::Validated, Self::Invalidated, Self::Contested, Self::Inconclusive];

    /// The word used in files, output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Validated => "validated",
            Self::Invalidated => "invalidated",
            Self::Contested => "contested",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// The state of a hypothesis and the counts behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// The state.
    pub state: HypothesisState,
    /// Records of hard evidence for it.
    pub hard_supports: u32,
    /// Records of hard evidence against it.
    pub hard_refutations: u32,
    /// Records that a language model inferred; they moved nothing.
    pub inferred: u32,
    /// Checks that failed and were given as support; they moved nothing.
    pub failed_checks: u32,
}

/// Records that may enter a hypothesis, and how many were turned away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admitted {
    /// The records of hard lanes, in the order given.
    pub records: Vec<EvidenceRecord>,
    /// How many records were refused because a language model inferred them.
    pub refused_inferred: u32,
}

/// Turns records away that a language model inferred, and counts them.
#[must_use]
pub fn admit(records: Vec<EvidenceRecord>) -> Admitted {
    let offered = records.len();
    let mut records = records;
    records.retain(|record| record.lane.is_hard());
    Admitted { refused_inferred: count(offered - records.len()), records }
}

/// The state of a hypothesis under a policy.
#[must_use]
pub fn state(hypothesis: &Hypothesis, policy: &Gate) -> HypothesisState {
    assess(hypothesis, policy).state
}

/// The state of a hypothesis under a policy, with the counts behind it.
#[must_use]
pub fn assess(hypothesis: &Hypothesis, policy: &Gate) -> Assessment {
    let supports = || hypothesis.records.iter().filter(|record| record.is_hard_support());
    let refutations = || hypothesis.records.iter().filter(|record| record.is_hard_refutation());
    let validating =
        supports().any(|record| policy.synthetic_validates || record.lane != Lane::Synthetic);
    let supported = supports().next().is_some();
    let refuted = refutations().next().is_some();

    let state = if policy.contested && supported && refuted {
        let answered = refutations().all(|against| supports().any(|by| answers(by, against)));
        if validating && answered { HypothesisState::Validated } else { HypothesisState::Contested }
    } else if validating {
        HypothesisState::Validated
    } else if refuted {
        HypothesisState::Invalidated
    } else {
        HypothesisState::Inconclusive
    };
    Assessment {
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
    }
}

/// Whether a support overrides a refutation: of a stronger or equal lane and known to be later.
fn answers(support: &EvidenceRecord, refutation: &EvidenceRecord) -> bool {
    let later = match (support.evaluated_at, refutation.evaluated_at) {
        (Some(support), Some(refutation)) => support > refutation,
        _ => false,
    };
    later && support.lane.strength() >= refutation.lane.strength()
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

    fn state_under(base: Preset, records: Vec<EvidenceRecord>) -> HypothesisState {
        state(&hypothesis("h", records), &preset(base).gate)
    }

    const SUPPORTS: Verdict = Verdict::Supports;
    const REFUTES: Verdict = Verdict::Refutes;

    #[test]
    fn llm_only_evidence_never_validates_or_invalidates() {
        for base in [Preset::Paper, Preset::Reference, Preset::Strict] {
            for verdict in [SUPPORTS, REFUTES] {
                let records = vec![record("model", Lane::LlmInferred, verdict, Some(1)); 9];
                assert_eq!(state_under(base, records), HypothesisState::Inconclusive);
            }
        }
    }

    #[test]
    fn h17_inferred_refutations_are_ignored_in_both_directions_and_counted() {
        let records = vec![
            record("model", Lane::LlmInferred, REFUTES, Some(9)),
            record("model", Lane::LlmInferred, REFUTES, Some(9)),
            record("promql", Lane::Metrics, SUPPORTS, Some(1)),
        ];
        let assessed = assess(&hypothesis("h", records), &preset(Preset::Reference).gate);
        assert_eq!(assessed.state, HypothesisState::Validated);
        assert_eq!((assessed.hard_supports, assessed.hard_refutations), (1, 0));
        assert_eq!(assessed.inferred, 2);
    }

    #[test]
    fn the_door_refuses_inferred_records_and_counts_them() {
        let hard = record("logs", Lane::Logs, SUPPORTS, None);
        let inferred = record("model", Lane::LlmInferred, SUPPORTS, None);
        let admitted = admit(vec![inferred.clone(), hard.clone(), inferred]);
        assert_eq!(admitted, Admitted { records: vec![hard], refused_inferred: 2 });
    }

    #[test]
    fn h16_one_support_does_not_outrank_many_refutations() {
        let mut records = vec![record("logs", Lane::Logs, SUPPORTS, Some(1))];
        records.extend(vec![record("traces", Lane::Traces, REFUTES, Some(2)); 20]);
        assert_eq!(state_under(Preset::Paper, records.clone()), HypothesisState::Validated);
        assert_eq!(state_under(Preset::Reference, records.clone()), HypothesisState::Contested);
        assert_eq!(state_under(Preset::Strict, records), HypothesisState::Contested);
    }

    #[test]
    fn a_contested_hypothesis_validates_only_by_later_support_of_an_equal_or_stronger_lane() {
        let early = record("logs", Lane::Logs, SUPPORTS, Some(1));
        let against = record("promql", Lane::Metrics, REFUTES, Some(5));
        let with =
            |last| state_under(Preset::Reference, vec![early.clone(), against.clone(), last]);
        let later = |lane| record("again", lane, SUPPORTS, Some(6));
        assert_eq!(with(later(Lane::Logs)), HypothesisState::Validated, "logs equal metrics");
        assert_eq!(with(later(Lane::Verification)), HypothesisState::Validated);
        assert_eq!(with(later(Lane::StaticInfra)), HypothesisState::Contested, "weaker lane");
        assert_eq!(
            with(record("again", Lane::Logs, SUPPORTS, Some(5))),
            HypothesisState::Contested
        );
        assert_eq!(with(record("again", Lane::Logs, SUPPORTS, None)), HypothesisState::Contested);
    }

    #[test]
    fn h15_a_check_that_failed_supports_nothing_and_is_counted() {
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
            let assessed = assess(&hypothesis, &preset(Preset::Reference).gate);
            assert_eq!(assessed.state, state, "{result:?}");
            let failed = u32::from(result == Some(VerificationResult::Failed));
            assert_eq!(assessed.failed_checks, failed, "{result:?}");
        }
    }

    #[test]
    fn every_refutation_needs_its_answer() {
        let records = vec![
            record("a", Lane::Logs, REFUTES, Some(1)),
            record("b", Lane::Logs, SUPPORTS, Some(2)),
            record("c", Lane::Traces, REFUTES, Some(3)),
        ];
        assert_eq!(state_under(Preset::Reference, records), HypothesisState::Contested);
    }

    #[test]
    fn synthetic_evidence_alone_never_validates_under_strict() {
        let synthetic = record("probe", Lane::Synthetic, SUPPORTS, Some(1));
        let only = vec![synthetic.clone(); 3];
        assert_eq!(state_under(Preset::Strict, only.clone()), HypothesisState::Inconclusive);
        assert_eq!(state_under(Preset::Reference, only), HypothesisState::Validated);
        let with_logs = vec![synthetic, record("logs", Lane::Logs, SUPPORTS, Some(1))];
        assert_eq!(state_under(Preset::Strict, with_logs), HypothesisState::Validated);
    }

    #[test]
    fn refutation_alone_invalidates_and_nothing_is_inconclusive() {
        let refuted = vec![record("logs", Lane::Logs, REFUTES, None)];
        assert_eq!(state_under(Preset::Reference, refuted), HypothesisState::Invalidated);
        assert_eq!(state_under(Preset::Reference, vec![]), HypothesisState::Inconclusive);
    }

    proptest! {
        #[test]
        fn inferred_records_change_no_state(records in proptest::collection::vec(any_record(), 0..10)) {
            for base in [Preset::Paper, Preset::Reference, Preset::Strict] {
                let hard = admit(records.clone()).records;
                prop_assert_eq!(state_under(base, records.clone()), state_under(base, hard));
            }
        }

        #[test]
        fn the_order_of_records_changes_nothing(records in proptest::collection::vec(any_record(), 0..10)) {
            let mut reversed = records.clone();
            reversed.reverse();
            let forward = state_under(Preset::Reference, records);
            prop_assert_eq!(forward, state_under(Preset::Reference, reversed));
        }

        #[test]
        fn a_refutation_never_helps(records in proptest::collection::vec(any_record(), 0..8), lane in 0usize..7) {
            for base in [Preset::Paper, Preset::Reference, Preset::Strict] {
                let before = state_under(base, records.clone());
                let mut more = records.clone();
                more.push(record("against", Lane::ALL[lane], REFUTES, None));
                let after = state_under(base, more);
                prop_assert!(after != HypothesisState::Validated || before == HypothesisState::Validated);
            }
        }
    }
}
