//! Outlines long items, and selects the lines that a model chooses.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use gsar_core::evidence::{Content, EvidenceItem};
use gsar_retrieval::templates::{Template, Templates};
use serde::Deserialize;

use super::framed::{ItemPart, Piece};

const MIN_LINES: usize = 64;
const MAX_LINE: usize = 300;
/// The maximum number of choices. Further choices are ignored.
const MAX_CHOICES: usize = 64;
/// The number of lines sent from the start of an item in which the model chose no lines.
const HEAD_LINES: usize = 20;

pub(super) struct LongItem<'e> {
    pub(super) item: &'e EvidenceItem,
    lines: Vec<Range<usize>>,
    pub(super) outline: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct LineChoices {
    pub(super) choices: Vec<LineChoice>,
}

/// An inclusive range of an item's lines, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct LineChoice {
    pub(super) evidence: String,
    pub(super) first_line: usize,
    pub(super) last_line: usize,
}

pub(super) struct Selection<'e> {
    pub(super) pieces: Vec<Piece<'e>>,
    pub(super) lines_left_out: usize,
}

impl<'e> LongItem<'e> {
    /// Outlines a text item of more than `max_bytes`. The entries of the outline take up at most `max_bytes`.
    /// Returns `None` if the item is JSON, is shorter, or has fewer than [`MIN_LINES`] lines.
    pub(super) fn new(item: &'e EvidenceItem, max_bytes: usize) -> Option<Self> {
        let Content::Text(content) = &item.content else { return None };
        if content.len() <= max_bytes {
            return None;
        }
        let mut lines = Vec::new();
        let mut templates = Templates::default();
        let mut start = 0;
        for line in content.split_inclusive('\n') {
            templates.push(line.trim_end_matches(['\n', '\r']));
            lines.push(start..start + line.len());
            start += line.len();
        }
        let outline = (lines.len() >= MIN_LINES).then(|| outline(templates, max_bytes))?;
        Some(Self { item, lines, outline })
    }

    fn piece(&self, lines: Range<usize>) -> Option<Piece<'e>> {
        let (first, last) =
            (self.lines.get(lines.start)?, self.lines.get(lines.end.checked_sub(1)?)?);
        Some(Piece {
            item: self.item,
            content: self.item.content.as_str().get(first.start..last.end)?,
            part: Some(ItemPart::Lines {
                first: lines.start + 1,
                last: lines.end,
                total: Some(self.lines.len()),
            }),
        })
    }

    /// Returns the indices of the chosen lines that fit into `room`, and subtracts their size from `room`.
    fn take_lines(&self, choice: &LineChoice, room: &mut usize) -> Range<usize> {
        let first = choice.first_line.max(1) - 1;
        let end = choice.last_line.min(self.lines.len());
        let mut last = first;
        while last < end
            && let Some(line) = self.lines.get(last)
            && let Some(remaining) = room.checked_sub(line.len())
        {
            (*room, last) = (remaining, last + 1);
        }
        first..last
    }
}

/// Lists a text's distinct lines with their counts and line numbers. Lines that differ only in figures
/// count as equal. If the list exceeds `room` bytes, the most frequent lines are omitted.
fn outline(templates: Templates, room: usize) -> String {
    let line_count = templates.lines();
    let templates = templates.finish();
    let entries: Vec<String> = templates.iter().map(outline_entry).collect();
    let mut rarest_first: Vec<usize> = (0..templates.len()).collect();
    rarest_first.sort_by_key(|index| templates.get(*index).map(|template| template.count));
    let mut room = room;
    let mut is_listed = vec![false; templates.len()];
    for index in rarest_first {
        let bytes = entries.get(index).map_or(0, String::len);
        let Some(remaining) = room.checked_sub(bytes) else { break };
        room = remaining;
        if let Some(entry) = is_listed.get_mut(index) {
            *entry = true;
        }
    }
    let mut text = format!("{line_count} lines\n");
    let (mut kinds, mut lines) = (0_u64, 0_u64);
    for ((entry, template), is_listed) in entries.iter().zip(&templates).zip(is_listed) {
        if is_listed {
            text.push_str(entry);
        } else {
            (kinds, lines) = (kinds + 1, lines + template.count);
        }
    }
    if kinds > 0 {
        let _ = writeln!(text, "not listed: {kinds} further kinds of lines, {lines} lines");
    }
    text
}

fn outline_entry(template: &Template) -> String {
    let end = template.sample.floor_char_boundary(MAX_LINE);
    let sample = template.sample.get(..end).unwrap_or_default();
    let cut = if end < template.sample.len() { " [cut]" } else { "" };
    match template.count {
        1 => format!("{}: {sample}{cut}\n", template.first),
        count => format!("{} to {}, {count} lines: {sample}{cut}\n", template.first, template.last),
    }
}

/// Returns short items in full, and the chosen lines of long items as far as they fit into `room` bytes.
/// `index_of` maps an item's label to its index in `long_items`.
pub(super) fn select_lines<'e>(
    evidence: &'e [EvidenceItem],
    long_items: &[LongItem<'e>],
    choices: &[LineChoice],
    index_of: impl Fn(&str) -> Option<usize>,
    mut room: usize,
) -> Selection<'e> {
    let mut lines_by_item: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    let mut lines_left_out = 0;
    for choice in choices.iter().take(MAX_CHOICES) {
        let Some((index, item)) =
            index_of(&choice.evidence).and_then(|index| Some((index, long_items.get(index)?)))
        else {
            continue;
        };
        let end = choice.last_line.min(item.lines.len());
        let lines = item.take_lines(choice, &mut room);
        lines_left_out += end.saturating_sub(lines.end);
        if !lines.is_empty() {
            lines_by_item.entry(index).or_default().push(lines);
        }
    }
    let pieces = evidence.iter().flat_map(|item| {
        match long_items.iter().position(|long_item| std::ptr::eq(long_item.item, item)) {
            None => vec![Piece::from_item(item)],
            Some(index) => {
                let head = || std::iter::once(0..HEAD_LINES).collect();
                let lines = lines_by_item.remove(&index).map_or_else(head, merge_ranges);
                let item = long_items.get(index);
                lines.into_iter().filter_map(|lines| item?.piece(lines)).collect()
            }
        }
    });
    Selection { pieces: pieces.collect(), lines_left_out }
}

fn merge_ranges(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::judge::model::shuffled_question::tests::question;

    fn log() -> String {
        let lines = (1..=400).map(|n| match n {
            137 => "ERROR pool of payments-db is exhausted\n".to_owned(),
            _ => format!("INFO order ORD-{n} took {} ms\n", n * 7 % 90),
        });
        lines.collect()
    }

    fn line_range(piece: &Piece<'_>) -> (usize, usize) {
        let Some(ItemPart::Lines { first, last, total: Some(400) }) = piece.part else {
            panic!("{:?}", piece.part)
        };
        (first, last)
    }

    fn choice(first_line: usize, last_line: usize) -> LineChoice {
        LineChoice { evidence: "E1".to_owned(), first_line, last_line }
    }

    #[test]
    fn lines_that_differ_only_in_figures_are_listed_once() {
        let question = question("", &["x"], &log());
        let long_item = LongItem::new(&question.evidence[0], 1_024).unwrap();
        assert_eq!(
            long_item.outline,
            "400 lines\n1 to 400, 399 lines: INFO order ORD-1 took 7 ms\n137: ERROR pool of payments-db is exhausted\n"
        );
        assert!(LongItem::new(&question.evidence[0], 1 << 20).is_none());
    }

    #[test]
    fn the_rarest_lines_have_priority() {
        let mut text: String = ('a'..='z').map(|c| format!("{c}\n").repeat(9)).collect();
        text.push_str("once\n");
        let mut templates = Templates::default();
        text.lines().for_each(|line| templates.push(line));
        let outline = outline(templates, 40);
        assert_eq!(
            outline,
            "235 lines\n1 to 9, 9 lines: a\n235: once\nnot listed: 25 further kinds of lines, 225 lines\n"
        );
    }

    #[test]
    fn shows_chosen_lines_or_the_head_of_an_item() {
        let question = question("", &["x"], &log());
        let evidence = &question.evidence;
        let long_items = [LongItem::new(&evidence[0], 1_024).unwrap()];
        let selected_lines = |choices: &[LineChoice], room| {
            let selection = select_lines(evidence, &long_items, choices, |_| Some(0), room);
            let lines: Vec<(usize, usize)> = selection.pieces.iter().map(line_range).collect();
            (lines, selection.lines_left_out)
        };
        assert_eq!(selected_lines(&[], 9_999), (vec![(1, 20)], 0));
        let choices = [choice(135, 140), choice(1, 2), choice(139, 141)];
        assert_eq!(selected_lines(&choices, 9_999), (vec![(1, 2), (135, 141)], 0));
        assert_eq!(selected_lines(&[choice(137, 900)], 70), (vec![(137, 138)], 262));
        assert_eq!(selected_lines(&[choice(900, 950), choice(9, 3)], 9_999), (vec![(1, 20)], 0));
    }

    proptest! {
        #[test]
        fn pieces_are_excerpts_of_the_item_and_respect_the_size_limit(
            choices in prop::collection::vec((0_usize..500, 0_usize..500), 0..9), room in 0_usize..9_000,
        ) {
            let question = question("", &["x"], &log());
            let evidence = &question.evidence;
            let long_items = [LongItem::new(&evidence[0], 1_024).unwrap()];
            let choices: Vec<LineChoice> =
                choices.into_iter().map(|(first, last)| choice(first, last)).collect();
            let selection = select_lines(evidence, &long_items, &choices, |_| Some(0), room);
            let lines: Vec<&str> = evidence[0].content.as_str().split_inclusive('\n').collect();
            for piece in &selection.pieces {
                let (first, last) = line_range(piece);
                prop_assert_eq!(piece.content, lines[first - 1..last].concat());
            }
            let bytes: usize = selection.pieces.iter().map(|piece| piece.content.len()).sum();
            let head: usize = lines[..HEAD_LINES].iter().map(|line| line.len()).sum();
            prop_assert!(bytes <= room.max(head));
        }
    }
}
