//! Extracts facts from unified diffs.

use core::ops::Range;
use std::borrow::Cow;

use super::builder::Builder;
use super::model::{Form, GroupId, RecordId};
use super::text::{Context, Text, trim};
use crate::text::{byte_at, part};

pub(crate) const BEFORE: &str = "before";
pub(crate) const AFTER: &str = "after";
const UNCHANGED: &str = "unchanged";

/// Parses the diff at an offset. Returns its end, or `None` if there is no diff.
pub(super) fn read<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    text: Text<'_, 'a>,
    offset: usize,
) -> Option<usize> {
    let first = text.end_of_line(offset);
    let second = text.end_of_line(first);
    let (line, next_line) = (part(text.str, offset..first), part(text.str, first..second));
    let has_header = line.starts_with("diff --git ")
        || line.starts_with("@@ -")
        || line.starts_with("--- ") && next_line.starts_with("+++ ");
    let is_changed_pair =
        || is_change(line, b'-') && is_change(next_line, b'+') && shared_key(line, next_line);
    if !has_header && !is_changed_pair() {
        return None;
    }
    let mut diff = Diff {
        out,
        context,
        text,
        group: None,
        file: None,
        remaining: None,
        removed: Vec::new(),
        added: Vec::new(),
    };
    let mut end = offset;
    while end < text.len() {
        let next = text.end_of_line(end);
        if !diff.line(end..next, has_header) {
            break;
        }
        end = next;
    }
    diff.flush();
    (end > offset).then_some(end)
}

struct Diff<'w, 't, 'a> {
    out: &'w mut Builder<'a>,
    context: &'w Context<'a>,
    text: Text<'t, 'a>,
    group: Option<GroupId>,
    file: Option<Range<usize>>,
    /// The remaining lines in the hunk before and after the change, if its header has line numbers.
    remaining: Option<(u32, u32)>,
    removed: Vec<Range<usize>>,
    added: Vec<Range<usize>>,
}

impl<'a> Diff<'_, '_, 'a> {
    fn line(&mut self, line: Range<usize>, has_header: bool) -> bool {
        let content = part(self.text.str, line.clone());
        let is_in_hunk = self.remaining.is_some_and(|(before, after)| before > 0 || after > 0);
        if let Some(name) = file_name(content).filter(|_| !is_in_hunk) {
            self.flush();
            self.group = None;
            self.remaining = None;
            self.file = Some(line.start + name.start..line.start + name.end);
            return true;
        }
        let body = line.start + 1..line.end;
        match byte_at(content, 0) {
            b'-' if is_in_hunk || !content.starts_with("--- ") => {
                if !self.added.is_empty() {
                    self.flush();
                }
                self.count_down(1, 0);
                self.removed.push(body);
            }
            b'+' => {
                self.count_down(0, 1);
                self.added.push(body);
            }
            b' ' => {
                self.flush();
                self.count_down(1, 1);
                self.unchanged(body);
            }
            b'@' => {
                self.flush();
                self.remaining = counts(content);
            }
            b'-' | b'\\' => self.flush(),
            b'\n' | b'\r' if has_header && self.continues_after_blank(line.end, is_in_hunk) => {
                self.flush();
                self.count_down(1, 1);
                return true;
            }
            _ if [
                "index ", "new file", "deleted file", "similarity", "rename ", "old mode",
                "new mode",
            ]
            .iter()
            .any(|prefix| content.starts_with(prefix)) =>
            {
                self.flush()
            }
            _ => return false,
        }
        has_header || matches!(byte_at(content, 0), b'-' | b'+' | b' ')
    }

    fn count_down(&mut self, removed: u32, added: u32) {
        if let Some(remaining) = &mut self.remaining {
            *remaining = (remaining.0.saturating_sub(removed), remaining.1.saturating_sub(added));
        }
    }

    /// Returns `true` if a hunk continues after an empty line. Editors strip the space from empty
    /// unchanged lines.
    fn continues_after_blank(&self, offset: usize, is_in_hunk: bool) -> bool {
        let next = part(self.text.str, offset..self.text.end_of_line(offset));
        is_in_hunk && next.starts_with(['-', '+', ' ', '\n', '\r', '\\'])
    }

    fn unchanged(&mut self, line: Range<usize>) {
        let value = self.text.trimmed(line);
        if value.is_empty() {
            return;
        }
        if let Some(record) = self.record(value.clone()) {
            self.out.write_cell(record, vec![Cow::Borrowed(UNCHANGED)], self.text, value);
        }
    }

    /// Adds records for the current change. Removed and added lines with the same key share a record.
    fn flush(&mut self) {
        let removed = core::mem::take(&mut self.removed);
        let mut added = core::mem::take(&mut self.added).into_iter().peekable();
        for removed_line in removed {
            let key = self.key(removed_line.clone());
            let added_line = added.next_if(|added_line| {
                key.is_some()
                    && self.key(added_line.clone()).map(|(key, _)| part(self.text.str, key))
                        == key.clone().map(|(key, _)| part(self.text.str, key))
            });
            self.change(Some(removed_line), added_line);
        }
        for added_line in added {
            self.change(None, Some(added_line));
        }
    }

    fn change(&mut self, before: Option<Range<usize>>, after: Option<Range<usize>>) {
        let lines = [(BEFORE, before), (AFTER, after)];
        let mut spans = lines.iter().filter_map(|(_, line)| line.clone());
        let Some(first) = spans.next() else { return };
        let span = self.text.trimmed(first.start..spans.next().unwrap_or(first).end);
        if span.is_empty() {
            return;
        }
        let Some(record) = self.record(span) else { return };
        for (side, line) in lines {
            let Some(line) = line else { continue };
            let (attribute, value) = match self.key(line.clone()) {
                Some((key, value)) => (vec![self.text.name(key), Cow::Borrowed(side)], value),
                None => (vec![Cow::Borrowed(side)], self.text.trimmed(line)),
            };
            if !value.is_empty() {
                self.out.write_cell(record, attribute, self.text, value.clone());
            }
        }
    }

    fn record(&mut self, span: Range<usize>) -> Option<RecordId> {
        let group = self.group();
        let file = self.file.clone().map(|file| self.text.name(file));
        let path = self.context.path.iter().cloned().chain(file).collect();
        self.out.add_record(group, self.context.parent, path, self.text.span(span))
    }

    fn group(&mut self) -> GroupId {
        let mut scope = self.context.scope.clone();
        scope.extend(self.file.clone().map(|file| self.text.name(file)));
        let (out, item, complete) =
            (&mut *self.out, self.context.item, self.context.complete(false));
        *self.group.get_or_insert_with(|| out.add_group(item, Form::Diff, scope, complete))
    }

    fn key(&self, line: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
        let (key, value) = parse_key(part(self.text.str, line.clone()))?;
        Some((
            line.start + key.start..line.start + key.end,
            line.start + value.start..line.start + value.end,
        ))
    }
}

/// Parses the line counts in a hunk header: `@@ -1,4 +1,5 @@`.
fn counts(line: &str) -> Option<(u32, u32)> {
    let (before, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (after, _) = rest.split_once(" @@")?;
    let count =
        |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
    Some((count(before)?, count(after)?))
}

fn file_name(line: &str) -> Option<Range<usize>> {
    let trimmed = line.trim_end();
    let start = if trimmed.starts_with("diff --git ") {
        trimmed.rfind(" b/")? + 3
    } else if trimmed.starts_with("+++ ") && !trimmed.starts_with("+++ /dev/null") {
        if trimmed.starts_with("+++ b/") { 6 } else { 4 }
    } else {
        return None;
    };
    let end = trimmed.find('\t').unwrap_or(trimmed.len());
    Some(start.min(end)..end)
}

/// Returns the key and value in a changed line: `memory: 512Mi`, `SIZE=5`, `"size": 5,`, `retries = 3`.
fn parse_key(line: &str) -> Option<(Range<usize>, Range<usize>)> {
    const MAX_BYTES: usize = 80;
    let window = part(line, 0..line.floor_char_boundary(MAX_BYTES));
    let by_sign = window.find([':', '=']).and_then(|sign| key_by_sign(line, sign));
    by_sign.or_else(|| key_by_space(line))
}

fn key_by_space(line: &str) -> Option<(Range<usize>, Range<usize>)> {
    let start = line.len() - line.trim_start().len();
    let name = part(line, start..line.len()).split_whitespace().next()?;
    let value = trim(line, start + name.len()..line.len());
    let value = value.start..value.start + part(line, value).trim_end_matches([';', ',']).len();
    let is_name = name.starts_with(|c: char| c.is_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    (is_name && !value.is_empty()).then_some((start..start + name.len(), value))
}

fn key_by_sign(line: &str, sign: usize) -> Option<(Range<usize>, Range<usize>)> {
    let (key, value) = (part(line, 0..sign), part(line, sign + 1..line.len()));
    let name = key.trim().trim_start_matches("- ").trim_matches('"');
    let is_name = !name.is_empty()
        && !name.contains([' ', '(', '{', '<'])
        && name.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    let key_start = key.find(name)?;
    let inner = value.trim().trim_end_matches([',', ';']).trim_matches('"');
    let value_start = sign + 1 + value.find(inner)?;
    is_name.then_some((key_start..key_start + name.len(), value_start..value_start + inner.len()))
}

fn is_change(line: &str, sign: u8) -> bool {
    byte_at(line, 0) == sign && byte_at(line, 1) != sign && line.trim().len() > 1
}

fn shared_key(before: &str, after: &str) -> bool {
    let key = |line: &str| {
        let body = line.get(1..)?.to_owned();
        parse_key(&body).map(|(key, _)| part(&body, key).to_owned())
    };
    key(before).is_some_and(|key_before| Some(key_before) == key(after))
}
