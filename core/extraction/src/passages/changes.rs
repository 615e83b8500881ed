//! Renders changes as in a diff, with `-` and `+` lines under the file name.

use std::borrow::Cow;

use super::render::{MAX_HEADING, MAX_PASSAGE, RenderedPassage, collapse_whitespace};
use crate::facts::{AFTER, BEFORE, Cell, Facts, ItemId, Record};

/// The maximum length of a line in bytes.
const MAX_LINE: usize = MAX_PASSAGE / 2;

pub(super) fn render_change(
    facts: &Facts<'_>,
    item: ItemId,
    record: &Record<'_>,
) -> RenderedPassage {
    let content = facts.item(item).map_or("", |item| item.content);
    let mut text = String::new();
    for cell in &record.cells {
        let (sign, body) = split_sign(content, cell);
        let gap = if body.starts_with([' ', '\t']) { " " } else { "" };
        text.push_str(&format!("{sign}{gap}{}\n", collapse_whitespace(body.trim(), MAX_LINE)));
    }
    let file =
        record.path.last().map(|file| format!("{}:\n", collapse_whitespace(file, MAX_HEADING)));
    RenderedPassage { item: Some(item), context: file.unwrap_or_default(), text }
}

/// Returns a line's sign and its original text. For a diff inside a string, returns the key and value as the text.
fn split_sign<'c>(content: &'c str, cell: &'c Cell<'_>) -> (&'static str, Cow<'c, str>) {
    let sign = match cell.attribute.last().map(|side| &**side) {
        Some(BEFORE) => "-",
        Some(AFTER) => "+",
        _ => " ",
    };
    if let Some(body) = source_line(content, cell).and_then(|line| line.strip_prefix(sign)) {
        return (sign, Cow::Borrowed(body));
    }
    let body = match cell.attribute.as_slice() {
        [key, _] => Cow::Owned(format!(" {key}: {}", cell.text)),
        _ => Cow::Borrowed(&*cell.text),
    };
    (sign, body)
}

/// Returns the content line that contains a value, unless the value is escaped there.
fn source_line<'c>(content: &'c str, cell: &Cell<'_>) -> Option<&'c str> {
    let value = content.get(cell.span.clone()).filter(|value| *value == cell.text)?;
    let (before, after) = (content.get(..cell.span.start)?, content.get(cell.span.end..)?);
    let start = before.rfind('\n').map_or(0, |position| position + 1);
    let end = cell.span.start + value.len() + after.find('\n').unwrap_or(after.len());
    content.get(start..end)
}
