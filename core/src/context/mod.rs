//! This module cuts an item of the evidence down to what a reader of a quote needs: the quoted bytes and what tells
//! whose value they are. It copies bytes as they stand, decides nothing, and knows nothing of claims or judges.
//!
//! An [`Excerpt`] is a set of disjoint ranges of the item's content. A quote in a table comes with the header of its
//! table and its row, one in JSON with the keys that lead to it and the names of the objects around it, one in a diff
//! with its file and hunk.
//!
//! ```
//! use gsar_core::context::Excerpt;
//! # use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, EvidenceKind, Lane};
//! # let row = |at: usize| format!("cart-{at:03}  1/1    Running             {at}\n");
//! # let rows: String = (0..200).map(row).collect();
//! # let content = format!("NAME      READY  STATUS             RESTARTS\n{rows}cart-777  0/1    CrashLoopBackOff   12\n{rows}");
//! # let item = EvidenceItem {
//! #     id: EvidenceId::new("e").unwrap(), kind: EvidenceKind::ToolOutput, lane: Lane::StaticInfra,
//! #     tool: String::new(), query: String::new(), content: Content::Text(content), collected_at: None,
//! #     exhaustive: false, attested: false, step_id: String::new(), specialist_id: String::new(),
//! #     verification_result: None,
//! # };
//! let content = item.content.as_str();
//! let quoted = content.find("CrashLoopBackOff").unwrap();
//! let mut excerpt = Excerpt::new(&item);
//! excerpt.add_quote(quoted..quoted + 16);
//! let read = excerpt.render();
//! assert!(read.contains("NAME      READY  STATUS"));
//! assert!(read.contains("cart-777  0/1    CrashLoopBackOff"));
//! assert!(!read.contains("cart-100") && read.len() < 400);
//! ```

mod hunks;
mod json;
mod lines;
mod names;
mod quantify;
mod ranges;
mod reading;
#[cfg(test)]
mod tests;
mod text;
mod tree;

use core::ops::Range;
use std::borrow::Cow;

use crate::evidence::EvidenceItem;
use crate::text::part;

pub use quantify::quantifies;
pub(crate) use ranges::Ranges;
use reading::Reading;

/// Items of at most this many bytes are shown whole as soon as anything of them is quoted.
pub const MAX_SMALL: usize = 1_536;
/// The most bytes of an item that [`Excerpt::add_whole`] shows whole.
pub const MAX_WHOLE: usize = 16 * 1_024;
/// The most bytes that [`Excerpt::add_whole`] shows of either end of a longer item.
pub const MAX_END: usize = 1_024;
/// About the most bytes of context of one quote, the quoted bytes not counted.
pub const MAX_CONTEXT: usize = 4 * 1_024;

/// What is shown of one item: ranges of its content that hold quotes and what tells whose they are.
///
/// Ranges are half-open, in bytes of the original content, on character boundaries, disjoint and in order. The content
/// is parsed at the first quote, once, in time linear in its length.
#[derive(Clone, Debug)]
pub struct Excerpt<'e> {
    item: &'e EvidenceItem,
    kept: Ranges,
    reading: Option<Box<Reading<'e>>>,
}

impl<'e> Excerpt<'e> {
    /// An excerpt that shows nothing yet.
    #[must_use]
    pub const fn new(item: &'e EvidenceItem) -> Self {
        Self { item, kept: Ranges::new(), reading: None }
    }

    /// The item it is of.
    #[must_use]
    pub const fn item(&self) -> &'e EvidenceItem {
        self.item
    }

    /// Shows the quoted bytes, however many, and at most about [`MAX_CONTEXT`] bytes of their context; all of an item
    /// of at most [`MAX_SMALL`] bytes. A range that goes beyond the content or parts a character is widened to
    /// characters and cut to the content.
    pub fn add_quote(&mut self, bytes: Range<usize>) {
        let content = self.content();
        if content.len() <= MAX_SMALL {
            self.kept.add(0..content.len());
            return;
        }
        let start = content.floor_char_boundary(bytes.start);
        let end = content.ceil_char_boundary(bytes.end.min(content.len())).max(start);
        let reading =
            self.reading.get_or_insert_with(|| Box::new(Reading::of(Cow::Borrowed(content))));
        for range in reading.context(&(start..end), MAX_CONTEXT).as_slice() {
            self.kept.add(range.clone());
        }
    }

    /// Shows the whole item where it has at most [`MAX_WHOLE`] bytes; else its two ends, whole lines of at most
    /// [`MAX_END`] bytes each, or that many bytes of a longer line.
    pub fn add_whole(&mut self) {
        let content = self.content();
        if content.len() <= MAX_WHOLE {
            self.kept.add(0..content.len());
            return;
        }
        let head = content.floor_char_boundary(MAX_END);
        let head = part(content, 0..head).rfind('\n').map_or(head, |at| at + 1);
        let tail = content.ceil_char_boundary(content.len() - MAX_END);
        // The line that the tail begins in is left out, unless it begins there.
        let before = tail.saturating_sub(1);
        let bytes = content.as_bytes().get(before..content.len() - 1).unwrap_or_default();
        let tail = memchr::memchr(b'\n', bytes).map_or(tail, |at| before + at + 1);
        self.kept.add(0..head);
        self.kept.add(tail..content.len());
    }

    /// Whether everything in the item is shown.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        match self.kept.as_slice() {
            [] => self.content().is_empty(),
            [all] => *all == (0..self.content().len()),
            _ => false,
        }
    }

    /// Whether nothing is shown.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.as_slice().is_empty()
    }

    /// The bytes of [`Self::render`].
    #[must_use]
    pub fn len(&self) -> usize {
        let mut bytes = 0;
        ranges::write(self.content(), self.ranges(), &mut |part| bytes += part.len());
        bytes
    }

    /// What is shown, byte for byte, with `…` where something is left out: within a line where part of a line is, as a
    /// line of its own where lines are.
    #[must_use]
    pub fn render(&self) -> String {
        let mut rendered = String::new();
        ranges::write(self.content(), self.ranges(), &mut |part| rendered.push_str(part));
        rendered
    }

    /// The ranges of the content that are shown.
    #[must_use]
    pub fn ranges(&self) -> &[Range<usize>] {
        self.kept.as_slice()
    }

    /// Shows these ranges instead; gives those that were shown.
    pub(crate) const fn replace(&mut self, kept: Ranges) -> Ranges {
        core::mem::replace(&mut self.kept, kept)
    }

    /// The ranges that are shown, to be shown again.
    pub(crate) fn kept(&self) -> Ranges {
        self.kept.clone()
    }

    fn content(&self) -> &'e str {
        self.item.content.as_str()
    }
}
