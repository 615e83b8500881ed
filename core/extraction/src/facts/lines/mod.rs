//! Extracts facts from a single line: a log line, key-value pairs, or prose.

mod access;
mod prefix;

use std::borrow::Cow;

use memchr::memchr;

use crate::budget::Budget;
use crate::facts::builder::Builder;
use crate::facts::message::{TextKind, first_pairs, write_message};
use crate::facts::model::{GroupId, RecordId};
use crate::facts::names::is_time_name;
use crate::facts::text::{Context, Text};
use crate::facts::times::{time_at, whole_time};
use crate::facts::tree::Tree;
use crate::facts::tree::json;
use crate::text::figures::ClockTime;
use crate::text::{byte_at, find_two, part};
use prefix::prefix;

/// Extracts a line as a record. `continued` is the record of the line that this line continues, if any.
pub(super) fn line<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    group: GroupId,
    text: Text<'_, 'a>,
    continued: Option<RecordId>,
) -> Option<RecordId> {
    let text = text.part(text.trimmed(0..text.len()));
    let prefix = prefix(text.str);
    let parent = continued.or(context.parent);
    let record = out.add_record(group, parent, context.path.clone(), text.span(0..text.len()))?;
    for (attribute, range) in &prefix.cells {
        out.write_cell(record, vec![Cow::Borrowed(attribute)], text, range.clone());
    }
    let mut is_log = prefix.is_log();
    if let Some(time) = prefix.time {
        out.set_time(record, text.time(time));
    } else if let Some(time) =
        bracketed_time(text.str).map(|time| text.time(time)).or_else(|| time_in_pairs(text))
    {
        is_log = true;
        out.set_time(record, time);
    }
    let has_quote = memchr(b'"', text.str.as_bytes()).is_some();
    let request = if has_quote { access::request(text.str) } else { Vec::new() };
    for (attribute, range) in request {
        out.write_cell(record, vec![Cow::Borrowed(attribute)], text, range.clone());
    }
    let (message, object) = split_trailing_object(text.suffix(prefix.end), out.budget());
    if let (Some(object), Some(inner)) = (object, context.nested()) {
        let inner = Context { parent: Some(record), path: Vec::new(), ..inner };
        json::values(out, &inner, object, 0);
    }
    write_message(
        out,
        context,
        record,
        message,
        if is_log { TextKind::Log } else { TextKind::Prose },
    );
    Some(record)
}

/// Parses the bracketed time in an access log, after the client and the user.
fn bracketed_time(line: &str) -> Option<ClockTime> {
    let window = part(line, 0..line.floor_char_boundary(96));
    let start = find_two(window, *b" [")? + 2;
    let time = time_at(part(line, start..line.len()))?;
    (byte_at(line, time.span.end + start) == b']')
        .then(|| ClockTime { span: start..start + time.span.end, ..time })
}

fn time_in_pairs<'a>(text: Text<'_, 'a>) -> Option<ClockTime> {
    if !text.str.contains('=') {
        return None;
    }
    let window = part(text.str, 0..text.str.floor_char_boundary(200));
    let mut time_pairs = first_pairs(window, 3)
        .into_iter()
        .filter(|pair| is_time_name(part(window, pair.key.clone())));
    let pair = time_pairs.next()?;
    let time = whole_time(part(window, pair.value.clone()))?;
    Some(text.part(pair.value).time(time))
}

fn split_trailing_object<'t, 'a>(
    text: Text<'t, 'a>,
    budget: &Budget,
) -> (Text<'t, 'a>, Option<Text<'t, 'a>>) {
    let start = find_two(text.str, *b"{\"");
    let start = start.filter(|start| {
        part(text.str, 0..*start).ends_with([' ', '\t', ':', '[', '=']) || *start == 0
    });
    let Some(start) = start else { return (text, None) };
    let start = if part(text.str, 0..start).ends_with('[') { start - 1 } else { start };
    let Some(tree) = Tree::read(text.suffix(start).str, budget).filter(|tree| tree.closed) else {
        return (text, None);
    };
    let end = start + tree.end;
    if text.suffix(end).str.trim().is_empty() {
        (text.part(0..start), Some(text.part(start..end)))
    } else {
        (text, None)
    }
}
