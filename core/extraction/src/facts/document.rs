//! Splits a text into sections and dispatches each to the parser for its format.

use std::borrow::Cow;

use memchr::memmem;

use super::builder::Builder;
use super::diff;
use super::keys;
use super::keys::is_key_line;
use super::lines;
use super::model::{Form, GroupId, RecordId};
use super::prompt::{Opening, limits_output, mentions_truncation, opening};
use super::table::{columns, csv, pipes};
use super::text::{Context, ParseOutcome, Text};
use super::times::time_at;
use super::tree::{json, xml, yaml};
use crate::text::{byte_at, part};

pub(super) fn read<'a>(out: &mut Builder<'a>, context: &Context<'a>, text: Text<'_, 'a>) {
    let truncated = context.truncated || mentions_truncation(text.str);
    let mut parser = SectionParser {
        out,
        text,
        context: Context { truncated, ..context.clone() },
        outer_scopes: context.scope.len(),
        truncated,
        has_title: false,
        lines: None,
        last: None,
        json_from: 0,
        xml_from: 0,
        yaml_from: 0,
        line_end: 0,
    };
    let mut offset = 0;
    while offset < text.len() {
        let end = parser.parse_section(offset).max(offset + 1);
        if !parser.out.can_continue(end - offset) {
            break;
        }
        offset = end;
    }
}

struct SectionParser<'w, 't, 'a> {
    out: &'w mut Builder<'a>,
    text: Text<'t, 'a>,
    context: Context<'a>,
    /// The number of scope entries inherited from outside the text.
    outer_scopes: usize,
    truncated: bool,
    has_title: bool,
    lines: Option<GroupId>,
    /// The record that more deeply indented lines continue, and its indentation.
    last: Option<(RecordId, usize)>,
    /// The offsets before which no JSON, XML or YAML value starts.
    json_from: usize,
    xml_from: usize,
    yaml_from: usize,
    /// The end of the line in which the last value ends.
    line_end: usize,
}

/// Returns the end of the parsed value. If there is no value, stores the offset before which none starts in `retry_at`.
fn end_of_value(retry_at: &mut usize, outcome: ParseOutcome) -> Option<usize> {
    match outcome {
        ParseOutcome::Parsed(end) => Some(end),
        ParseOutcome::NotFound(offset) => {
            *retry_at = offset;
            None
        }
    }
}

/// Returns `true` if a line starts with a time or `ts=…`, as in a log.
fn starts_as_log(line: &str) -> bool {
    let first = byte_at(line, 0);
    let key = line
        .bytes()
        .take(24)
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    if first.is_ascii_alphabetic() && byte_at(line, key) == b'=' {
        return !matches!(byte_at(line, key + 1), b' ' | b'>' | b'=' | b'#' | b'*');
    }
    let inner = line.strip_prefix('[').unwrap_or(line);
    (first.is_ascii_alphanumeric() || first == b'[')
        && time_at(inner).is_some()
        && memmem::find(line.as_bytes(), b"   ").is_none()
}

/// Parses a table whose header starts like a comment.
fn commented_table<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    text: Text<'_, 'a>,
    offset: usize,
    line: &str,
) -> Option<usize> {
    let gaps = line.trim().match_indices("  ").count();
    if gaps < 3 { None } else { columns::read(out, context, text, offset) }
}

impl<'a> SectionParser<'_, '_, 'a> {
    fn parse_section(&mut self, start: usize) -> usize {
        if self.line_end <= start {
            self.line_end = self.text.end_of_line(start);
        }
        let end = self.line_end;
        let line = part(self.text.str, start..end);
        if line.trim().is_empty() {
            self.last = None;
            return end;
        }
        if starts_as_log(line) {
            self.parse_line(start, end);
            return end;
        }
        if let Some(end) = self.parse_by_first_character(start, line) {
            self.end_lines();
            return end;
        }
        if let Some(opening) = opening(line) {
            return self.open_scope(start, end, &opening);
        }
        if let Some(end) = self.parse_table(start, line).or_else(|| self.parse_keys(start, line)) {
            self.end_lines();
            return end;
        }
        self.parse_line(start, end);
        end
    }

    /// Tries the formats that are recognized by their first character.
    fn parse_by_first_character(&mut self, offset: usize, line: &str) -> Option<usize> {
        let (out, context, text) = (&mut *self.out, &self.context, self.text);
        match byte_at(line.trim_start(), 0) {
            b'{' | b'[' if offset >= self.json_from => {
                end_of_value(&mut self.json_from, json::values(out, context, text, offset))
            }
            b'<' if offset >= self.xml_from => {
                end_of_value(&mut self.xml_from, xml::elements(out, context, text, offset))
            }
            b'#' => csv::read(out, context, text, offset)
                .or_else(|| commented_table(out, context, text, offset, line)),
            b'd' | b'@' => diff::read(out, context, text, offset),
            b'-' | b'*' => {
                let end = pipes::records(out, context, text, offset);
                let end = end.or_else(|| diff::read(out, context, text, offset));
                end.or_else(|| commented_table(out, context, text, offset, line))
            }
            _ => None,
        }
    }

    fn parse_table(&mut self, offset: usize, line: &str) -> Option<usize> {
        let (out, context, text) = (&mut *self.out, &self.context, self.text);
        if line.contains(['|', '+', '│', '┌']) {
            let end = pipes::read(out, context, text, offset);
            if end.is_some() {
                return end;
            }
        }
        csv::read(out, context, text, offset).or_else(|| columns::read(out, context, text, offset))
    }

    /// Parses YAML or key-value lines. If they are indented below another line, they belong to that line's record.
    fn parse_keys(&mut self, offset: usize, line: &str) -> Option<usize> {
        let trimmed = line.trim();
        if !is_key_line(line) && trimmed != "---" && !trimmed.starts_with("- ") {
            return None;
        }
        let indent = line.len() - line.trim_start().len();
        let child_context = self
            .last
            .filter(|(_, last)| indent > *last)
            .map(|(last, _)| Context { parent: Some(last), ..self.context.clone() });
        let (out, context, text) =
            (&mut *self.out, child_context.as_ref().unwrap_or(&self.context), self.text);
        let is_excluded = offset < self.yaml_from;
        let yaml = if is_excluded {
            None
        } else {
            end_of_value(&mut self.yaml_from, yaml::read(out, context, text, offset))
        };
        yaml.or_else(|| keys::read(out, context, text, offset))
    }

    /// Opens a scope for a command or a title.
    fn open_scope(&mut self, line_start: usize, end: usize, opening: &Opening) -> usize {
        self.end_lines();
        let (end, title) = match opening {
            Opening::Command(title_start) => {
                let end = self.command_end(line_start, end);
                self.context.scope.truncate(self.outer_scopes);
                self.has_title = false;
                self.context.truncated =
                    self.truncated || limits_output(part(self.text.str, line_start..end));
                (end, line_start + title_start..end)
            }
            Opening::Title(title_start) => {
                if self.has_title {
                    self.context.scope.pop();
                }
                self.has_title = true;
                (end, line_start + title_start..end)
            }
        };
        let title = self.text.trimmed(title);
        let name = self.text.name(title);
        self.context.scope.push(name);
        if matches!(opening, Opening::Title(_)) {
            self.parse_line(line_start, end);
            self.end_lines();
        }
        end
    }

    /// Returns the end of a command, including continuation lines after a backslash.
    fn command_end(&self, start: usize, mut end: usize) -> usize {
        while part(self.text.str, start..end).trim_end().ends_with('\\') && end < self.text.len() {
            end = self.text.end_of_line(end);
        }
        end
    }

    fn parse_line(&mut self, start: usize, end: usize) {
        if !part(self.text.str, start..end).contains(char::is_alphanumeric) {
            return;
        }
        let group = match self.lines {
            Some(group) => group,
            None => {
                let complete = self.context.complete(false);
                let scope: Vec<Cow<'a, str>> = self.context.scope.clone();
                let group = self.out.add_group(self.context.item, Form::Lines, scope, complete);
                self.lines = Some(group);
                group
            }
        };
        let line = part(self.text.str, start..end);
        let indent = line.len() - line.trim_start().len();
        // An indented number is right-aligned. Its line does not continue the previous one.
        let is_number = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let continued_record = self.last.filter(|(_, last)| indent > *last && !is_number);
        let parent = continued_record.map(|(record, _)| record);
        let record =
            lines::line(self.out, &self.context, group, self.text.part(start..end), parent);
        if continued_record.is_none() {
            self.last = record.map(|record| (record, indent));
        }
    }

    fn end_lines(&mut self) {
        self.lines = None;
        self.last = None;
    }
}
