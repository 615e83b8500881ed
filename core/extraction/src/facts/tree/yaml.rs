//! Extracts facts from YAML.

use core::ops::Range;
use std::borrow::Cow;

use memchr::memmem;
use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::json;
use super::{MAX_DEPTH, Node, Nodes, Tree, Value};
use crate::budget::Budget;
use crate::facts::builder::Builder;
use crate::facts::keys::is_key_line;
use crate::facts::prompt::{Opening, opening};
use crate::facts::text::{Context, ParseOutcome, Text, trim};
use crate::text::{byte_at, part};

pub(in crate::facts) fn read<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    text: Text<'_, 'a>,
    offset: usize,
) -> ParseOutcome {
    let (end, is_likely) = extent(text, offset);
    if !is_likely {
        return ParseOutcome::NotFound(end);
    }
    let part = text.part(offset..end);
    let Some(trees) = parse_documents(part.str, out.budget()) else {
        return ParseOutcome::NotFound(end);
    };
    for tree in &trees {
        json::add_tree(out, context, part, tree);
    }
    ParseOutcome::Parsed(end)
}

/// Returns the end of the lines that can be YAML, and whether they are likely to be YAML. They are if they contain
/// lists or nested keys, and no values aligned in a column.
fn extent(text: Text<'_, '_>, offset: usize) -> (usize, bool) {
    let mut end = offset;
    let mut last_content_end = offset;
    let (mut has_nesting, mut has_alignment, mut has_document_mark) = (false, false, false);
    while end < text.len() {
        let next = text.end_of_line(end);
        let line = part(text.str, end..next);
        let trimmed = line.trim();
        let is_indented = matches!(byte_at(line, 0), b' ' | b'\t');
        let can_be_yaml = trimmed.is_empty()
            || is_indented
            || trimmed == "---"
            || trimmed.starts_with("- ")
            || trimmed.starts_with('#')
            || is_key_line(line)
            || matches!(trimmed, "}" | "]");
        if !can_be_yaml || matches!(opening(line), Some(Opening::Command(_))) {
            break;
        }
        has_nesting |= (is_indented || trimmed.starts_with("- ")) && !trimmed.is_empty();
        has_alignment |= memmem::find(trimmed.as_bytes(), b":  ").is_some()
            && !trimmed.starts_with(['{', '-'])
            || line.starts_with('\t');
        has_document_mark |= trimmed.starts_with("---");
        end = next;
        if !trimmed.is_empty() && !trimmed.starts_with('#') {
            last_content_end = end;
        }
    }
    (
        last_content_end.max(text.end_of_line(offset)),
        (has_nesting || has_document_mark) && !has_alignment,
    )
}

fn parse_documents<'t>(text: &'t str, budget: &Budget) -> Option<Vec<Tree<'t>>> {
    let offsets: Vec<usize> = if text.is_ascii() {
        Vec::new()
    } else {
        text.char_indices().map(|(offset, _)| offset).collect()
    };
    let mut parser = YamlParser {
        text,
        offsets,
        trees: Vec::new(),
        nodes: Nodes::new(budget),
        open: Vec::new(),
        budget,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.ok()?;
        parser.event(event, span)?;
    }
    Some(parser.trees).filter(|trees| !trees.is_empty())
}

struct YamlParser<'t, 'b> {
    text: &'t str,
    /// The start of each character. Empty for ASCII text.
    offsets: Vec<usize>,
    trees: Vec<Tree<'t>>,
    nodes: Nodes<'t>,
    budget: &'b Budget,
    open: Vec<OpenNode<'t>>,
}

struct OpenNode<'t> {
    node: usize,
    is_mapping: bool,
    key: Option<(Cow<'t, str>, Range<usize>)>,
}

impl<'t> YamlParser<'t, '_> {
    fn event(&mut self, event: Event<'t>, span: Span) -> Option<()> {
        let bytes = self.bytes(span);
        match event {
            Event::Scalar(text, style, ..) => self.scalar(text, style, bytes)?,
            Event::Alias(_) => {
                self.push(Value::Bare, bytes)?;
            }
            Event::SequenceStart(..) => self.begin(Value::Array, bytes)?,
            Event::MappingStart(..) => self.begin(Value::Object, bytes)?,
            Event::SequenceEnd | Event::MappingEnd => {
                let open = self.open.pop()?;
                let after = self.nodes.len();
                let node = self.nodes.get_mut(open.node)?;
                node.after = after;
                node.span = trim(self.text, node.span.start..bytes.end.max(node.span.start));
            }
            Event::DocumentEnd => {
                let nodes = core::mem::replace(&mut self.nodes, Nodes::new(self.budget));
                let is_structured = nodes.first().is_some_and(|node| node.after > 1);
                if !is_structured && !nodes.is_empty() {
                    return None;
                }
                if is_structured {
                    self.trees.push(Tree { nodes, end: bytes.end, closed: true });
                }
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
        Some(())
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        bytes: Range<usize>,
    ) -> Option<()> {
        let quote = match style {
            ScalarStyle::SingleQuoted => Some('\''),
            ScalarStyle::DoubleQuoted => Some('"'),
            _ => None,
        };
        // The parser's span for a quoted scalar can include a comment.
        let raw = part(self.text, bytes.clone());
        let span = match quote.and_then(|quote| raw.find(quote).zip(raw.rfind(quote))) {
            Some((first, last)) if first < last => bytes.start + first + 1..bytes.start + last,
            _ => trim(self.text, bytes),
        };
        // A plain multi-line scalar that starts below its key is prose, not YAML.
        let key = self.open.last().and_then(|open| open.key.as_ref()).map(|(_, key)| key.end);
        let is_below_key = key.is_some_and(|key| part(self.text, key..span.start).contains('\n'));
        if style == ScalarStyle::Plain
            && is_below_key
            && part(self.text, span.clone()).contains('\n')
        {
            return None;
        }
        if let Some(open) =
            self.open.last_mut().filter(|open| open.is_mapping && open.key.is_none())
        {
            open.key = Some((text, span));
            return Some(());
        }
        self.push(Value::Text(text), span).map(|_| ())
    }

    fn begin(&mut self, value: Value<'t>, bytes: Range<usize>) -> Option<()> {
        let is_mapping = value == Value::Object;
        let node = self.push(value, bytes)?;
        self.open.push(OpenNode { node, is_mapping, key: None });
        (self.open.len() <= MAX_DEPTH).then_some(())
    }

    fn push(&mut self, value: Value<'t>, span: Range<usize>) -> Option<usize> {
        let key = match self.open.last_mut() {
            Some(open) if open.is_mapping => Some(open.key.take()?),
            _ => None,
        };
        let index = self.nodes.len();
        self.nodes.push(Node { key, value, span, after: index + 1 })?;
        Some(index)
    }

    fn bytes(&self, span: Span) -> Range<usize> {
        let byte = |index: usize| {
            let offset = if self.offsets.is_empty() {
                index
            } else {
                self.offsets.get(index).copied().unwrap_or(self.text.len())
            };
            offset.min(self.text.len())
        };
        let start = byte(span.start.index());
        start..byte(span.end.index()).max(start)
    }
}
