//! Plain text as observations: what `kubectl`, `psql`, log files and diffs print.
//!
//! | line | becomes |
//! |---|---|
//! | a header in capitals, or a line above dashes | the columns of a table; each row below is a record with one field per cell |
//! | `Key:` alone | a section; lines further in belong to it |
//! | `Key:  value`, `key: value` | a field with a key |
//! | anything else | a field without a key |
//!
//! Sections nest by indentation. A blank line ends the table and every section. A line before a block of
//! keys names the block. In a diff the sign is no part of the indentation.

use std::ops::Range;

use crate::evidence::observations::{Builder, NewField, Place, Record, ValueKind, is_naming};
use crate::evidence::shapes::assignments::{self, Assignment};
use crate::evidence::shapes::columns::Columns;
use crate::evidence::shapes::headings::{self, Opens};
use crate::evidence::shapes::points;
use crate::evidence::shapes::separated::{self, Gap};

/// How lines are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breaks {
    /// By line breaks.
    Lines,
    /// By the two characters `\n`: the inside of a JSON string.
    Escapes,
}

/// Whether a text was read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// It was.
    Whole,
    /// There was no room for all of it.
    Cut,
}

/// Reads a stretch of the text that the builder is at into the object opened last.
pub(crate) fn read(builder: &mut Builder<'_>, range: Range<usize>, breaks: Breaks) -> Read {
    let base = builder.current();
    let mut reader = Reader {
        builder,
        breaks,
        base,
        sections: Vec::new(),
        table: None,
        is_diff: false,
        is_plan: false,
        micros: None,
        kept: 0,
        has_banner: false,
        fresh: true,
    };
    let mut lines = Lines { text: reader.builder.text(), range, breaks }.peekable();
    let mut outcome = Read::Whole;
    let mut is_first = true;
    while let Some(line) = lines.next() {
        let opens = std::mem::take(&mut is_first) && breaks == Breaks::Lines;
        if opens
            && reader
                .builder
                .text()
                .get(line.clone())
                .is_some_and(|text| reader.builder.is_request(text))
        {
            reader.builder.request(line);
            continue;
        }
        if !reader.builder.has_room() {
            outcome = Read::Cut;
            break;
        }
        reader.line(line, lines.peek());
    }
    reader.end_table();
    reader.close_to(0);
    outcome
}

/// Iterator over the lines of a stretch of text.
struct Lines<'t> {
    text: &'t str,
    range: Range<usize>,
    breaks: Breaks,
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        if self.range.start >= self.range.end {
            return None;
        }
        let rest = self.text.as_bytes().get(self.range.clone())?;
        let (length, width) = match self.breaks {
            Breaks::Lines => (memchr::memchr(b'\n', rest).unwrap_or(rest.len()), 1),
            Breaks::Escapes => (memchr::memmem::find(rest, b"\\n").unwrap_or(rest.len()), 2),
        };
        let start = self.range.start;
        self.range.start = start + length + width;
        Some(start..start + length)
    }
}

struct Section {
    indent: usize,
    heading: Option<Range<usize>>,
}

struct KeyedLine {
    key: Range<usize>,
    value: Range<usize>,
    quote: Range<usize>,
    indent: usize,
}

struct Table {
    indent: usize,
    columns: Vec<Column>,
    gap: Gap,
    numbers: Columns,
}

struct Column {
    name: Range<usize>,
    /// Bytes from the start of the header line.
    at: usize,
}

struct Reader<'b, 'e> {
    builder: &'b mut Builder<'e>,
    breaks: Breaks,
    base: u32,
    sections: Vec<Section>,
    table: Option<Table>,
    is_diff: bool,
    /// Whether the lines are those of a plan: `~ key = "a" -> "b"`.
    is_plan: bool,
    /// The time that stands before the line.
    micros: Option<i64>,
    /// How many sections a blank line leaves open: those of a banner, a command, a commit, a YAML document.
    kept: usize,
    /// Whether the outermost of them is a banner.
    has_banner: bool,
    /// Whether the line before was blank, or there was none.
    fresh: bool,
}

impl Reader<'_, '_> {
    fn line(&mut self, line: Range<usize>, next: Option<&Range<usize>>) {
        let text = self.builder.text();
        let line = self.unstamped(line);
        let content = trimmed(text, &line);
        let written = text.get(content.clone()).unwrap_or("");
        if written.is_empty() {
            self.end_table();
            self.fresh = true;
            return;
        }
        if self.breaks == Breaks::Lines
            && content.start == line.start
            && let Some(opens) = headings::opens(written)
        {
            self.above(opens, content);
            return;
        }
        if written == "---" && self.breaks == Breaks::Lines && self.table.is_none() && !self.is_diff
        {
            self.document();
            return;
        }
        if is_ruler(written) {
            return;
        }
        let announced = headings::announces_diff(written);
        if written.starts_with("@@ ") || written.starts_with("diff --git") || announced {
            self.is_diff = true;
            self.close_to(self.kept);
        }
        self.is_plan |= written.starts_with("Terraform will perform")
            || written.starts_with("Terraform used the selected providers");
        let indent = content.start - line.start;
        // A blank line ends every section, unless what follows is still further in.
        if self.fresh && !self.is_diff && indent == 0 {
            self.close_to(self.kept);
        }
        if self.table.as_ref().is_some_and(|table| indent < table.indent) {
            self.end_table();
        }
        if self.table.is_some() && self.row(&line) {
            self.fresh = false;
            return;
        }
        if let Some((gap, columns)) = self.header(&line, &content, next) {
            self.end_table();
            self.table = Some(Table { indent, columns, gap, numbers: Columns::default() });
            self.close_to_indent(indent);
            self.fresh = false;
            return;
        }
        self.entry(&line, content, next);
        self.fresh = false;
    }

    /// `---`: another document of a YAML stream, one thing that is told of.
    fn document(&mut self) {
        self.close_to(0);
        self.open_section(0, None, Record::Yes);
        self.kept = 1;
        self.has_banner = false;
        self.fresh = false;
    }

    /// A line that stands above what follows it.
    fn above(&mut self, opens: Opens, content: Range<usize>) {
        self.end_table();
        self.is_diff = false;
        self.is_plan = false;
        let outer = usize::from(opens == Opens::Answer && self.has_banner);
        self.close_to(outer);
        self.open_section(0, Some(content.clone()), Record::Yes);
        self.kept = outer + 1;
        self.has_banner = opens == Opens::Banner || outer > 0;
        self.plain(content.clone(), content);
        self.fresh = true;
    }

    /// The line without the time that the log of a job puts before it.
    fn unstamped(&mut self, line: Range<usize>) -> Range<usize> {
        let text = self.builder.text();
        let written = text.get(line.clone()).unwrap_or("");
        let Some(length) = headings::stamp(written).filter(|_| self.breaks == Breaks::Lines) else {
            self.micros = None;
            return line;
        };
        self.micros = written.get(..length).and_then(points::time);
        (line.start + length + 1).min(line.end)..line.end
    }

    /// Ends the table, whose columns may be series.
    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let headings: Vec<Range<usize>> =
            table.columns.into_iter().map(|column| column.name).collect();
        table.numbers.finish(self.builder, &headings);
    }

    /// A line outside tables: a section, a `key: value`, or words.
    fn entry(&mut self, line: &Range<usize>, content: Range<usize>, next: Option<&Range<usize>>) {
        let text = self.builder.text();
        let mut content = content;
        let mut indent = content.start - line.start;
        let written = text.get(content.clone()).unwrap_or("");
        let signed = self.is_diff && written.starts_with(['+', '-']) && indent == 0;
        if signed {
            let inside = trimmed(text, &(content.start + 1..content.end));
            indent = inside.start - line.start;
            content = inside;
        }
        if self.is_plan && self.planned(&content, indent) {
            return;
        }
        self.close_to_indent(indent);
        if self.breaks == Breaks::Lines && !self.is_diff && self.exposed(&content) {
            return;
        }
        if let Some(assignment) = assignments::assignment(text, &content)
            && assignment.after.is_none()
        {
            self.assigned(assignment, quote_of(signed, line, &content));
            return;
        }
        let listed = !signed
            && text.get(content.clone()).unwrap_or("").starts_with("- ")
            && self.breaks == Breaks::Lines
            && key_and_value(text, &(content.start + 2..content.end)).is_some();
        if listed {
            self.open_section(indent + 1, None, Record::Yes);
            content = trimmed(text, &(content.start + 2..content.end));
            indent += 2;
        }
        let quote = quote_of(signed, line, &content);
        match key_and_value(text, &content) {
            Some((key, None)) => {
                let fresh_block = self.fresh && indent == 0;
                let record = if fresh_block { Record::Yes } else { Record::No };
                self.open_section(indent + 1, Some(key.clone()), record);
                self.container(&key);
            }
            Some((key, Some(value))) => self.keyed(KeyedLine { key, value, quote, indent }, next),
            None => {
                if self.fresh && indent == 0 && self.heads_block(next) {
                    self.open_section(0, Some(content.clone()), Record::Yes);
                }
                self.plain(content, quote);
            }
        }
    }

    /// A line of a plan: a resource, a block, a value before and after. False when it is none of them.
    fn planned(&mut self, content: &Range<usize>, indent: usize) -> bool {
        let text = self.builder.text();
        let written = text.get(content.clone()).unwrap_or("");
        if written.starts_with("# ")
            && (written.contains(" will be ") || written.contains(" must be "))
        {
            self.close_to_indent(indent.saturating_sub(1));
            self.open_section(indent, Some(content.clone()), Record::Yes);
            self.plain(content.clone(), content.clone());
            return true;
        }
        let signs = ["~ ", "+ ", "- ", "-/+ ", "+/- ", "<= "];
        let sign =
            signs.iter().find(|sign| written.starts_with(**sign)).map_or(0, |sign| sign.len());
        let inside = trimmed(text, &(content.start + sign..content.end));
        self.close_to_indent(indent);
        if written.ends_with('{') {
            self.open_section(indent + 1, Some(inside), Record::No);
            return true;
        }
        let Some(assignment) = assignments::assignment(text, &inside) else { return false };
        self.assigned(assignment, content.clone());
        true
    }

    /// A key with its value; with the value before and after where the line states both.
    fn assigned(&mut self, assignment: Assignment, quote: Range<usize>) {
        let field = |builder: &mut Builder<'_>, value: Range<usize>, micros: Option<i64>| {
            builder.field(NewField {
                place: Place::Line,
                name: Some(assignment.key.clone()),
                value,
                quote: quote.clone(),
                kind: ValueKind::Text,
                micros,
            })
        };
        let before = field(self.builder, assignment.value.clone(), self.micros);
        if let Some(after) = assignment.after.clone() {
            let after = field(self.builder, after, self.micros);
            self.builder.change(before, after);
        }
    }

    /// A line of Prometheus' exposition; false when it is none.
    fn exposed(&mut self, content: &Range<usize>) -> bool {
        let text = self.builder.text();
        let Some(exposed) = assignments::exposed(text, content) else { return false };
        let is_labelled = !exposed.labels.is_empty();
        if is_labelled {
            self.builder.open(Place::Line, None, Record::Yes);
        }
        let bearer = self.builder.current();
        let add = |builder: &mut Builder<'_>, name: Range<usize>, value: Range<usize>| {
            builder.field(NewField {
                place: Place::Line,
                name: Some(name),
                value,
                quote: content.clone(),
                kind: ValueKind::Text,
                micros: None,
            })
        };
        for (name, value) in exposed.labels {
            let names = is_naming(text.get(name.clone()).unwrap_or(""));
            let field = add(self.builder, name, value);
            if names {
                self.builder.name(bearer, field);
            }
        }
        let field = add(self.builder, exposed.name, exposed.value);
        if let Some(unit) = exposed.unit {
            self.builder.unit(field, unit);
        }
        if is_labelled {
            self.builder.close();
        }
        true
    }

    fn keyed(&mut self, line: KeyedLine, next: Option<&Range<usize>>) {
        let text = self.builder.text();
        let KeyedLine { key, value, quote, indent } = line;
        let written = text.get(key.clone()).unwrap_or("");
        let names = is_naming(written);
        if self.fresh && indent == 0 && written.eq_ignore_ascii_case("name") {
            self.open_section(0, None, Record::Yes);
        }
        let field = self.builder.field(NewField {
            place: Place::Line,
            name: Some(key.clone()),
            value,
            quote,
            kind: ValueKind::Text,
            micros: self.micros,
        });
        if names {
            let bearer = self.builder.opened(self.lending());
            self.builder.name(bearer, field);
        }
        // `State: Waiting` has a `Reason` further in.
        let goes_on = next.is_some_and(|next| {
            let content = trimmed(text, next);
            !content.is_empty() && content.start - next.start > indent
        });
        if goes_on {
            self.open_section(indent + 1, Some(key), Record::No);
        }
    }

    /// How many of the open sections lend their names to the section around them: `name` below `metadata`.
    fn lending(&self) -> usize {
        let text = self.builder.text();
        let lends = |section: &&Section| {
            section.heading.clone().and_then(|heading| text.get(heading)).is_some_and(|heading| {
                matches!(heading, "metadata" | "labels" | "involvedObject" | "regarding")
            })
        };
        self.sections.iter().rev().take_while(lends).count()
    }

    fn plain(&mut self, content: Range<usize>, quote: Range<usize>) {
        self.builder.field(NewField {
            place: Place::Line,
            name: None,
            value: content,
            quote,
            kind: ValueKind::Text,
            micros: self.micros,
        });
    }

    /// A heading among containers is the name of one.
    fn container(&mut self, heading: &Range<usize>) {
        let text = self.builder.text();
        let outer = self.sections.iter().rev().nth(1).and_then(|section| section.heading.clone());
        let outer = outer.and_then(|outer| text.get(outer)).unwrap_or("");
        if outer.eq_ignore_ascii_case("containers") || outer.eq_ignore_ascii_case("init containers")
        {
            let bearer = self.builder.current();
            let field = self.builder.field(NewField {
                place: Place::Line,
                name: None,
                value: heading.clone(),
                quote: heading.clone(),
                kind: ValueKind::Text,
                micros: None,
            });
            self.builder.name(bearer, field);
        }
    }

    /// Whether the line before `next` names the block that `next` begins.
    fn heads_block(&self, next: Option<&Range<usize>>) -> bool {
        let text = self.builder.text();
        next.is_some_and(|next| {
            let content = trimmed(text, next);
            key_and_value(text, &content).is_some()
                || text.get(content).is_some_and(|content| content.starts_with("HTTP/"))
        })
    }

    /// Opens a section for lines that are indented by at least that much; by 0, for the whole block.
    fn open_section(&mut self, indent: usize, heading: Option<Range<usize>>, record: Record) {
        const DEEPEST: usize = 100;
        if self.sections.len() < DEEPEST {
            self.builder.open(Place::Line, heading.clone(), record);
            self.sections.push(Section { indent, heading });
        }
    }

    fn close_to_indent(&mut self, indent: usize) {
        while self.sections.last().is_some_and(|section| section.indent > indent) {
            self.sections.pop();
            self.builder.close();
        }
    }

    fn close_to(&mut self, depth: usize) {
        while self.sections.len() > depth {
            self.sections.pop();
            self.builder.close();
        }
        debug_assert!(depth > 0 || self.builder.current() == self.base, "sections are closed");
    }

    /// The columns of a table whose header this line is.
    fn header(
        &self,
        line: &Range<usize>,
        content: &Range<usize>,
        next: Option<&Range<usize>>,
    ) -> Option<(Gap, Vec<Column>)> {
        if self.breaks == Breaks::Escapes || self.is_diff {
            return None;
        }
        let text = self.builder.text();
        let column =
            |name: Range<usize>| Column { at: name.start.saturating_sub(line.start), name };
        if let Some(next) = next
            && let below = trimmed(text, next)
            && let Some((gap, cells)) = separated::header(text, content, &below)
                .or_else(|| separated::blank_header(text, content, &below))
        {
            return Some((gap, cells.into_iter().map(column).collect()));
        }
        let written = text.get(content.clone()).unwrap_or("");
        let ruled = next.is_some_and(|next| {
            let below = text.get(trimmed(text, next)).unwrap_or("");
            is_ruler(below) && below.len() > 3
        });
        let gap = if written.contains(" | ") { Gap::Bars } else { Gap::Wide };
        let cells = cells(text, content, gap);
        let capitals = |cell: &Range<usize>| {
            let word = text.get(cell.clone()).unwrap_or("");
            word.bytes().any(|byte| byte.is_ascii_uppercase())
                && !word.bytes().any(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let capital_header = cells.len() >= 2
            && cells.iter().take(2).filter(|cell| capitals(cell)).count() >= 1
            && cells.first().is_some_and(capitals);
        let described = cells.len() >= 2
            && cells.iter().all(|cell| {
                text.get(cell.clone()).is_some_and(|cell| DESCRIBED_COLUMNS.contains(&cell))
            });
        let keyed =
            |cell: &Range<usize>| text.get(cell.clone()).is_some_and(|cell| cell.ends_with(':'));
        if cells.iter().any(keyed) || !(capital_header || described || ruled && !cells.is_empty()) {
            return None;
        }
        Some((gap, cells.into_iter().map(column).collect()))
    }

    /// Reads a row of the open table; false when the line is none.
    fn row(&mut self, line: &Range<usize>) -> bool {
        let text = self.builder.text();
        let content = trimmed(text, line);
        let Some(mut table) = self.table.take() else { return false };
        let cells = cells(text, &content, table.gap);
        if matches!(table.gap, Gap::Mark(_)) && cells.len() != table.columns.len() {
            self.table = Some(table);
            self.end_table();
            return false;
        }
        if cells.len() < 2 && table.columns.len() > 2 {
            // `(5 rows)`, or a line that went on from the row above.
            self.table = Some(table);
            self.plain(content.clone(), content);
            return true;
        }
        self.builder.open(Place::Line, None, Record::Yes);
        let bearer = self.builder.current();
        let in_order = cells.len() == table.columns.len();
        table.numbers.take(text, &cells);
        let mut is_named = false;
        let mut first = None;
        for (order, cell) in cells.iter().enumerate() {
            let at = cell.start - line.start;
            let column = if in_order || matches!(table.gap, Gap::Blanks(_)) {
                table.columns.get(order)
            } else {
                table.columns.iter().rev().find(|column| column.at <= at + 1)
            };
            let key = column.map(|column| column.name.clone());
            let heading = key.as_ref().and_then(|key| text.get(key.clone())).unwrap_or("");
            let names = is_naming(heading) || names_row(heading);
            let field = self.builder.field(NewField {
                place: Place::Line,
                name: key,
                value: cell.clone(),
                quote: content.clone(),
                kind: ValueKind::Text,
                micros: None,
            });
            if names {
                self.builder.name(bearer, field);
                is_named = true;
            } else if order == 0 && is_row_name(text.get(cell.clone()).unwrap_or("")) {
                first = Some(field);
            }
        }
        if let Some(first) = first.filter(|_| !is_named && !matches!(table.gap, Gap::Wide)) {
            self.builder.name(bearer, first);
        }
        self.builder.close();
        self.table = Some(table);
        true
    }
}

/// The columns of the tables in `kubectl describe`, which has no line of dashes below some of them.
const DESCRIBED_COLUMNS: [&str; 10] = [
    "Type",
    "Status",
    "Reason",
    "Age",
    "From",
    "Message",
    "Resource",
    "Used",
    "Hard",
    "LastTransitionTime",
];

/// A stretch without white space around it; `\t` and `\r` as JSON writes them count as white space.
pub(crate) fn trimmed(text: &str, span: &Range<usize>) -> Range<usize> {
    let Some(inner) = text.get(span.clone()) else { return span.start..span.start };
    let mut start = inner.len() - inner.trim_start().len();
    while inner.get(start..).is_some_and(|rest| rest.starts_with("\\t") || rest.starts_with("\\r"))
    {
        start += 2;
        let rest = inner.get(start..).unwrap_or("");
        start += rest.len() - rest.trim_start().len();
    }
    let rest = inner.get(start..).unwrap_or("").trim_end();
    let rest = rest.strip_suffix("\\r").unwrap_or(rest);
    span.start + start..span.start + start + rest.len()
}

/// Dashes, plus signs and bars only.
fn is_ruler(line: &str) -> bool {
    line.len() >= 3
        && line.starts_with(['-', '=', '+', '|'])
        && line.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'+' | b'|' | b' ' | b'\t' | b':'))
}

/// Splits a line into cells.
fn cells(text: &str, content: &Range<usize>, gap: Gap) -> Vec<Range<usize>> {
    match gap {
        Gap::Wide => separated::wide(text, content),
        Gap::Bars => separated::barred(text, content),
        Gap::Mark(mark) => separated::split(text, content, mark),
        Gap::Blanks(most) => separated::blanks(text, content, most),
    }
}

/// Whether the cell under this heading names its row.
fn names_row(heading: &str) -> bool {
    let heading = heading.as_bytes();
    heading == b"Mounted on"
        || heading.len() > 4
            && heading.get(heading.len() - 4..).is_some_and(|end| end.eq_ignore_ascii_case(b"name"))
}

/// Whether the first cell of a row names it: one word with letters, and no time.
fn is_row_name(cell: &str) -> bool {
    cell.len() > 1
        && cell.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !cell.contains(char::is_whitespace)
        && points::time(cell).is_none()
}

/// The bytes of a line that are quoted: those of a diff with their sign.
fn quote_of(signed: bool, line: &Range<usize>, content: &Range<usize>) -> Range<usize> {
    if signed { line.start..content.end } else { content.clone() }
}

/// The key of a `Key:` or `Key: value` line, and its value where it has one.
fn key_and_value(
    text: &str,
    content: &Range<usize>,
) -> Option<(Range<usize>, Option<Range<usize>>)> {
    const LONGEST_KEY: usize = 48;
    const MOST_WORDS: usize = 4;
    let written = text.get(content.clone())?;
    let colon = written.bytes().take(LONGEST_KEY).position(|byte| byte == b':')?;
    let key = written.get(..colon)?.trim_matches(['"', '\'', '`']);
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_' | b'.' | b'/' | b' ' | b'(' | b')' | b'%')
    };
    let starts_well = key.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    if !starts_well
        || !key.bytes().all(plain)
        || key.split(' ').count() > MOST_WORDS
        || key.contains("  ")
    {
        return None;
    }
    let after = written.get(colon + 1..)?;
    let key_start = content.start + written.find(key)?;
    let key_span = key_start..key_start + key.len();
    if after.trim().is_empty() {
        return Some((key_span, None));
    }
    let spaced = after.starts_with([' ', '\t']) || after.starts_with("\\t");
    spaced.then(|| {
        let value = trimmed(text, &(content.start + colon + 1..content.end));
        let quoted = text
            .get(value.clone())
            .is_some_and(|inner| inner.len() > 1 && inner.starts_with('"') && inner.ends_with('"'));
        let value = if quoted { value.start + 1..value.end - 1 } else { value };
        (key_span, Some(value))
    })
}
