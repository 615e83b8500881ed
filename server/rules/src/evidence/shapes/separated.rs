//! Cells of a line: between bars, between wide gaps, between commas or tabs (CSV, TSV), or between single blanks.
//!
//! A line of short, distinct words over a line with as many cells, of which one holds a digit, is the header of
//! a CSV. Quoted cells lose their quotation marks and keep their commas.

use std::ops::Range;

use crate::evidence::layout::trimmed;

/// What stands between two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Two spaces or a tab.
    Wide,
    /// ` | `
    Bars,
    /// A comma, semicolon or tab.
    Mark(u8),
    /// Any white space; the last of that many cells takes what is left.
    Blanks(usize),
}

/// The header of a CSV whose first row is `next`.
pub(crate) fn header(
    text: &str,
    content: &Range<usize>,
    next: &Range<usize>,
) -> Option<(Gap, Vec<Range<usize>>)> {
    let written = text.get(content.clone())?;
    let start = content.start + if written.starts_with("# ") { 2 } else { 0 };
    let content = start..content.end;
    [b',', b'\t', b';'].into_iter().find_map(|mark| {
        memchr::memchr(mark, written.as_bytes())?;
        let cells = split(text, &content, mark);
        let is_prose = mark == b',' && written.contains(", ");
        let is_header =
            !is_prose && cells.len() >= 2 && cells.iter().all(|cell| is_name(text, cell, mark));
        if !is_header || !are_distinct(text, &cells) {
            return None;
        }
        let below = split(text, next, mark);
        let digits = |cell: &Range<usize>| {
            text.get(cell.clone()).is_some_and(|cell| cell.bytes().any(|b| b.is_ascii_digit()))
        };
        (below.len() == cells.len() && below.iter().any(digits)).then_some((Gap::Mark(mark), cells))
    })
}

fn is_name(text: &str, cell: &Range<usize>, mark: u8) -> bool {
    const LONGEST: usize = 40;
    let written = text.get(cell.clone()).unwrap_or("");
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'.' | b'-' | b'/' | b'%' | b'(' | b')' | b'#')
            || byte == b' ' && mark == b'\t'
    };
    !written.is_empty()
        && written.len() <= LONGEST
        && written.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && written.bytes().all(plain)
}

fn are_distinct(text: &str, cells: &[Range<usize>]) -> bool {
    const MOST: usize = 200;
    let mut names: Vec<&str> = cells.iter().filter_map(|cell| text.get(cell.clone())).collect();
    names.sort_unstable();
    names.len() <= MOST && names.windows(2).all(|pair| pair.first() != pair.last())
}

/// The cells of a line of a CSV.
pub(crate) fn split(text: &str, content: &Range<usize>, mark: u8) -> Vec<Range<usize>> {
    let written = text.get(content.clone()).unwrap_or("").as_bytes();
    let mut found = Vec::with_capacity(8);
    let mut start = 0;
    let mut quoted = false;
    for (at, byte) in written.iter().copied().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            byte if byte == mark && !quoted => {
                found.push(cell(text, content.start + start..content.start + at));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(cell(text, content.start + start..content.end));
    found
}

fn cell(text: &str, span: Range<usize>) -> Range<usize> {
    let inner = trimmed(text, &span);
    let written = text.get(inner.clone()).unwrap_or("");
    if written.len() > 1 && written.starts_with('"') && written.ends_with('"') {
        return inner.start + 1..inner.end - 1;
    }
    inner
}

/// The words of a line, the last of that many with what is left.
pub(crate) fn blanks(text: &str, content: &Range<usize>, most: usize) -> Vec<Range<usize>> {
    let written = text.get(content.clone()).unwrap_or("");
    let mut found: Vec<Range<usize>> = Vec::with_capacity(8);
    let mut rest = 0;
    while let Some(tail) = written.get(rest..).filter(|tail| !tail.trim_start().is_empty()) {
        let start = rest + tail.len() - tail.trim_start().len();
        let here = written.get(start..).unwrap_or("");
        let last = found.len() + 1 >= most;
        let length = if last { here.len() } else { here.find([' ', '\t']).unwrap_or(here.len()) };
        found.push(trimmed(text, &(content.start + start..content.start + start + length)));
        rest = start + length;
    }
    found
}

/// The header of a table whose columns are set apart by single blanks: `df`, `ps`, `lsblk`.
pub(crate) fn blank_header(
    text: &str,
    content: &Range<usize>,
    next: &Range<usize>,
) -> Option<(Gap, Vec<Range<usize>>)> {
    const LEAST: usize = 3;
    let first = text.get(content.clone())?.split([' ', '\t']).next()?;
    if first != "Filesystem"
        && first.bytes().any(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    {
        return None;
    }
    let mut cells = blanks(text, content, usize::MAX);
    let written = |cell: &Range<usize>| text.get(cell.clone()).unwrap_or("");
    let is_df = cells.first().is_some_and(|cell| written(cell) == "Filesystem")
        && cells.len() > LEAST
        && cells.last().is_some_and(|cell| written(cell) == "on");
    if is_df {
        let on = cells.pop()?;
        cells.last_mut()?.end = on.end;
        let most = cells.len();
        return Some((Gap::Blanks(most), cells));
    }
    let capitals = |cell: &Range<usize>| {
        let cell = written(cell);
        cell.bytes().any(|byte| byte.is_ascii_uppercase())
            && cell.bytes().all(|byte| {
                byte.is_ascii_uppercase() || matches!(byte, b'%' | b'-' | b'_' | b'/' | b':' | b'+')
            })
    };
    if cells.len() < LEAST || !cells.iter().all(capitals) {
        return None;
    }
    let (header, row) = (wide(text, content), wide(text, next));
    let words = blanks(text, next, usize::MAX);
    let apart = header.len() < cells.len() && header.len() != row.len();
    (apart && words.len() + 1 >= cells.len()).then_some((Gap::Blanks(cells.len()), cells))
}

/// The cells of a line between two spaces or tabs.
pub(crate) fn wide(text: &str, content: &Range<usize>) -> Vec<Range<usize>> {
    let bytes = text.get(content.clone()).unwrap_or("").as_bytes();
    let mut found = Vec::with_capacity(8);
    let mut start = None;
    let mut at = 0;
    while at < bytes.len() {
        let here = bytes.get(at).copied().unwrap_or(b' ');
        let gap =
            here == b'\t' || here == b' ' && matches!(bytes.get(at + 1), Some(b' ' | b'\t') | None);
        if gap {
            if let Some(start) = start.take() {
                found.push(content.start + start..content.start + at);
            }
        } else if here != b' ' {
            start.get_or_insert(at);
        }
        at += 1;
    }
    if let Some(start) = start {
        found.push(content.start + start..content.end);
    }
    found
}

/// The cells of a line between bars.
pub(crate) fn barred(text: &str, content: &Range<usize>) -> Vec<Range<usize>> {
    let mut start = content.start;
    let mut found = Vec::with_capacity(8);
    for piece in text.get(content.clone()).unwrap_or("").split('|') {
        found.push(trimmed(text, &(start..start + piece.len())));
        start += piece.len() + 1;
    }
    found
}
