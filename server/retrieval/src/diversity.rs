//! Selects diverse entries from a ranking.

use std::collections::HashSet;

/// Returns the indexes of up to `max` candidates, best first. A candidate that is similar to a selected one
/// (Jaccard index of their terms above 19/20) is selected only if too few others exist.
#[must_use]
pub fn diverse(candidates: &[HashSet<String>], max: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut similar: Vec<usize> = Vec::new();
    for (index, terms) in candidates.iter().enumerate() {
        if chosen.len() >= max {
            return chosen;
        }
        let is_repetition = chosen
            .iter()
            .filter_map(|other| candidates.get(*other))
            .any(|other| is_similar(terms, other));
        if is_repetition { similar.push(index) } else { chosen.push(index) }
    }
    let remaining = max.saturating_sub(chosen.len());
    chosen.extend(similar.into_iter().take(remaining));
    chosen
}

fn is_similar(first: &HashSet<String>, second: &HashSet<String>) -> bool {
    let shared_terms = first.intersection(second).count();
    let all_terms = first.len() + second.len() - shared_terms;
    shared_terms * 20 > all_terms * 19
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: &str) -> HashSet<String> {
        words.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn duplicates_are_selected_last() {
        let candidates = [set("a b c"), set("a b c"), set("d e"), set("a x")];
        assert_eq!(diverse(&candidates, 3), [0, 2, 3]);
        assert_eq!(diverse(&candidates, 4), [0, 2, 3, 1]);
        assert_eq!(diverse(&candidates, 1), [0]);
        assert!(diverse(&[], 3).is_empty());
    }
}
