//! This module reads a text once, its lines and the JSON in it, and gives the context of any number of quotes. A long
//! string of a document is a text of its own, read when a quote falls into it.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::json;
use super::lines::Lines;
use super::ranges::{Keep, Ranges};
use super::text::{self, BESIDE};
use super::tree::{Kind, Tree, documents, offset};
use crate::text::{byte_at, char_at, part};

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
    /// For each byte of it the byte of the text around it from which it comes, and where the last one ends.
    sources: Vec<u32>,
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

impl<'e> Inside<'e> {
    fn of(around: &str, content: Range<usize>) -> Self {
        let mut text = String::with_capacity(content.len());
        let mut sources = Vec::with_capacity(content.len() + 1);
        let mut at = content.start;
        while at < content.end {
            let (character, end) = character_at(around, at);
            text.push(character);
            sources.resize(text.len(), offset(at));
            at = end.max(at + 1);
        }
        sources.push(offset(content.end));
        Self { reading: Box::new(Reading::of(Cow::Owned(text))), sources }
    }

    /// What is kept around a quote, as ranges of the text around.
    fn context(
        &mut self,
        quote: &Range<usize>,
        max_bytes: usize,
        depth: usize,
    ) -> Vec<Range<usize>> {
        let place = |at: usize| self.sources.partition_point(|source| (*source as usize) < at);
        let text = &self.reading.text;
        let start = text.floor_char_boundary(place(quote.start + 1).saturating_sub(1));
        let end = text.ceil_char_boundary(place(quote.end).min(text.len())).max(start);
        let source = |at: usize| self.sources.get(at).map_or(quote.end, |source| *source as usize);
        let kept = self.reading.context_at(&(start..end), max_bytes, depth);
        kept.as_slice().iter().map(|range| source(range.start)..source(range.end)).collect()
    }
}

/// The character that a string of JSON has at an offset, and where it ends; U+FFFD for half of a pair.
fn character_at(text: &str, at: usize) -> (char, usize) {
    let Some(character) = char_at(text, at) else { return (char::REPLACEMENT_CHARACTER, at + 1) };
    if character != '\\' {
        return (character, at + character.len_utf8());
    }
    let meant = match byte_at(text, at + 1) {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' | b'f' => ' ',
        b'u' => return unicode_at(text, at),
        _ => match char_at(text, at + 1) {
            Some(character) => return (character, at + 1 + character.len_utf8()),
            None => return ('\\', at + 1),
        },
    };
    (meant, at + 2)
}

fn unicode_at(text: &str, at: usize) -> (char, usize) {
    let unit = |at: usize| {
        let digits = part(text, at + 2..at + 6);
        u16::from_str_radix(digits, 16).ok().filter(|_| part(text, at..at + 2) == "\\u")
    };
    let Some(first) = unit(at) else { return ('\\', at + 1) };
    if let Some(character) = char::from_u32(u32::from(first)) {
        return (character, at + 6);
    }
    let pair = unit(at + 6).and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    pair.map_or((char::REPLACEMENT_CHARACTER, at + 6), |character| (character, at + 12))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_string_reads_as_the_library_reads_it(said in "(\\PC|[a-z\n\t\"\\\\/]|😀){0,40}") {
            let written = serde_json::Value::from(said.clone()).to_string();
            let inside = Inside::of(&written, 1..written.len() - 1);
            prop_assert_eq!(inside.reading.text.as_ref(), said.as_str());
            prop_assert_eq!(inside.sources.len(), said.len() + 1);
        }
    }

    #[test]
    fn pairs_and_halves_of_pairs_are_read() {
        let written = r#""\ud83d\ude00 \ud83d \u00e9 \x""#;
        let inside = Inside::of(written, 1..written.len() - 1);
        assert_eq!(inside.reading.text, "😀 \u{fffd} é x");
    }
}
