//! This module selects the best of a ranking that differ from one another: a passage adds nothing when a better one
//! has its terms.

use std::collections::HashSet;

/// Chooses up to `most` places of a ranking, from 0, the best first. A candidate whose terms have a Jaccard index
/// above 19/20 with one already chosen (shared terms / all terms) is taken only where nothing else is left.
#[must_use]
pub fn diverse(candidates: &[HashSet<String>], most: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    let mut alike: Vec<usize> = Vec::new();
    for (place, terms) in candidates.iter().enumerate() {
        if chosen.len() >= most {
            return chosen;
        }
        let repeats = chosen
            .iter()
            .filter_map(|other| candidates.get(*other))
            .any(|other| are_alike(terms, other));
        if repeats { alike.push(place) } else { chosen.push(place) }
    }
    let left = most.saturating_sub(chosen.len());
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
    fn what_says_the_same_gives_way() {
        let candidates = [set("a b c"), set("a b c"), set("d e"), set("a x")];
        assert_eq!(diverse(&candidates, 3), [0, 2, 3]);
        assert_eq!(diverse(&candidates, 4), [0, 2, 3, 1]);
        assert_eq!(diverse(&candidates, 1), [0]);
        assert!(diverse(&[], 3).is_empty());
    }
}
