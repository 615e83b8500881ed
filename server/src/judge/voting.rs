//! Counts votes. Each claim gets the class with the most votes (docs/JUDGES.md, "Votes").

use std::collections::HashSet;

use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim};
use gsar_retrieval::terms::terms;

#[derive(Clone, Debug)]
pub(super) struct Ballot {
    pub(super) judge: String,
    /// The index of the sample, starting at 0.
    pub(super) sample: u32,
    /// The weight of each vote, in 2520ths of a unit of member weight.
    pub(super) weight: u64,
    /// `true` for a refuter, which votes only for contradictions.
    pub(super) refutes: bool,
    pub(super) verdicts: Vec<JudgedClaim>,
}

/// The votes on a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Votes {
    /// The claim.
    pub claim: ClaimId,
    /// The winning class before verification. `None` if there is no winner.
    pub class: Option<Class>,
    /// The votes, in the order of the panel.
    pub votes: Vec<Vote>,
}

/// A vote on a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vote {
    /// The name of the judge.
    pub judge: String,
    /// The index of the sample, starting at 0.
    pub sample: u32,
    /// The weight, in 2520ths of a unit of member weight.
    pub weight: u64,
    /// The class. `None` if the claim is undecided or has no verdict.
    pub class: Option<Class>,
    /// The judge's explanation.
    pub note: String,
}

impl Votes {
    /// Returns the weight of the votes for the winning class, and the weight of all votes.
    #[must_use]
    pub fn agreement(&self) -> (u64, u64) {
        let agreeing = self.votes.iter().filter(|vote| vote.class == self.class);
        (agreeing.map(|vote| vote.weight).sum(), self.votes.iter().map(|vote| vote.weight).sum())
    }

    /// Returns `true` if all votes are for the same class.
    #[must_use]
    pub fn is_unanimous(&self) -> bool {
        let (agreeing, total) = self.agreement();
        agreeing == total
    }
}

/// The classes from worst to best. In a tie, the worst class wins. `None` stands for a missing verdict, which
/// blocks a report.
const WORST_FIRST: [Option<Class>; 5] = [
    Some(Class::Contradicted),
    None,
    Some(Class::Ungrounded),
    Some(Class::Complementary),
    Some(Class::Grounded),
];

/// Counts the votes on each claim. The second list contains one verdict for each claim that has a winning
/// class or an undecided verdict. The verdict for a winning class has all citations for that class, the most
/// frequent evidence type, and the most representative note.
pub(super) fn count_votes(claims: &[Claim], ballots: &[Ballot]) -> (Vec<Votes>, Vec<JudgedClaim>) {
    let results = claims.iter().map(|claim| count_claim(claim, ballots));
    let (votes, verdicts): (Vec<Votes>, Vec<Option<JudgedClaim>>) = results.unzip();
    (votes, verdicts.into_iter().flatten().collect())
}

fn count_claim(claim: &Claim, ballots: &[Ballot]) -> (Votes, Option<JudgedClaim>) {
    let claim_votes: Vec<(&Ballot, Option<&JudgedClaim>)> = ballots
        .iter()
        .map(|ballot| (ballot, ballot.verdicts.iter().find(|verdict| verdict.claim.id == claim.id)))
        .filter(|(ballot, verdict)| {
            !ballot.refutes || verdict.is_some_and(|verdict| verdict.class == Class::Contradicted)
        })
        .collect();
    let class_of = |verdict: Option<&JudgedClaim>| {
        verdict.filter(|verdict| verdict.undecided.is_none()).map(|verdict| verdict.class)
    };
    let class = heaviest_candidate(
        &WORST_FIRST,
        claim_votes.iter().map(|(ballot, verdict)| (class_of(*verdict), ballot.weight)),
    );
    let class = class.flatten();
    let agreeing: Vec<(&Ballot, &JudgedClaim)> = claim_votes
        .iter()
        .filter_map(|(ballot, verdict)| Some((*ballot, (*verdict)?)))
        .filter(|(_, verdict)| class.is_some() && class_of(Some(verdict)) == class)
        .collect();
    let votes = claim_votes.iter().map(|(ballot, verdict)| Vote {
        judge: ballot.judge.clone(),
        sample: ballot.sample,
        weight: ballot.weight,
        class: class_of(*verdict),
        note: verdict.map(|verdict| verdict.note.clone()).unwrap_or_default(),
    });
    let votes = Votes { claim: claim.id.clone(), class, votes: votes.collect() };
    let undecided = || {
        let verdicts = claim_votes.iter().filter_map(|(_, verdict)| *verdict);
        verdicts.into_iter().find(|verdict| verdict.undecided.is_some()).cloned()
    };
    let verdict = if class.is_some() { merge_agreeing(&agreeing) } else { undecided() };
    (votes, verdict)
}

fn merge_agreeing(agreeing: &[(&Ballot, &JudgedClaim)]) -> Option<JudgedClaim> {
    let ((_, first), others) = agreeing.split_first()?;
    let mut verdict = (*first).clone();
    let weakest_first: Vec<EvidenceType> = EvidenceType::ALL.into_iter().rev().collect();
    let types = agreeing.iter().map(|(ballot, verdict)| (verdict.evidence_type, ballot.weight));
    verdict.evidence_type =
        heaviest_candidate(&weakest_first, types).unwrap_or(verdict.evidence_type);
    if let Some(note) = most_representative_note(agreeing) {
        note.clone_into(&mut verdict.note);
    }
    for citation in others.iter().flat_map(|(_, verdict)| &verdict.citations) {
        if !verdict.citations.contains(citation) {
            verdict.citations.push(citation.clone());
        }
    }
    Some(verdict)
}

/// Returns the note that shares the most terms with the other notes, weighted by their votes. In a tie, the
/// first note wins.
fn most_representative_note<'n>(agreeing: &[(&Ballot, &'n JudgedClaim)]) -> Option<&'n str> {
    let notes: Vec<(&'n str, HashSet<String>, u64)> = agreeing
        .iter()
        .map(|(ballot, verdict)| {
            (verdict.note.as_str(), terms(&verdict.note).into_iter().collect(), ballot.weight)
        })
        .collect();
    let similarity_to_others = |terms: &HashSet<String>| -> u128 {
        notes
            .iter()
            .map(|(_, other_terms, weight)| u128::from(*weight) * jaccard(terms, other_terms))
            .sum()
    };
    let mut best: Option<(&str, u128)> = None;
    for (note, terms, _) in &notes {
        let similarity = similarity_to_others(terms);
        if best.is_none_or(|(_, max)| similarity > max) {
            best = Some((note, similarity));
        }
    }
    best.map(|(note, _)| note)
}

/// Returns the similarity of two sets of terms, from 0 to 1,000,000.
pub(crate) fn jaccard(first: &HashSet<String>, second: &HashSet<String>) -> u128 {
    let shared = first.intersection(second).count();
    let total = (first.len() + second.len()).saturating_sub(shared);
    (shared as u128 * 1_000_000).checked_div(total as u128).unwrap_or(0)
}

/// Returns the candidate with the most weight, or `None` if there are no votes. In a tie, the first candidate
/// wins.
fn heaviest_candidate<T: Copy + PartialEq>(
    candidates: &[T],
    votes: impl Iterator<Item = (T, u64)> + Clone,
) -> Option<T> {
    let mut best: Option<(T, u64)> = None;
    for candidate in candidates {
        let matching = votes.clone().filter(|(vote, _)| vote == candidate);
        let weight: u64 = matching.map(|(_, weight)| weight).sum();
        if weight > best.map_or(0, |(_, max)| max) {
            best = Some((*candidate, weight));
        }
    }
    best.map(|(candidate, _)| candidate)
}

#[cfg(test)]
mod tests {
    use gsar_core::evidence::{Citation, EvidenceId};
    use proptest::prelude::*;

    use super::*;

    fn claim(id: &str) -> Claim {
        Claim::new(ClaimId::new(id).unwrap(), "x")
    }

    fn verdict(class: Class, evidence_type: EvidenceType, quote: &str) -> JudgedClaim {
        JudgedClaim {
            citations: vec![Citation::new(EvidenceId::new("e1").unwrap(), quote)],
            note: format!("note of {quote}"),
            ..JudgedClaim::new(claim("c1"), class, evidence_type)
        }
    }

    fn ballot(weight: u64, verdict: Option<JudgedClaim>) -> Ballot {
        let verdicts = verdict.into_iter().collect();
        Ballot { judge: "judge".to_owned(), sample: 0, weight, refutes: false, verdicts }
    }

    fn winner(votes: &[(u64, Option<Class>)]) -> Option<Class> {
        let to_verdict = |class| verdict(class, EvidenceType::ToolMatch, "q");
        let ballots: Vec<Ballot> =
            votes.iter().map(|(weight, class)| ballot(*weight, class.map(to_verdict))).collect();
        let (votes, verdicts) = count_votes(&[claim("c1")], &ballots);
        assert_eq!(verdicts.first().map(|verdict| verdict.class), votes[0].class);
        votes[0].class
    }

    const G: Option<Class> = Some(Class::Grounded);
    const U: Option<Class> = Some(Class::Ungrounded);
    const X: Option<Class> = Some(Class::Contradicted);
    const K: Option<Class> = Some(Class::Complementary);

    #[test]
    fn the_class_with_the_most_votes_wins() {
        assert_eq!(winner(&[(1, G), (1, G), (1, X)]), G);
        assert_eq!(winner(&[(1, G), (1, X)]), X);
        assert_eq!(winner(&[(1, G), (1, U)]), U);
        assert_eq!(winner(&[(1, G), (1, K)]), K);
        assert_eq!(winner(&[(1, K), (1, U)]), U);
        assert_eq!(winner(&[(1, G), (1, None)]), None);
        assert_eq!(winner(&[(1, X), (1, None)]), X);
        assert_eq!(winner(&[(1, U), (1, None)]), None);
        assert_eq!(winner(&[(3, G), (1, X), (1, U)]), G);
        assert_eq!(winner(&[(2, G), (3, X)]), X);
        assert_eq!(winner(&[]), None);
    }

    #[test]
    fn merges_citations_and_types_of_agreeing_votes() {
        use EvidenceType::{Inference, SpecificData, ToolMatch};
        let ballots = [
            ballot(1, Some(verdict(Class::Grounded, ToolMatch, "a"))),
            ballot(1, Some(verdict(Class::Contradicted, ToolMatch, "b"))),
            ballot(1, Some(verdict(Class::Grounded, SpecificData, "c"))),
            ballot(1, Some(verdict(Class::Grounded, SpecificData, "a"))),
        ];
        let (votes, merged) = count_votes(&[claim("c1")], &ballots);
        let quotes: Vec<&str> =
            merged[0].citations.iter().map(|citation| citation.quote.as_str()).collect();
        assert_eq!((merged[0].evidence_type, quotes), (SpecificData, vec!["a", "c"]));
        assert_eq!(merged[0].note, "note of a");
        assert_eq!(votes[0].agreement(), (3, 4));
        assert!(!votes[0].is_unanimous());
        let tied = [
            ballot(1, Some(verdict(Class::Grounded, ToolMatch, "a"))),
            ballot(1, Some(verdict(Class::Grounded, Inference, "b"))),
        ];
        assert_eq!(count_votes(&[claim("c1")], &tied).1[0].evidence_type, Inference);
    }

    #[test]
    fn picks_the_most_representative_note() {
        let note = |weight, class, note: &str| {
            let verdict = JudgedClaim {
                note: note.to_owned(),
                ..verdict(class, EvidenceType::ToolMatch, "q")
            };
            ballot(weight, Some(verdict))
        };
        let merged_note =
            |ballots: &[Ballot]| count_votes(&[claim("c1")], ballots).1[0].note.clone();
        let (odd, pool, similar_pool) =
            ("see E1", "E1 says the pool size is 20", "the pool size is 20 in E1, line 3");
        let mut ballots = vec![
            note(1, Class::Grounded, odd),
            note(1, Class::Grounded, pool),
            note(1, Class::Grounded, similar_pool),
            note(2, Class::Contradicted, "the pool size is 40"),
        ];
        assert_eq!(merged_note(&ballots), pool);
        // A note with a large weight is the most representative one.
        ballots[0].weight = 9;
        assert_eq!(merged_note(&ballots), odd);
        assert_eq!(
            merged_note(&[note(1, Class::Ungrounded, ""), note(1, Class::Ungrounded, "")]),
            ""
        );
    }

    #[test]
    fn a_refuter_votes_only_for_contradictions() {
        let refuter = |class| Ballot {
            refutes: true,
            ..ballot(2, Some(verdict(class, EvidenceType::ToolMatch, "r")))
        };
        let count_with_refuter = |class| {
            let grounded = verdict(Class::Grounded, EvidenceType::ToolMatch, "a");
            count_votes(&[claim("c1")], &[ballot(1, Some(grounded)), refuter(class)])
        };
        for class in [Class::Grounded, Class::Ungrounded, Class::Complementary] {
            let (votes, verdicts) = count_with_refuter(class);
            assert_eq!((votes[0].votes.len(), verdicts[0].class), (1, Class::Grounded));
        }
        let (votes, verdicts) = count_with_refuter(Class::Contradicted);
        assert_eq!((votes[0].votes.len(), verdicts[0].class), (2, Class::Contradicted));
    }

    proptest! {
        #[test]
        fn adding_a_worse_vote_never_improves_the_class(
            votes in proptest::collection::vec((1_u64..5, 0_usize..5), 1..8),
            weight in 1_u64..5,
        ) {
            let rank = |class: Option<Class>| WORST_FIRST.iter().position(|worse| *worse == class);
            let mut votes: Vec<(u64, Option<Class>)> =
                votes.into_iter().map(|(weight, index)| (weight, WORST_FIRST[index])).collect();
            let previous = winner(&votes);
            votes.push((weight, X));
            let class = winner(&votes);
            prop_assert!(rank(class) <= rank(previous));
            prop_assert!(class == previous || class == X);
        }

        #[test]
        fn the_winner_has_the_most_weight_in_any_order_of_votes(
            votes in proptest::collection::vec((1_u64..5, 0_usize..5), 1..8),
        ) {
            let mut votes: Vec<(u64, Option<Class>)> =
                votes.into_iter().map(|(weight, index)| (weight, WORST_FIRST[index])).collect();
            let winning_class = winner(&votes);
            let weight = |class| votes.iter().filter(|vote| vote.1 == class).map(|vote| vote.0).sum::<u64>();
            prop_assert!(WORST_FIRST.iter().all(|class| weight(*class) <= weight(winning_class)));
            votes.reverse();
            prop_assert_eq!(winner(&votes), winning_class);
        }
    }
}
