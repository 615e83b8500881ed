//! Sets of byte ranges, built within a budget and rendered with elision marks.

use core::ops::Range;

use crate::text::part;

/// The maximum size of a gap that is filled, in bytes. An elision mark would be about as long as the gap.
const MAX_FILLED: usize = 16;
pub(super) const ELISION: &str = "…";

/// Disjoint ordered ranges, separated by gaps of more than [`MAX_FILLED`] bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranges(Vec<Range<usize>>);

impl Ranges {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn as_slice(&self) -> &[Range<usize>] {
        &self.0
    }

    /// Adds a range and fills small gaps around it.
    pub(super) fn add(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let extended = range.start.saturating_sub(MAX_FILLED)..range.end.saturating_add(MAX_FILLED);
        let first = self.0.partition_point(|existing| existing.end < extended.start);
        let end_index =
            self.0.partition_point(|existing| existing.start <= extended.end).max(first);
        let joined = self.0.get(first..end_index).unwrap_or_default();
        let start = joined.first().map_or(range.start, |existing| existing.start.min(range.start));
        let end = joined.last().map_or(range.end, |existing| existing.end.max(range.end));
        self.0.splice(first..end_index, core::iter::once(start..end));
    }

    fn missing(&self, range: &Range<usize>) -> usize {
        let first = self.0.partition_point(|existing| existing.end <= range.start);
        let overlapping =
            self.0.iter().skip(first).take_while(|existing| existing.start < range.end);
        let present: usize = overlapping
            .map(|existing| existing.end.min(range.end) - existing.start.max(range.start))
            .sum();
        range.len().saturating_sub(present)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct RangeBuilder {
    ranges: Ranges,
    remaining: usize,
}

impl RangeBuilder {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { ranges: Ranges::default(), remaining: max_bytes }
    }

    pub(super) const fn remaining(&self) -> usize {
        self.remaining
    }

    pub(super) fn add_unbudgeted(&mut self, range: Range<usize>) {
        self.ranges.add(range);
    }

    /// Adds a range if it fits into the budget. Returns `true` if the range was added.
    pub(super) fn add(&mut self, range: Range<usize>) -> bool {
        let missing = self.ranges.missing(&range);
        if missing > self.remaining {
            return false;
        }
        self.remaining -= missing;
        self.ranges.add(range);
        true
    }

    pub(super) fn into_ranges(self) -> Ranges {
        self.ranges
    }
}

/// Writes the ranges of a text in order, with elision marks for omitted text that is not only white space.
pub(super) fn write(text: &str, ranges: &[Range<usize>], out: &mut impl FnMut(&str)) {
    let mut position = 0;
    for range in ranges {
        write_gap(text, position..range.start, out);
        out(part(text, range.clone()));
        position = range.end;
    }
    if !ranges.is_empty() {
        write_gap(text, position..text.len(), out);
    }
}

fn write_gap(text: &str, gap: Range<usize>, out: &mut impl FnMut(&str)) {
    let omitted = part(text, gap.clone());
    if omitted.is_empty() {
        return;
    }
    let Some((first, rest)) = omitted.split_once('\n') else {
        out(if omitted.trim().is_empty() { omitted } else { ELISION });
        return;
    };
    let at_line_start = gap.start == 0 || part(text, 0..gap.start).ends_with('\n');
    let (lines, last) = rest.rsplit_once('\n').unwrap_or(("", rest));
    let omits_first = !first.trim().is_empty();
    if !at_line_start {
        out(if omits_first { "…\n" } else { "\n" });
    }
    if (at_line_start && omits_first) || !lines.trim().is_empty() {
        out("…\n");
    }
    let is_at_end = gap.end == text.len();
    if !last.trim().is_empty() {
        out(ELISION);
    } else if !is_at_end {
        out(last);
    }
}

#[cfg(test)]
mod tests {
    use core::slice::from_ref;

    use super::*;
    use proptest::prelude::*;

    fn render_ranges(text: &str, ranges: &[Range<usize>]) -> String {
        let mut out = String::new();
        write(text, ranges, &mut |part| out.push_str(part));
        out
    }

    #[test]
    fn marks_gaps_within_a_line_or_on_a_separate_line() {
        let text = "one two three\nfour five six\nseven\n  eight\n";
        let render = |ranges: &[Range<usize>]| render_ranges(text, ranges);
        assert_eq!(render(&[]), "");
        assert_eq!(render(from_ref(&(0..text.len()))), text);
        assert_eq!(render(&[0..3, 8..13]), "one…three\n…\n");
        assert_eq!(render(from_ref(&(14..27))), "…\nfour five six\n…\n");
        assert_eq!(render(&[0..3, 19..23]), "one…\n…five…\n…\n");
        assert_eq!(render(&[0..13, 36..41]), "one two three\n…\n  eight\n");
        assert_eq!(render_ranges("a\n   b", &[0..1, 5..6]), "a\n   b");
    }

    proptest! {
        #[test]
        fn ranges_stay_disjoint_ordered_and_complete(
            spans in prop::collection::vec((0_usize..500, 0_usize..40), 0..40),
        ) {
            let mut ranges = Ranges::default();
            for (start, bytes) in &spans {
                let range = *start..start + bytes;
                ranges.add(range.clone());
                prop_assert_eq!(ranges.missing(&range), 0);
            }
            for pair in ranges.as_slice().windows(2) {
                prop_assert!(pair[0].end + MAX_FILLED < pair[1].start);
            }
            for (start, bytes) in spans {
                prop_assert_eq!(ranges.missing(&(start..start + bytes)), 0);
            }
        }

        #[test]
        fn stays_within_the_budget(
            spans in prop::collection::vec((0_usize..5_000, 0_usize..400), 0..40),
            max_bytes in 0_usize..2_000,
        ) {
            let mut builder = RangeBuilder::new(max_bytes);
            for (start, bytes) in &spans {
                builder.add(*start..start + bytes);
            }
            let bytes: usize = builder.into_ranges().as_slice().iter().map(|range| range.len()).sum();
            prop_assert!(bytes <= max_bytes + spans.len() * MAX_FILLED);
        }
    }
}
