//! A text to extract facts from, with its position in the item's content.

use core::ops::Range;
use std::borrow::Cow;

use memchr::memchr;

use super::model::{ItemId, RecordId};
use crate::text::figures::ClockTime;
use crate::text::part;

/// A text or part of a text: the item's content, or an unescaped string in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'t, 'a> {
    pub(super) str: &'t str,
    origin: Origin<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Origin<'a> {
    /// The text starts at an offset in the content.
    Content { content: &'a str, start: usize },
    /// The text is the unescaped form of this byte range in the content.
    Escaped { start: usize, end: usize },
}

/// The maximum length in bytes of names and titles, which are repeated for every record.
const MAX_NAME: usize = 256;

impl<'a> Text<'a, 'a> {
    pub(super) fn content(content: &'a str) -> Self {
        Self { str: content, origin: Origin::Content { content, start: 0 } }
    }
}

impl<'t, 'a> Text<'t, 'a> {
    pub(super) fn len(&self) -> usize {
        self.str.len()
    }

    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let str = part(self.str, range.clone());
        let origin = match self.origin {
            Origin::Content { content, start } => {
                Origin::Content { content, start: start + range.start }
            }
            escaped @ Origin::Escaped { .. } => escaped,
        };
        Self { str, origin }
    }

    pub(super) fn suffix(&self, start: usize) -> Self {
        self.part(start..self.len())
    }

    pub(super) fn unescaped<'u>(&self, range: Range<usize>, str: &'u str) -> Text<'u, 'a> {
        let span = self.span(range);
        Text { str, origin: Origin::Escaped { start: span.start, end: span.end } }
    }

    pub(super) fn end_of_line(&self, offset: usize) -> usize {
        let rest = part(self.str, offset..self.len());
        offset + memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1)
    }

    pub(super) fn skip_whitespace(&self, offset: usize) -> usize {
        self.len() - part(self.str, offset..self.len()).trim_start().len()
    }

    pub(super) fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        trim(self.str, range)
    }

    /// Returns a range as a string, borrowed from the content if possible.
    pub(super) fn cow(&self, range: Range<usize>) -> Cow<'a, str> {
        match self.origin {
            Origin::Content { content, start } => {
                Cow::Borrowed(part(content, start + range.start..start + range.end))
            }
            Origin::Escaped { .. } => Cow::Owned(part(self.str, range).to_owned()),
        }
    }

    /// Returns a range as a name, truncated to [`MAX_NAME`].
    pub(super) fn name(&self, range: Range<usize>) -> Cow<'a, str> {
        let end = range.start + truncate(part(self.str, range.clone()), MAX_NAME).len();
        self.cow(range.start..end)
    }

    pub(super) fn span(&self, range: Range<usize>) -> Range<usize> {
        match self.origin {
            Origin::Content { start, .. } => start + range.start..start + range.end,
            Origin::Escaped { start, end } => start..end,
        }
    }

    pub(super) fn time(&self, time: ClockTime) -> ClockTime {
        ClockTime { span: self.span(time.span), ..time }
    }
}

pub(super) fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = part(text, range.clone());
    let start = range.start + inner.len() - inner.trim_start().len();
    start..start + inner.trim().len()
}

pub(super) fn truncate(text: &str, max_bytes: usize) -> &str {
    part(text, 0..text.floor_char_boundary(max_bytes))
}

pub(super) enum ParseOutcome {
    Parsed(usize),
    /// No text in this format starts before this offset.
    NotFound(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Context<'a> {
    pub(super) item: ItemId,
    pub(super) scope: Vec<Cow<'a, str>>,
    pub(super) parent: Option<RecordId>,
    pub(super) path: Vec<Cow<'a, str>>,
    pub(super) exhaustive: bool,
    pub(super) truncated: bool,
    pub(super) depth: u8,
}

impl<'a> Context<'a> {
    /// Returns `true` if the records are complete. `by_format` is `true` if their format guarantees that.
    pub(super) fn complete(&self, by_format: bool) -> bool {
        !self.truncated && (self.exhaustive || by_format)
    }

    pub(super) fn child(&self, parent: RecordId, path: Vec<Cow<'a, str>>) -> Self {
        let mut scope = self.scope.clone();
        scope.extend(path.iter().cloned());
        Self { parent: Some(parent), path, scope, ..self.clone() }
    }

    /// Returns the context for a nested text, or `None` at the depth limit.
    pub(super) fn nested(&self) -> Option<Self> {
        Some(Self { depth: self.depth.checked_sub(1)?, ..self.clone() })
    }
}
