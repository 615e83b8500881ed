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
    at: usize,
) -> Option<usize> {
    let first = text.end_of_line(at);
    let opening = part(text.str, at..first);
    let named = names_in_border(opening);
    let opens = is_border(opening) || named.is_some();
    let offset = if named.is_some() { at } else { 0 };
    let (header, mut end) = if let Some(names) = named {
        (names, first)
    } else if opens {
        let end = text.end_of_line(first);
        (bars(text.str, first..end), end)
    } else {
        (bars(text.str, at..first), first)
    };
    let below = text.end_of_line(end);
    let has_border = is_border(part(text.str, end..below)) || is_rule(part(text.str, end..below));
    if header.len() < 2 && !(opens && has_border && header.len() == 1) || !opens && !has_border {
        return None;
    }
    let names = header.iter().map(|name| {
        let name = text.trimmed(name.start + offset..name.end + offset);
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
            let cells = merge_excess(bars(text.str, end..next), table.columns());
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
    at: usize,
) -> Option<usize> {
    let is_head = |line: &str| {
        line.starts_with("-[ RECORD ") || (line.starts_with("***") && line.contains(". row ***"))
    };
    let mut end = at;
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
            out.group(context.item, Form::Rows, context.scope.clone(), context.complete(false))
        });
        let Some(record) = out.record(
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
    (end > at).then_some(end)
}

/// Splits a line at its bars, without empty parts at both ends.
fn bars(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let written = part(text, line.clone());
    let trimmed = written.trim();
    if !trimmed.contains(BARS) {
        return Vec::new();
    }
    let start = line.start + written.len() - written.trim_start().len();
    let inner = trimmed.strip_prefix(BARS).unwrap_or(trimmed);
    let from = start + trimmed.len() - inner.len();
    let inner = inner.strip_suffix(BARS).unwrap_or(inner);
    let mut at = from;
    let mut found = Vec::new();
    for piece in inner.split(BARS) {
        found.push(at..at + piece.len());
        at += piece.len();
        at += part(text, at..line.end).chars().next().map_or(0, char::len_utf8);
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
    let lines = line.chars().filter(|c| matches!(c, '-' | '=' | '─' | '━')).count();
    let crosses = line.contains(['+', '|', '┼', '┴', '┬', '┌', '└', '├', '╞', '╪']);
    lines >= 2
        && crosses
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
    let mut at = '┌'.len_utf8();
    for piece in part(line, at..line.len() - '┐'.len_utf8()).split('┬') {
        let name = piece.trim_matches('─');
        let start = at + piece.len() - piece.trim_start_matches('─').len();
        names.push(start..start + name.len());
        at += piece.len() + '┬'.len_utf8();
    }
    Some(names)
}
