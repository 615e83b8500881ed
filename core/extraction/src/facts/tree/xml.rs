//! Extracts facts from XML. An element is converted to an object with its attributes and text as values.

use core::ops::Range;
use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use super::json;
use super::{MAX_DEPTH, Node, Nodes, Tree, Value};
use crate::budget::Budget;
use crate::facts::builder::Builder;
use crate::facts::text::{Context, ParseOutcome, Text, trim};
use crate::text::{byte_at, part};

pub(in crate::facts) fn elements<'a>(
    out: &mut Builder<'a>,
    context: &Context<'a>,
    text: Text<'_, 'a>,
    offset: usize,
) -> ParseOutcome {
    const MAX_TAG: usize = 2_048;
    let mut end = offset;
    loop {
        let start = text.skip_whitespace(end);
        let window = part(text.str, start..text.str.floor_char_boundary(start + MAX_TAG));
        let is_opening_tag = byte_at(window, 0) == b'<'
            && (byte_at(window, 1).is_ascii_alphabetic() || window.starts_with("<?xml"))
            && window.contains('>');
        let inner = text.suffix(start);
        let parsed_element = if is_opening_tag { element(inner.str, out.budget()) } else { Err(0) };
        match parsed_element {
            Ok(tree) => {
                json::add_tree(out, context, inner.part(0..tree.end), &tree);
                end = start + tree.end;
                if !tree.closed {
                    return ParseOutcome::Parsed(text.end_of_line(end));
                }
            }
            Err(search_end) if end == offset => return ParseOutcome::NotFound(start + search_end),
            Err(_) => return ParseOutcome::Parsed(end),
        }
    }
}

fn element<'t>(text: &'t str, budget: &Budget) -> Result<Tree<'t>, usize> {
    let mut parser =
        XmlParser { text, nodes: Nodes::new(budget), open: Vec::new(), closed_elements: 0 };
    let mut reader = Reader::from_str(text);
    let mut end = 0;
    let mut closed = false;
    while let Ok(event) = reader.read_event() {
        let start = end;
        let parsed_to =
            usize::try_from(reader.buffer_position()).unwrap_or(text.len()).min(text.len());
        end = text.floor_char_boundary(parsed_to);
        let can_continue = match event {
            Event::Start(tag) => parser.start(&tag, start..end),
            Event::Empty(tag) => parser.start(&tag, start..end).and_then(|()| parser.end(end)),
            Event::End(_) => parser.end(end),
            Event::Text(_) | Event::GeneralRef(_) | Event::CData(_) => parser.text(start..end),
            Event::Eof => None,
            _ => Some(()),
        };
        if can_continue.is_none() {
            break;
        }
        if parser.open.is_empty() && !parser.nodes.is_empty() {
            closed = true;
            break;
        }
    }
    if !closed && parser.closed_elements < 2 {
        return Err(end);
    }
    while !parser.open.is_empty() {
        parser.end(end);
    }
    let tree = Tree { nodes: parser.nodes, end, closed };
    if tree.nodes.len() > 1 { Ok(tree) } else { Err(end) }
}

fn unescaped(raw: &str) -> Cow<'_, str> {
    unescape(raw).unwrap_or(Cow::Borrowed(raw))
}

struct XmlParser<'t> {
    text: &'t str,
    nodes: Nodes<'t>,
    open: Vec<usize>,
    closed_elements: usize,
}

impl<'t> XmlParser<'t> {
    fn start(&mut self, start: &BytesStart<'t>, bytes: Range<usize>) -> Option<()> {
        if self.open.len() == MAX_DEPTH {
            return None;
        }
        let name = start.name().into_inner();
        let key = self.range_of(name)?;
        let node = self.nodes.len();
        let key = Some((Cow::Borrowed(part(self.text, key.clone())), key));
        self.nodes.push(Node { key, value: Value::Object, span: bytes, after: node + 1 })?;
        self.open.push(node);
        let mut attributes = start.attributes();
        for attribute in attributes.with_checks(false).flatten() {
            let key = attribute.key.into_inner();
            let (Some(key), Some(value)) = (self.range_of(key), self.range_of(&attribute.value))
            else {
                continue;
            };
            if part(self.text, key.clone()).starts_with("xmlns") {
                continue;
            }
            self.value(Some(key), value)?;
        }
        Some(())
    }

    fn text(&mut self, bytes: Range<usize>) -> Option<()> {
        let raw = part(self.text, bytes.clone());
        let bytes = match raw.strip_prefix("<![CDATA[").and_then(|rest| rest.strip_suffix("]]>")) {
            Some(inner) => bytes.start + 9..bytes.start + 9 + inner.len(),
            None => bytes,
        };
        let bytes = trim(self.text, bytes);
        if bytes.is_empty() || self.open.is_empty() {
            return Some(());
        }
        let parent = self.open.last().copied()?;
        let continues_text = self.nodes.len() > parent + 1 && self.last_is_text();
        if let Some(last) = self.nodes.last_mut().filter(|_| continues_text) {
            last.span.end = bytes.end;
            last.value = Value::Text(unescaped(part(self.text, last.span.clone())));
            return Some(());
        }
        self.value(Some(bytes.start..bytes.start), bytes)
    }

    fn value(&mut self, key: Option<Range<usize>>, span: Range<usize>) -> Option<()> {
        let text = unescaped(part(self.text, span.clone()));
        let key = key.map(|key| (Cow::Borrowed(part(self.text, key.clone())), key));
        let after = self.nodes.len() + 1;
        self.nodes.push(Node { key, value: Value::Text(text), span, after })
    }

    fn last_is_text(&self) -> bool {
        let key = self.nodes.last().and_then(|last| last.key.as_ref());
        key.is_some_and(|(key, _)| key.is_empty())
    }

    /// Closes an element. If it contains only text, the text becomes its value.
    fn end(&mut self, end: usize) -> Option<()> {
        let open = self.open.pop()?;
        self.closed_elements += 1;
        let after = self.nodes.len();
        let only_text = after == open + 2 && !self.open.is_empty() && self.last_is_text();
        if only_text {
            let text = self.nodes.pop()?;
            let node = self.nodes.get_mut(open)?;
            (node.value, node.span) = (text.value, text.span);
            return Some(());
        }
        let node = self.nodes.get_mut(open)?;
        node.after = after;
        node.span.end = end;
        Some(())
    }

    /// Returns the range of a substring, determined by its address.
    fn range_of(&self, piece: &str) -> Option<Range<usize>> {
        let start = (piece.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        let range = start..start + piece.len();
        (self.text.get(range.clone()) == Some(piece)).then_some(range)
    }
}
