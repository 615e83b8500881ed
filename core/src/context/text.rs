//! This module chooses what is kept of a text around a quote, by its lines: the header of the table, the titles and
//! lines it stands under, what names its record, and the hunk of a diff. It knows nothing of JSON.

use core::ops::Range;

use super::lines::{Line, Lines, NONE};
use super::ranges::Keep;
use crate::escapes::offset;
use crate::text::{byte_at, part};

/// Longer lines are cut around the quote.
pub(super) const MAX_LINE: usize = 1_024;
/// What is kept of a cut line on either side of the quote.
pub(super) const BESIDE: usize = 300;
/// What is kept of the start of a cut line.
const LINE_HEAD: usize = 120;
/// The most bytes of a line that is kept for what it says of others.
pub(super) const MAX_HEADING: usize = 400;
/// The most bytes of a record, a section or a hunk that is kept whole.
pub(super) const MAX_RECORD: usize = 2_048;
/// The most lines a quote is said to stand in.
const MAX_ENCLOSING: usize = 32;
/// The most lines that name one record.
const MAX_NAMING: usize = 8;

/// Keeps a quote of a text with its context.
pub(super) fn add(text: &str, lines: &Lines, quote: &Range<usize>, keep: &mut Keep) {
    if lines.len() == 0 {
        return;
    }
    let last_byte = quote.end.saturating_sub(1).max(quote.start);
    let (first, last) = (lines.at(quote.start), lines.at(last_byte));
    let mut rules = Rules { text, lines, quote, first, last, keep };
    rules.quoted_lines();
    if let Some(hunk) = lines.hunk(first) {
        let (file, head, end) = (hunk.file.clone(), hunk.head, hunk.end);
        rules.hunk(file, head, end);
        rules.title();
    } else {
        rules.enclosing();
        rules.headers();
        rules.names();
        rules.title();
        rules.neighbours();
        rules.record();
    }
    rules.ends();
}

/// Keeps what stands above a document within a text, and beside it in its lines.
pub(super) fn add_around(text: &str, lines: &Lines, document: &Range<usize>, keep: &mut Keep) {
    let (first, last) = (lines.at(document.start), lines.at(document.end.saturating_sub(1)));
    let mut rules = Rules { text, lines, quote: document, first, last, keep };
    let line = lines.span(first, first);
    let before = line.start..document.start.min(line.start + MAX_HEADING);
    rules.part(before);
    let line_end = lines.span(last, last).end;
    rules.part(document.end..line_end.min(document.end + BESIDE));
    rules.title();
    if let Some(above) = first.checked_sub(1)
        && !matches!(byte_at(text, lines.span(above, above).start), b'{' | b'[' | b'}' | b']')
    {
        rules.line(above);
    }
}

struct Rules<'t, 'k> {
    text: &'t str,
    lines: &'t Lines,
    quote: &'t Range<usize>,
    first: usize,
    last: usize,
    keep: &'k mut Keep,
}

impl Rules<'_, '_> {
    fn part(&mut self, range: Range<usize>) -> bool {
        let start = self.text.floor_char_boundary(range.start);
        self.keep.add(start..self.text.floor_char_boundary(range.end).max(start))
    }

    /// A line for what it says of others.
    fn line(&mut self, line: usize) -> bool {
        let span = self.lines.span(line, line);
        self.part(span.start..span.end.min(span.start + MAX_HEADING))
    }

    fn line_or_none(&mut self, line: u32) {
        if line != NONE {
            self.line(line as usize);
        }
    }

    /// A line above a table: where it is long, its start and what stands over the quote.
    fn header(&mut self, line: usize) {
        let span = self.lines.span(line, line);
        if span.len() <= MAX_LINE {
            self.part(span);
            return;
        }
        self.part(span.start..span.start + LINE_HEAD);
        let row = self.lines.span(self.first, self.first);
        let before = part(self.text, row.start..self.quote.start);
        let written = part(self.text, span.clone());
        let sign =
            [b'\t', b'|', b';', b','].into_iter().find(|sign| before.as_bytes().contains(sign));
        let place = sign.map(|sign| (sign, before.bytes().filter(|byte| *byte == sign).count()));
        let over = match place {
            Some((sign, place)) => field(written, sign, place),
            None => around(before.len(), self.quote.len(), written.len()),
        };
        self.part(span.start + over.start..span.start + over.end);
    }

    /// The quote and the lines it is in, long ones cut.
    fn quoted_lines(&mut self) {
        self.keep.always(self.quote.clone());
        let from = self.lines.span(self.first, self.first);
        let to = self.lines.span(self.last, self.last);
        if from.len() <= MAX_LINE {
            self.part(from.start..self.quote.start);
        } else {
            self.part(from.start..self.quote.start.min(from.start + LINE_HEAD));
            self.part(self.quote.start.saturating_sub(BESIDE).max(from.start)..self.quote.start);
        }
        let beside = if to.len() <= MAX_LINE { MAX_LINE } else { BESIDE };
        self.part(self.quote.end..to.end.min(self.quote.end + beside).max(self.quote.end));
    }

    /// The head of a file, that of the hunk, and the hunk.
    fn hunk(&mut self, file: Range<usize>, head: usize, end: usize) {
        self.line(head);
        for line in file.clone().rev().take(MAX_NAMING) {
            self.line(line);
        }
        if file.len() > MAX_NAMING {
            self.line(file.start);
        }
        let room = self.keep.left().min(MAX_RECORD);
        let window = self.window(head..end, room);
        self.part(window);
    }

    /// Whole lines around the quoted ones, within others, in at most a number of bytes.
    fn window(&self, within: Range<usize>, max_bytes: usize) -> Range<usize> {
        let (mut from, mut to) = (self.first.max(within.start), self.last.max(within.start));
        let size = |from: usize, to: usize| self.lines.span(from, to).len();
        loop {
            let above = from.checked_sub(1).filter(|line| *line >= within.start);
            let below = Some(to + 1).filter(|line| *line < within.end);
            let above = above.filter(|line| size(*line, to) <= max_bytes);
            from = above.unwrap_or(from);
            let below = below.filter(|line| size(from, *line) <= max_bytes);
            to = below.unwrap_or(to);
            if above.is_none() && below.is_none() {
                return self.lines.span(from, to);
            }
        }
    }

    fn enclosing_lines(&self) -> impl Iterator<Item = usize> + use<'_> {
        let parent = |line: &usize| {
            let parent = self.lines.get(*line).map_or(NONE, |line| line.parent);
            (parent != NONE).then_some(parent as usize)
        };
        core::iter::successors(Some(self.first), parent).take(MAX_ENCLOSING)
    }

    /// The lines around the quote by indentation, and the first lines beneath each: a header and its rule.
    fn enclosing(&mut self) {
        let enclosing: Vec<usize> = self.enclosing_lines().skip(1).collect();
        for line in &enclosing {
            self.line(*line);
        }
        for line in enclosing {
            if line + 1 < self.first {
                self.header(line + 1);
            }
        }
    }

    /// What stands above the columns of a table.
    fn headers(&mut self) {
        let Some(line) = self.lines.get(self.first).copied() else { return };
        let (block, first) = (line.block as usize, self.first);
        for line in [block, block + 1].into_iter().filter(|line| *line < first) {
            self.header(line);
        }
        if line.rule != NONE {
            let rule = line.rule as usize;
            self.line(rule);
            if let Some(above) = rule.checked_sub(1) {
                self.header(above);
            }
        }
        if line.capitals != NONE {
            self.header(line.capitals as usize);
        }
        self.caption(block);
    }

    /// A block of one or two lines above that of the quote says what the quoted one is.
    fn caption(&mut self, block: usize) {
        let above = (block.saturating_sub(3)..block).rev();
        let said = |line: &usize| self.lines.get(*line).is_some_and(|line| !line.is_blank());
        let Some(last) = above.clone().find(said) else { return };
        let Some(begun) = self.lines.get(last).map(|line| line.block as usize) else { return };
        if last - begun <= 1 {
            self.line(begun);
            self.line(last);
        }
    }

    /// The nearest title with the two lines below it, and the line that a log record or a trace begins with.
    fn title(&mut self) {
        let Some(line) = self.lines.get(self.first).copied() else { return };
        self.line_or_none(line.label);
        if line.stamp != NONE && (line.stamp as usize) < self.first {
            self.line(line.stamp as usize);
        }
        if line.title == NONE {
            return;
        }
        let (title, first) = (line.title as usize, self.first);
        self.line(title);
        for line in [title + 1, title + 2].into_iter().filter(|line| *line < first) {
            self.line(line);
        }
    }

    /// What names the records that the quote stands in, before or behind it.
    fn names(&mut self) {
        let enclosing: Vec<usize> = self.enclosing_lines().collect();
        for line in enclosing {
            let Some(Line { next, .. }) = self.lines.get(line).copied() else { continue };
            let from = offset(line);
            self.naming(from, from, next);
        }
        let Some(line) = self.lines.get(self.first).copied() else { return };
        let first = offset(self.first);
        let above = self.lines.naming(NONE, line.document, first).iter().rev().take(MAX_NAMING);
        let above: Vec<u32> = above.map(|(_, line)| *line).collect();
        for line in above {
            self.named_by(line);
        }
        self.naming(NONE, first, self.end_of_block());
    }

    fn naming(&mut self, parent: u32, from: u32, to: u32) {
        let lines = self.lines;
        for (_, line) in lines.naming(parent, from, to).iter().take(MAX_NAMING) {
            self.named_by(*line);
        }
    }

    /// A line that names something; where the name stands beneath it (`metadata:`), that too.
    fn named_by(&mut self, line: u32) {
        self.line(line as usize);
        let next = self.lines.get(line as usize).map_or(line, |line| line.next);
        let lines = self.lines;
        for (_, line) in lines.naming(line, line, next).iter().take(MAX_NAMING) {
            self.line(*line as usize);
        }
    }

    /// How far lines at the outermost depth belong to the quoted one: to the next blank line, looked for in what a
    /// record may have.
    fn end_of_block(&self) -> u32 {
        const MAX_LINES: usize = 200;
        let within = self.last + 1..self.lines.len().min(self.last + MAX_LINES);
        let end = within.clone().find(|line| {
            let document = self.lines.get(self.last).map(|line| line.document);
            self.lines
                .get(*line)
                .is_none_or(|line| line.is_blank() || Some(line.document) != document)
        });
        offset(end.unwrap_or(within.end))
    }

    fn neighbours(&mut self) {
        if let Some(above) = self.first.checked_sub(1) {
            self.line(above);
        }
        if self.last + 1 < self.lines.len() {
            self.line(self.last + 1);
        }
    }

    /// The largest section, item or log record around the quote that there is room for.
    fn record(&mut self) {
        let room = self.keep.left().min(MAX_RECORD);
        let lines = self.lines;
        let section = |line: usize| {
            let next = lines.get(line).map_or(line, |line| line.next as usize);
            lines.span(line, next.saturating_sub(1).max(line))
        };
        let fits = |span: &Range<usize>| span.len() <= room && span.end >= self.quote.end;
        let largest = self.enclosing_lines().map(section).take_while(|span| span.len() <= room);
        if let Some(span) = largest.filter(fits).last() {
            self.part(span);
        }
        let Some(stamp) = lines.get(self.first).map(|line| line.stamp as usize) else { return };
        if stamp <= self.first {
            let end = self.end_of_log_record(stamp);
            let room = self.keep.left().min(MAX_RECORD);
            let window = self.window(stamp..end, room);
            self.part(window);
        }
    }

    /// Behind the lines without a time that follow one with a time, as far as a record may reach.
    fn end_of_log_record(&self, stamp: usize) -> usize {
        const MAX_LINES: usize = 100;
        let to = self.lines.len().min(self.last + MAX_LINES);
        let is_of_record = |line: usize| {
            self.lines.get(line).is_some_and(|of| !of.is_blank() && of.stamp as usize == stamp)
        };
        (self.last + 1..to).find(|line| !is_of_record(*line)).unwrap_or(to)
    }

    /// The first two lines of the text and its last.
    fn ends(&mut self) {
        self.line(0);
        if self.lines.len() > 1 {
            self.line(1);
            self.line(self.lines.len() - 1);
        }
    }
}

/// The field at a place of a line, with its neighbours' signs.
fn field(line: &str, sign: u8, place: usize) -> Range<usize> {
    let mut signs = memchr::memchr_iter(sign, line.as_bytes());
    let start = place.checked_sub(1).map_or(Some(0), |before| signs.nth(before)).unwrap_or(0);
    let end = signs.next().unwrap_or(line.len()).min(start + BESIDE);
    start..end.max(start)
}

/// Around what stands at the same place as a quote.
fn around(at: usize, bytes: usize, line: usize) -> Range<usize> {
    const REACH: usize = 40;
    let start = at.saturating_sub(REACH).min(line);
    start..(at + bytes.min(BESIDE) + REACH).min(line).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_stands_at_its_place() {
        let of = |place| part("a,bb,ccc", field("a,bb,ccc", b',', place));
        assert_eq!([of(0), of(1), of(2)], ["a", ",bb", ",ccc"]);
        assert_eq!(of(7), "a,bb,ccc");
    }
}
