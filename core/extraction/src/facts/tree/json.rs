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
        let (tree, from, to) = match value_at(text, end, out.budget()) {
            Ok(value) => value,
            Err(reach) if end == start => return ParseOutcome::NotFound(reach),
            Err(_) => return ParseOutcome::Parsed(end),
        };
        let inner = text.part(from..to);
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
            let is_one = value_at_start(text, to).is_none();
            let form = if is_one { Form::Object } else { Form::Lines };
            let complete = if is_one { complete } else { context.complete(false) };
            group = Some(objects.out.group(context.item, form, context.scope.clone(), complete));
        }
        objects.add_root(group);
        end = to;
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
    let group = out.group(context.item, Form::Object, context.scope.clone(), complete);
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
    let opens =
        trimmed.starts_with("{\"") || trimmed.starts_with("[{") || trimmed.starts_with("[\"");
    let whole = || Tree::read(text.str, out.budget()).is_some_and(|tree| tree.closed);
    opens
        && trimmed.len() > 4
        && whole()
        && matches!(values(out, context, text, 0), ParseOutcome::Parsed(_))
}

fn value_at_start(text: Text<'_, '_>, at: usize) -> Option<usize> {
    let start = text.skip_whitespace(at);
    matches!(byte_at(text.str, start), b'{' | b'[').then_some(start)
}

/// Parses the value at an offset and returns it with its range. Rejects brackets in prose and returns the
/// end of the search.
fn value_at<'t>(
    text: Text<'t, '_>,
    at: usize,
    budget: &Budget,
) -> Result<(Tree<'t>, usize, usize), usize> {
    let start = value_at_start(text, at).ok_or(at)?;
    let tree = Tree::read(text.from(start).str, budget).ok_or(at)?;
    let end = start + tree.end;
    let rest = text.from(end).str;
    let after = rest.trim_start_matches([' ', ',', ';', '\r', '\t']);
    let ends_line = matches!(byte_at(after, 0), b'\n' | 0 | b'[' | b'{');
    let accepted = if tree.is_object(0) {
        tree.closed || tree.nodes.len() > 1
    } else if tree.closed {
        ends_line
    } else {
        tree.nodes.iter().any(|node| node.key.is_some())
    };
    if !accepted {
        return Err(end);
    }
    // After an incomplete value, the rest of the line is unusable.
    let unparsed = if tree.closed { 0 } else { rest.find('\n').unwrap_or(rest.len()) };
    Ok((tree, start, end + unparsed))
}
