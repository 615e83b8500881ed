//! Counts what an agent does: turns, tool calls, new evidence and checks.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use gsar_core::evidence::VerificationResult;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;

/// Totals over an investigation's turns. Unless stated otherwise, they cover the current plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    pub(super) total: u32,
    /// The number of turns that count against the gate's limits. Turns that only explore the graph do not count.
    pub(super) in_plan: u32,
    /// The number of these turns since the last new evidence.
    pub(super) without_evidence: u32,
    /// The number of calls since the last new result, by digest of tool and arguments.
    calls: HashMap<String, u32>,
    trivial_tools: BTreeSet<String>,
    checks: BTreeMap<String, v1::VerificationResult>,
    pub(super) wants_to_finish: bool,
    pub(super) hypotheses: Vec<v1::Hypothesis>,
    pub(super) changes: Vec<v1::ChangeRecord>,
    pub(super) path: Vec<String>,
    /// The tests for which the caller supplied the verdict or the threshold.
    pub(super) caller_verdicts: Vec<String>,
    /// The tests for which neither the item nor the arguments of its tool call name the target.
    pub(super) unrelated_results: Vec<String>,
    evidence_digests: HashSet<String>,
    /// The arguments of the first tool call that returned an item, by the item's ID.
    arguments: HashMap<String, String>,
}

impl Turns {
    pub(super) fn add(&mut self, turn: v1::RecordedTurn) {
        self.total = self.total.saturating_add(1);
        let only_explores = !turn.beliefs.is_empty() && turn.calls.is_empty();
        if turn.calls.iter().any(|call| call.is_new) {
            self.without_evidence = 0;
        } else if !only_explores {
            self.without_evidence = self.without_evidence.saturating_add(1);
        }
        if !only_explores {
            self.in_plan = self.in_plan.saturating_add(1);
        }
        for call in turn.calls {
            let count = self.calls.entry(call.digest.clone()).or_default();
            *count = if call.is_new { 1 } else { count.saturating_add(1) };
            if call.is_trivial {
                self.trivial_tools.insert(call.tool.clone());
            }
            if !call.evidence_id.is_empty() && !call.arguments.is_empty() {
                let arguments = self.arguments.entry(call.evidence_id.clone());
                arguments.or_insert_with(|| call.arguments.clone());
            }
            if !call.evidence_digest.is_empty() {
                self.evidence_digests.insert(call.evidence_digest.clone());
            }
            if call.verification_result() != v1::VerificationResult::Unspecified {
                let result = call.verification_result();
                let name = if call.check.is_empty() { call.tool } else { call.check };
                self.checks.insert(name, result);
            }
        }
        self.wants_to_finish = turn.wants_to_finish;
        self.hypotheses = turn.hypotheses;
        let known_changes = self.changes.iter().enumerate();
        let mut positions: HashMap<String, usize> =
            known_changes.map(|(position, change)| (change.id.clone(), position)).collect();
        for change in turn.changes {
            let next = self.changes.len();
            let position = *positions.entry(change.id.clone()).or_insert(next);
            match self.changes.get_mut(position) {
                Some(existing) => *existing = change,
                None => self.changes.push(change),
            }
        }
        if !turn.path.is_empty() {
            self.path = turn.path;
        }
        self.caller_verdicts = turn.caller_verdicts;
        self.unrelated_results = turn.unrelated_results;
    }

    pub(super) fn reset_for_plan(&mut self) {
        self.in_plan = 0;
        self.without_evidence = 0;
        self.calls.clear();
        self.trivial_tools.clear();
        self.wants_to_finish = false;
    }

    pub(super) fn has_seen(&self, digest: &str) -> bool {
        self.evidence_digests.contains(digest)
    }

    pub(super) fn arguments(&self, evidence_id: &str) -> &str {
        self.arguments.get(evidence_id).map_or("", String::as_str)
    }

    pub(super) fn has_evidence(&self) -> bool {
        !self.evidence_digests.is_empty()
    }

    pub(super) fn identical_calls(&self) -> u32 {
        self.calls.values().copied().max().unwrap_or(0)
    }

    pub(super) fn trivial_tools(&self) -> impl Iterator<Item = &str> {
        self.trivial_tools.iter().map(String::as_str)
    }

    pub(super) fn failed_checks(&self) -> impl Iterator<Item = &str> {
        let has_failed = |(_, result): &(&String, &v1::VerificationResult)| {
            **result == v1::VerificationResult::Failed
        };
        self.checks.iter().filter(has_failed).map(|(tool, _)| tool.as_str())
    }

    /// Returns the last result of every check. The result is `None` if a declared check has not run.
    pub(super) fn checks(
        &self,
        declared: &[v1::CheckDeclaration],
    ) -> Vec<Option<VerificationResult>> {
        let declared_names: BTreeSet<&str> =
            declared.iter().map(|check| check.name.as_str()).collect();
        let names: BTreeSet<&str> =
            declared_names.into_iter().chain(self.checks.keys().map(String::as_str)).collect();
        let result = |name: &str| {
            let result = self.checks.get(name)?;
            VerificationResult::from_number(i32::from(*result))
        };
        names.into_iter().map(result).collect()
    }

    pub(super) fn has_changed_anything(&self) -> bool {
        !self.changes.is_empty() || !self.checks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(calls: &[(&str, bool)]) -> v1::RecordedTurn {
        let call = |(digest, is_new): &(&str, bool)| v1::RecordedCall {
            tool: "kubectl".to_owned(),
            digest: (*digest).to_owned(),
            is_new: *is_new,
            evidence_digest: "d".to_owned(),
            ..v1::RecordedCall::default()
        };
        v1::RecordedTurn { calls: calls.iter().map(call).collect(), ..v1::RecordedTurn::default() }
    }

    #[test]
    fn counts_identical_calls_without_new_evidence() {
        let mut turns = Turns::default();
        turns.add(turn(&[("a", true), ("b", true)]));
        assert_eq!((turns.identical_calls(), turns.without_evidence), (1, 0));
        turns.add(turn(&[("a", false)]));
        turns.add(turn(&[("b", false), ("a", false)]));
        assert_eq!((turns.identical_calls(), turns.without_evidence), (3, 2));
        turns.add(turn(&[("a", true)]));
        assert_eq!((turns.identical_calls(), turns.without_evidence), (2, 0), "b was called twice");
    }

    #[test]
    fn a_new_plan_resets_counts_and_keeps_evidence() {
        let mut turns = Turns::default();
        turns.add(turn(&[("a", true), ("a", false)]));
        turns.reset_for_plan();
        assert_eq!((turns.total, turns.in_plan, turns.identical_calls()), (1, 0, 0));
        assert!(turns.has_evidence() && turns.has_seen("d"));
    }

    #[test]
    fn uses_the_last_result_of_a_check() {
        let mut turns = Turns::default();
        let check = |result: v1::VerificationResult| {
            let mut turn = turn(&[("a", true)]);
            turn.calls[0].set_verification_result(result);
            turn
        };
        turns.add(check(v1::VerificationResult::Failed));
        assert_eq!(turns.failed_checks().collect::<Vec<_>>(), ["kubectl"]);
        turns.add(check(v1::VerificationResult::Passed));
        assert_eq!(turns.failed_checks().count(), 0);
        assert!(turns.has_changed_anything());
    }
}
