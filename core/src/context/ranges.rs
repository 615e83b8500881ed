//! This module holds sets of byte ranges: what of a text is kept, within a budget, and how the kept ranges read as one
//! text. It knows nothing of what the ranges mean.

use core::ops::Range;

use crate::text::part;

/// Gaps of at most this many bytes are kept as well: a mark of elision would say less and be hardly shorter.
const MAX_FILLED: usize = 16;
/// What stands where bytes are left out.
pub(super) const ELISION: &str = "…";

/// Disjoint ranges in order, more than [`MAX_FILLED`] bytes between any two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranges(Vec<Range<usize>>);

impl Ranges {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn as_slice(&self) -> &[Range<usize>] {
        &self.0
    }

    /// Adds a range and fills the small gaps beside it. An empty range adds nothing.
    pub(super) fn add(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let reach = range.start.saturating_sub(MAX_FILLED)..range.end.saturating_add(MAX_FILLED);
        let from = self.0.partition_point(|kept| kept.end < reach.start);
        let to = self.0.partition_point(|kept| kept.start <= reach.end).max(from);
        let joined = self.0.get(from..to).unwrap_or_default();
        let start = joined.first().map_or(range.start, |kept| kept.start.min(range.start));
        let end = joined.last().map_or(range.end, |kept| kept.end.max(range.end));
        self.0.splice(from..to, core::iter::once(start..end));
    }

    /// How many bytes of a range are not in the set.
    fn missing(&self, range: &Range<usize>) -> usize {
        let from = self.0.partition_point(|kept| kept.end <= range.start);
        let within = self.0.iter().skip(from).take_while(|kept| kept.start < range.end);
        let present: usize =
            within.map(|kept| kept.end.min(range.end) - kept.start.max(range.start)).sum();
        range.len().saturating_sub(present)
    }
}

/// A set of ranges that may grow by a number of bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Keep {
    kept: Ranges,
    left: usize,
}

impl Keep {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { kept: Ranges::default(), left: max_bytes }
    }

    /// How many bytes there is still room for.
    pub(super) const fn left(&self) -> usize {
        self.left
    }

    /// Adds a range however long it is and whatever there is room for.
    pub(super) fn always(&mut self, range: Range<usize>) {
        self.kept.add(range);
    }

    /// Adds a range where there is room for all of it; says whether it is kept.
    pub(super) fn add(&mut self, range: Range<usize>) -> bool {
        let missing = self.kept.missing(&range);
        if missing > self.left {
            return false;
        }
        self.left -= missing;
        self.kept.add(range);
        true
    }

    pub(super) fn into_ranges(self) -> Ranges {
        self.kept
    }
}

/// Writes the ranges of a text in order, with marks where something other than space is left out: within a line where
/// the gap is, a line of its own where lines are. Lines that are kept apart never become one.
pub(super) fn write(text: &str, ranges: &[Range<usize>], out: &mut impl FnMut(&str)) {
    let mut at = 0;
    for range in ranges {
        gap(text, at..range.start, out);
        out(part(text, range.clone()));
        at = range.end;
    }
    if !ranges.is_empty() {
        gap(text, at..text.len(), out);
    }
}

fn gap(text: &str, gap: Range<usize>, out: &mut impl FnMut(&str)) {
    let left_out = part(text, gap.clone());
    if left_out.is_empty() {
        return;
    }
    let Some((first, rest)) = left_out.split_once('\n') else {
        out(if left_out.trim().is_empty() { left_out } else { ELISION });
        return;
    };
    let at_line_start = gap.start == 0 || part(text, 0..gap.start).ends_with('\n');
    let (lines, last) = rest.rsplit_once('\n').unwrap_or(("", rest));
    let first_is_left_out = !first.trim().is_empty();
    if !at_line_start {
        out(if first_is_left_out { "…\n" } else { "\n" });
    }
    if (at_line_start && first_is_left_out) || !lines.trim().is_empty() {
        out("…\n");
    }
    let to_the_end = gap.end == text.len();
    if !last.trim().is_empty() {
        out(ELISION);
    } else if !to_the_end {
        out(last);
    }
}

#[cfg(test)]
mod tests {
    use core::slice::from_ref;

    use super::*;
    use proptest::prelude::*;

    fn written(text: &str, ranges: &[Range<usize>]) -> String {
        let mut out = String::new();
        write(text, ranges, &mut |part| out.push_str(part));
        out
    }

    #[test]
    fn what_is_left_out_is_marked_in_its_line_or_as_lines() {
        let text = "one two three\nfour five six\nseven\n  eight\n";
        let of = |ranges: &[Range<usize>]| written(text, ranges);
        assert_eq!(of(&[]), "");
        assert_eq!(of(from_ref(&(0..text.len()))), text);
        assert_eq!(of(&[0..3, 8..13]), "one…three\n…\n");
        assert_eq!(of(from_ref(&(14..27))), "…\nfour five six\n…\n");
        assert_eq!(of(&[0..3, 19..23]), "one…\n…five…\n…\n");
        assert_eq!(of(&[0..13, 36..41]), "one two three\n…\n  eight\n");
        assert_eq!(written("a\n   b", &[0..1, 5..6]), "a\n   b");
    }

    proptest! {
        #[test]
        fn ranges_stay_apart_in_order_and_hold_what_was_added(
            added in prop::collection::vec((0_usize..500, 0_usize..40), 0..40),
        ) {
            let mut ranges = Ranges::default();
            for (start, bytes) in &added {
                let range = *start..start + bytes;
                ranges.add(range.clone());
                prop_assert_eq!(ranges.missing(&range), 0);
            }
            for pair in ranges.as_slice().windows(2) {
                prop_assert!(pair[0].end + MAX_FILLED < pair[1].start);
            }
            for (start, bytes) in added {
                prop_assert_eq!(ranges.missing(&(start..start + bytes)), 0);
            }
        }

        #[test]
        fn a_budget_is_kept(
            added in prop::collection::vec((0_usize..5_000, 0_usize..400), 0..40),
            max_bytes in 0_usize..2_000,
        ) {
            let mut keep = Keep::new(max_bytes);
            for (start, bytes) in &added {
                keep.add(*start..start + bytes);
            }
            let kept: usize = keep.into_ranges().as_slice().iter().map(|range| range.len()).sum();
            prop_assert!(kept <= max_bytes + added.len() * MAX_FILLED);
        }
    }
}
