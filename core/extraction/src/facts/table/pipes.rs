//! Extracts facts from tables with vertical bars, as written by psql, mysql, Markdown and ClickHouse.

use core::ops::Range;

use super::Table;
use crate::facts::builder::Builder;
use crate::facts::model::Form;
use crate::facts::text::{Context, Text};
use crate::text::part;

const BARS: [char; 3] = ['|', '│', '┃'];

pub(in crate::facts) fn read<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    text: Text<'_, 'a>,
    offset: usize,
) -> Option<usize> {
    let first = text.end_of_line(offset);
    let opening = part(text.str, offset..first);
    let names_in_top = names_in_border(opening);
    let has_top_border = is_border(opening) || names_in_top.is_some();
    let name_offset = if names_in_top.is_some() { offset } else { 0 };
    let (header, mut end) = if let Some(names) = names_in_top {
        (names, first)
    } else if has_top_border {
        let end = text.end_of_line(first);
        (split_at_bars(text.str, first..end), end)
    } else {
        (split_at_bars(text.str, offset..first), first)
    };
    let second_end = text.end_of_line(end);
    let has_border =
        is_border(part(text.str, end..second_end)) || is_rule(part(text.str, end..second_end));
    if header.len() < 2 && !(has_top_border && has_border && header.len() == 1)
        || !has_top_border && !has_border
    {
        return None;
    }
    let names = header.iter().map(|name| {
        let name = text.trimmed(name.start + name_offset..name.end + name_offset);
        text.name(name)
    });
    let mut table = Table::new(out, context, names.collect());
    while end < text.len() {
        let next = text.end_of_line(end);
        let line = part(text.str, end..next);
        if !is_border(line) && !is_rule(line) {
            if !line.contains(BARS) {
                break;
            }
            let cells = merge_excess(split_at_bars(text.str, end..next), table.columns());
            if cells.len() < table.columns() {
                break;
            }
            table.row(out, context, text, end..next, cells.into_iter().enumerate());
        }
        end = next;
    }
    Some(table.footer(out, context, text, end))
}

/// Parses `-[ RECORD 1 ]---` blocks of `name | value` lines. Returns their end.
pub(in crate::facts) fn records<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    text: Text<'_, 'a>,
    offset: usize,
) -> Option<usize> {
    let is_head = |line: &str| {
        line.starts_with("-[ RECORD ") || (line.starts_with("***") && line.contains(". row ***"))
    };
    let mut end = offset;
    let mut group = None;
    while is_head(part(text.str, end..text.end_of_line(end))) {
        let start = end;
        end = text.end_of_line(end);
        let mut cells = Vec::new();
        while end < text.len() {
            let next = text.end_of_line(end);
            let line = part(text.str, end..next);
            let Some(bar) = line.find(['|', ':']).filter(|_| !is_head(line)) else { break };
            cells.push((end..end + bar, end + bar + 1..next));
            end = next;
        }
        let group = *group.get_or_insert_with(|| {
            out.add_group(context.item, Form::Rows, context.scope.clone(), context.complete(false))
        });
        let Some(record) = out.add_record(
            group,
            context.parent,
            context.path.clone(),
            text.span(text.trimmed(start..end)),
        ) else {
            break;
        };
        for (name, value) in cells {
            let (name, value) = (text.trimmed(name), text.trimmed(value));
            if !value.is_empty() {
                out.write_cell(record, vec![text.name(name)], text, value.clone());
            }
        }
    }
    (end > offset).then_some(end)
}

/// Splits a line at its bars. Omits the empty part at either end.
fn split_at_bars(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let line_text = part(text, line.clone());
    let trimmed = line_text.trim();
    if !trimmed.contains(BARS) {
        return Vec::new();
    }
    let start = line.start + line_text.len() - line_text.trim_start().len();
    let inner = trimmed.strip_prefix(BARS).unwrap_or(trimmed);
    let first_start = start + trimmed.len() - inner.len();
    let inner = inner.strip_suffix(BARS).unwrap_or(inner);
    let mut offset = first_start;
    let mut found = Vec::new();
    for piece in inner.split(BARS) {
        found.push(offset..offset + piece.len());
        offset += piece.len();
        offset += part(text, offset..line.end).chars().next().map_or(0, char::len_utf8);
    }
    found
}

fn merge_excess(mut cells: Vec<Range<usize>>, columns: usize) -> Vec<Range<usize>> {
    if let Some(end) = cells.last().map(|last| last.end) {
        cells.truncate(columns);
        if let Some(last) = cells.last_mut() {
            last.end = end;
        }
    }
    cells
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 4 && line.bytes().all(|byte| matches!(byte, b'-' | b'='))
}

/// Returns `true` if a line is a border: `----+----`, `|:---|---:|`, `└────┘`.
fn is_border(line: &str) -> bool {
    let line = line.trim();
    let dash_count = line.chars().filter(|c| matches!(c, '-' | '=' | '─' | '━')).count();
    let has_crossing = line.contains(['+', '|', '┼', '┴', '┬', '┌', '└', '├', '╞', '╪']);
    dash_count >= 2
        && has_crossing
        && line
            .chars()
            .all(|c| matches!(c, '-' | '=' | '+' | '|' | ':' | ' ') || ('─'..='╿').contains(&c))
}

/// Returns the names in a ClickHouse upper border, `┌─table─┬─parts─┐`. Ranges are relative to the line.
fn names_in_border(line: &str) -> Option<Vec<Range<usize>>> {
    let line = line.trim_end();
    if !line.starts_with('┌') || !line.ends_with('┐') || is_border(line) {
        return None;
    }
    let mut names = Vec::new();
    let mut offset = '┌'.len_utf8();
    for piece in part(line, offset..line.len() - '┐'.len_utf8()).split('┬') {
        let name = piece.trim_matches('─');
        let start = offset + piece.len() - piece.trim_start_matches('─').len();
        names.push(start..start + name.len());
        offset += piece.len() + '┬'.len_utf8();
    }
    Some(names)
}
