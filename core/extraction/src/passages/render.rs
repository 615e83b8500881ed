//! Renders passages. Values are rendered with their column names or keys, lines unchanged, and epoch times as times
//! of day.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::facts::{Cell, Facts, Form, ItemId, Record, RecordId};
use crate::text::figures::ClockTime;
use crate::text::part;
use crate::text::tokens::words;

pub(super) const MAX_PASSAGE: usize = 480;
const MAX_VALUE: usize = 160;
/// The maximum length of a heading in bytes.
pub(super) const MAX_HEADING: usize = 64;
const MAX_SAMPLES: usize = 24;
const MAX_PARENT_CELLS: usize = 3;
const MAX_PARENT_VALUE: usize = 48;
const MAX_SCOPE: usize = 60;

pub(super) struct PremiseWriter<'f, 'a> {
    facts: &'f Facts<'a>,
    max_bytes: usize,
    items: Vec<ItemId>,
    passages: BTreeMap<usize, RenderedPassage>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RenderedPassage {
    pub(super) item: Option<ItemId>,
    /// The records' context, rendered once for consecutive passages.
    pub(super) context: String,
    pub(super) text: String,
}

impl<'f, 'a> PremiseWriter<'f, 'a> {
    pub(super) const fn new(facts: &'f Facts<'a>, max_bytes: usize) -> Self {
        Self { facts, max_bytes, items: Vec::new(), passages: BTreeMap::new() }
    }

    /// Adds a passage if it fits. Returns `true` if the premise contains it.
    pub(super) fn add(
        &mut self,
        index: usize,
        item: ItemId,
        records: &[RecordId],
        claim: &str,
    ) -> bool {
        if self.passages.contains_key(&index) {
            return true;
        }
        let rendered = render_passage(self.facts, item, records, claim);
        if rendered.text.is_empty() || self.passages.values().any(|added| *added == rendered) {
            return false;
        }
        self.passages.insert(index, rendered);
        let is_new = !self.items.contains(&item);
        if is_new {
            self.items.push(item);
        }
        let fits = self.text().len() <= self.max_bytes;
        if !fits {
            self.passages.remove(&index);
            if is_new {
                self.items.pop();
            }
        }
        fits
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::with_capacity(self.max_bytes);
        let mut previous = &RenderedPassage::default();
        let passages_of = |item: &ItemId| {
            let item = Some(*item);
            self.passages.values().filter(move |passage| passage.item == item)
        };
        for passage in self.items.iter().flat_map(passages_of) {
            if previous.item != passage.item {
                text.extend(passage.item.map(|item| render_heading(self.facts, item)));
            }
            let is_repeated = previous.item == passage.item
                && (previous.context == passage.context
                    || passage.context.strip_suffix(":\n") == Some(previous.text.trim_end()));
            if !is_repeated {
                text.push_str(&passage.context);
            }
            text.push_str(&passage.text);
            previous = passage;
        }
        text
    }
}

fn render_heading(facts: &Facts<'_>, item: ItemId) -> String {
    let Some(item) = facts.item(item) else { return String::new() };
    let request = if item.query.is_empty() {
        Cow::Borrowed(item.tool)
    } else {
        Cow::Owned(format!("{} {}", item.tool, item.query))
    };
    format!("[{}]\n", collapse_whitespace(&request, MAX_HEADING))
}

fn render_passage(
    facts: &Facts<'_>,
    item: ItemId,
    records: &[RecordId],
    claim: &str,
) -> RenderedPassage {
    let Some(first) = records.first().and_then(|id| facts.record(*id)) else {
        return RenderedPassage::default();
    };
    let group = facts.group(first.group);
    let form = group.map_or(Form::Object, |group| group.form);
    let text = match form {
        Form::Series => render_series(facts, records, first, claim),
        Form::Diff => return super::changes::render_change(facts, item, first),
        Form::Lines | Form::Clauses => render_line(facts, first, claim),
        Form::Rows | Form::Object => render_record(first, claim),
    };
    if text.trim().is_empty() {
        return RenderedPassage::default();
    }
    let mut text = collapse_whitespace(&text, MAX_PASSAGE).into_owned();
    text.push('\n');
    let context = match form {
        Form::Rows | Form::Object => render_context(facts, first),
        _ => String::new(),
    };
    RenderedPassage { item: Some(item), context, text }
}

fn render_context(facts: &Facts<'_>, record: &Record<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut outer = record.parent.and_then(|id| facts.record(id));
    while let Some(parent) = outer {
        let short_cells = parent.cells.iter().filter(|cell| cell.text.len() <= MAX_PARENT_VALUE);
        parts.push(join_cells(short_cells.take(MAX_PARENT_CELLS)));
        outer = parent.parent.and_then(|id| facts.record(id));
    }
    let group = facts.group(record.group);
    let tool = group.and_then(|group| facts.item(group.item)).map_or("", |item| item.tool);
    let scope = group.and_then(|group| group.scope.last());
    if let Some(scope) =
        scope.filter(|scope| !tool.contains(&***scope) && !record.path.contains(scope))
    {
        parts.push(collapse_whitespace(scope, MAX_SCOPE).into_owned());
    }
    parts.retain(|part| !part.is_empty());
    parts.reverse();
    if parts.is_empty() { String::new() } else { format!("{}:\n", parts.join(" > ")) }
}

/// Renders a short line unchanged, a long line as an excerpt, and a JSON line as its members.
fn render_line(facts: &Facts<'_>, record: &Record<'_>, claim: &str) -> String {
    let content = facts.group(record.group).and_then(|group| facts.item(group.item));
    let raw = content.and_then(|item| item.content.get(record.span.clone())).unwrap_or_default();
    let raw = raw.trim();
    if raw.starts_with('{') {
        render_record(record, claim)
    } else if raw.len() > MAX_PASSAGE {
        excerpt(raw, claim)
    } else {
        raw.to_string()
    }
}

const MAX_LINE_READ: usize = 16 << 10;

/// Returns the start of a long line and the part with the most claim words.
fn excerpt(line: &str, claim: &str) -> String {
    const START_BYTES: usize = 60;
    let line = part(line, 0..line.floor_char_boundary(MAX_LINE_READ));
    let claim_terms: Vec<u64> = words(claim).map(|word| word.stem()).collect();
    let shared_starts: Vec<usize> = words(line)
        .filter(|word| claim_terms.contains(&word.stem()))
        .map(|word| word.span.start)
        .collect();
    let space = MAX_PASSAGE - START_BYTES - 8;
    // The positions are sorted.
    let count_in_window = |start: &usize| {
        shared_starts.partition_point(|position| *position < start + space)
            - shared_starts.partition_point(|position| position < start)
    };
    let start = shared_starts
        .iter()
        .copied()
        .max_by_key(|start| (count_in_window(start), core::cmp::Reverse(*start)));
    let start = start.unwrap_or(0).saturating_sub(space / 4);
    if start <= START_BYTES {
        return line.to_string();
    }
    let trimmed_part = |start: usize, end: usize| {
        part(line, line.ceil_char_boundary(start)..line.floor_char_boundary(end)).trim()
    };
    format!("{} … {}", trimmed_part(0, START_BYTES), trimmed_part(start, start + space))
}

fn render_record(record: &Record<'_>, claim: &str) -> String {
    if record.cells.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for key in &record.path {
        text.push_str(key);
        text.push_str(": ");
    }
    let total_bytes: usize = record.cells.iter().map(|cell| cell.text.len() + 12).sum();
    if total_bytes <= MAX_PASSAGE {
        text.push_str(&join_cells(record.cells.iter()));
    } else {
        text.push_str(&join_cells(relevant_cells(&record.cells, claim).into_iter()));
    }
    text
}

fn relevant_cells<'r, 'a>(cells: &'r [Cell<'a>], claim: &str) -> Vec<&'r Cell<'a>> {
    const FIRST: usize = 3;
    let claim_terms: Vec<u64> = words(claim).map(|word| word.stem()).collect();
    let has_claim_word = |text: &str| words(text).any(|word| claim_terms.contains(&word.stem()));
    cells
        .iter()
        .enumerate()
        .filter(|(index, cell)| {
            *index < FIRST
                || has_claim_word(&cell.text)
                || cell.attribute.iter().any(|name| has_claim_word(name))
        })
        .map(|(_, cell)| cell)
        .collect()
}

fn render_series(
    facts: &Facts<'_>,
    records: &[RecordId],
    first: &Record<'_>,
    claim: &str,
) -> String {
    let labels = first.parent.and_then(|id| facts.record(id));
    let mut text = labels.map_or_else(String::new, |labels| render_record(labels, claim));
    let step = records.len().div_ceil(MAX_SAMPLES).max(1);
    let last = records.len().saturating_sub(1);
    let sampled =
        records.iter().enumerate().filter(|(index, _)| index % step == 0 || *index == last);
    let samples: Vec<String> = sampled
        .filter_map(|(_, id)| facts.record(*id))
        .map(|sample| {
            let values: Vec<&str> = sample.cells.iter().map(|cell| cell_value(cell)).collect();
            match &sample.time {
                Some(time) => format!("{} {}", format_time(time), values.join(" ")),
                None => values.join(" "),
            }
        })
        .collect();
    if !text.is_empty() {
        text.push_str(": ");
    }
    text.push_str(&samples.join(", "));
    text
}

fn join_cells<'c, 'a: 'c>(cells: impl Iterator<Item = &'c Cell<'a>>) -> String {
    let parts: Vec<String> = cells
        .filter(|cell| !cell.text.is_empty())
        .map(|cell| {
            if cell.attribute.is_empty() {
                cell_value(cell).to_string()
            } else {
                format!("{} {}", cell.attribute.join("."), cell_value(cell))
            }
        })
        .collect();
    parts.join("; ")
}

fn cell_value<'c>(cell: &'c Cell<'_>) -> &'c str {
    let end = cell.text.floor_char_boundary(MAX_VALUE);
    cell.text.get(..end).unwrap_or_default().trim()
}

/// Formats a time of day, with seconds unless they are zero.
fn format_time(time: &ClockTime) -> String {
    let (hour, minute, second) =
        (time.seconds_of_day / 3600, time.seconds_of_day / 60 % 60, time.seconds_of_day % 60);
    if second == 0 {
        format!("{hour:02}:{minute:02}")
    } else {
        format!("{hour:02}:{minute:02}:{second:02}")
    }
}

pub(super) fn collapse_whitespace(text: &str, max_bytes: usize) -> Cow<'_, str> {
    let is_plain = !text.contains("  ") && !text.contains(['\n', '\t', '\r']);
    if is_plain && text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let mut collapsed = String::with_capacity(text.len().min(max_bytes));
    for word in text.split_whitespace() {
        if collapsed.len() + word.len() >= max_bytes {
            let end = word.floor_char_boundary(max_bytes.saturating_sub(collapsed.len() + 1));
            collapsed.push_str(word.get(..end).unwrap_or_default());
            break;
        }
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    Cow::Owned(collapsed)
}
