//! Extracts facts from a message, either as prose in the message's record or as one record per subject.

mod clauses;
mod pairs;

use core::ops::Range;
use std::borrow::Cow;

use crate::facts::builder::Builder;
use crate::facts::model::{Form, GroupId, RecordId};
use crate::facts::text::{Context, Text};
use crate::text::sentences::sentences;
use crate::text::{find_two, part};
use clauses::clauses;
pub(super) use pairs::first_pairs;
use pairs::{Pair, pairs, runs};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    /// A log message, with one subject unless a clause introduces another.
    Log,
    /// Prose, with one subject per sentence.
    Prose,
}

pub(super) fn write_message<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    record: RecordId,
    text: Text<'_, 'a>,
    kind: TextKind,
) {
    let text = text.part(text.trimmed(0..text.len()));
    if text.str.is_empty() {
        return;
    }
    let Some(pairs) = write_clauses(out, context, record, &[], text, kind) else { return };
    if has_other_words(text.str, &pairs) {
        out.write_cell(record, Vec::new(), text, 0..text.len());
    }
    write_pair_cells(out, record, text, &pairs);
}

/// Adds a string value. If it has several subjects, adds them as child records and returns `true`. If it has only
/// one, adds the value's pairs and returns `false`.
pub(super) fn write_clauses_under_key<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    record: RecordId,
    key: &[Cow<'a, str>],
    text: Text<'_, 'a>,
) -> bool {
    let is_log = key.last().is_some_and(|key| {
        matches!(&**key, "msg" | "message" | "log" | "error" | "err" | "reason")
    });
    let kind = if is_log { TextKind::Log } else { TextKind::Prose };
    let Some(pairs) = write_clauses(out, context, record, key, text, kind) else { return true };
    write_pair_cells(out, record, text, &pairs);
    false
}

/// If a text has several subjects, adds them as records and returns `None`. If it has only one, returns its pairs.
fn write_clauses<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    record: RecordId,
    path: &[Cow<'a, str>],
    text: Text<'_, 'a>,
    kind: TextKind,
) -> Option<Vec<Pair>> {
    let statements = statements(text.str, kind);
    match statements.as_slice() {
        [] => return Some(pairs(text.str)),
        [statement] => {
            let (part, is_whole) = (text.part(statement.clone()), *statement == (0..text.len()));
            let part_pairs = pairs(part.str);
            let is_split = write_runs(out, context, record, path, part, &part_pairs, None);
            let all_pairs = || if is_whole { part_pairs } else { pairs(text.str) };
            return (!is_split).then(all_pairs);
        }
        _ => {}
    }
    let group = group(out, context, path);
    for statement in statements {
        let part = text.part(statement);
        let part_pairs = pairs(part.str);
        if write_runs(out, context, record, path, part, &part_pairs, Some(group)) {
            continue;
        }
        let span = part.span(0..part.len());
        let clause = out.add_record(group, Some(record), path.to_vec(), span)?;
        out.write_cell(clause, Vec::new(), part, 0..part.len());
        write_pair_cells(out, clause, part, &part_pairs);
    }
    None
}

fn group<'a>(out: &mut Builder<'a>, context: &Context<'a>, path: &[Cow<'a, str>]) -> GroupId {
    let mut scope = context.scope.clone();
    if !scope.ends_with(path) {
        scope.extend(path.iter().cloned());
    }
    out.add_group(context.item, Form::Clauses, scope, context.complete(false))
}

fn statements(text: &str, kind: TextKind) -> Vec<Range<usize>> {
    if kind == TextKind::Log || !text.contains(['.', '!', '?', '。']) {
        return clauses(text);
    }
    let mut found = Vec::new();
    for sentence in sentences(text) {
        let inner = clauses(part(text, sentence.clone()));
        found.extend(
            inner
                .into_iter()
                .map(|clause| sentence.start + clause.start..sentence.start + clause.end),
        );
    }
    found
}

fn write_runs<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    record: RecordId,
    path: &[Cow<'a, str>],
    text: Text<'_, 'a>,
    pairs: &[Pair],
    clause_group: Option<GroupId>,
) -> bool {
    let Some((shared_count, runs)) = runs(text.str, pairs) else { return false };
    let group = clause_group.unwrap_or_else(|| group(out, context, path));
    let parent = if let Some(group) = clause_group {
        let Some(clause) =
            out.add_record(group, Some(record), Vec::new(), text.span(0..text.len()))
        else {
            return true;
        };
        clause
    } else {
        record
    };
    let first_start = runs.first().map_or(0, |run| run.span.start);
    let introduction = text.trimmed(0..first_start);
    let shared_pairs = pairs.get(..shared_count).unwrap_or_default();
    if has_other_words(part(text.str, introduction.clone()), shared_pairs) {
        out.write_cell(parent, Vec::new(), text, introduction.clone());
    }
    write_pair_cells(out, parent, text, shared_pairs);
    for run in runs {
        let mut keys = path.to_vec();
        keys.extend(run.head.map(|head| text.name(head)));
        let Some(run_record) =
            out.add_record(group, Some(parent), keys, text.span(run.span.clone()))
        else {
            return true;
        };
        let run_pairs = pairs.get(run.pairs).unwrap_or_default();
        let last = run_pairs.last().map_or(run.span.start, |pair| pair.span.end);
        if has_other_words(part(text.str, last..run.span.end), &[]) {
            out.write_cell(run_record, Vec::new(), text, run.span.clone());
        }
        write_pair_cells(out, run_record, text, run_pairs);
    }
    true
}

pub(super) fn write_pair_cells<'a>(
    out: &mut Builder<'a>,
    record: RecordId,
    text: Text<'_, 'a>,
    pairs: &[Pair],
) {
    for pair in pairs {
        let (raw, span) = (text.cow(pair.value.clone()), text.span(pair.value.clone()));
        let is_plain = find_two(&raw, *b"\\\"").is_none();
        let value = if is_plain { raw } else { raw.replace("\\\"", "\"").into() };
        out.push_cell(record, vec![text.name(pair.key.clone())], value, span);
    }
}

fn has_other_words(text: &str, pairs: &[Pair]) -> bool {
    let mut offset = 0;
    for pair in pairs {
        if part(text, offset..pair.span.start).bytes().any(|byte| byte.is_ascii_alphanumeric()) {
            return true;
        }
        offset = pair.span.end;
    }
    part(text, offset..text.len()).bytes().any(|byte| byte.is_ascii_alphanumeric())
}
