//! Extracts facts from comma-, semicolon- and tab-separated values with a header.

use core::ops::Range;
use std::borrow::Cow;

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};

use super::Table;
use crate::facts::builder::Builder;
use crate::facts::text::{Context, Text};
use crate::text::{find_two, part};

pub(in crate::facts) fn read<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    text: Text<'_, 'a>,
    offset: usize,
) -> Option<usize> {
    let first = text.end_of_line(offset);
    let line = part(text.str, offset..first);
    let header_start =
        offset + usize::from(line.starts_with('#')) + usize::from(line.starts_with("# "));
    let header_text = part(text.str, header_start..first);
    let delimiter =
        [',', '\t', ';'].into_iter().find(|delimiter| header_text.contains(*delimiter))?;
    if find_two(header_text, *b", ").is_some()
        || !header_text.trim_end().split(delimiter).all(is_name)
    {
        return None;
    }
    let delimiter = u8::try_from(delimiter).ok()?;
    // Building a reader costs more than parsing a row, so it is built once, on the first quoted field.
    let mut reader = None;
    let header = fields(text.str, header_start..first, delimiter, &mut reader)?;
    let second = text.end_of_line(first);
    let row = fields(text.str, first..second, delimiter, &mut reader)?;
    if header.len() < 2 || !fits_header(row.len(), header.len()) {
        return None;
    }
    let names: Vec<Cow<'a, str>> =
        header.iter().map(|name| text.name(without_quotes(text.str, name.clone()))).collect();
    let mut table = Table::new(out, context, names);
    let mut end = first;
    while end < text.len() {
        let next = text.end_of_line(end);
        let Some(cells) = fields(text.str, end..next, delimiter, &mut reader) else { break };
        if !fits_header(cells.len(), table.columns()) || cells.len() < 2 {
            break;
        }
        let cells = cells.into_iter().map(|cell| without_quotes(text.str, cell)).enumerate();
        table.row(out, context, text, end..next, cells);
        end = next;
    }
    Some(table.footer(out, context, text, end))
}

/// Returns `true` if a row fits the header. Allows a trailing delimiter and one missing field.
fn fits_header(row: usize, header: usize) -> bool {
    row == header || row + 1 == header && header > 2 || row == header + 1
}

/// Splits a line into fields, which include their quotes. Returns `None` if a quote is unclosed.
fn fields(
    text: &str,
    line: Range<usize>,
    delimiter: u8,
    quote_reader: &mut Option<Reader>,
) -> Option<Vec<Range<usize>>> {
    let line_text = part(text, line.clone()).trim_end_matches(['\n', '\r']);
    if line_text.trim().is_empty() {
        return None;
    }
    if !line_text.contains('"') {
        let mut offset = line.start;
        let sizes = line_text.split(char::from(delimiter)).map(str::len);
        let next_field = |size| {
            let field = offset..offset + size;
            offset += size + 1;
            field
        };
        return Some(sizes.map(next_field).collect());
    }
    let reader =
        quote_reader.get_or_insert_with(|| ReaderBuilder::new().delimiter(delimiter).build());
    reader.reset();
    let mut scratch = vec![0; line_text.len() + 1];
    let mut found = Vec::new();
    let mut offset = 0;
    while offset < line_text.len() {
        let (result, length, _) =
            reader.read_field(line_text.as_bytes().get(offset..)?, &mut scratch);
        let end = offset + length;
        let ends_with_delimiter = matches!(result, ReadFieldResult::Field { record_end: false });
        found.push(
            line.start + offset..line.start + end - usize::from(ends_with_delimiter && length > 0),
        );
        offset = end;
    }
    let quotes = line_text.bytes().filter(|byte| *byte == b'"').count();
    (quotes % 2 == 0).then_some(found)
}

fn without_quotes(text: &str, field: Range<usize>) -> Range<usize> {
    let field_text = part(text, field.clone());
    if field_text.len() >= 2 && field_text.starts_with('"') && field_text.ends_with('"') {
        field.start + 1..field.end - 1
    } else {
        field
    }
}

fn is_name(field: &str) -> bool {
    let name = field.trim().trim_matches('"');
    name.len() <= 48
        && name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '%' | '@'))
        && name.split(' ').count() <= 4
        && !name.contains(['=', '{', '}', '"', '\t', ';'])
        && find_two(name, *b": ").is_none()
        && !name.ends_with(['.', ':'])
}
