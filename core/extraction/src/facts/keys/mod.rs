//! Parses blocks of `key: value` lines and `describe` output. Indentation defines the sections, which can contain
//! nested lists and tables.

mod key_line;

use core::ops::Range;
use std::borrow::Cow;

use crate::facts::builder::Builder;
use crate::facts::message;
use crate::facts::model::{Form, GroupId, RecordId};
use crate::facts::names::{is_aspect, is_time_name};
use crate::facts::prompt::opening;
use crate::facts::table::columns;
use crate::facts::text::{Context, Text};
use crate::facts::times::whole_time;
use crate::text::{find_two, part};
pub(super) use key_line::is_key_line;
use key_line::{KeyLine, indent, key_line};

/// Parses the block at an offset. Returns its end, or `None` if there is no block.
pub(super) fn read<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    text: Text<'_, 'a>,
    offset: usize,
) -> Option<usize> {
    let first = text.end_of_line(offset);
    let first_line = key_line(text.str, offset..first)?;
    let next_line = key_line(text.str, first..text.end_of_line(first));
    let is_aligned = part(text.str, first_line.key.end..first_line.value.start).len() > 2
        && !first_line.value.is_empty();
    let is_continued = match &next_line {
        Some(next_line) => next_line.indent >= first_line.indent,
        None => {
            first_line.value.is_empty()
                && indent(text.str, first) > first_line.indent
                && first < text.len()
        }
    };
    if !is_continued && !is_aligned {
        return None;
    }
    let group =
        out.add_group(context.item, Form::Object, context.scope.clone(), context.complete(false));
    let root = out.add_record(
        group,
        context.parent,
        context.path.clone(),
        text.span(text.trimmed(offset..first)),
    )?;
    let mut block = Block {
        out,
        context,
        text,
        base_indent: first_line.indent,
        levels: Vec::new(),
        root,
        first: first_line.key.clone(),
        group,
        list: None,
    };
    let end = block.lines(offset);
    Some(end)
}

struct Block<'w, 't, 'a> {
    out: &'w mut Builder<'a>,
    context: &'w Context<'a>,
    text: Text<'t, 'a>,
    base_indent: usize,
    levels: Vec<Level<'a>>,
    root: RecordId,
    /// The first key in the block. If it is repeated, another record starts.
    first: Range<usize>,
    group: GroupId,
    list: Option<GroupId>,
}

struct Level<'a> {
    indent: usize,
    record: RecordId,
    /// The keys between the record and the text below this level.
    prefix: Vec<Cow<'a, str>>,
    list: Option<GroupId>,
    /// `true` if list entries can follow at the key's indentation.
    expects_list: bool,
}

impl<'a> Level<'a> {
    const fn new(
        indent: usize,
        record: RecordId,
        prefix: Vec<Cow<'a, str>>,
        expects_list: bool,
    ) -> Self {
        Self { indent, record, prefix, list: None, expects_list }
    }
}

const MAX_DEPTH: usize = 32;

impl<'a> Block<'_, '_, 'a> {
    fn lines(&mut self, start: usize) -> usize {
        let mut offset = start;
        while offset < self.text.len() {
            let next = self.text.end_of_line(offset);
            let line = part(self.text.str, offset..next);
            let line_indent = indent(self.text.str, offset);
            if line.trim().is_empty()
                || line_indent < self.base_indent
                || line_indent == self.base_indent && opening(line).is_some()
            {
                break;
            }
            match key_line(self.text.str, offset..next) {
                Some(found) => {
                    offset = self.key(found, next);
                    continue;
                }
                None if line_indent > self.base_indent => {
                    self.add_continuation(offset..next, line_indent)
                }
                None => break,
            }
            offset = next;
        }
        offset
    }

    /// Adds a key. Returns the end of the parsed text.
    fn key(&mut self, line: KeyLine, end: usize) -> usize {
        self.close(line.dash.unwrap_or(line.indent), line.dash.is_some());
        if let Some(dash) = line.dash {
            self.entry(&line, dash);
        }
        let is_next_record =
            self.levels.is_empty() && line.dash.is_none() && self.starts_next_record(&line);
        if is_next_record {
            let span = self.text.span(line.key.start..line.value.end.max(line.key.end));
            if let Some(record) = self.out.add_record(
                self.group,
                self.context.parent,
                self.context.path.clone(),
                span,
            ) {
                self.root = record;
            }
        }
        let key = self.text.name(line.key.clone());
        let (record, prefix) = self.innermost();
        let next_indent = indent(self.text.str, end);
        let has_children = end < self.text.len()
            && next_indent > line.indent
            && !part(self.text.str, end..self.text.end_of_line(end)).trim().is_empty();
        let mut attribute = prefix.clone();
        attribute.push(key.clone());
        if !line.value.is_empty() {
            let value = self.further_keys(record, &prefix, line.value);
            self.value(record, attribute.clone(), value);
            self.open(Level::new(line.indent, record, attribute, false));
            return end;
        }
        let is_list = key_line(self.text.str, end..self.text.end_of_line(end))
            .is_some_and(|next| next.dash.is_some_and(|dash| dash >= line.indent));
        if !has_children && !is_list {
            return end;
        }
        if is_aspect(&key.to_ascii_lowercase()) || is_list {
            self.open(Level::new(line.indent, record, attribute, is_list));
            return end;
        }
        let mut context = self.context.clone();
        context.parent = Some(record);
        context.path = attribute.clone();
        context.scope.extend(attribute.iter().cloned());
        if let Some(table) = columns::read(self.out, &context, self.text, end) {
            return table;
        }
        let group = self.out.add_group(
            context.item,
            Form::Object,
            context.scope,
            self.context.complete(false),
        );
        let span = self.text.span(line.key.clone());
        if let Some(section) = self.out.add_record(group, Some(record), attribute, span) {
            self.open(Level::new(line.indent, section, Vec::new(), is_list));
        }
        end
    }

    /// Adds further keys on the same line, as in `a: 1  b: 2`. Returns the value of the first key.
    fn further_keys(
        &mut self,
        record: RecordId,
        prefix: &[Cow<'a, str>],
        value: Range<usize>,
    ) -> Range<usize> {
        let mut rest = value.clone();
        let mut first = None;
        while let Some(gap) = find_two(part(self.text.str, rest.clone()), *b"  ") {
            let entry = self.text.trimmed(rest.start + gap..rest.end);
            let entry_text = part(self.text.str, entry.clone());
            let entry_end = find_two(entry_text, *b"  ").map_or(entry.end, |end| entry.start + end);
            let Some(found) = key_line(self.text.str, entry.start..entry_end)
                .filter(|found| !found.value.is_empty())
            else {
                break;
            };
            first.get_or_insert(value.start..rest.start + gap);
            let mut attribute = prefix.to_vec();
            attribute.push(self.text.name(found.key.clone()));
            self.value(record, attribute, found.value);
            rest = entry.start..value.end;
            if entry_end == entry.end {
                break;
            }
        }
        first.unwrap_or(value)
    }

    fn entry(&mut self, line: &KeyLine, indent: usize) {
        let (parent, path) = self.innermost();
        let context = self.context;
        let list = match self.levels.last_mut() {
            Some(level) => &mut level.list,
            None => &mut self.list,
        };
        let out = &mut *self.out;
        let group = *list.get_or_insert_with(|| {
            let mut scope = context.scope.clone();
            scope.extend(path.iter().cloned());
            out.add_group(context.item, Form::Rows, scope, context.complete(false))
        });
        let span = self.text.span(line.key.start..line.value.end.max(line.key.end));
        if let Some(record) = out.add_record(group, Some(parent), path, span) {
            self.levels.push(Level::new(indent, record, Vec::new(), false));
        }
    }

    fn add_continuation(&mut self, line: Range<usize>, line_indent: usize) {
        self.close(line_indent, false);
        let (record, attribute) = self.innermost();
        let line = self.text.trimmed(line);
        let bare = part(self.text.str, line.clone());
        let line = line.end - bare.trim_start_matches("- ").len()..line.end;
        self.value(record, attribute, line);
    }

    fn value(&mut self, record: RecordId, attribute: Vec<Cow<'a, str>>, value: Range<usize>) {
        let inner = self.text.part(value.clone());
        if attribute.last().is_some_and(|key| is_time_name(key))
            && let Some(time) = whole_time(inner.str)
        {
            self.out.set_time(record, inner.time(time));
        }
        if !message::write_clauses_under_key(self.out, self.context, record, &attribute, inner) {
            self.out.write_cell(record, attribute, self.text, value.clone());
        }
    }

    /// Returns `true` if a top-level key starts another record.
    fn starts_next_record(&self, line: &KeyLine) -> bool {
        line.key.start != self.first.start
            && part(self.text.str, line.key.clone()) == part(self.text.str, self.first.clone())
    }

    fn innermost(&self) -> (RecordId, Vec<Cow<'a, str>>) {
        self.levels
            .last()
            .map_or((self.root, Vec::new()), |level| (level.record, level.prefix.clone()))
    }

    fn open(&mut self, level: Level<'a>) {
        if self.levels.len() < MAX_DEPTH {
            self.levels.push(level);
        }
    }

    fn close(&mut self, indent: usize, is_list_entry: bool) {
        while self.levels.last().is_some_and(|level| {
            level.indent >= indent
                && !(is_list_entry && level.indent == indent && level.expects_list)
        }) {
            self.levels.pop();
        }
    }
}
