//! This module is a text that is being read, with the place where it stands in the content of its item. It reads
//! nothing itself.

use core::ops::Range;
use std::borrow::Cow;

use memchr::memchr;

use super::model::{ItemId, RecordId};
use crate::text::figures::ClockTime;
use crate::text::part;

/// A text, whole or a part: the content of an item, or what an escaped string in it reads as.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'t, 'a> {
    pub(super) read: &'t str,
    origin: Origin<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Origin<'a> {
    /// The text is the content from an offset on.
    Content { content: &'a str, from: usize },
    /// The text is what these bytes of the content read as.
    Escaped { start: usize, end: usize },
}

/// Names and titles that are repeated for every record are cut to this many bytes.
const MAX_NAME: usize = 256;

impl<'a> Text<'a, 'a> {
    pub(super) fn content(content: &'a str) -> Self {
        Self { read: content, origin: Origin::Content { content, from: 0 } }
    }
}

impl<'t, 'a> Text<'t, 'a> {
    /// The length in bytes.
    pub(super) fn len(&self) -> usize {
        self.read.len()
    }

    /// The part at a range of this text.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let read = part(self.read, range.clone());
        let origin = match self.origin {
            Origin::Content { content, from } => {
                Origin::Content { content, from: from + range.start }
            }
            escaped @ Origin::Escaped { .. } => escaped,
        };
        Self { read, origin }
    }

    /// The part from an offset on.
    pub(super) fn from(&self, start: usize) -> Self {
        self.part(start..self.len())
    }

    /// What the bytes of a range read as, where that is not what is written.
    pub(super) fn unescaped<'u>(&self, range: Range<usize>, read: &'u str) -> Text<'u, 'a> {
        let span = self.span(range);
        Text { read, origin: Origin::Escaped { start: span.start, end: span.end } }
    }

    /// Where the line ends that an offset stands in, its break included.
    pub(super) fn end_of_line(&self, at: usize) -> usize {
        let rest = part(self.read, at..self.len());
        at + memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1)
    }

    /// Behind the white space at an offset.
    pub(super) fn behind_space(&self, at: usize) -> usize {
        self.len() - part(self.read, at..self.len()).trim_start().len()
    }

    /// A range without the white space at its ends.
    pub(super) fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        trim(self.read, range)
    }

    /// The text of a range, borrowed from the content where it is written so.
    pub(super) fn cow(&self, range: Range<usize>) -> Cow<'a, str> {
        match self.origin {
            Origin::Content { content, from } => {
                Cow::Borrowed(part(content, from + range.start..from + range.end))
            }
            Origin::Escaped { .. } => Cow::Owned(part(self.read, range).to_owned()),
        }
    }

    /// The text of a range as a name that many records may repeat.
    pub(super) fn name(&self, range: Range<usize>) -> Cow<'a, str> {
        let end = range.start + truncate(part(self.read, range.clone()), MAX_NAME).len();
        self.cow(range.start..end)
    }

    /// The bytes of the content where a range is written.
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

/// A range without the white space at its ends.
pub(super) fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = part(text, range.clone());
    let start = range.start + inner.len() - inner.trim_start().len();
    start..start + inner.trim().len()
}

/// The start of a text, at most `longest` bytes of it, cut between characters.
pub(super) fn truncate(text: &str, longest: usize) -> &str {
    part(text, 0..text.floor_char_boundary(longest))
}

/// What came of reading a shape.
pub(super) enum Parsed {
    /// It was read up to there.
    Read(usize),
    /// Nothing up to there is of that shape.
    Not(usize),
}

/// What holds for the facts of a text: where they belong and what is said above them.
#[derive(Clone, Debug)]
pub(super) struct Context<'a> {
    pub(super) item: ItemId,
    pub(super) scope: Vec<Cow<'a, str>>,
    pub(super) parent: Option<RecordId>,
    /// Keys between the parent and the text.
    pub(super) path: Vec<Cow<'a, str>>,
    /// Whether the item holds all there is.
    pub(super) exhaustive: bool,
    /// Whether what was asked, or the text, says that something is left out.
    pub(super) truncated: bool,
    /// How many texts within texts may still be read.
    pub(super) depth: u8,
}

impl<'a> Context<'a> {
    /// Whether records are all there is, given whether their shape says so.
    pub(super) fn complete(&self, shape: bool) -> bool {
        !self.truncated && (self.exhaustive || shape)
    }

    /// The frame of what stands under a record.
    pub(super) fn under(&self, parent: RecordId, path: Vec<Cow<'a, str>>) -> Self {
        let mut scope = self.scope.clone();
        scope.extend(path.iter().cloned());
        Self { parent: Some(parent), path, scope, ..self.clone() }
    }

    /// The frame of a text within this text, or nothing where it lies too deep.
    pub(super) fn within(&self) -> Option<Self> {
        Some(Self { depth: self.depth.checked_sub(1)?, ..self.clone() })
    }
}
