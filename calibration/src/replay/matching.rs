//! Finds the stored judgement for a claim: for the same claim, or for stored claims that contain it or are
//! contained in it.

use crate::judgement::Judgement;
use std::collections::BTreeSet;

use gsar_core::Class;

/// The minimum percentage of the shorter claim's words that the longer claim must contain.
const MIN_CONTAINED_PERCENT: usize = 80;

#[derive(Clone, Debug, Default)]
pub(crate) struct Judgements {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    text: String,
    words: Vec<String>,
    set: BTreeSet<String>,
    judgement: Judgement,
}

impl Judgements {
    pub(crate) fn new<'a>(claims: impl IntoIterator<Item = (&'a str, &'a Judgement)>) -> Self {
        let entries = claims.into_iter().map(|(text, judgement)| {
            let words = words(text);
            Entry {
                text: text.to_owned(),
                set: words.iter().cloned().collect(),
                words,
                judgement: judgement.clone(),
            }
        });
        Self { entries: entries.collect() }
    }

    pub(crate) fn exactly(&self, claim: &str) -> Option<Judgement> {
        let same = self.entries.iter().find(|entries| entries.text == claim);
        same.map(|entries| entries.judgement.clone())
    }

    /// Returns the judgement for a claim split off from a report. Returns `None` if no stored claim is
    /// similar, or if the claim has a word that is not in the report.
    pub(crate) fn of_report(&self, claim: &str, report: &str) -> Option<Judgement> {
        let (claim_words, report) = (claim.to_lowercase(), report.to_lowercase());
        let mut words = claim_words
            .split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        if !words.all(|word| report.contains(word)) {
            return None;
        }
        // A true claim and its false variant share fragments, so prefer the one in the report.
        let named =
            self.entries.iter().filter(|entries| report.contains(&entries.text.to_lowercase()));
        let named = Self { entries: named.cloned().collect() };
        named.of(claim).or_else(|| self.of(claim))
    }

    /// Returns the judgement for the most similar stored claim. A claim that joins several stored claims
    /// gets the worst of their judgements.
    fn of(&self, claim: &str) -> Option<Judgement> {
        let words = words(claim);
        if let Some(same) = self.exactly(claim) {
            return Some(same);
        }
        if let Some(same) = self.entries.iter().find(|entries| entries.words == words) {
            return Some(same.judgement.clone());
        }
        let claim_words: BTreeSet<String> = words.into_iter().collect();
        let alike: Vec<(&Entry, usize)> = self
            .entries
            .iter()
            .map(|entries| (entries, entries.set.intersection(&claim_words).count()))
            .filter(|(entries, shared)| {
                *shared > 0
                    && shared * 100
                        >= entries.set.len().min(claim_words.len()) * MIN_CONTAINED_PERCENT
            })
            .collect();
        // Jaccard similarity in millionths.
        let likeness = |(entries, shared): &(&Entry, usize)| {
            let all = entries.set.len() + claim_words.len() - shared;
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

/// Selects stored claims contained in a longer one, most similar first, as long as they add words.
fn contained<'a>(
    claim_words: &BTreeSet<String>,
    mut alike: Vec<(&'a Entry, usize)>,
    likeness: impl Fn(&(&'a Entry, usize)) -> usize,
) -> Vec<&'a Entry> {
    alike.retain(|(entries, _)| entries.set.len() < claim_words.len());
    alike.sort_by_key(|entries| std::cmp::Reverse(likeness(entries)));
    let mut covered: BTreeSet<&String> = BTreeSet::new();
    let mut parts = Vec::new();
    for (entries, shared) in alike {
        let new =
            entries.set.intersection(claim_words).filter(|word| !covered.contains(word)).count();
        if new * 2 > shared {
            covered.extend(entries.set.intersection(claim_words));
            parts.push(entries);
        }
    }
    parts
}

fn worst_of(parts: Vec<&Entry>) -> Judgement {
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
        let entries = claims.iter().map(|claim| (claim.text.as_str(), &claim.judgement));
        Judgements::new(entries).of(claim).map(|judgement| judgement.class)
    }

    #[test]
    fn prefers_the_same_words_in_order() {
        let restarted = "Checkout restarted, after the pool was exhausted.";
        assert_eq!(class_of(restarted), Some(Class::Contradicted));
        let other = "Restarted checkout, the pool was exhausted after.";
        assert_eq!(class_of(other), Some(Class::Complementary));
    }

    #[test]
    fn fragments_match_their_claim() {
        assert_eq!(class_of("exhausted at noon"), Some(Class::Grounded));
        assert_eq!(class_of("the disk of the broker was full"), None);
    }

    #[test]
    fn rejects_claims_with_words_not_in_the_report() {
        let claim = stored("The pool of checkout was exhausted at noon", Class::Grounded);
        let entries = Judgements::new([(claim.text.as_str(), &claim.judgement)]);
        let report = "At noon the pool of checkout was exhausted. Nobody looked.";
        assert!(entries.of_report("the pool of checkout was exhausted", report).is_some());
        assert!(entries.of_report("the pool of ledger-db was exhausted", report).is_none());
        let twin = stored("The pool of checkout was exhausted at six", Class::Contradicted);
        let twins = Judgements::new([&twin, &claim].map(|one| (one.text.as_str(), &one.judgement)));
        let report = "The pool of checkout was exhausted at noon.";
        let class = twins.of_report("pool of checkout", report).map(|judgement| judgement.class);
        assert_eq!(class, Some(Class::Grounded), "the claim in the report");
        assert!(entries.exactly(&claim.text).is_some() && entries.exactly(report).is_none());
    }

    #[test]
    fn joined_claims_get_the_worst_judgement() {
        let both = "The pool of checkout was exhausted at noon, and nobody looked at the queue.";
        assert_eq!(class_of(both), Some(Class::Ungrounded));
        let with_label = "Summary: the pool of checkout was exhausted at noon";
        assert_eq!(class_of(with_label), Some(Class::Grounded));
    }
}
