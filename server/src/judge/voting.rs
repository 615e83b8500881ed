//! Counts votes. Each claim gets the class with the most votes (docs/JUDGES.md, "Votes").

use std::collections::HashSet;

use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim};
use gsar_retrieval::terms::terms;

#[derive(Debug)]
pub(super) struct Ballot {
    pub(super) judge: String,
    /// The number of the sample, counted from 0.
    pub(super) sample: u32,
    /// The weight of the votes, in 1/2520 of a member's weight unit.
    pub(super) weight: u64,
    /// `true` for a refuter, which only votes for contradictions.
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
    /// The number of the sample, counted from 0.
    pub sample: u32,
    /// The weight, in 1/2520 of a member's weight unit.
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

/// The classes from worst to best. The worst wins a tie. A missing verdict blocks a report.
const WORST_FIRST: [Option<Class>; 5] = [
    Some(Class::Contradicted),
    None,
    Some(Class::Ungrounded),
    Some(Class::Complementary),
    Some(Class::Grounded),
];

/// Counts the votes on each claim. The second list has a verdict per claim with a winner or an undecided
/// verdict. It has all citations for the winning class, the most frequent evidence type, and the most
/// representative note.
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

/// Returns the note that shares the most terms with the others, by weight. The first one wins a tie.
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

fn jaccard(first: &HashSet<String>, second: &HashSet<String>) -> u128 {
    let shared = first.intersection(second).count();
    let total = (first.len() + second.len()).saturating_sub(shared);
    (shared as u128 * 1_000_000).checked_div(total as u128).unwrap_or(0)
}

/// Returns the candidate with the most weight. The first one wins a tie. `None` without votes.
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
    use gsar_core::evidence::{Citation, EvidenceId, Target};
    use proptest::prelude::*;

    use super::*;

    fn claim(id: &str) -> Claim {
        Claim { id: ClaimId::new(id).unwrap(), text: "x".to_owned(), span: None }
    }

    fn verdict(class: Class, evidence_type: EvidenceType, quote: &str) -> JudgedClaim {
        let target =
            Target::Evidence { id: EvidenceId::new("e1").unwrap(), field_path: String::new() };
        JudgedClaim {
            claim: claim("c1"),
            class,
            evidence_type,
            citations: vec![Citation { target, quote: quote.to_owned(), bytes: None }],
            note: format!("note of {quote}"),
            role: gsar_core::Role::default(),
            rules: Vec::new(),
            undecided: None,
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
    fn the_class_with_most_votes_wins() {
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
        let (odd, pool, pool_too) =
            ("see E1", "E1 says the pool size is 20", "the pool size is 20 in E1, line 3");
        let mut ballots = vec![
            note(1, Class::Grounded, odd),
            note(1, Class::Grounded, pool),
            note(1, Class::Grounded, pool_too),
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
    fn a_refuter_only_votes_for_contradictions() {
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
