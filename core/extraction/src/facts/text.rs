//! A text that is being read, with its position in the content of its item.

use core::ops::Range;
use std::borrow::Cow;

use memchr::memchr;

use super::model::{ItemId, RecordId};
use crate::text::figures::ClockTime;
use crate::text::part;

/// A text or a part of one: the content of an item, or an unescaped string in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'t, 'a> {
    pub(super) str: &'t str,
    origin: Origin<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Origin<'a> {
    /// The text is the content from an offset on.
    Content { content: &'a str, from: usize },
    /// The text is these bytes of the content, unescaped.
    Escaped { start: usize, end: usize },
}

/// The maximum number of bytes of names and titles, which are repeated for every record.
const MAX_NAME: usize = 256;

impl<'a> Text<'a, 'a> {
    pub(super) fn content(content: &'a str) -> Self {
        Self { str: content, origin: Origin::Content { content, from: 0 } }
    }
}

impl<'t, 'a> Text<'t, 'a> {
    /// Returns the length in bytes.
    pub(super) fn len(&self) -> usize {
        self.str.len()
    }

    /// Returns the part at a range of this text.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let str = part(self.str, range.clone());
        let origin = match self.origin {
            Origin::Content { content, from } => {
                Origin::Content { content, from: from + range.start }
            }
            escaped @ Origin::Escaped { .. } => escaped,
        };
        Self { str, origin }
    }

    /// Returns the part from an offset on.
    pub(super) fn from(&self, start: usize) -> Self {
        self.part(start..self.len())
    }

    /// Returns the unescaped text of a range.
    pub(super) fn unescaped<'u>(&self, range: Range<usize>, str: &'u str) -> Text<'u, 'a> {
        let span = self.span(range);
        Text { str, origin: Origin::Escaped { start: span.start, end: span.end } }
    }

    /// Returns the end of the line at an offset, its line break included.
    pub(super) fn end_of_line(&self, at: usize) -> usize {
        let rest = part(self.str, at..self.len());
        at + memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1)
    }

    /// Returns the offset after the whitespace at an offset.
    pub(super) fn skip_whitespace(&self, at: usize) -> usize {
        self.len() - part(self.str, at..self.len()).trim_start().len()
    }

    /// Returns a range without the whitespace at its ends.
    pub(super) fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        trim(self.str, range)
    }

    /// Returns the text of a range, borrowed from the content if possible.
    pub(super) fn cow(&self, range: Range<usize>) -> Cow<'a, str> {
        match self.origin {
            Origin::Content { content, from } => {
                Cow::Borrowed(part(content, from + range.start..from + range.end))
            }
            Origin::Escaped { .. } => Cow::Owned(part(self.str, range).to_owned()),
        }
    }

    /// Returns the text of a range as a name, truncated.
    pub(super) fn name(&self, range: Range<usize>) -> Cow<'a, str> {
        let end = range.start + truncate(part(self.str, range.clone()), MAX_NAME).len();
        self.cow(range.start..end)
    }

    /// Returns the bytes of the content at a range of this text.
    pub(super) fn span(&self, range: Range<usize>) -> Range<usize> {
        match self.origin {
            Origin::Content { from, .. } => from + range.start..from + range.end,
            Origin::Escaped { start, end } => start..end,
        }
    }

    pub(super) fn time(&self, time: ClockTime) -> ClockTime {
        ClockTime { span: self.span(time.span), ..time }
    }
}

/// Returns a range without the whitespace at its ends.
pub(super) fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = part(text, range.clone());
    let start = range.start + inner.len() - inner.trim_start().len();
    start..start + inner.trim().len()
}

/// Returns the start of a text, at most `max_bytes` long, cut between characters.
pub(super) fn truncate(text: &str, max_bytes: usize) -> &str {
    part(text, 0..text.floor_char_boundary(max_bytes))
}

/// The result of reading a format.
pub(super) enum ParseOutcome {
    /// It was read up to this offset.
    Parsed(usize),
    /// No text of that format starts before this offset.
    NotFound(usize),
}

/// The context of the facts of a text: their parent and the text above them.
#[derive(Clone, Debug)]
pub(super) struct Context<'a> {
    pub(super) item: ItemId,
    pub(super) scope: Vec<Cow<'a, str>>,
    pub(super) parent: Option<RecordId>,
    /// The keys between the parent and the text.
    pub(super) path: Vec<Cow<'a, str>>,
    /// `true` if the item is the complete answer to its query.
    pub(super) exhaustive: bool,
    /// `true` if the query or the text shows that something is left out.
    pub(super) truncated: bool,
    /// The number of levels of nested texts that may still be read.
    pub(super) depth: u8,
}

impl<'a> Context<'a> {
    /// Returns `true` if records are complete; `by_format` is `true` if their format says so.
    pub(super) fn complete(&self, by_format: bool) -> bool {
        !self.truncated && (self.exhaustive || by_format)
    }

    /// Returns the context of the children of a record.
    pub(super) fn under(&self, parent: RecordId, path: Vec<Cow<'a, str>>) -> Self {
        let mut scope = self.scope.clone();
        scope.extend(path.iter().cloned());
        Self { parent: Some(parent), path, scope, ..self.clone() }
    }

    /// Returns the context of a nested text, or `None` if it is nested too deeply.
    pub(super) fn within(&self) -> Option<Self> {
        Some(Self { depth: self.depth.checked_sub(1)?, ..self.clone() })
    }
}
