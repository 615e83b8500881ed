//! This module indexes the lines of a text: what each stands in by its indentation, the block and the titles above it,
//! and which lines name something. It chooses nothing.

use core::ops::Range;

use super::hunks::{Hunk, Hunks};
use crate::escapes::offset;
use crate::text::{byte_at, part};

/// No line.
pub(super) const NONE: u32 = u32::MAX;
/// The depth of a line with nothing on it.
const BLANK: u32 = u32::MAX;
/// The most bytes of a line that can be a label: `Pods of the cart:`.
const MAX_LABEL: usize = 120;

/// A line, and the lines that tell what it is about; [`NONE`] where there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    start: u32,
    end: u32,
    /// Twice the bytes of its indentation; one more for an item of a list, which may stand below its key.
    depth: u32,
    /// The nearest line above that is less deep, within the document.
    pub(super) parent: u32,
    /// The line behind the last one that is deeper.
    pub(super) next: u32,
    /// The first line of its block, behind a blank one.
    pub(super) block: u32,
    /// The first line of its document, behind `---`.
    pub(super) document: u32,
    /// The nearest line above that is a command or a title.
    pub(super) title: u32,
    /// The nearest line above that ends in a colon and is not indented.
    pub(super) label: u32,
    /// The nearest line above, in its block, that rules off a header.
    pub(super) rule: u32,
    /// The nearest line above, in its block, that has columns in capitals.
    pub(super) capitals: u32,
    /// The nearest line, itself or above, that begins with a time.
    pub(super) stamp: u32,
}

impl Line {
    /// Its bytes without the line break.
    pub(super) const fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) const fn is_blank(&self) -> bool {
        self.depth == BLANK
    }
}

/// The lines of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    lines: Vec<Line>,
    /// Lines that name what they stand in, by the line they stand in.
    naming: Vec<(u32, u32)>,
    pub(super) hunks: Hunks,
}

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let mut reader = Reader::default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let written = line.trim_end_matches(['\n', '\r']);
            reader.line(start, written);
            start += line.len();
        }
        reader.finish(text)
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn get(&self, line: usize) -> Option<&Line> {
        self.lines.get(line)
    }

    /// The line in which an offset stands.
    pub(super) fn at(&self, offset: usize) -> usize {
        self.lines.partition_point(|line| line.start as usize <= offset).saturating_sub(1)
    }

    /// From the start of one line to the end of another.
    pub(super) fn span(&self, from: usize, last: usize) -> Range<usize> {
        let start = self.get(from).map_or(0, |line| line.start as usize);
        let end = self.get(last).map_or(start, |line| line.end as usize);
        start..end.max(start)
    }

    /// The hunk of a diff that a line stands in.
    pub(super) fn hunk(&self, line: usize) -> Option<&Hunk> {
        self.hunks.at(line)
    }

    /// The lines that name what stands directly in a line, from one line to another; in the whole text for [`NONE`].
    pub(super) fn naming(&self, parent: u32, from: u32, to: u32) -> &[(u32, u32)] {
        let first = self.naming.partition_point(|entry| *entry < (parent, from));
        let last = self.naming.partition_point(|entry| *entry < (parent, to)).max(first);
        self.naming.get(first..last).unwrap_or_default()
    }
}

#[derive(Default)]
struct Reader {
    lines: Vec<Line>,
    naming: Vec<(u32, u32)>,
    /// The lines around the next one, with their depths.
    open: Vec<(u32, u32)>,
    block: Option<u32>,
    document: u32,
    title: Option<u32>,
    label: Option<u32>,
    rule: Option<u32>,
    capitals: Option<u32>,
    stamp: Option<u32>,
}

impl Reader {
    fn line(&mut self, start: usize, written: &str) {
        let number = offset(self.lines.len());
        let body = written.trim_start_matches([' ', '\t']);
        let is_blank = body.trim().is_empty();
        if is_blank {
            (self.block, self.rule, self.capitals) = (None, None, None);
        }
        let separates =
            body.len() == written.len() && (body.trim_end() == "---" || body.starts_with("--- #"));
        if separates {
            self.close(0, number);
            self.document = number;
        }
        let is_item = body == "-" || body.starts_with("- ");
        let indentation = offset(written.len() - body.len()).min(u32::MAX / 4);
        let depth = if is_blank { BLANK } else { indentation * 2 + u32::from(is_item) };
        if !is_blank {
            self.close(depth, number);
        }
        let parent = self.open.last().map_or(NONE, |(parent, _)| *parent);
        if begins_with_time(body) {
            self.stamp = Some(number);
        }
        self.lines.push(Line {
            start: offset(start),
            end: offset(start + written.len()),
            depth,
            parent: if is_blank { NONE } else { parent },
            next: number + 1,
            block: self.block.unwrap_or(number),
            document: self.document,
            title: self.title.unwrap_or(NONE),
            label: self.label.unwrap_or(NONE),
            rule: self.rule.unwrap_or(NONE),
            capitals: self.capitals.unwrap_or(NONE),
            stamp: self.stamp.unwrap_or(NONE),
        });
        if is_blank {
            return;
        }
        self.open.push((number, depth));
        self.block.get_or_insert(number);
        if is_title(body) {
            self.title = Some(number);
        }
        if indentation == 0 && body.len() <= MAX_LABEL && body.ends_with(':') {
            self.label = Some(number);
        }
        if is_rule(body) {
            self.rule = Some(number);
        }
        if is_header(body) {
            self.capitals = Some(number);
        }
        if !is_item && names_something(body) {
            self.naming.push((parent, number));
        }
    }

    /// Ends what is open at a depth or deeper.
    fn close(&mut self, depth: u32, number: u32) {
        while let Some((line, _)) = self.open.pop_if(|(_, open)| *open >= depth) {
            if let Some(line) = self.lines.get_mut(line as usize) {
                line.next = number;
            }
        }
    }

    fn finish(mut self, text: &str) -> Lines {
        self.close(0, offset(self.lines.len()));
        self.naming.sort_unstable();
        let hunks = Hunks::of(self.lines.iter().map(|line| part(text, line.span())));
        Lines { lines: self.lines, naming: self.naming, hunks }
    }
}

/// A command, a heading, the name of a file or a section.
fn is_title(line: &str) -> bool {
    const MARKS: [&str; 11] =
        ["$ ", "# ", "## ", "### ", "== ", "=== ", "==> ", "--- ", "*** ", ">>> ", "commit "];
    let written = line.trim_end();
    let is_section = written.len() <= MAX_LABEL
        && written.starts_with('[')
        && written.ends_with(']')
        && !written.contains(['"', '{', ',']);
    is_section || MARKS.iter().any(|mark| line.starts_with(mark))
}

/// `-----`, `=====`, `|---|:--:|`, `+-----+`, `---- ----`.
fn is_rule(line: &str) -> bool {
    let is_of_rule = |byte: u8| matches!(byte, b'-' | b'=' | b'+' | b'|' | b':' | b' ' | b'\t');
    line.bytes().all(is_of_rule) && (line.contains("---") || line.contains("==="))
}

/// `NAME  READY  STATUS`: at least two words, all in capitals.
fn is_header(line: &str) -> bool {
    let has_small = line.bytes().any(|byte| byte.is_ascii_lowercase());
    !has_small
        && line.split([' ', '\t', '|', ',']).filter(|word| is_capitals(word)).take(2).count() == 2
}

fn is_capitals(word: &str) -> bool {
    word.len() >= 2 && word.starts_with(|c: char| c.is_ascii_uppercase())
}

/// A date, a time of the day, or a severity with one as glog writes it: `E0507 10:41:07`.
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

/// Whether a line has a key that says what its record is: `name: cart-1`, `"kind": "Pod",`, `Namespace:  shop`.
fn names_something(line: &str) -> bool {
    const MAX_KEY: usize = 40;
    let near = part(line, 0..line.floor_char_boundary(MAX_KEY));
    let Some(sign) = near.find([':', '=']) else { return false };
    super::names::is_naming(part(near, 0..sign).trim().trim_matches(['"', '\'']))
}
