//! Pairs evaluations that have the same policy and evidence. The best evaluations that proceeded are paired with
//! the worst evaluations below `tau_regenerate`. Scores are compared exactly.

use std::cmp::Ordering;
use std::collections::HashMap;

use gsar_core::fixed_point::{Fraction, Millionths};

/// The maximum number of exported pairs per set, and of candidates per side of a set.
pub(super) const MAX_PAIRS: usize = 8;
/// The maximum number of candidates over all sets, at about 300 bytes each.
pub(super) const MAX_CANDIDATES: usize = 100_000;

/// The key of a set: a digest over the policy and the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SetKey([u8; 32]);

impl SetKey {
    /// Builds the key from the policy's digest and the evidence digests, whose order does not matter.
    pub(super) fn new<'a>(policy: &str, evidence: impl Iterator<Item = &'a str>) -> Self {
        let mut evidence: Vec<&str> = evidence.collect();
        evidence.sort_unstable();
        let mut hasher = blake3::Hasher::new();
        for text in std::iter::once(policy).chain(evidence) {
            hasher.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
            hasher.update(text.as_bytes());
        }
        Self(*hasher.finalize().as_bytes())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The evaluation proceeded, with a score of at least `tau_proceed`.
    Chosen,
    /// The evaluation's score is below `tau_regenerate`.
    Rejected,
}

impl Side {
    /// Returns the side to which a guarded score belongs, or `None` if it belongs to neither.
    pub(super) fn from_score(score: Fraction, has_proceeded: bool, taus: Taus) -> Option<Self> {
        if has_proceeded && score.compare(taus.proceed) != Ordering::Less {
            return Some(Self::Chosen);
        }
        (score.compare(taus.regenerate) == Ordering::Less).then_some(Self::Rejected)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taus {
    pub(super) proceed: Millionths,
    pub(super) regenerate: Millionths,
}

/// An evaluation that can be in a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) sequence: i64,
    pub(super) evaluation_id: Box<str>,
    /// The digest of the report, to skip duplicates.
    pub(super) report: [u8; 32],
    pub(super) score: Fraction,
}

impl Candidate {
    /// Compares candidates on the same side. On the chosen side, higher scores come first; on the rejected side, lower
    /// scores do. Among candidates with equal scores, older ones come first.
    fn compare_on_side(&self, other: &Self, side: Side) -> Ordering {
        let scores = compare_scores(self.score, other.score);
        let scores = if side == Side::Chosen { scores.reverse() } else { scores };
        scores.then(self.sequence.cmp(&other.sequence))
    }
}

fn compare_scores(first: Fraction, second: Fraction) -> Ordering {
    let first_product = first.numerator().saturating_mul(second.denominator());
    first_product.cmp(&second.numerator().saturating_mul(first.denominator()))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyCandidates;

#[derive(Debug)]
pub(super) struct Sets {
    sets: HashMap<SetKey, Set>,
    len: usize,
    max: usize,
}

#[derive(Debug)]
struct Set {
    first_sequence: i64,
    chosen: Vec<Candidate>,
    rejected: Vec<Candidate>,
}

/// A set and its pairs. The pair of the best and the worst candidate comes first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PairedSet {
    /// The sequence of the set's first candidate.
    pub(super) first_sequence: i64,
    /// Pairs of a chosen and a rejected candidate. There can be more than [`MAX_PAIRS`].
    pub(super) pairs: Vec<(Candidate, Candidate)>,
}

impl Sets {
    pub(super) fn new(max: usize) -> Self {
        Self { sets: HashMap::new(), len: 0, max }
    }

    /// Adds a candidate. Candidates must be added in ascending order of sequence.
    pub(super) fn add(
        &mut self,
        key: SetKey,
        side: Side,
        candidate: Candidate,
    ) -> Result<(), TooManyCandidates> {
        let first_sequence = candidate.sequence;
        let set = self.sets.entry(key).or_insert_with(|| Set {
            first_sequence,
            chosen: Vec::new(),
            rejected: Vec::new(),
        });
        let ranked = match side {
            Side::Chosen => &mut set.chosen,
            Side::Rejected => &mut set.rejected,
        };
        let old_length = ranked.len();
        insert(ranked, side, candidate);
        self.len += ranked.len() - old_length;
        if self.len > self.max { Err(TooManyCandidates) } else { Ok(()) }
    }

    /// Returns the sets that have pairs, ordered by the sequence of their first candidate.
    pub(super) fn into_pairs(self) -> Vec<PairedSet> {
        let mut paired: Vec<_> = self.sets.into_values().filter_map(Set::into_pairs).collect();
        paired.sort_unstable_by_key(|set| set.first_sequence);
        paired
    }
}

/// Inserts a candidate by rank. If two candidates have the same report, keeps the one that ranks higher.
fn insert(ranked: &mut Vec<Candidate>, side: Side, candidate: Candidate) {
    if let Some(index) = ranked.iter().position(|existing| existing.report == candidate.report) {
        let is_better = ranked
            .get(index)
            .is_some_and(|existing| candidate.compare_on_side(existing, side) == Ordering::Less);
        if !is_better {
            return;
        }
        ranked.remove(index);
    }
    let index = ranked
        .partition_point(|existing| existing.compare_on_side(&candidate, side) == Ordering::Less);
    ranked.insert(index, candidate);
    ranked.truncate(MAX_PAIRS);
}

impl Set {
    fn into_pairs(self) -> Option<PairedSet> {
        let mut ranks: Vec<(usize, usize)> = (0..self.chosen.len())
            .flat_map(|chosen| (0..self.rejected.len()).map(move |rejected| (chosen, rejected)))
            .collect();
        ranks.sort_unstable_by_key(|(chosen, rejected)| (chosen + rejected, *chosen));
        let pair = |(chosen, rejected): (usize, usize)| {
            let pair = (self.chosen.get(chosen)?.clone(), self.rejected.get(rejected)?.clone());
            (pair.0.report != pair.1.report).then_some(pair)
        };
        let pairs: Vec<_> = ranks.into_iter().filter_map(pair).collect();
        (!pairs.is_empty()).then_some(PairedSet { first_sequence: self.first_sequence, pairs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(sequence: i64, report: u8, score: (u128, u128)) -> Candidate {
        Candidate {
            sequence,
            evaluation_id: format!("e{sequence}").into(),
            report: [report; 32],
            score: Fraction::new(score.0, score.1).unwrap(),
        }
    }

    fn key(name: &str) -> SetKey {
        SetKey::new(name, ["a", "b"].into_iter())
    }

    fn sequences(set: &PairedSet) -> Vec<(i64, i64)> {
        set.pairs.iter().map(|(chosen, rejected)| (chosen.sequence, rejected.sequence)).collect()
    }

    #[test]
    fn key_ignores_the_order_of_evidence() {
        assert_eq!(
            SetKey::new("p", ["a", "b"].into_iter()),
            SetKey::new("p", ["b", "a"].into_iter())
        );
        assert_ne!(SetKey::new("p", ["a"].into_iter()), SetKey::new("p", ["a", "a"].into_iter()));
        assert_ne!(SetKey::new("p", ["ab"].into_iter()), SetKey::new("p", ["a", "b"].into_iter()));
        assert_ne!(SetKey::new("pa", ["b"].into_iter()), SetKey::new("p", ["ab"].into_iter()));
    }

    #[test]
    fn thresholds_are_compared_exactly() {
        let taus = Taus { proceed: Millionths::new(800_000), regenerate: Millionths::new(650_000) };
        let side = |numerator, denominator, has_proceeded| {
            Side::from_score(Fraction::new(numerator, denominator).unwrap(), has_proceeded, taus)
        };
        assert_eq!(side(4, 5, true), Some(Side::Chosen));
        assert_eq!(
            side(4, 5, false),
            None,
            "something other than the score prevented it from proceeding"
        );
        assert_eq!(side(799_999_999_999, 1_000_000_000_000, true), None);
        assert_eq!(side(13, 20, false), None);
        assert_eq!(side(649_999_999_999, 1_000_000_000_000, false), Some(Side::Rejected));
    }

    #[test]
    fn pairs_best_with_worst_and_skips_duplicates() {
        let mut sets = Sets::new(100);
        for (sequence, report, score, side) in [
            (1, 1, (9, 10), Side::Chosen),
            (2, 2, (1, 3), Side::Rejected),
            (3, 3, (1, 1), Side::Chosen),
            (4, 4, (0, 1), Side::Rejected),
            (5, 1, (19, 20), Side::Chosen),
            (6, 3, (9, 10), Side::Chosen),
            (7, 4, (0, 1), Side::Rejected),
        ] {
            sets.add(key("p"), side, candidate(sequence, report, score)).unwrap();
        }
        sets.add(key("alone"), Side::Chosen, candidate(8, 8, (1, 1))).unwrap();
        let paired = sets.into_pairs();
        assert_eq!(paired.len(), 1);
        assert_eq!(paired[0].first_sequence, 1);
        assert_eq!(sequences(&paired[0]), [(3, 4), (3, 2), (5, 4), (5, 2)]);
    }

    #[test]
    fn does_not_pair_a_report_with_itself() {
        let mut sets = Sets::new(100);
        sets.add(key("p"), Side::Chosen, candidate(1, 1, (1, 1))).unwrap();
        sets.add(key("p"), Side::Rejected, candidate(2, 1, (0, 1))).unwrap();
        assert_eq!(sets.into_pairs(), []);
    }

    #[test]
    fn limits_the_number_of_candidates() {
        let mut sets = Sets::new(2 * MAX_PAIRS);
        for index in 0..50_u8 {
            let sequence = i64::from(index) + 1;
            let score = (u128::from(index), 100);
            sets.add(key("p"), Side::Rejected, candidate(sequence, index, score)).unwrap();
            let score = (90 + u128::from(index % 10), 100);
            sets.add(key("p"), Side::Chosen, candidate(sequence, 100 + index, score)).unwrap();
        }
        assert_eq!(sets.len, 2 * MAX_PAIRS);
        assert_eq!(
            sets.add(key("q"), Side::Chosen, candidate(99, 9, (1, 1))),
            Err(TooManyCandidates),
            "one candidate too many"
        );
        let paired = sets.into_pairs();
        assert_eq!(sequences(&paired[0])[..3], [(10, 1), (10, 2), (20, 1)]);
    }
}
