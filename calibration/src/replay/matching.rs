//! Finds the stored judgement for a claim: that of the same claim, or else that of stored claims that contain it
//! or are contained in it.

use crate::judgement::Judgement;
use std::collections::BTreeSet;

use gsar_core::Class;

use crate::baselines::words;

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
            let words: Vec<String> = words(text).collect();
            Entry {
                text: text.to_owned(),
                set: words.iter().cloned().collect(),
                words,
                judgement: judgement.clone(),
            }
        });
        Self { entries: entries.collect() }
    }

    pub(crate) fn exact_match(&self, claim: &str) -> Option<Judgement> {
        let same = self.entries.iter().find(|entry| entry.text == claim);
        same.map(|entry| entry.judgement.clone())
    }

    /// Returns the judgement for a claim split off from a report. Returns `None` if no stored claim is
    /// similar, or if the claim has a word that is not in the report.
    pub(crate) fn for_split_claim(&self, claim: &str, report: &str) -> Option<Judgement> {
        let (claim_words, report) = (claim.to_lowercase(), report.to_lowercase());
        let mut words = claim_words
            .split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        if !words.all(|word| report.contains(word)) {
            return None;
        }
        // A true claim and its false variant share fragments, so prefer the one in the report.
        let named = self.entries.iter().filter(|entry| report.contains(&entry.text.to_lowercase()));
        let named = Self { entries: named.cloned().collect() };
        named.most_similar(claim).or_else(|| self.most_similar(claim))
    }

    /// Returns the judgement for the most similar stored claim. A claim that joins several stored claims
    /// gets the worst of their judgements.
    fn most_similar(&self, claim: &str) -> Option<Judgement> {
        let words: Vec<String> = words(claim).collect();
        if let Some(same) = self.exact_match(claim) {
            return Some(same);
        }
        if let Some(same) = self.entries.iter().find(|entry| entry.words == words) {
            return Some(same.judgement.clone());
        }
        let claim_words: BTreeSet<String> = words.into_iter().collect();
        let alike: Vec<(&Entry, usize)> = self
            .entries
            .iter()
            .map(|entry| (entry, entry.set.intersection(&claim_words).count()))
            .filter(|(entry, shared)| {
                *shared > 0
                    && shared * 100
                        >= entry.set.len().min(claim_words.len()) * MIN_CONTAINED_PERCENT
            })
            .collect();
        // Jaccard similarity in millionths.
        let likeness = |(entry, shared): &(&Entry, usize)| {
            let all = entry.set.len() + claim_words.len() - shared;
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

/// Selects the stored claims that are contained in a longer claim, most similar first. Skips those that add few
/// words.
fn contained<'a>(
    claim_words: &BTreeSet<String>,
    mut alike: Vec<(&'a Entry, usize)>,
    likeness: impl Fn(&(&'a Entry, usize)) -> usize,
) -> Vec<&'a Entry> {
    alike.retain(|(entry, _)| entry.set.len() < claim_words.len());
    alike.sort_by_key(|candidate| std::cmp::Reverse(likeness(candidate)));
    let mut covered: BTreeSet<&String> = BTreeSet::new();
    let mut parts = Vec::new();
    for (entry, shared) in alike {
        let new =
            entry.set.intersection(claim_words).filter(|word| !covered.contains(word)).count();
        if new * 2 > shared {
            covered.extend(entry.set.intersection(claim_words));
            parts.push(entry);
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
        Judgements::new(entries).most_similar(claim).map(|judgement| judgement.class)
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
        assert!(entries.for_split_claim("the pool of checkout was exhausted", report).is_some());
        assert!(entries.for_split_claim("the pool of ledger-db was exhausted", report).is_none());
        let twin = stored("The pool of checkout was exhausted at six", Class::Contradicted);
        let twins = Judgements::new([&twin, &claim].map(|one| (one.text.as_str(), &one.judgement)));
        let report = "The pool of checkout was exhausted at noon.";
        let class =
            twins.for_split_claim("pool of checkout", report).map(|judgement| judgement.class);
        assert_eq!(class, Some(Class::Grounded), "the claim in the report");
        assert!(
            entries.exact_match(&claim.text).is_some() && entries.exact_match(report).is_none()
        );
    }

    #[test]
    fn joined_claims_get_the_worst_judgement() {
        let both = "The pool of checkout was exhausted at noon, and nobody looked at the queue.";
        assert_eq!(class_of(both), Some(Class::Ungrounded));
        let with_label = "Summary: the pool of checkout was exhausted at noon";
        assert_eq!(class_of(with_label), Some(Class::Grounded));
    }
}
