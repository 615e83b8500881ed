//! Parses the lines and the JSON of a text once, to select the context of any number of quotes.

use core::ops::Range;
use std::borrow::Cow;
use std::collections::BTreeMap;

use super::json;
use super::lines::Lines;
use super::ranges::{RangeBuilder, Ranges};
use super::text::{self, MAX_BESIDE};
use super::tree::{Kind, Tree, documents};
use crate::escapes::{TracedText, unescape};

const MAX_DEPTH: usize = 3;
/// The maximum length, in bytes, of a string that is not parsed as nested text.
pub(super) const MAX_STRING: usize = 300;

#[derive(Clone, Debug)]
pub(super) struct ParsedText<'e> {
    text: Cow<'e, str>,
    lines: Lines,
    documents: Vec<Tree>,
    /// The nested texts by their offset in the text.
    nested: BTreeMap<usize, NestedText<'e>>,
}

#[derive(Clone, Debug)]
struct NestedText<'e> {
    parsed: Box<ParsedText<'e>>,
    traced: TracedText,
}

impl<'e> ParsedText<'e> {
    pub(super) fn new(text: Cow<'e, str>) -> Self {
        let (lines, documents) = (Lines::new(&text), documents(&text));
        Self { text, lines, documents, nested: BTreeMap::new() }
    }

    pub(super) fn context(&mut self, quote: &Range<usize>, max_bytes: usize) -> Ranges {
        self.context_at(quote, max_bytes, 0)
    }

    fn context_at(&mut self, quote: &Range<usize>, max_bytes: usize, depth: usize) -> Ranges {
        let mut builder = RangeBuilder::new(max_bytes);
        builder.add_unbudgeted(quote.clone());
        let index = self.documents.partition_point(|tree| tree.span().end <= quote.start);
        let encloses_quote = |tree: &&Tree| {
            tree.span().start <= quote.start && quote.end <= tree.span().end && !quote.is_empty()
        };
        let Some(tree) = self.documents.get(index).filter(encloses_quote) else {
            text::add(&self.text, &self.lines, quote, &mut builder);
            return builder.into_ranges();
        };
        let Some(innermost) = tree.innermost(quote) else { return builder.into_ranges() };
        text::add_around(&self.text, &self.lines, &tree.span(), &mut builder);
        json::add_path(&self.text, tree, innermost, &mut builder);
        let string = tree.node(innermost).filter(|node| node.value().len() > MAX_STRING);
        if let Some(string) = string {
            let value = string.value();
            let is_inside = value.start < quote.start && quote.end < value.end;
            if string.kind == Kind::String && is_inside && depth < MAX_DEPTH {
                let content = value.start + 1..value.end - 1;
                let text = &self.text;
                let nested = self
                    .nested
                    .entry(content.start)
                    .or_insert_with(|| NestedText::new(text, content));
                let room = builder.remaining() / 4 * 3;
                for range in nested.context(quote, room, depth + 1) {
                    builder.add(range);
                }
            } else {
                let text = &self.text;
                let start = quote.start.saturating_sub(MAX_BESIDE).max(string.span().start);
                let end = quote.end.saturating_add(MAX_BESIDE).min(string.span().end);
                builder.add(text.floor_char_boundary(start)..quote.start);
                builder.add(quote.end..text.floor_char_boundary(end).max(quote.end));
            }
        }
        json::add_members(&self.text, tree, innermost, &mut builder);
        if !tree.is_complete {
            text::add(&self.text, &self.lines, quote, &mut builder);
        }
        builder.into_ranges()
    }
}

impl NestedText<'_> {
    fn new(outer: &str, content: Range<usize>) -> Self {
        let mut traced = unescape(outer, content);
        let text = core::mem::take(&mut traced.text);
        Self { parsed: Box::new(ParsedText::new(Cow::Owned(text))), traced }
    }

    fn context(
        &mut self,
        quote: &Range<usize>,
        max_bytes: usize,
        depth: usize,
    ) -> Vec<Range<usize>> {
        let nested_quote = self.traced.span_of(quote);
        let ranges = self.parsed.context_at(&nested_quote, max_bytes, depth);
        ranges.as_slice().iter().map(|range| self.traced.original(range)).collect()
    }
}
