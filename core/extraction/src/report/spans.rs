//! Operations on sets of byte ranges.

use std::ops::Range;

/// Sorts ranges, merges adjacent and overlapping ranges, and drops empty ranges.
#[must_use]
pub fn merge_ranges(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Subtracts the second set from the first. Both sets must be sorted and disjoint, as returned by [`merge_ranges`].
#[must_use]
pub fn subtract(ranges: &[Range<usize>], removed_ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut remaining = Vec::new();
    let mut next = 0;
    for range in ranges {
        let mut start = range.start;
        while removed_ranges.get(next).is_some_and(|removed| removed.end <= start) {
            next += 1;
        }
        for removed in
            removed_ranges.iter().skip(next).take_while(|removed| removed.start < range.end)
        {
            if removed.start > start {
                remaining.push(start..removed.start);
            }
            start = start.max(removed.end);
        }
        if start < range.end {
            remaining.push(start..range.end);
        }
    }
    remaining
}

/// Returns the runs of non-whitespace characters.
#[must_use]
pub fn visible(text: &str) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = None;
    for (offset, character) in text.char_indices() {
        match (start, character.is_whitespace()) {
            (None, false) => start = Some(offset),
            (Some(run_start), true) => {
                runs.push(run_start..offset);
                start = None;
            }
            _ => {}
        }
    }
    runs.extend(start.map(|run_start| run_start..text.len()));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn subtract_matches_set_difference(first in prop::collection::vec((0_usize..60, 0_usize..12), 0..8), second in prop::collection::vec((0_usize..60, 0_usize..12), 0..8)) {
            let ranges = |pairs: &[(usize, usize)]| merge_ranges(pairs.iter().map(|(start, length)| *start..start + length).collect());
            let (first, second) = (ranges(&first), ranges(&second));
            let difference = subtract(&first, &second);
            for byte in 0..80 {
                let contains = |set: &[Range<usize>]| set.iter().any(|range| range.contains(&byte));
                prop_assert_eq!(contains(&difference), contains(&first) && !contains(&second), "{}", byte);
            }
        }
    }
}
