//! Operations on sets of byte ranges.

use std::ops::Range;

/// Sorts ranges, merges touching and overlapping ones, and drops empty ones.
#[must_use]
pub fn merge_ranges(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut all: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match all.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

/// Subtracts the second set from the first. Both must be sorted and disjoint, as returned by [`merge_ranges`].
#[must_use]
pub fn subtract(from: &[Range<usize>], without: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left = Vec::new();
    let mut next = 0;
    for range in from {
        let mut start = range.start;
        while without.get(next).is_some_and(|removed| removed.end <= start) {
            next += 1;
        }
        for removed in without.iter().skip(next).take_while(|removed| removed.start < range.end) {
            if removed.start > start {
                left.push(start..removed.start);
            }
            start = start.max(removed.end);
        }
        if start < range.end {
            left.push(start..range.end);
        }
    }
    left
}

/// Returns the runs of non-whitespace characters.
#[must_use]
pub fn visible(text: &str) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices() {
        match (start, character.is_whitespace()) {
            (None, false) => start = Some(at),
            (Some(from), true) => {
                runs.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    runs.extend(start.map(|from| from..text.len()));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn subtract_matches_set_difference(first in prop::collection::vec((0_usize..60, 0_usize..12), 0..8), second in prop::collection::vec((0_usize..60, 0_usize..12), 0..8)) {
            let ranges = |all: &[(usize, usize)]| merge_ranges(all.iter().map(|(start, length)| *start..start + length).collect());
            let (first, second) = (ranges(&first), ranges(&second));
            let left = subtract(&first, &second);
            for byte in 0..80 {
                let contains = |set: &[Range<usize>]| set.iter().any(|range| range.contains(&byte));
                prop_assert_eq!(contains(&left), contains(&first) && !contains(&second), "{}", byte);
            }
        }
    }
}
