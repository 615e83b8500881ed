//! Adds the rows of a table in any format, and parses the row count in its footer.

pub(super) mod columns;
pub(super) mod csv;
pub(super) mod pipes;

use core::ops::Range;
use std::borrow::Cow;

use crate::facts::builder::Builder;
use crate::facts::model::{Form, GroupId};
use crate::facts::names::is_time_name;
use crate::facts::text::{Context, Text};
use crate::facts::times::whole_time;
use crate::text::{byte_at, part};

pub(super) struct Table<'a> {
    group: GroupId,
    columns: Vec<Cow<'a, str>>,
    time: Option<usize>,
    rows: usize,
}

impl<'a> Table<'a> {
    /// Creates a table. Cells in unnamed columns get no attribute.
    pub(super) fn new(
        out: &mut Builder<'a>,
        context: &Context<'a>,
        columns: Vec<Cow<'a, str>>,
    ) -> Self {
        let group =
            out.add_group(context.item, Form::Rows, context.scope.clone(), context.complete(false));
        let time = columns.iter().position(|name| is_time_name(name));
        Self { group, columns, time, rows: 0 }
    }

    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn row(
        &mut self,
        out: &mut Builder<'a>,
        context: &Context<'a>,
        text: Text<'_, 'a>,
        line: Range<usize>,
        cells: impl IntoIterator<Item = (usize, Range<usize>)>,
    ) {
        self.rows += 1;
        let line = text.trimmed(line);
        let Some(record) =
            out.add_record(self.group, context.parent, context.path.clone(), text.span(line))
        else {
            return;
        };
        let mut has_time = false;
        for (column, range) in cells {
            let range = text.trimmed(range);
            if range.is_empty() {
                continue;
            }
            let is_time = self.time.map_or(column == 0, |time| time == column);
            if is_time
                && !has_time
                && let Some(time) = whole_time(part(text.str, range.clone()))
            {
                has_time = true;
                out.set_time(record, text.part(range.clone()).time(time));
            }
            let name = self.columns.get(column).filter(|name| !name.is_empty());
            let attribute = name.map_or_else(Vec::new, |name| vec![name.clone()]);
            out.write_cell(record, attribute, text, range.clone());
        }
    }

    pub(super) fn footer(
        &self,
        out: &mut Builder<'a>,
        context: &Context<'a>,
        text: Text<'_, 'a>,
        offset: usize,
    ) -> usize {
        let end = text.end_of_line(offset);
        let line = part(text.str, offset..end).trim();
        match row_count(line) {
            Some(count) => {
                if count == self.rows && context.complete(true) {
                    out.mark_complete(self.group);
                }
                end
            }
            None => offset,
        }
    }
}

/// Parses a row count: `(3 rows)`, `3 rows in set (0.01 sec)`, `1 row`.
pub(super) fn row_count(line: &str) -> Option<usize> {
    let bare = line.trim_start_matches('(');
    let digits = bare.bytes().take(9).take_while(u8::is_ascii_digit).count();
    let rest = part(bare, digits..bare.len());
    let has_count = digits > 0 && byte_at(rest, 0) == b' ' && rest.trim_start().starts_with("row");
    let is_whole_line = rest.trim_start().trim_end_matches(')').len() <= 4
        || rest.contains("in set")
        || line.starts_with('(');
    (has_count && is_whole_line).then(|| part(bare, 0..digits).parse().ok())?
}
