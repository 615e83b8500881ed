//! Finds the best line end at which to split a text: where adjacent lines are least similar. Keeps stack traces
//! and bursts of similar lines whole.
//!
//! The similarity of two lines is the Jaccard index of their words, halved for each line between them. All
//! words that contain a digit count as equal. Semantic chunking weights embeddings in the same way.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::templates::words;

/// The number of lines compared on each side of a cut. Lines farther away would have almost no weight.
const REACH: usize = 6;
/// The similarity of equal, adjacent lines.
const SAME: usize = 1 << 20;

/// Returns the best line end within `ends` at which to split `text`. If several are equally good, returns
/// the last of them. Returns `None` if no line ends within `ends`.
#[must_use]
pub fn best_cut(text: &str, ends: Range<usize>) -> Option<usize> {
    let mut end = 0;
    let lines: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .map(|line| {
            end += line.len();
            (end, line)
        })
        .collect();
    let first_line = lines.partition_point(|(end, _)| *end < ends.start);
    let end_line = lines.partition_point(|(end, _)| *end < ends.end);
    // Only lines near possible cuts matter.
    let first_near_line = first_line.saturating_sub(REACH);
    let near_lines =
        lines.get(first_near_line..lines.len().min(end_line + REACH)).unwrap_or_default();
    let word_sets: Vec<BTreeSet<&str>> =
        near_lines.iter().map(|(_, line)| words(line).collect()).collect();
    let cut = (first_line..end_line)
        .rev()
        .min_by_key(|index| similarity_across(&word_sets, index - first_near_line + 1))?;
    lines.get(cut).map(|(end, _)| *end)
}

fn similarity_across(word_sets: &[BTreeSet<&str>], index: usize) -> usize {
    let (sets_before, sets_after) = word_sets.split_at_checked(index).unwrap_or((word_sets, &[]));
    let mut sum = 0;
    for (distance_before, words_before) in sets_before.iter().rev().take(REACH).enumerate() {
        for (distance_after, words_after) in sets_after.iter().take(REACH).enumerate() {
            let shared_words = words_before.intersection(words_after).count();
            let all_words = words_before.len() + words_after.len() - shared_words;
            sum += (shared_words * SAME).checked_div(all_words).unwrap_or(0)
                >> (distance_before + distance_after);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_stack_trace_stays_whole() {
        let served_lines: String = (1..=20)
            .map(|number| format!("INFO served order ORD-{number} in {number} ms\n"))
            .collect();
        let trace: String =
            (1..=9).map(|number| format!("  at shop.pool.Pool.take(Pool:{number})\n")).collect();
        let text = format!("{served_lines}{trace}{served_lines}");
        let ends = served_lines.len() - 60..served_lines.len() + trace.len() - 20;
        assert_eq!(best_cut(&text, ends), Some(served_lines.len()));
        let ends = served_lines.len() + 40..text.len() - 60;
        assert_eq!(best_cut(&text, ends), Some(served_lines.len() + trace.len()));
    }

    #[test]
    fn equal_lines_are_split_as_late_as_possible() {
        let text = "the same line\n".repeat(50);
        assert_eq!(best_cut(&text, 100..301), Some(14 * 21));
        assert_eq!(best_cut(&text, 100..105), None);
        assert_eq!(best_cut("", 0..9), None);
    }

    proptest! {
        #[test]
        fn a_cut_is_the_end_of_a_line_in_the_allowed_range(
            text in "([abé ]{0,9}\n?){0,60}", start in 0_usize..200, length in 0_usize..200,
        ) {
            let ends = start..start + length;
            let line_ends: Vec<usize> = text.match_indices('\n').map(|(index, _)| index + 1)
                .chain((!text.is_empty()).then_some(text.len())).collect();
            let cut = best_cut(&text, ends.clone());
            prop_assert_eq!(cut.is_some(), line_ends.iter().any(|end| ends.contains(end)));
            prop_assert!(cut.is_none_or(|cut| ends.contains(&cut) && line_ends.contains(&cut)));
        }
    }
}
