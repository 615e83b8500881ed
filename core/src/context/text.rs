//! Selects the context of a quote in plain text.

use core::ops::Range;

use super::lines::{Line, Lines, NONE};
use super::ranges::RangeBuilder;
use crate::escapes::offset;
use crate::text::{byte_at, part};

// Size limits for added context, in bytes.
pub(super) const MAX_LINE: usize = 1_024;
pub(super) const MAX_BESIDE: usize = 300;
const LINE_HEAD: usize = 120;
pub(super) const MAX_HEADING: usize = 400;
pub(super) const MAX_RECORD: usize = 2_048;

const MAX_ENCLOSING_LINES: usize = 32;
const MAX_NAMING_LINES: usize = 8;

pub(super) fn add(text: &str, lines: &Lines, quote: &Range<usize>, builder: &mut RangeBuilder) {
    if lines.len() == 0 {
        return;
    }
    let last_byte = quote.end.saturating_sub(1).max(quote.start);
    let (first, last) = (lines.line_at(quote.start), lines.line_at(last_byte));
    let mut selector = LineSelector { text, lines, quote, first, last, builder };
    selector.add_quoted_lines();
    if let Some(hunk) = lines.hunk(first) {
        let (file, head, end) = (hunk.file.clone(), hunk.head, hunk.end);
        selector.add_hunk(file, head, end);
        selector.add_title();
    } else {
        selector.add_enclosing();
        selector.add_headers();
        selector.add_names();
        selector.add_title();
        selector.add_neighbours();
        selector.add_record();
    }
    selector.add_ends();
}

/// Adds the context of a JSON document in a text: lines above it, and the rest of its first and last lines.
pub(super) fn add_around(
    text: &str,
    lines: &Lines,
    document: &Range<usize>,
    builder: &mut RangeBuilder,
) {
    let (first, last) =
        (lines.line_at(document.start), lines.line_at(document.end.saturating_sub(1)));
    let mut selector = LineSelector { text, lines, quote: document, first, last, builder };
    let line = lines.span(first, first);
    selector.add_part(line.start..document.start.min(line.start + MAX_HEADING));
    let line_end = lines.span(last, last).end;
    selector.add_part(document.end..line_end.min(document.end + MAX_BESIDE));
    selector.add_title();
    if let Some(above) = first.checked_sub(1)
        && !matches!(byte_at(text, lines.span(above, above).start), b'{' | b'[' | b'}' | b']')
    {
        selector.add_line(above);
    }
}

struct LineSelector<'t, 'k> {
    text: &'t str,
    lines: &'t Lines,
    quote: &'t Range<usize>,
    first: usize,
    last: usize,
    builder: &'k mut RangeBuilder,
}

impl LineSelector<'_, '_> {
    fn add_part(&mut self, range: Range<usize>) -> bool {
        let start = self.text.floor_char_boundary(range.start);
        self.builder.add(start..self.text.floor_char_boundary(range.end).max(start))
    }

    fn add_line(&mut self, line: usize) -> bool {
        let span = self.lines.span(line, line);
        self.add_part(span.start..span.end.min(span.start + MAX_HEADING))
    }

    fn add_line_if_any(&mut self, line: u32) {
        if line != NONE {
            self.add_line(line as usize);
        }
    }

    /// Adds a header line. For a long header, adds its start and the quote's column.
    fn add_header(&mut self, line: usize) {
        let span = self.lines.span(line, line);
        if span.len() <= MAX_LINE {
            self.add_part(span);
            return;
        }
        self.add_part(span.start..span.start + LINE_HEAD);
        let row = self.lines.span(self.first, self.first);
        let row_prefix = part(self.text, row.start..self.quote.start);
        let header = part(self.text, span.clone());
        let separator =
            [b'\t', b'|', b';', b','].into_iter().find(|byte| row_prefix.as_bytes().contains(byte));
        let column = match separator {
            Some(separator) => {
                let index = row_prefix.bytes().filter(|byte| *byte == separator).count();
                field(header, separator, index)
            }
            None => matching_columns(row_prefix.len(), self.quote.len(), header.len()),
        };
        self.add_part(span.start + column.start..span.start + column.end);
    }

    fn add_quoted_lines(&mut self) {
        self.builder.add_unbudgeted(self.quote.clone());
        let first_line = self.lines.span(self.first, self.first);
        let last_line = self.lines.span(self.last, self.last);
        if first_line.len() <= MAX_LINE {
            self.add_part(first_line.start..self.quote.start);
        } else {
            self.add_part(first_line.start..self.quote.start.min(first_line.start + LINE_HEAD));
            let start = self.quote.start.saturating_sub(MAX_BESIDE).max(first_line.start);
            self.add_part(start..self.quote.start);
        }
        let max_beside = if last_line.len() <= MAX_LINE { MAX_LINE } else { MAX_BESIDE };
        self.add_part(
            self.quote.end..last_line.end.min(self.quote.end + max_beside).max(self.quote.end),
        );
    }

    fn add_hunk(&mut self, file: Range<usize>, head: usize, end: usize) {
        self.add_line(head);
        for line in file.clone().rev().take(MAX_NAMING_LINES) {
            self.add_line(line);
        }
        if file.len() > MAX_NAMING_LINES {
            self.add_line(file.start);
        }
        let room = self.builder.remaining().min(MAX_RECORD);
        let window = self.window(head..end, room);
        self.add_part(window);
    }

    fn window(&self, limits: Range<usize>, max_bytes: usize) -> Range<usize> {
        let (mut first, mut last) = (self.first.max(limits.start), self.last.max(limits.start));
        let size = |first: usize, last: usize| self.lines.span(first, last).len();
        loop {
            let above = first.checked_sub(1).filter(|line| *line >= limits.start);
            let below = Some(last + 1).filter(|line| *line < limits.end);
            let above = above.filter(|line| size(*line, last) <= max_bytes);
            first = above.unwrap_or(first);
            let below = below.filter(|line| size(first, *line) <= max_bytes);
            last = below.unwrap_or(last);
            if above.is_none() && below.is_none() {
                return self.lines.span(first, last);
            }
        }
    }

    fn enclosing_lines(&self) -> impl Iterator<Item = usize> + use<'_> {
        let parent = |line: &usize| {
            let parent = self.lines.get(*line).map_or(NONE, |line| line.parent);
            (parent != NONE).then_some(parent as usize)
        };
        core::iter::successors(Some(self.first), parent).take(MAX_ENCLOSING_LINES)
    }

    /// Adds the lines that enclose the quote by indentation, each with the line below it, which may be a header.
    fn add_enclosing(&mut self) {
        let enclosing: Vec<usize> = self.enclosing_lines().skip(1).collect();
        for line in &enclosing {
            self.add_line(*line);
        }
        for line in enclosing {
            if line + 1 < self.first {
                self.add_header(line + 1);
            }
        }
    }

    fn add_headers(&mut self) {
        let Some(line) = self.lines.get(self.first).copied() else { return };
        let (block, first) = (line.block as usize, self.first);
        for line in [block, block + 1].into_iter().filter(|line| *line < first) {
            self.add_header(line);
        }
        if line.rule != NONE {
            let rule = line.rule as usize;
            self.add_line(rule);
            if let Some(above) = rule.checked_sub(1) {
                self.add_header(above);
            }
        }
        if line.uppercase_header != NONE {
            self.add_header(line.uppercase_header as usize);
        }
        self.add_caption(block);
    }

    /// Adds the block above the quote's block as a caption, provided that it has only one or two lines.
    fn add_caption(&mut self, block: usize) {
        let is_text = |line: &usize| self.lines.get(*line).is_some_and(|line| !line.is_blank());
        let Some(last) = (block.saturating_sub(3)..block).rev().find(is_text) else { return };
        let Some(first) = self.lines.get(last).map(|line| line.block as usize) else { return };
        if last - first <= 1 {
            self.add_line(first);
            self.add_line(last);
        }
    }

    /// Adds the nearest title with the two lines below it, and the first line of the log record.
    fn add_title(&mut self) {
        let Some(line) = self.lines.get(self.first).copied() else { return };
        self.add_line_if_any(line.label);
        if line.stamp != NONE && (line.stamp as usize) < self.first {
            self.add_line(line.stamp as usize);
        }
        if line.title == NONE {
            return;
        }
        let (title, first) = (line.title as usize, self.first);
        self.add_line(title);
        for line in [title + 1, title + 2].into_iter().filter(|line| *line < first) {
            self.add_line(line);
        }
    }

    fn add_names(&mut self) {
        let enclosing: Vec<usize> = self.enclosing_lines().collect();
        for line in enclosing {
            let Some(Line { next, .. }) = self.lines.get(line).copied() else { continue };
            let from = offset(line);
            self.add_naming(from, from, next);
        }
        let Some(line) = self.lines.get(self.first).copied() else { return };
        let first = offset(self.first);
        let above =
            self.lines.naming(NONE, line.document, first).iter().rev().take(MAX_NAMING_LINES);
        let above: Vec<u32> = above.map(|(_, line)| *line).collect();
        for line in above {
            self.add_naming_line(line);
        }
        self.add_naming(NONE, first, self.end_of_block());
    }

    fn add_naming(&mut self, parent: u32, from: u32, to: u32) {
        let lines = self.lines;
        for (_, line) in lines.naming(parent, from, to).iter().take(MAX_NAMING_LINES) {
            self.add_naming_line(*line);
        }
    }

    fn add_naming_line(&mut self, line: u32) {
        self.add_line(line as usize);
        let next = self.lines.get(line as usize).map_or(line, |line| line.next);
        let lines = self.lines;
        for (_, line) in lines.naming(line, line, next).iter().take(MAX_NAMING_LINES) {
            self.add_line(*line as usize);
        }
    }

    fn end_of_block(&self) -> u32 {
        const MAX_LINES: usize = 200;
        let candidates = self.last + 1..self.lines.len().min(self.last + MAX_LINES);
        let end = candidates.clone().find(|line| {
            let document = self.lines.get(self.last).map(|line| line.document);
            self.lines
                .get(*line)
                .is_none_or(|line| line.is_blank() || Some(line.document) != document)
        });
        offset(end.unwrap_or(candidates.end))
    }

    fn add_neighbours(&mut self) {
        if let Some(above) = self.first.checked_sub(1) {
            self.add_line(above);
        }
        if self.last + 1 < self.lines.len() {
            self.add_line(self.last + 1);
        }
    }

    /// Adds the largest enclosing section, item or log record that fits into the budget.
    fn add_record(&mut self) {
        let room = self.builder.remaining().min(MAX_RECORD);
        let lines = self.lines;
        let section_span = |line: usize| {
            let next = lines.get(line).map_or(line, |line| line.next as usize);
            lines.span(line, next.saturating_sub(1).max(line))
        };
        let contains_quote = |span: &Range<usize>| span.len() <= room && span.end >= self.quote.end;
        let largest =
            self.enclosing_lines().map(section_span).take_while(|span| span.len() <= room);
        if let Some(span) = largest.filter(contains_quote).last() {
            self.add_part(span);
        }
        let Some(stamp) = lines.get(self.first).map(|line| line.stamp as usize) else { return };
        if stamp <= self.first {
            let end = self.end_of_log_record(stamp);
            let room = self.builder.remaining().min(MAX_RECORD);
            let window = self.window(stamp..end, room);
            self.add_part(window);
        }
    }

    fn end_of_log_record(&self, stamp: usize) -> usize {
        const MAX_LINES: usize = 100;
        let end = self.lines.len().min(self.last + MAX_LINES);
        let is_continuation = |number: usize| {
            let line = self.lines.get(number);
            line.is_some_and(|line| !line.is_blank() && line.stamp as usize == stamp)
        };
        (self.last + 1..end).find(|line| !is_continuation(*line)).unwrap_or(end)
    }

    fn add_ends(&mut self) {
        self.add_line(0);
        if self.lines.len() > 1 {
            self.add_line(1);
            self.add_line(self.lines.len() - 1);
        }
    }
}

/// Returns the range of the field at an index, with its leading separator.
fn field(line: &str, separator: u8, index: usize) -> Range<usize> {
    let mut separators = memchr::memchr_iter(separator, line.as_bytes());
    let start = index
        .checked_sub(1)
        .map_or(Some(0), |separator_index| separators.nth(separator_index))
        .unwrap_or(0);
    let end = separators.next().unwrap_or(line.len()).min(start + MAX_BESIDE);
    start..end.max(start)
}

/// Returns the part of a line at the same position as a quote, with a margin on both sides.
fn matching_columns(position: usize, bytes: usize, line: usize) -> Range<usize> {
    const MARGIN: usize = 40;
    let start = position.saturating_sub(MARGIN).min(line);
    start..(position + bytes.min(MAX_BESIDE) + MARGIN).min(line).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_fields_by_index() {
        let field_at = |index| part("a,bb,ccc", field("a,bb,ccc", b',', index));
        assert_eq!([field_at(0), field_at(1), field_at(2)], ["a", ",bb", ",ccc"]);
        assert_eq!(field_at(7), "a,bb,ccc");
    }
}
