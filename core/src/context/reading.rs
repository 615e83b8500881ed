//! This module reads a text once, its lines and the JSON in it, and gives the context of any number of quotes. A long
//! string of a document is a text of its own, read when a quote falls into it.

use core::ops::Range;
use std::borrow::Cow;
use std::collections::BTreeMap;

use super::json;
use super::lines::Lines;
use super::ranges::{Keep, Ranges};
use super::text::{self, BESIDE};
use super::tree::{Kind, Tree, documents};
use crate::escapes::{Traced, unescaped};

/// How deep texts inside strings are read.
const MAX_DEPTH: usize = 3;
/// Longer strings are read as texts of their own.
pub(super) const MAX_STRING: usize = 300;

/// A text that is read.
#[derive(Clone, Debug)]
pub(super) struct Reading<'e> {
    text: Cow<'e, str>,
    lines: Lines,
    documents: Vec<Tree>,
    /// The long strings that quotes fell into, by where they stand.
    inside: BTreeMap<usize, Inside<'e>>,
}

/// What a string of JSON says.
#[derive(Clone, Debug)]
struct Inside<'e> {
    reading: Box<Reading<'e>>,
    traced: Traced,
}

impl<'e> Reading<'e> {
    pub(super) fn of(text: Cow<'e, str>) -> Self {
        let (lines, documents) = (Lines::of(&text), documents(&text));
        Self { text, lines, documents, inside: BTreeMap::new() }
    }

    /// What is kept around a quote, in about `max_bytes` bytes besides it.
    pub(super) fn context(&mut self, quote: &Range<usize>, max_bytes: usize) -> Ranges {
        self.context_at(quote, max_bytes, 0)
    }

    fn context_at(&mut self, quote: &Range<usize>, max_bytes: usize, depth: usize) -> Ranges {
        let mut keep = Keep::new(max_bytes);
        keep.always(quote.clone());
        let place = self.documents.partition_point(|tree| tree.span().end <= quote.start);
        let around = |tree: &&Tree| {
            tree.span().start <= quote.start && quote.end <= tree.span().end && !quote.is_empty()
        };
        let Some(tree) = self.documents.get(place).filter(around) else {
            text::add(&self.text, &self.lines, quote, &mut keep);
            return keep.into_ranges();
        };
        let Some(innermost) = tree.innermost(quote) else { return keep.into_ranges() };
        text::add_around(&self.text, &self.lines, &tree.span(), &mut keep);
        json::add_path(&self.text, tree, innermost, &mut keep);
        let string = tree.node(innermost).filter(|node| node.value().len() > MAX_STRING);
        if let Some(string) = string {
            let value = string.value();
            let falls_inside = value.start < quote.start && quote.end < value.end;
            if string.kind == Kind::String && falls_inside && depth < MAX_DEPTH {
                let content = value.start + 1..value.end - 1;
                let text = &self.text;
                let inside =
                    self.inside.entry(content.start).or_insert_with(|| Inside::of(text, content));
                let room = keep.left() / 4 * 3;
                for range in inside.context(quote, room, depth + 1) {
                    keep.add(range);
                }
            } else {
                let text = &self.text;
                let start = quote.start.saturating_sub(BESIDE).max(string.span().start);
                let end = quote.end.saturating_add(BESIDE).min(string.span().end);
                keep.add(text.floor_char_boundary(start)..quote.start);
                keep.add(quote.end..text.floor_char_boundary(end).max(quote.end));
            }
        }
        json::add_members(&self.text, tree, innermost, &mut keep);
        if !tree.is_complete {
            text::add(&self.text, &self.lines, quote, &mut keep);
        }
        keep.into_ranges()
    }
}

impl Inside<'_> {
    fn of(around: &str, content: Range<usize>) -> Self {
        let mut traced = unescaped(around, content);
        let text = core::mem::take(&mut traced.text);
        Self { reading: Box::new(Reading::of(Cow::Owned(text))), traced }
    }

    /// What is kept around a quote, as ranges of the text around.
    fn context(
        &mut self,
        quote: &Range<usize>,
        max_bytes: usize,
        depth: usize,
    ) -> Vec<Range<usize>> {
        let within = self.traced.stretch_of(quote);
        let kept = self.reading.context_at(&within, max_bytes, depth);
        kept.as_slice().iter().map(|range| self.traced.original(range)).collect()
    }
}
