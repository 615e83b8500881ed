//! Indexes the lines of a text by indentation, block and title.

use core::ops::Range;

use super::hunks::{Hunk, Hunks};
use crate::escapes::offset;
use crate::text::{byte_at, part};

pub(super) const NONE: u32 = u32::MAX;
const BLANK: u32 = u32::MAX;
const MAX_LABEL: usize = 120;

/// A line and its context lines. A context line that does not exist is [`NONE`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    start: u32,
    end: u32,
    /// Twice the indentation in bytes, plus one for a list item, since an item may have the same indentation as its
    /// key.
    depth: u32,
    /// The nearest less-indented line above, within the document.
    pub(super) parent: u32,
    /// The line after the last one of the more-indented lines below.
    pub(super) next: u32,
    /// The first line of the block. Blank lines separate blocks.
    pub(super) block: u32,
    /// The first line of the document. `---` separates documents.
    pub(super) document: u32,
    /// The nearest command or title above.
    pub(super) title: u32,
    /// The nearest unindented line above that ends in a colon.
    pub(super) label: u32,
    /// The nearest header rule above in the block.
    pub(super) rule: u32,
    /// The nearest uppercase header above in the block.
    pub(super) uppercase_header: u32,
    /// The nearest line at or above that begins with a time.
    pub(super) stamp: u32,
}

impl Line {
    pub(super) const fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) const fn is_blank(&self) -> bool {
        self.depth == BLANK
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    lines: Vec<Line>,
    /// The lines with a naming key, as pairs of parent and line.
    naming: Vec<(u32, u32)>,
    pub(super) hunks: Hunks,
}

impl Lines {
    pub(super) fn new(text: &str) -> Self {
        let mut builder = Builder::default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            builder.add(start, line.trim_end_matches(['\n', '\r']));
            start += line.len();
        }
        builder.finish(text)
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn get(&self, line: usize) -> Option<&Line> {
        self.lines.get(line)
    }

    pub(super) fn line_at(&self, offset: usize) -> usize {
        self.lines.partition_point(|line| line.start as usize <= offset).saturating_sub(1)
    }

    pub(super) fn span(&self, first: usize, last: usize) -> Range<usize> {
        let start = self.get(first).map_or(0, |line| line.start as usize);
        let end = self.get(last).map_or(start, |line| line.end as usize);
        start..end.max(start)
    }

    pub(super) fn hunk(&self, line: usize) -> Option<&Hunk> {
        self.hunks.hunk_at(line)
    }

    /// Returns the naming lines in a line range that are directly below `parent` ([`NONE`] for the top level).
    pub(super) fn naming(&self, parent: u32, from: u32, to: u32) -> &[(u32, u32)] {
        let first = self.naming.partition_point(|entry| *entry < (parent, from));
        let last = self.naming.partition_point(|entry| *entry < (parent, to)).max(first);
        self.naming.get(first..last).unwrap_or_default()
    }
}

#[derive(Default)]
struct Builder {
    lines: Vec<Line>,
    naming: Vec<(u32, u32)>,
    /// The enclosing lines and their depths.
    open_lines: Vec<(u32, u32)>,
    block: Option<u32>,
    document: u32,
    title: Option<u32>,
    label: Option<u32>,
    rule: Option<u32>,
    uppercase_header: Option<u32>,
    stamp: Option<u32>,
}

impl Builder {
    fn add(&mut self, start: usize, line: &str) {
        let index = offset(self.lines.len());
        let body = line.trim_start_matches([' ', '\t']);
        let is_blank = body.trim().is_empty();
        if is_blank {
            (self.block, self.rule, self.uppercase_header) = (None, None, None);
        }
        let is_separator =
            body.len() == line.len() && (body.trim_end() == "---" || body.starts_with("--- #"));
        if is_separator {
            self.close(0, index);
            self.document = index;
        }
        let is_item = body == "-" || body.starts_with("- ");
        let indentation = offset(line.len() - body.len()).min(u32::MAX / 4);
        let depth = if is_blank { BLANK } else { indentation * 2 + u32::from(is_item) };
        if !is_blank {
            self.close(depth, index);
        }
        let parent = self.open_lines.last().map_or(NONE, |(parent, _)| *parent);
        if begins_with_time(body) {
            self.stamp = Some(index);
        }
        self.lines.push(Line {
            start: offset(start),
            end: offset(start + line.len()),
            depth,
            parent: if is_blank { NONE } else { parent },
            next: index + 1,
            block: self.block.unwrap_or(index),
            document: self.document,
            title: self.title.unwrap_or(NONE),
            label: self.label.unwrap_or(NONE),
            rule: self.rule.unwrap_or(NONE),
            uppercase_header: self.uppercase_header.unwrap_or(NONE),
            stamp: self.stamp.unwrap_or(NONE),
        });
        if is_blank {
            return;
        }
        self.open_lines.push((index, depth));
        self.block.get_or_insert(index);
        if is_title(body) {
            self.title = Some(index);
        }
        if indentation == 0 && body.len() <= MAX_LABEL && body.ends_with(':') {
            self.label = Some(index);
        }
        if is_rule(body) {
            self.rule = Some(index);
        }
        if is_header(body) {
            self.uppercase_header = Some(index);
        }
        if !is_item && has_naming_key(body) {
            self.naming.push((parent, index));
        }
    }

    fn close(&mut self, depth: u32, index: u32) {
        while let Some((line, _)) = self.open_lines.pop_if(|(_, open_depth)| *open_depth >= depth) {
            if let Some(line) = self.lines.get_mut(line as usize) {
                line.next = index;
            }
        }
    }

    fn finish(mut self, text: &str) -> Lines {
        self.close(0, offset(self.lines.len()));
        self.naming.sort_unstable();
        let hunks = Hunks::new(self.lines.iter().map(|line| part(text, line.span())));
        Lines { lines: self.lines, naming: self.naming, hunks }
    }
}

fn is_title(line: &str) -> bool {
    const MARKS: [&str; 11] =
        ["$ ", "# ", "## ", "### ", "== ", "=== ", "==> ", "--- ", "*** ", ">>> ", "commit "];
    let trimmed = line.trim_end();
    let is_section = trimmed.len() <= MAX_LABEL
        && trimmed.starts_with('[')
        && trimmed.ends_with(']')
        && !trimmed.contains(['"', '{', ',']);
    is_section || MARKS.iter().any(|mark| line.starts_with(mark))
}

/// Returns `true` for a rule such as `-----`, `=====`, `|---|:--:|`, `+-----+` or `---- ----`.
fn is_rule(line: &str) -> bool {
    let is_rule_byte = |byte: u8| matches!(byte, b'-' | b'=' | b'+' | b'|' | b':' | b' ' | b'\t');
    line.bytes().all(is_rule_byte) && (line.contains("---") || line.contains("==="))
}

/// Returns `true` for an uppercase header of two or more words: `NAME  READY  STATUS`.
fn is_header(line: &str) -> bool {
    let has_lowercase = line.bytes().any(|byte| byte.is_ascii_lowercase());
    !has_lowercase
        && line.split([' ', '\t', '|', ',']).filter(|word| is_capitals(word)).take(2).count() == 2
}

fn is_capitals(word: &str) -> bool {
    word.len() >= 2 && word.starts_with(|c: char| c.is_ascii_uppercase())
}

fn begins_with_time(line: &str) -> bool {
    let body = line.trim_start_matches(['[', '(', '"', '<']);
    let digits = |from: usize, count: usize| {
        part(body, from..from + count).len() == count
            && part(body, from..from + count).bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_date = digits(0, 4) && matches!(byte_at(body, 4), b'-' | b'/') && digits(5, 2);
    let is_clock = digits(0, 2) && byte_at(body, 2) == b':' && digits(3, 2);
    let is_glog = matches!(byte_at(body, 0), b'I' | b'W' | b'E' | b'F') && digits(1, 4);
    let is_syslog = byte_at(body, 3) == b' ' && {
        const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
        MONTHS.contains(part(body, 0..3)) && byte_at(body, 0).is_ascii_uppercase()
    };
    is_date || is_clock || is_glog && byte_at(body, 5) == b' ' || is_syslog
}

/// Returns `true` for a line that identifies its record: `name: cart-1`, `"kind": "Pod",`.
fn has_naming_key(line: &str) -> bool {
    const MAX_KEY: usize = 40;
    let head = part(line, 0..line.floor_char_boundary(MAX_KEY));
    let Some(separator) = head.find([':', '=']) else { return false };
    super::names::is_naming_key(part(head, 0..separator).trim().trim_matches(['"', '\'']))
}
