//! Selects the best entries of a ranking that differ from one another: a passage adds nothing if a better one has its
//! terms.

use std::collections::HashSet;

/// Selects up to `max` indexes of a ranking, the best first. A candidate whose terms have a Jaccard index above 19/20
/// with a selected one (shared terms / all terms) is selected only if nothing else is left.
#[must_use]
pub fn diverse(candidates: &[HashSet<String>], max: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut alike: Vec<usize> = Vec::new();
    for (place, terms) in candidates.iter().enumerate() {
        if chosen.len() >= max {
            return chosen;
        }
        let repeats = chosen
            .iter()
            .filter_map(|other| candidates.get(*other))
            .any(|other| are_alike(terms, other));
        if repeats { alike.push(place) } else { chosen.push(place) }
    }
    let left = max.saturating_sub(chosen.len());
    chosen.extend(alike.into_iter().take(left));
    chosen
}

fn are_alike(one: &HashSet<String>, other: &HashSet<String>) -> bool {
    let shared = one.intersection(other).count();
    let all = one.len() + other.len() - shared;
    shared * 20 > all * 19
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: &str) -> HashSet<String> {
        words.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn duplicates_come_last() {
        let candidates = [set("a b c"), set("a b c"), set("d e"), set("a x")];
        assert_eq!(diverse(&candidates, 3), [0, 2, 3]);
        assert_eq!(diverse(&candidates, 4), [0, 2, 3, 1]);
        assert_eq!(diverse(&candidates, 1), [0]);
        assert!(diverse(&[], 3).is_empty());
    }
}
