//! This module finds where a text of lines is best cut: where the lines before and behind have least in common, so that a
//! stack trace or a burst of one kind of line stays whole.
//!
//! Two lines have in common the Jaccard index of their words, a word with a digit in it standing for any figure, halved for
//! each line between them. That is the weight of semantic chunking, similarity · exp(-distance / λ) with λ = 1 / ln 2, of
//! words instead of embeddings; the boundary of two contiguous chunks is sought directly.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::templates::words;

/// How many lines before and behind a cut are compared; of those beyond, hardly any weight is left.
const REACH: usize = 6;
/// The index of two lines with the same words, which can be halved for each line between them.
const SAME: usize = 1 << 20;

/// The end of a line, within `ends`, at which `text` is best cut; of equal ones the last. `None` where no line ends there.
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
    let first = lines.partition_point(|(end, _)| *end < ends.start);
    let behind = lines.partition_point(|(end, _)| *end < ends.end);
    // Only lines near to where it may be cut are read.
    let base = first.saturating_sub(REACH);
    let near = lines.get(base..lines.len().min(behind + REACH)).unwrap_or_default();
    let kinds: Vec<BTreeSet<&str>> = near.iter().map(|(_, line)| words(line).collect()).collect();
    let cut = (first..behind).rev().min_by_key(|place| in_common(&kinds, place - base + 1))?;
    lines.get(cut).map(|(end, _)| *end)
}

/// What the lines before a place have in common with those from it on.
fn in_common(kinds: &[BTreeSet<&str>], place: usize) -> usize {
    let (before, behind) = kinds.split_at_checked(place).unwrap_or((kinds, &[]));
    let mut sum = 0;
    for (back, one) in before.iter().rev().take(REACH).enumerate() {
        for (on, other) in behind.iter().take(REACH).enumerate() {
            let shared = one.intersection(other).count();
            let all = one.len() + other.len() - shared;
            sum += (shared * SAME).checked_div(all).unwrap_or(0) >> (back + on);
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
        let served: String =
            (1..=20).map(|n| format!("INFO served order ORD-{n} in {n} ms\n")).collect();
        let trace: String =
            (1..=9).map(|n| format!("  at shop.pool.Pool.take(Pool:{n})\n")).collect();
        let text = format!("{served}{trace}{served}");
        let ends = served.len() - 60..served.len() + trace.len() - 20;
        assert_eq!(best_cut(&text, ends), Some(served.len()));
        let ends = served.len() + 40..text.len() - 60;
        assert_eq!(best_cut(&text, ends), Some(served.len() + trace.len()));
    }

    #[test]
    fn of_lines_that_are_alike_as_many_as_fit_are_taken() {
        let text = "the same line\n".repeat(50);
        assert_eq!(best_cut(&text, 100..301), Some(14 * 21));
        assert_eq!(best_cut(&text, 100..105), None);
        assert_eq!(best_cut("", 0..9), None);
    }

    proptest! {
        #[test]
        fn a_cut_is_the_end_of_a_line_where_it_may_be(
            text in "([abé ]{0,9}\n?){0,60}", from in 0_usize..200, room in 0_usize..200,
        ) {
            let ends = from..from + room;
            let all: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1)
                .chain((!text.is_empty()).then_some(text.len())).collect();
            let cut = best_cut(&text, ends.clone());
            prop_assert_eq!(cut.is_some(), all.iter().any(|end| ends.contains(end)));
            prop_assert!(cut.is_none_or(|cut| ends.contains(&cut) && all.contains(&cut)));
        }
    }
}
