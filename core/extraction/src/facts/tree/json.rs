//! Finds consecutive JSON values in a text and extracts their facts.

use std::borrow::Cow;

use super::Tree;
use super::objects::Objects;
use super::series::is_incomplete;
use crate::budget::Budget;
use crate::facts::builder::Builder;
use crate::facts::model::Form;
use crate::facts::text::{Context, ParseOutcome, Text, truncate};
use crate::text::byte_at;

pub(in crate::facts) fn values<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    text: Text<'_, 'a>,
    start: usize,
) -> ParseOutcome {
    let mut end = start;
    let mut group = None;
    loop {
        let (tree, value_start, value_end) = match value_at(text, end, out.budget()) {
            Ok(value) => value,
            Err(search_end) if end == start => return ParseOutcome::NotFound(search_end),
            Err(_) => return ParseOutcome::Parsed(end),
        };
        let inner = text.part(value_start..value_end);
        let complete = context.complete(tree.closed) && !is_incomplete(&tree, inner.str);
        let mut objects = Objects {
            out,
            context,
            text: inner,
            tree: &tree,
            scope: context.scope.clone(),
            complete,
        };
        if group.is_none() && tree.is_object(0) {
            let is_single = value_at_start(text, value_end).is_none();
            let form = if is_single { Form::Object } else { Form::Lines };
            let complete = if is_single { complete } else { context.complete(false) };
            group =
                Some(objects.out.add_group(context.item, form, context.scope.clone(), complete));
        }
        objects.add_root(group);
        end = value_end;
    }
}

pub(super) fn add_tree<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    text: Text<'_, 'a>,
    tree: &Tree<'_>,
) {
    let complete = context.complete(tree.closed);
    let mut context = context.clone();
    let group = out.add_group(context.item, Form::Object, context.scope.clone(), complete);
    let scope = context.scope.clone();
    if let Some((key, _)) = tree.node(0).and_then(|root| root.key.as_ref()) {
        context.path.push(Cow::Owned(truncate(key, 256).to_owned()));
    }
    let mut objects = Objects { out, context: &context, text, tree, scope, complete };
    objects.add_root(Some(group));
}

/// Extracts the facts from a string that is an object or array. Returns `false` for any other string.
pub(super) fn read_embedded<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    text: Text<'_, 'a>,
) -> bool {
    let trimmed = text.str.trim();
    let starts_as_json =
        trimmed.starts_with("{\"") || trimmed.starts_with("[{") || trimmed.starts_with("[\"");
    let is_complete = || Tree::read(text.str, out.budget()).is_some_and(|tree| tree.closed);
    starts_as_json
        && trimmed.len() > 4
        && is_complete()
        && matches!(values(out, context, text, 0), ParseOutcome::Parsed(_))
}

fn value_at_start(text: Text<'_, '_>, offset: usize) -> Option<usize> {
    let start = text.skip_whitespace(offset);
    matches!(byte_at(text.str, start), b'{' | b'[').then_some(start)
}

/// Parses the value at an offset and returns it with its range. If there is none, as for brackets in prose, returns
/// the end of the search as the error.
fn value_at<'t>(
    text: Text<'t, '_>,
    offset: usize,
    budget: &Budget,
) -> Result<(Tree<'t>, usize, usize), usize> {
    let start = value_at_start(text, offset).ok_or(offset)?;
    let tree = Tree::read(text.suffix(start).str, budget).ok_or(offset)?;
    let end = start + tree.end;
    let rest = text.suffix(end).str;
    let following = rest.trim_start_matches([' ', ',', ';', '\r', '\t']);
    let ends_line = matches!(byte_at(following, 0), b'\n' | 0 | b'[' | b'{');
    let is_accepted = if tree.is_object(0) {
        tree.closed || tree.nodes.len() > 1
    } else if tree.closed {
        ends_line
    } else {
        tree.nodes.iter().any(|node| node.key.is_some())
    };
    if !is_accepted {
        return Err(end);
    }
    // After an incomplete value, the rest of the line is unusable.
    let unparsed_length = if tree.closed { 0 } else { rest.find('\n').unwrap_or(rest.len()) };
    Ok((tree, start, end + unparsed_length))
}
