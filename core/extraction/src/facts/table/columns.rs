//! Extracts facts from aligned tables without vertical bars, as written by kubectl, df, ss, top and iostat.

use core::ops::Range;
use std::borrow::Cow;

use super::{Table, row_count};
use crate::facts::builder::Builder;
use crate::facts::names::is_level;
use crate::facts::prompt::opening;
use crate::facts::text::{Context, Text};
use crate::facts::times::time_at;
use crate::text::part;

/// A field in a line, with its byte range and character columns.
#[derive(Clone, Debug)]
struct Field {
    bytes: Range<usize>,
    columns: Range<usize>,
}

pub(in crate::facts) fn read<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    text: Text<'_, 'a>,
    offset: usize,
) -> Option<usize> {
    let first = text.end_of_line(offset);
    let line = part(text.str, offset..first);
    if line.len() > MAX_BYTES {
        return None;
    }
    let next = text.end_of_line(first);
    let is_underlined = is_underline(part(text.str, first..next));
    if !can_be_header(line, is_underlined) {
        return None;
    }
    let rows_start = if is_underlined { next } else { first };
    let row_end = text.end_of_line(rows_start);
    if row_end - rows_start > MAX_BYTES {
        return None;
    }
    let header =
        header(text.str, offset..first, is_underlined.then_some(first..next), rows_start..row_end)?;
    if header.len() == 1 && !has_row_count(text, rows_start) {
        return None;
    }
    let first_row = fields(text.str, rows_start..row_end, 2);
    if header.len() > MAX_PIECES || first_row.len() > MAX_PIECES {
        return None;
    }
    if !is_underlined
        && !is_aligned(&header, &first_row)
        && !has_same_word_count(text.str, &header, rows_start..row_end)
    {
        return None;
    }
    let is_time = |name: &Field| time_at(part(text.str, name.bytes.clone())).is_some();
    let count_figures = |row: &[Field]| {
        row.iter()
            .skip(1)
            .filter(|field| {
                part(text.str, field.bytes.clone()).starts_with(|c: char| c.is_ascii_digit())
            })
            .count()
    };
    if header.iter().any(is_time) && count_figures(&first_row) < 2 {
        return None;
    }
    let names = header
        .iter()
        .map(|name| if is_time(name) { Cow::Borrowed("") } else { text.name(name.bytes.clone()) });
    let mut table = Table::new(out, context, names.collect());
    let upper_case = is_upper_case(line);
    let by_words = fields(text.str, offset..first, 2).len() < header.len();
    let mut end = rows_start;
    while end < text.len() {
        let next = text.end_of_line(end);
        let row = part(text.str, end..next);
        let ends_table = row.trim().is_empty()
            || row.len() > MAX_BYTES
            || opening(row).is_some()
            || upper_case && is_upper_case(row) && can_be_header(row, false)
            || is_key_outside(line, row);
        if ends_table {
            break;
        }
        let Some(cells) = cells(text.str, &header, by_words, end..next) else { break };
        table.row(out, context, text, end..next, cells);
        end = next;
    }
    if end == rows_start {
        return None;
    }
    Some(table.footer(out, context, text, end))
}

/// Returns `true` if a row count follows within a few lines. A table with a single column requires one.
fn has_row_count(text: Text<'_, '_>, mut offset: usize) -> bool {
    const FEW: usize = 16;
    (0..FEW).any(|_| {
        let end = text.end_of_line(offset);
        let is_row_count = row_count(part(text.str, offset..end).trim()).is_some();
        offset = end;
        is_row_count
    })
}

/// Returns `true` if a line starts the next section, with a key to the left of the table header.
fn is_key_outside(header: &str, row: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    indent(row) < indent(header)
        && row.split_whitespace().next().is_some_and(|first| first.ends_with(':'))
}

const MAX_BYTES: usize = 4_096;

const MAX_PIECES: usize = 96;

fn can_be_header(line: &str, is_underlined: bool) -> bool {
    // sar repeats its header with the time of each sample.
    let start = line.len() - line.trim_start().len();
    let time = time_at(part(line, start..line.len())).map(|time| start + time.span.end);
    let names = part(line, time.unwrap_or(start)..line.len()).trim();
    let pieces = fields(names, 0..names.len(), 2);
    let words = names.split_whitespace();
    let starts_as_name = |piece: &Field| {
        part(names, piece.bytes.clone()).starts_with(|c: char| {
            c.is_alphabetic() || matches!(c, '%' | '#' | '(' | '_' | '/' | '-')
        })
    };
    let all_names = pieces.iter().all(starts_as_name)
        && !words.clone().any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    // `ps` and `top` separate upper-case column names with single spaces.
    let has_columns = pieces.len() >= 2 || words.count() >= 3 && is_upper_case(names);
    let can_follow_time =
        time.is_none() || pieces.len() >= 4 && !names.split_whitespace().any(is_level);
    (is_underlined || has_columns && all_names && can_follow_time)
        && !names.contains(['=', '"', ';'])
        && !names.ends_with(['.', ',', ':'])
        && names.split_once(": ").is_none_or(|(key, _)| key.contains("  "))
}

fn is_upper_case(line: &str) -> bool {
    line.bytes().filter(u8::is_ascii_alphabetic).count() >= 2
        && !line.bytes().any(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

fn is_underline(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 4 && line.bytes().all(|byte| matches!(byte, b'-' | b'=' | b' '))
}

/// Returns the columns. They are defined by the dashes in an underline, by gaps of two spaces, or by words.
fn header(
    text: &str,
    line: Range<usize>,
    underline: Option<Range<usize>>,
    row: Range<usize>,
) -> Option<Vec<Field>> {
    if let Some(underline) = underline {
        let names = fields(text, line.clone(), 1);
        let columns = fields(text, underline, 1);
        let found = columns.iter().enumerate().map(|(index, column)| {
            let next_start = columns.get(index + 1).map_or(usize::MAX, |next| next.columns.start);
            let mut names_above = names.iter().filter(|name| {
                name.columns.start + 1 > column.columns.start && name.columns.start < next_start
            });
            let first = names_above.next()?;
            let last = names_above.next_back().unwrap_or(first);
            Some(Field {
                bytes: first.bytes.start..last.bytes.end,
                columns: column.columns.clone(),
            })
        });
        return found.collect();
    }
    let pieces = fields(text, line.clone(), 2);
    let words = fields(text, line, 1);
    let has_time =
        pieces.first().is_some_and(|first| time_at(part(text, first.bytes.clone())).is_some());
    if has_time {
        return Some(pieces);
    }
    let row_word_count = fields(text, row.clone(), 1).len();
    if pieces.len() < words.len()
        && (words.len() == row_word_count
            || row_word_count > fields(text, row, 2).len() && pieces.len() < 2)
    {
        return Some(words);
    }
    (pieces.len() >= 2).then_some(pieces)
}

/// Splits a line at gaps of at least `spaces` spaces, or at tabs.
fn fields(text: &str, line: Range<usize>, spaces: usize) -> Vec<Field> {
    let mut found: Vec<Field> = Vec::new();
    let mut gap = spaces;
    for (column, (offset, character)) in part(text, line.clone()).char_indices().enumerate() {
        let offset = line.start + offset;
        if character.is_whitespace() {
            gap += if character == '\t' { spaces } else { 1 };
        } else {
            let (bytes, columns) = (offset..offset + character.len_utf8(), column..column + 1);
            match found.last_mut().filter(|_| gap < spaces) {
                Some(field) => {
                    field.bytes.end = bytes.end;
                    field.columns.end = columns.end;
                }
                None => found.push(Field { bytes, columns }),
            }
            gap = 0;
        }
    }
    found
}

/// Returns `true` if most fields in a row are aligned with a column.
fn is_aligned(header: &[Field], row: &[Field]) -> bool {
    row.len() >= 2
        && row.len() * 2 >= header.len()
        && row.iter().filter(|field| is_below_column(header, field)).count() * 4 >= row.len() * 3
}

fn is_below_column(header: &[Field], field: &Field) -> bool {
    header.iter().any(|column| overlap(column, field) > 0)
}

fn overlap(column: &Field, cell: &Field) -> usize {
    let end = column.columns.end.min(cell.columns.end);
    end.saturating_sub(column.columns.start.max(cell.columns.start))
}

fn has_same_word_count(text: &str, header: &[Field], row: Range<usize>) -> bool {
    header.len() >= 3 && fields(text, row, 1).len() == header.len()
}

fn cells(
    text: &str,
    header: &[Field],
    by_words: bool,
    row: Range<usize>,
) -> Option<Vec<(usize, Range<usize>)>> {
    let pieces = fields(text, row.clone(), 2);
    if pieces.len() == header.len() {
        return Some(pieces.into_iter().map(|piece| piece.bytes).enumerate().collect());
    }
    let words = fields(text, row, 1);
    if words.len() > MAX_PIECES {
        return None;
    }
    if words.len() == header.len()
        && (by_words || header.iter().zip(&words).all(|(column, word)| overlap(column, word) > 0))
    {
        return Some(words.into_iter().map(|word| word.bytes).enumerate().collect());
    }
    let placed_count = pieces.iter().filter(|piece| is_below_column(header, piece)).count();
    let is_sentence = pieces.len() == 1 && words.len() > 3;
    if is_sentence || placed_count == 0 || placed_count * 2 < pieces.len().min(header.len()) {
        return None;
    }
    let mut found: Vec<(usize, Range<usize>)> = Vec::new();
    for piece in pieces {
        for field in cut_at_columns(header, &words, &piece) {
            let column = column_index(header, &field);
            match found.last_mut().filter(|(last, _)| *last >= column) {
                Some((_, bytes)) => bytes.end = field.bytes.end,
                None => found.push((column, field.bytes)),
            }
        }
    }
    Some(found)
}

/// Splits a piece that spans several columns at the words where another column begins.
fn cut_at_columns(header: &[Field], words: &[Field], piece: &Field) -> Vec<Field> {
    let mut fields: Vec<Field> = Vec::new();
    let mut last_column = None;
    let first = words.partition_point(|word| word.bytes.start < piece.bytes.start);
    let inner_words = words.iter().skip(first).take_while(|word| word.bytes.end <= piece.bytes.end);
    for word in inner_words {
        let column = header.iter().position(|column| overlap(column, word) > 0);
        let is_same_column = column.is_none() || column == last_column;
        match fields.last_mut().filter(|_| is_same_column) {
            Some(last) => {
                last.bytes.end = word.bytes.end;
                last.columns.end = word.columns.end;
            }
            None => fields.push(word.clone()),
        }
        last_column = column.or(last_column);
    }
    fields
}

/// Returns the first column that overlaps a cell, or the nearest one to its left.
fn column_index(header: &[Field], cell: &Field) -> usize {
    let overlapping = header.iter().position(|column| overlap(column, cell) > 0);
    let nearest_left =
        || header.iter().rposition(|column| column.columns.start <= cell.columns.start);
    overlapping.or_else(nearest_left).unwrap_or(0)
}
