//! Finds the stored judgement of a claim: of the same words, of a claim that contains the words of a fragment, or of one
//! whose words a longer claim contains.

use crate::judgement::Judgement;
use std::collections::BTreeSet;

use gsar_core::Class;

/// The share of the shorter of two claims that the longer one has to hold, in hundredths of its words.
const MIN_CONTAINED_PERCENT: usize = 80;

/// Judgements by the words of their claims.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judgements {
    known: Vec<Known>,
}

#[derive(Clone, Debug)]
struct Known {
    text: String,
    words: Vec<String>,
    set: BTreeSet<String>,
    judgement: Judgement,
}

impl Judgements {
    pub(crate) fn new<'a>(claims: impl IntoIterator<Item = (&'a str, &'a Judgement)>) -> Self {
        let known = claims.into_iter().map(|(text, judgement)| {
            let words = words(text);
            Known {
                text: text.to_owned(),
                set: words.iter().cloned().collect(),
                words,
                judgement: judgement.clone(),
            }
        });
        Self { known: known.collect() }
    }

    /// The judgement of a claim that is stored word for word.
    pub(crate) fn exactly(&self, claim: &str) -> Option<Judgement> {
        let same = self.known.iter().find(|known| known.text == claim);
        same.map(|known| known.judgement.clone())
    }

    /// The judgement of a claim that was split off a report; `None` if no stored claim is like it, or where it
    /// has words that the report does not have.
    pub(crate) fn of_report(&self, claim: &str, report: &str) -> Option<Judgement> {
        let (claim_words, report) = (claim.to_lowercase(), report.to_lowercase());
        let mut words = claim_words
            .split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        if !words.all(|word| report.contains(word)) {
            return None;
        }
        // A true claim and its false twin hold the same fragments; the report tells one of them.
        let named = self.known.iter().filter(|known| report.contains(&known.text.to_lowercase()));
        let named = Self { known: named.cloned().collect() };
        named.of(claim).or_else(|| self.of(claim))
    }

    /// The judgement of a claim; `None` if no stored claim is like it.
    ///
    /// Of claims that share words the most alike counts. Where a claim joins several stored ones, it is as bad as
    /// the worst of them.
    fn of(&self, claim: &str) -> Option<Judgement> {
        let words = words(claim);
        if let Some(same) = self.exactly(claim) {
            return Some(same);
        }
        if let Some(same) = self.known.iter().find(|known| known.words == words) {
            return Some(same.judgement.clone());
        }
        let claim_words: BTreeSet<String> = words.into_iter().collect();
        let alike: Vec<(&Known, usize)> = self
            .known
            .iter()
            .map(|known| (known, known.set.intersection(&claim_words).count()))
            .filter(|(known, shared)| {
                *shared > 0
                    && shared * 100
                        >= known.set.len().min(claim_words.len()) * MIN_CONTAINED_PERCENT
            })
            .collect();
        // Shared words over all words of both, compared without a fraction.
        let likeness = |(known, shared): &(&Known, usize)| {
            let all = known.set.len() + claim_words.len() - shared;
            shared * 1_000_000 / all.max(1)
        };
        let best = alike
            .iter()
            .copied()
            .reduce(|best, next| if likeness(&next) > likeness(&best) { next } else { best })?;
        if best.0.set.len() >= claim_words.len() {
            return Some(best.0.judgement.clone());
        }
        Some(worst_of(contained(&claim_words, alike, likeness)))
    }
}

/// The stored claims within a longer one: the most alike first, and each that brings words of its own.
fn contained<'a>(
    claim_words: &BTreeSet<String>,
    mut alike: Vec<(&'a Known, usize)>,
    likeness: impl Fn(&(&'a Known, usize)) -> usize,
) -> Vec<&'a Known> {
    alike.retain(|(known, _)| known.set.len() < claim_words.len());
    alike.sort_by_key(|known| std::cmp::Reverse(likeness(known)));
    let mut covered: BTreeSet<&String> = BTreeSet::new();
    let mut parts = Vec::new();
    for (known, shared) in alike {
        let new =
            known.set.intersection(claim_words).filter(|word| !covered.contains(word)).count();
        if new * 2 > shared {
            covered.extend(known.set.intersection(claim_words));
            parts.push(known);
        }
    }
    parts
}

fn worst_of(parts: Vec<&Known>) -> Judgement {
    let worst = parts.iter().map(|part| part.judgement.class).max().unwrap_or(Class::Ungrounded);
    let mut worst = parts.into_iter().filter(|part| part.judgement.class == worst);
    let first = worst.next().map(|part| part.judgement.clone());
    let mut judgement = first.unwrap_or(Judgement {
        class: Class::Ungrounded,
        evidence_type: gsar_core::EvidenceType::Inference,
        citations: Vec::new(),
    });
    for part in worst {
        for citation in &part.judgement.citations {
            if !judgement.citations.contains(citation) {
                judgement.citations.push(citation.clone());
            }
        }
    }
    judgement
}

fn words(text: &str) -> Vec<String> {
    let split = text.split(|c: char| !c.is_alphanumeric());
    split.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::super::stored::tests::stored;
    use super::*;

    fn class_of(claim: &str) -> Option<Class> {
        let claims = [
            stored("The pool of checkout was exhausted at noon", Class::Grounded),
            stored("checkout restarted after the pool was exhausted", Class::Contradicted),
            stored("restarted checkout: the pool was exhausted after", Class::Complementary),
            stored("Nobody looked at the queue", Class::Ungrounded),
        ];
        let known = claims.iter().map(|claim| (claim.text.as_str(), &claim.judgement));
        Judgements::new(known).of(claim).map(|judgement| judgement.class)
    }

    #[test]
    fn the_same_words_in_their_order_come_first() {
        let restarted = "Checkout restarted, after the pool was exhausted.";
        assert_eq!(class_of(restarted), Some(Class::Contradicted));
        let other = "Restarted checkout, the pool was exhausted after.";
        assert_eq!(class_of(other), Some(Class::Complementary));
    }

    #[test]
    fn a_fragment_takes_the_judgement_of_the_claim_that_holds_it() {
        assert_eq!(class_of("exhausted at noon"), Some(Class::Grounded));
        assert_eq!(class_of("the disk of the broker was full"), None);
    }

    #[test]
    fn a_claim_with_a_word_of_its_own_is_none_of_the_report() {
        let claim = stored("The pool of checkout was exhausted at noon", Class::Grounded);
        let known = Judgements::new([(claim.text.as_str(), &claim.judgement)]);
        let report = "At noon the pool of checkout was exhausted. Nobody looked.";
        assert!(known.of_report("the pool of checkout was exhausted", report).is_some());
        assert!(known.of_report("the pool of ledger-db was exhausted", report).is_none());
        let twin = stored("The pool of checkout was exhausted at six", Class::Contradicted);
        let twins = Judgements::new([&twin, &claim].map(|one| (one.text.as_str(), &one.judgement)));
        let report = "The pool of checkout was exhausted at noon.";
        let class = twins.of_report("pool of checkout", report).map(|judgement| judgement.class);
        assert_eq!(class, Some(Class::Grounded), "the one that the report tells");
        assert!(known.exactly(&claim.text).is_some() && known.exactly(report).is_none());
    }

    #[test]
    fn a_claim_of_several_is_as_bad_as_the_worst() {
        let both = "The pool of checkout was exhausted at noon, and nobody looked at the queue.";
        assert_eq!(class_of(both), Some(Class::Ungrounded));
        let with_label = "Summary: the pool of checkout was exhausted at noon";
        assert_eq!(class_of(with_label), Some(Class::Grounded));
    }
}
